"""Makes the README's pictures in docs/images: every board, in JupyterLab, light and dark."""

import argparse
import tempfile
from pathlib import Path
from typing import Any

from lib.cli import ROOT
from lib.cli.browser import FLAGS, Lab, Server
from lib.cli.probes import chromium_path

NEEDS = "tests"
IMAGES = ROOT / "docs" / "images"
SETUP = """
from lib.boards import Board, LiveCurve
from lib.games import GAMES
from lib.agents.q_learning import NegamaxQLearning, QPlayer
from lib.truth.fingers import kept, solve

def game_legal(state):
    return GAMES["tapnswap"]().legal(state, state.player)

def board(name, written, **options):
    game = GAMES[name]()
    return Board(game, start=game.read(written), seed=1, **options)
"""
PICTURES = {
    "tapnswap": 'b = board("tapnswap", "[[3, 1], [2, 4]] Player 1", level="hard", coach=True)\n'
    'b.heard({"kind": "input", "tokens": ["hand:0:0"]})\nb',
    "chopsticks": 'board("chopsticks", "1322C", level="perfect", coach=True)',
    "droids": 'b = board("droids", "2,0,4,1 1,3,3,0 37", level="perfect", coach=True)\n'
    'b.heard({"kind": "input", "tokens": ["act:4"]})\nb',
    "2048": 'board("2048", "1023/0456/1367/239a 14000 0", coach=True)',
    "solitaire": 'b = board("solitaire", "o.o/.../ooooooo/o.ooo../o.ooo../ooo/ooo", coach=True)\n'
    'b.heard({"kind": "input", "tokens": ["hole:16"]})\nb',
    "curve": 'game = GAMES["tapnswap"]()\n'
    'c = LiveCurve("Q-learning on TapnSwap against itself", "games", '
    '"positions whose exact value is kept, of 177", '
    'baselines={"before learning": kept(solve(game), game_legal)[0]}, best=177)\n'
    "for seed in range(5):\n"
    "    learner = NegamaxQLearning(game, seed=seed)\n"
    "    right = lambda _: kept(solve(game), QPlayer(learner).choices)[0]\n"
    "    for _ in c.follow(learner.train(4000, every=100), y=right, seed=seed):\n"
    "        pass",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--out."""
    parser.add_argument("--out", type=Path, default=IMAGES, help="folder for the pictures")


def run(args: argparse.Namespace) -> int:
    """Take the pictures."""
    program = chromium_path()
    if not program:
        raise OSError("no Chromium here: `course.py doctor` says how to get one")
    from playwright.sync_api import sync_playwright

    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            for dark in (False, True):
                for path in take(Lab(server, browser), args.out, dark):
                    print(path)
        finally:
            browser.close()
            server.stop()
    return 0


def take(lab: Lab, out: Path, dark: bool) -> list[Path]:
    """Run one notebook with all pictures, and photograph each."""
    name = "dark" if dark else "light"
    page = lab.run(name, SETUP, *PICTURES.values(), dark=dark, scale=1.5)
    page.wait_for_function(
        f"() => document.querySelectorAll('.rl-live').length === {len(PICTURES)}"
    )
    shots = [_shot(page, place, out / f"{game}-{name}.png") for place, game in enumerate(PICTURES)]
    lab.close(page)
    return shots


def _shot(page: Any, place: int, path: Path) -> Path:
    found = page.locator(".rl-live").nth(place)
    found.evaluate("(node) => node.scrollIntoView({ block: 'center' })")  # clear of any edge
    page.wait_for_timeout(200)
    found.screenshot(path=path)
    return path
