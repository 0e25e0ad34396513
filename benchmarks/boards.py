"""From a key to the redrawn board, in JupyterLab on this machine, beside plain ipywidgets buttons.

    .venv/bin/python benchmarks/boards.py [presses]

Writes benchmarks/results/boards.json: median and 95th percentile in milliseconds of each, measured
in turns in one page, and the cost of one update of a live curve in the kernel.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from lib.boards import LiveCurve
from lib.cli.browser import FLAGS, Lab, Server
from lib.cli.probes import chromium_path
from lib.files import write_text

RESULTS = Path(__file__).parent / "results" / "boards.json"
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


def curve_cost(updates: int = 400) -> list[float]:
    """CPU-milliseconds of each update of a curve that is redrawn at every point."""
    curve, rng, costs = LiveCurve("Cost", every=0, best=1.0), np.random.default_rng(0), []
    for x in range(updates):
        began = time.process_time()
        curve.add(x, rng.random(), seed=x % 2)
        costs.append(1000 * (time.process_time() - began))
    return costs


def summary(times: list[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    return {
        "median ms": round(float(np.median(times)), 2),
        "95 % ms": round(float(np.percentile(times, 95)), 2),
        "presses": len(times),
    }


def main(presses: int = 200) -> None:
    """Measure, print and write."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        try:
            lab = Lab(server, browser)
            page = lab.run("latency", BOARD, BUTTONS)
            page.wait_for_selector(".rl-live", state="attached")
            page.wait_for_selector(".plain", state="attached")
            results = {name: summary(times) for name, times in measure(page, presses).items()}
        finally:
            browser.close()
            server.stop()
    results["live curve, an update (CPU)"] = summary(curve_cost())
    results["load average"] = {"1 min": round(os.getloadavg()[0], 1), "cores": os.cpu_count() or 1}
    write_text(RESULTS, json.dumps(results, indent=2) + "\n")
    for name, figures in results.items():
        print(f"{name:28}", figures)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
