"""Plays a game with you in the terminal: the rules first, then move by move, with a running score.

    course.py play tapnswap                      against an opponent of middling strength
    course.py play chopsticks --level perfect    against one that makes no mistake
    course.py play droids --against aligned      against an agent by name
    course.py play tapnswap --two                two people at one keyboard
    course.py play --page                        all games as a page in the browser

In a game: the number of a move or some of its words; hint, undo, rules, new, quit.
"""

import argparse
import getpass
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lib.cli import GAME_NAMES, PROMPT, ROOT, lab

if TYPE_CHECKING:
    from lib.cli.table import Table
    from lib.game import Agent, Game

LEVELS = ("easy", "medium", "hard", "perfect")
LIMIT = 200  # turns of a finger game, which may run in circles
ARCADE = ("notebooks/06_arcade.ipynb", "solutions/06_arcade.ipynb")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """GAME, and against whom."""
    games = ", ".join(GAME_NAMES)
    parser.add_argument("game", nargs="?", choices=GAME_NAMES, metavar="GAME", help=games)
    parser.add_argument("--against", metavar="AGENT", help="an agent of the game by name")
    parser.add_argument("--level", choices=LEVELS, help="how strong the opponent is (medium)")
    parser.add_argument("--first", choices=("me", "it"), help="who begins (me)")
    parser.add_argument("--two", action="store_true", help="two people, no computer")
    parser.add_argument("--seed", type=int, metavar="S", help="for a game that can be repeated")
    parser.add_argument("--page", action="store_true", help="open the arcade as a page")


def run(args: argparse.Namespace) -> int:
    """Sit down and play."""
    if args.page:
        return page()
    if args.game is None:
        raise ValueError(f"which game? Give one of {', '.join(GAME_NAMES)}, or --page for all")
    laid(args).sit()
    return 0


def laid(args: argparse.Namespace, **terminal: Any) -> "Table":
    """The table for these options; a test brings a terminal of its own."""
    import numpy as np

    from lib.agents.registry import level
    from lib.boards.session import Session
    from lib.cli.table import Table
    from lib.games import GAMES

    game = GAMES[args.game]()
    limit = LIMIT if game.n_players == 2 and game.name != "droids" else None
    session = Session(game, seats(game, args), np.random.default_rng(args.seed), limit)
    defaults = {"ask": input, "say": print, "secret": hidden}
    return Table(session, lambda: level(game.name, "perfect"), **(defaults | terminal))


def seats(game: "Game[Any]", args: argparse.Namespace) -> "list[Agent | None]":
    """Who sits where; None is a person. ValueError if the options don't fit."""
    given = [f"--{name}" for name in ("against", "level", "first") if getattr(args, name)]
    if game.n_players == 1:
        given += ["--two"] * args.two
        if given:
            raise ValueError(f"{game.title} is a game for one: leave out {', '.join(given)}")
        return [None]
    if args.two:
        if given:
            raise ValueError(f"--two is for two people: leave out {', '.join(given)}")
        return [None, None]
    both: list[Agent | None] = [None, opponent(game.name, args.against, args.level)]
    return both[::-1] if args.first == "it" else both


def opponent(game: str, name: str | None, level_name: str | None) -> "Agent":
    """The agent asked for by name or by level."""
    from lib.agents.registry import agents, level

    if name and level_name:
        raise ValueError("--against and --level both name the opponent: give one of them")
    known = agents(game)
    if name and name not in known:
        raise ValueError(f"{game} has no agent called {name!r}: there is {', '.join(known)}")
    return known[name]() if name else level(game, level_name or "medium")


def hidden(prompt: str) -> str:
    """Input that is not shown, so that the other person can't see it."""
    return getpass.getpass(prompt) if sys.stdin.isatty() else input(prompt)


def page() -> int:
    """Open the arcade by voila; Ctrl-C ends it."""
    found = next((ROOT / name for name in ARCADE if (ROOT / name).exists()), None)
    if found is None:
        raise ValueError(f"the arcade is missing ({ARCADE[0]}): fetch the course again")
    return serve(found)


def serve(notebook: Path) -> int:
    """Show a notebook as a page; pictures that a reader saves there go to the reader's folder."""
    environ = {**os.environ, "RL_FIVE_GAMES_PICTURES": os.getcwd()}
    port = lab.free_port(8866)
    command = [*voila(notebook), "--no-browser", f"--port={port}"]
    server = subprocess.Popen(command, cwd=notebook.parent, env=environ)
    return lab.attend(server, port, f"http://127.0.0.1:{port}/")


def voila(notebook: Path) -> list[str]:
    """The call that serves a notebook as a page of its own."""
    prompt = f"--Voila.kernel_websocket_connection_class={PROMPT}"
    options = ["--theme=light", "--show_tracebacks=True", "--Voila.log_level=ERROR", prompt]
    return [sys.executable, "-m", "voila", str(notebook), *options]
