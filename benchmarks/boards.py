"""Boards: from a key to the redrawn board in JupyterLab, beside plain ipywidgets buttons.

Board and buttons take turns in one page of a real browser on this machine, in milliseconds by the
clock, as the eye sees it; what an update of a live curve costs the kernel is counted in CPU time.
"""

import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Effort
from benchmarks.parts import Bar, Found, Part, Row, Table

PRESSES = {"quick": 20, "normal": 100, "full": 400}
BOARD = """
from lib.boards import Board
from lib.games import GAMES
Board(GAMES["droids"](), level="easy", seed=1)
"""
BUTTONS = """
import ipywidgets as widgets
from lib.games import GAMES
from lib.agents.registry import level
import numpy as np
game, other = GAMES["droids"](), level("droids", "easy")
other.begin(np.random.default_rng(1))
state = game.start()
shown = widgets.HTML(f"<pre class='plain'>{game.text(state)}</pre>")
def press(action):
    def pressed(_):
        global state
        state = state if game.movers(state) else game.start()
        if action in game.legal(state, 0):
            state = game.play(state, (action, other.act(game, state, 1)))
        shown.value = f"<pre class='plain' data-n='{np.random.random()}'>{game.text(state)}</pre>"
    return pressed
buttons = [widgets.Button(description=word) for word in ("up", "down", "left", "right", "shoot")]
for action, button in enumerate(buttons):
    button.on_click(press(action))
widgets.VBox([shown, widgets.HBox(buttons)])
"""
# Both wait for the change in the page itself; the board's `data-seq` is set after its drawing.
PRESS_KEY = """(n) => new Promise((done) => {
  const root = document.querySelector(".rl-live"), stage = root.querySelector(".rl-stage");
  const watcher = new MutationObserver(() => {
    watcher.disconnect();
    done(performance.now() - began);
  });
  watcher.observe(root, { attributes: true, attributeFilter: ["data-seq"] });
  const key = root.dataset.over === "true" ? "n" : ["w", "s", "a", "d"][n % 4];
  const began = performance.now();
  stage.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
})"""
PRESS_BUTTON = """(n) => new Promise((done) => {
  const shown = document.querySelector(".plain").parentElement;
  const watcher = new MutationObserver(() => {
    watcher.disconnect();
    done(performance.now() - began);
  });
  watcher.observe(shown, { childList: true, subtree: true });
  const button = [...document.querySelectorAll("button.widget-button")][n % 4];
  const began = performance.now();
  button.click();
})"""


def measure(page: Any, presses: int) -> dict[str, list[float]]:
    """Milliseconds of each press; board and buttons take turns, the first ten do not count."""
    times: dict[str, list[float]] = {"board": [], "ipywidgets buttons": []}
    for n in range(presses + 10):
        for name, press in (("board", PRESS_KEY), ("ipywidgets buttons", PRESS_BUTTON)):
            took = page.evaluate(press, n)
            page.wait_for_timeout(15)
            if n >= 10:
                times[name].append(took)
    return times


@cache
def pressed(presses: int) -> dict[str, list[float]]:
    """What `measure` finds in a browser and a server of its own."""
    from playwright.sync_api import sync_playwright

    from lib.cli.browser import FLAGS, Lab, Server
    from lib.cli.probes import chromium_path

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        try:
            page = Lab(server, browser).run("latency", BOARD, BUTTONS)
            page.wait_for_selector(".rl-live", state="attached")
            page.wait_for_selector(".plain", state="attached")
            return measure(page, presses)
        finally:
            browser.close()
            server.stop()


def redrawn(name: str) -> Callable[[Effort], Found]:
    """The `run` of a row: one value a press."""
    return lambda effort: {"values": pressed(PRESSES[effort.mode])[name]}


def curve_updates(effort: Effort) -> Found:
    """CPU-milliseconds of each update of a curve that is redrawn at every point."""
    from lib.boards import LiveCurve

    curve, rng, costs = LiveCurve("Cost", every=0, best=1.0), np.random.default_rng(0), []
    for x in range(400):
        began = time.process_time()
        curve.add(x, rng.random(), seed=x % 2)
        costs.append(1000 * (time.process_time() - began))
    return {"values": costs}


TABLES = {
    "redrawn": Table(
        "From a key to the redrawn board",
        "milliseconds by the clock, one value a press",
        (
            Row("board", redrawn("board")),
            Row("ipywidgets buttons", redrawn("ipywidgets buttons"), "peer"),
        ),
        about="Droid battle against an easy player, in JupyterLab with Debian's chromium.",
    ),
    "curve": Table(
        "A live curve, redrawn at every point",
        "CPU-milliseconds an update",
        (Row("live curve", curve_updates),),
    ),
}
BARS = (
    Bar("Board: milliseconds from key to redrawn board", "redrawn", "board", at_most=25),
    Bar("Live curve: CPU-milliseconds an update", "curve", "live curve", at_most=2),
)
PART = Part("boards", "Boards", TABLES, BARS)
