"""Lesson 3 in JupyterLab: Run All on what students get, a game by keyboard, an answer checked."""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hand import RUN_CELL
from nbconvert import HTMLExporter

from lib.cli.browser import RAN, Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
LESSON = ROOT / "notebooks" / "03_minimax_vs_q_droids.ipynb"
ANSWER = """
def shoot(self, other, move):
    if move is not Action.SHOOT or self.shots == 0:
        return False
    self.shots -= 1
    return any(a == b for a, b in zip(self.location, other.location))


R2Droid.shoot = shoot
"""


@pytest.fixture(scope="module")
def page(lab: Lab) -> Iterator[Any]:
    shutil.copy(LESSON, lab.server.folder / "lesson3.ipynb")
    opened = lab.open("lesson3")
    opened.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    said = opened.wait_for_function(RAN, timeout=900_000).json_value()
    yield opened, said
    lab.close(opened)


def test_the_unsolved_lesson_runs_to_its_end(page: Any) -> None:
    opened, said = page
    assert said == "done" and opened.problems == []


def test_a_game_is_played_by_keyboard(page: Any) -> None:
    opened, _ = page
    opened.evaluate("() => window.jupyterapp.shell.currentWidget.content.scrollToItem(2)")
    board = opened.locator('[data-windowed-list-index="2"] .rl-live')  # other boards come later
    board.wait_for()
    board.locator(".rl-stage").focus()
    dice = random.Random(3)
    for _ in range(200):
        if board.get_attribute("data-over") == "true":
            break
        seq = int(board.get_attribute("data-seq") or 0)
        opened.keyboard.press(dice.choice(["w", "a", "s", "d", "Space"]))
        opened.wait_for_function(  # every key is answered, also one against a wall
            "([root, seq]) => Number(root.dataset.seq) > seq", arg=[board.element_handle(), seq]
        )
    assert board.get_attribute("data-over") == "true"


def test_an_export_shows_what_is_printed_below_a_picture(browser: Any) -> None:
    html, _ = HTMLExporter().from_filename(str(ROOT / "solutions" / LESSON.name))
    page = browser.new_page()
    page.set_content(html, wait_until="domcontentloaded")
    printed = page.locator(".jp-OutputArea pre", has_text="states seen").all()
    assert [line.is_visible() for line in printed] == [True] * 3
    page.close()


def test_an_answer_is_checked_on_the_page(page: Any) -> None:
    opened, _ = page
    assert "0/5 points" in opened.evaluate(RUN_CELL, ["check-shoot", ""])
    opened.evaluate(RUN_CELL, ["answer-shoot", ANSWER])
    assert "5/5 points" in opened.evaluate(RUN_CELL, ["check-shoot", ""])
    opened.evaluate(RUN_CELL, ["answer-shoot", ANSWER.replace(" or self.shots == 0", "")])
    assert "With no shot left" in opened.evaluate(RUN_CELL, ["check-shoot", ""])
