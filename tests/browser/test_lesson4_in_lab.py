"""Lesson 4 in JupyterLab: arrow keys, an answer from stub to right, Stop, and watching it play."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hand import RUN_CELL, START_CELL, cell_with

from lib.cli.browser import Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LESSON = Path(__file__).parents[2] / "notebooks" / "04_dqn_2048.ipynb"
ANSWER = """
def best_move(after, gains, legal, value, gamma):
    worth = {a: gains[a] + gamma * value(after[a]) for a in range(4) if legal[a]}
    return max(worth, key=worth.get)
"""


@pytest.fixture(scope="module")
def page(lab: Lab) -> Iterator[Any]:
    shutil.copy(LESSON, lab.server.folder / "lesson4.ipynb")
    opened = lab.open("lesson4")
    for words in ("import lib", "Board(game)"):
        assert "error" not in opened.evaluate(RUN_CELL, [cell_with(LESSON, words)[1], ""])
    yield opened
    lab.close(opened)


def shown(page: Any, place: int) -> Any:
    """The board or curve below a cell."""
    page.evaluate(f"() => window.jupyterapp.shell.currentWidget.content.scrollToItem({place})")
    root = page.locator(f'[data-windowed-list-index="{place}"] .rl-live').first
    root.wait_for()
    return root


def test_arrow_keys_slide_the_tiles(page: Any) -> None:
    board = shown(page, cell_with(LESSON, "Board(game)")[0])
    before = board.get_attribute("data-state")
    board.locator(".rl-stage").focus()
    for key in ("ArrowLeft", "ArrowDown", "ArrowRight", "ArrowUp"):
        seq = int(board.get_attribute("data-seq") or 0)
        page.keyboard.press(key)
        page.wait_for_function(  # every key is answered, also one that moves nothing
            "([root, seq]) => Number(root.dataset.seq) > seq", arg=[board.element_handle(), seq]
        )
    assert board.get_attribute("data-state") != before


def test_from_stub_to_wrong_to_right(page: Any) -> None:
    page.evaluate(RUN_CELL, ["answer-best-move", ""])  # the stub
    assert "Not written yet" in page.evaluate(RUN_CELL, ["check-best-move", ""])
    page.evaluate(RUN_CELL, ["answer-best-move", ANSWER.replace(" if legal[a]", "")])
    said = page.evaluate(RUN_CELL, ["check-best-move", ""])
    assert "✗ illegal moves" in said and "5/5" not in said
    page.evaluate(RUN_CELL, ["answer-best-move", ANSWER])
    assert "5/5 points" in page.evaluate(RUN_CELL, ["check-best-move", ""])
    payoff = page.evaluate(RUN_CELL, [cell_with(LESSON, "def play_by")[1], ""])
    assert "error" not in payoff and "mean score" in payoff


def test_stop_ends_the_training_and_what_was_learned_plays(page: Any) -> None:
    place, cell = cell_with(LESSON, "learner = AfterstateDQN(Settings(")
    page.evaluate(START_CELL, [cell, ""])
    curve = shown(page, place)
    curve.locator('[data-control="stop"]').click()
    page.wait_for_function("(root) => root.dataset.over === 'true'", arg=curve.element_handle())
    said = json.loads(page.evaluate(RUN_CELL, [cell, "print(curve.stopped, learner.steps)"]))
    assert said[0]["text"].startswith("True") and int(said[0]["text"].split()[1]) > 0
    place, cell = cell_with(LESSON, "watch = Watch(game, agents=[best]")
    assert "error" not in page.evaluate(RUN_CELL, [cell, ""])
    assert shown(page, place).get_attribute("data-game") == "2048"
    assert page.problems == []
