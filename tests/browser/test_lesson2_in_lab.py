"""Lesson 2 in JupyterLab: Run All on what students get, a move on its board, an answer checked."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hand import RUN_CELL

from lib.cli.browser import RAN, Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LESSON = Path(__file__).parents[2] / "notebooks" / "02_mcts_chopsticks.ipynb"
ANSWER = """
def add_fingers(hands, hand, fingers, rollover):
    total = hands[hand] + fingers
    if total >= 5:
        total = total - 5 if rollover else 0
    return tuple(sorted((total, hands[1 - hand])))
"""


@pytest.fixture(scope="module")
def page(lab: Lab) -> Iterator[Any]:
    shutil.copy(LESSON, lab.server.folder / "lesson2.ipynb")
    opened = lab.open("lesson2")
    opened.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    said = opened.wait_for_function(RAN, timeout=600_000).json_value()
    yield opened, said
    lab.close(opened)


def test_the_unsolved_lesson_runs_to_its_end(page: Any) -> None:
    opened, said = page
    assert said == "done" and opened.problems == []


def test_its_board_is_played_on_the_page(page: Any) -> None:
    opened, _ = page
    opened.evaluate("() => window.jupyterapp.shell.currentWidget.content.scrollToItem(2)")
    board = opened.locator('[data-windowed-list-index="2"] .rl-live')  # other boards come later
    board.wait_for()
    assert board.get_attribute("data-state") == "1111C"
    for hand in ("hand:0:0", "hand:1:0"):
        board.locator(f'[data-input="{hand}"]').first.click()
    opened.locator('[data-windowed-list-index="2"] .rl-live:not([data-state="1111C"])').wait_for()


def test_an_answer_is_checked_on_the_page(page: Any) -> None:
    opened, _ = page
    assert "0/5 points" in opened.evaluate(RUN_CELL, ["check-add-fingers", ""])
    opened.evaluate(RUN_CELL, ["answer-add-fingers", ANSWER])
    assert "5/5 points" in opened.evaluate(RUN_CELL, ["check-add-fingers", ""])
    wrong = ANSWER.replace(">= 5", "> 5")
    opened.evaluate(RUN_CELL, ["answer-add-fingers", wrong])
    assert "Exactly 5 fingers kill" in opened.evaluate(RUN_CELL, ["check-add-fingers", ""])
