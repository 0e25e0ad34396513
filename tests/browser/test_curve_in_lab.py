"""The live curve in JupyterLab: Stop while a cell runs, and what a reopened notebook shows."""

from typing import Any

import pytest

from lib.cli.browser import Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TRAIN = """
import time
from lib.agents.progress import Progress
from lib.boards import Board, LiveCurve
from lib.games import GAMES

learned = []
def train():
    for done in range(1, 6001):
        time.sleep(0.02)
        learned.append(done)
        yield Progress(done, 6000, "games", {"won": done / 6000})

curve = LiveCurve("Learning", "games", "won", baselines={"random": 0.5}, best=1.0)
for progress in curve.follow(train()):
    pass
print("learned", len(learned), curve.stopped)
"""


def test_stop_keeps_what_was_learned_and_a_picture_stays(lab: Lab) -> None:
    page = lab.run("curve", TRAIN, 'Board(GAMES["solitaire"]())', wait=False)
    stop = page.locator('[data-control="stop"]')
    stop.wait_for()
    page.wait_for_function("() => Number(document.querySelector('.rl-live').dataset.state) > 20")
    stop.click()
    output = page.locator(".jp-OutputArea-output pre", has_text="learned")
    output.wait_for()
    words = output.inner_text().split()
    assert 20 < int(words[1]) < 5000
    assert words[2] == "True"
    page.wait_for_function("() => document.querySelector('.rl-live').dataset.over === 'true'")
    page.wait_for_function("() => document.querySelectorAll('.rl-live').length === 2")
    assert page.locator(".rl-still:visible").count() == 0
    restarted(page)
    assert page.problems == []
    lab.close(page)
    reopened(lab)


def restarted(page: Any) -> None:
    """Without its kernel a board says what to do, instead of not answering."""
    page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
    )
    board = page.locator('.rl-live[data-game="solitaire"]')
    board.locator('[data-input="hole:14"]').click()
    board.locator(".rl-status", has_text="run its cell again").wait_for()


def reopened(lab: Lab) -> None:
    """Without the kernel that made them, both pictures are there and no error is."""
    page: Any = lab.open("curve")
    page.wait_for_selector(".rl-still img:visible")
    page.wait_for_timeout(1500)
    assert page.locator(".rl-still img:visible").count() == 2
    widths = page.evaluate(
        "() => [...document.querySelectorAll('.rl-still img')].map((i) => i.naturalWidth)"
    )
    assert min(widths) > 300
    text = page.locator(".jp-Notebook").inner_text()
    assert "model not found" not in text
    assert "Error" not in text
    lab.close(page)
