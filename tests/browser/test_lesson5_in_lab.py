"""Lesson 5 in JupyterLab: an answer from stub to right, workers, Stop, and a solution watched."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hand import RUN_CELL, START_CELL, cell_with

from lib.cli.browser import Lab

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LESSON = Path(__file__).parents[2] / "notebooks" / "05_a3c_solitaire.ipynb"
ANSWER = """
def worker_step(shared, own, optimizer, learn):
    own.load_state_dict(shared.state_dict())
    figures = learn(own)
    for theirs, mine in zip(shared.parameters(), own.parameters()):
        theirs.grad = mine.grad
    optimizer.step()
    return figures
"""
WORKERS = "mine = dict(network=TwoHeads, learn=gradient, step=worker_step, starts=starts)"
CHILDREN = "import multiprocessing; print([c.pid for c in multiprocessing.active_children()])"


@pytest.fixture(scope="module")
def page(lab: Lab) -> Iterator[Any]:
    shutil.copy(LESSON, lab.server.folder / "lesson5.ipynb")
    opened = lab.open("lesson5")
    first = [cell_with(LESSON, words)[1] for words in ("import lib", "Board(game)", "SOLVED = 1")]
    checks = ("log-policy", "critic-targets", "losses", "TwoHeads", "reverse-start")
    stubs = [f"{kind}-{name}" for name in checks for kind in ("answer", "check")]
    parts = [cell_with(LESSON, words)[1] for words in ("def gradient(", "def starts(")]
    for cell in first + stubs + parts:  # checks of stubs give the course's answers
        assert "Traceback" not in opened.evaluate(RUN_CELL, [cell, ""]), cell
    yield opened
    lab.close(opened)


def shown(page: Any, place: int) -> Any:
    """The board or curve below a cell."""
    page.evaluate(f"() => window.jupyterapp.shell.currentWidget.content.scrollToItem({place})")
    root = page.locator(f'[data-windowed-list-index="{place}"] .rl-live').first
    root.wait_for()
    return root


def test_a_jump_is_played_with_the_mouse(page: Any) -> None:
    board = shown(page, cell_with(LESSON, "Board(game)")[0])
    before = board.get_attribute("data-state")
    for hole in ("4", "16"):  # over 9 into the centre
        board.locator(f'[data-input$=":{hole}"], [data-input="{hole}"]').first.click()
    page.wait_for_function(
        "([root, before]) => root.dataset.state !== before", arg=[board.element_handle(), before]
    )


def test_from_stub_to_wrong_to_right(page: Any) -> None:
    page.evaluate(RUN_CELL, ["answer-worker-step", ""])  # the stub
    assert "Not written yet" in page.evaluate(RUN_CELL, ["check-worker-step", ""])
    page.evaluate(RUN_CELL, ["answer-worker-step", ANSWER.replace("    optimizer.step()\n", "")])
    assert "✗ one round" in page.evaluate(RUN_CELL, ["check-worker-step", ""])
    page.evaluate(RUN_CELL, ["answer-worker-step", ANSWER])
    assert "5/5 points" in page.evaluate(RUN_CELL, ["check-worker-step", ""])


def test_stop_ends_the_workers_and_leaves_no_process(page: Any) -> None:
    place, cell = cell_with(LESSON, "learner = A3C(workers=2")
    source = "".join(f"{line}\n" for line in (WORKERS, "learner = A3C(workers=2, seed=1, **mine)"))
    loop = "curve = LiveCurve('Two workers', 'CPU-seconds', 'pegs left')\npids = set()\n"
    loop += "for progress in curve.follow(learner.train(seconds=600), y='pegs'):\n"
    loop += "    pids |= {c.pid for c in __import__('multiprocessing').active_children()}"
    page.evaluate(START_CELL, [cell, source + loop])
    curve = shown(page, place)
    stop = curve.locator('[data-control="stop"]')  # it comes with the first report:
    stop.click(timeout=300_000)  # two processes must start, which a busy machine lets wait
    page.wait_for_function("(root) => root.dataset.over === 'true'", arg=curve.element_handle())
    said = page.evaluate(RUN_CELL, [cell, "print(curve.stopped, learner.updates > 0, *pids)"])
    words = said.split('"text":"')[1].split("\\n")[0].split()
    assert words[:2] == ["True", "True"] and len(words) >= 4, said
    assert all(ended(int(pid)) for pid in words[2:])
    assert "[]" in page.evaluate(RUN_CELL, [cell, CHILDREN])


def ended(pid: int) -> bool:
    """Whether the process is gone; one that just ended may take a moment."""
    for _ in range(50):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def test_the_network_with_a_beam_is_watched(page: Any) -> None:
    """From a position 21 un-jumps away; the set of all solvable ones would take longer to make."""
    place, cell = cell_with(LESSON, "thinker = PegPlayer(teacher")
    source = (
        'teacher = registry.agents("solitaire")["actor-critic"]().network\n'
        "position = reverse_start(21, JUMPS, np.random.default_rng(4))\n"
        "thinker = PegPlayer(teacher, beam=64)\n"
        "record = play(game, [thinker], np.random.default_rng(0), start=position)\n"
        "print(thinker.beam, len(thinker.plan), len(record.moves), record.outcome)\n"
        "Watch(record)"
    )
    said = page.evaluate(RUN_CELL, [cell, source])
    assert "Traceback" not in said
    assert "64 21 21 (1" in said, said  # one search planned all 21 jumps, and they solve it
    assert shown(page, place).get_attribute("data-game") == "solitaire"
    assert page.problems == []
