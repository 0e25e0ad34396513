"""The arcade as a page of its own, by voila: a game is played on it without any code in sight."""

import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lib.cli import ROOT, droids
from lib.cli.browser import end, free_port
from lib.cli.play import voila

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@contextmanager
def served(notebook: Path, folder: Path) -> Iterator[str]:
    """The address of a notebook that voila serves, with settings of its own."""
    port = free_port()
    names = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    private = {name: str(folder / name.lower()) for name in names}
    with (folder / "voila.log").open("w") as log:
        running = subprocess.Popen(
            [*voila(notebook), "--no-browser", f"--port={port}"],
            cwd=notebook.parent,
            env={**os.environ, **private, "OMP_NUM_THREADS": "1"},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for(f"http://127.0.0.1:{port}", running, folder / "voila.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            end(running)


def wait_for(url: str, process: Any, log: Path) -> None:
    """Until something listens; the page itself takes as long as its notebook."""
    for _ in range(300):
        try:
            urllib.request.urlopen(f"{url}/voila/static/", timeout=5).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            assert process.poll() is None, log.read_text()
            time.sleep(0.3)
    raise AssertionError(log.read_text())


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(reduced_motion="reduce")
    opened = context.new_page()
    opened.set_default_timeout(120_000)
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    yield opened
    context.close()
    assert problems == []


def changed(page: Any, board: Any, act: Any) -> None:
    """Do something and wait until the board was drawn anew."""
    seq = int(board.get_attribute("data-seq"))
    act()
    page.wait_for_function(
        "([root, seq]) => Number(root.dataset.seq) > seq || root.dataset.over === 'true'",
        arg=[board.element_handle(), seq],
    )


def test_a_game_in_the_arcade(page: Any, tmp_path: Path) -> None:
    with served(ROOT / "solutions" / "06_arcade.ipynb", tmp_path) as address:
        page.goto(address)
        chooser = page.locator(".widget-dropdown select").first
        chooser.wait_for()
        board = page.locator('.rl-live[data-game="tapnswap"]')
        board.wait_for()
        board.locator("[data-control=speed]").select_option("at once")
        for _ in range(100):
            if board.get_attribute("data-over") == "true":
                break
            chip = board.locator("[data-chip]").last
            changed(page, board, lambda chip=chip: chip.count() and chip.click())
        assert board.get_attribute("data-over") == "true"
        replay(page, board)
        chooser.select_option("2048")
        other = page.locator('.rl-live[data-game="2048"]')
        other.wait_for()
        before = other.get_attribute("data-state")
        other.locator(".rl-stage").focus()
        for key in ("ArrowLeft", "ArrowUp", "ArrowRight"):
            changed(page, other, lambda key=key: page.keyboard.press(key))
        assert other.get_attribute("data-state") != before
        assert "import lib" not in page.locator("body").inner_text()


def replay(page: Any, board: Any) -> None:
    """The finished game is shown from its start to the same end, and then the board again."""
    end, button = board.get_attribute("data-state"), page.get_by_role("button", name="Replay")
    button.click()
    step = page.locator('.rl-live [data-control="step"]')
    step.wait_for()
    assert board.get_attribute("data-state") != end
    changed(page, board, step.click)
    changed(page, board, page.locator('.rl-live [data-control="last"]').click)
    assert board.get_attribute("data-state") == end
    button.click()
    page.locator('.rl-live [data-control="new"]').wait_for()
    assert board.get_attribute("data-state") == end


def test_droids_on_a_page(page: Any, tmp_path: Path) -> None:
    agents = droids.made("ShooterAgent", 1), droids.made("RandomAgent", 2)
    with served(droids.written(agents, tmp_path), tmp_path) as address:
        page.goto(address)
        board = page.locator('.rl-live[data-game="droids"]')
        board.wait_for()
        page.wait_for_function("() => document.activeElement.className === 'rl-stage'")
        games = 0
        for _ in range(160):
            changed(page, board, lambda: page.keyboard.press("Space"))
            games += board.get_attribute("data-over") == "true"
            if games == 2:
                break
        assert games == 2
