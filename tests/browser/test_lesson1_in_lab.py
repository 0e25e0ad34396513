"""Lesson 1 in JupyterLab: from the stub to a passed check to a game against what was trained."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hand import RUN_CELL, cell_with

from lib.cli.browser import RAN, Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LESSON = Path(__file__).parents[2] / "notebooks" / "01_q_learning_tapnswap.ipynb"
ANSWER = """
def self_play(moves, start, games, epsilon, alpha, gamma, rng):
    Q = new_table(moves)
    for _ in range(games):
        s = start
        for _ in range(200):
            a = epsilon_greedy(Q[s], list(moves[s]), epsilon, rng)
            next_s = moves[s][a]
            reward = 0 if moves[next_s] else 1
            q_update(Q, s, a, reward, next_s, list(moves[next_s]), alpha, -gamma)
            if reward:
                break
            s = next_s
    return Q
"""


@pytest.fixture(scope="module")
def page(lab: Lab) -> Iterator[Any]:
    shutil.copy(LESSON, lab.server.folder / "lesson1.ipynb")
    opened = lab.open("lesson1")
    opened.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    said = opened.wait_for_function(RAN, timeout=600_000).json_value()
    yield opened, said
    lab.close(opened)


def test_the_unsolved_lesson_runs_to_its_end(page: Any) -> None:
    opened, said = page
    assert said == "done" and opened.problems == []


def test_from_stub_to_check_to_a_game_against_the_trained_agent(page: Any) -> None:
    opened, _ = page
    opened.evaluate(RUN_CELL, ["answer-self-play", ""])  # the stub once more
    assert "Not written yet" in opened.evaluate(RUN_CELL, ["check-self-play", ""])
    wrong = ANSWER.replace("-gamma", "gamma")
    opened.evaluate(RUN_CELL, ["answer-self-play", wrong])
    assert "counts with a minus" in opened.evaluate(RUN_CELL, ["check-self-play", ""])
    opened.evaluate(RUN_CELL, ["answer-self-play", ANSWER])
    assert "10/10 points" in opened.evaluate(RUN_CELL, ["check-self-play", ""])
    for words in ("Q_self = self_play", "champion = TablePlayer"):
        assert "error" not in opened.evaluate(RUN_CELL, [cell_with(LESSON, words)[1], ""])
    place, board_cell = cell_with(LESSON, "Board(game, against=champion")
    opened.evaluate(RUN_CELL, [board_cell, ""])
    opened.evaluate(f"() => window.jupyterapp.shell.currentWidget.content.scrollToItem({place})")
    board = opened.locator(f'[data-windowed-list-index="{place}"] .rl-live')
    board.wait_for()
    begun = "[[1, 1], [1, 1]] Player 1"
    moved = f'[data-windowed-list-index="{place}"] .rl-live:not([data-state="{begun}"])'
    opened.locator(moved).wait_for()  # it begins
    before = str(board.get_attribute("data-state"))
    assert before.endswith("Player 2"), "now it is my move"
    board.locator(".rl-chip").first.click()
    opened.wait_for_function(
        "([root, before]) => root.dataset.state !== before && /Player 2/.test(root.dataset.state)",
        arg=[board.element_handle(), before],
    )
