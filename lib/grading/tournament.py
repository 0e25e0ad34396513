"""The class tournament: everyone's entry, each in its worker, against everyone's and the ladder."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lib.agents.registry import agents
from lib.arena import Player, tournament
from lib.boards import Watch
from lib.game import Forfeit, Game, play
from lib.games import GAMES
from lib.grading import sandbox
from lib.grading.distance import Judged, judged
from lib.grading.entries import TOURNAMENT, Entered, entered
from lib.grading.lessons import lesson
from lib.grading.submission import UNKNOWN, Unreadable, guess_lesson, parse
from lib.grading.submission_files import Handed, find, read_roster
from lib.grading.tournament_page import Frame, frames

TURNS = 200
OURS = (TOURNAMENT, UNKNOWN)  # lessons of files that may hold an entry


@dataclass
class Cup:
    """The tournament of one game."""

    game: Game[Any]
    table: Judged
    entries: dict[str, Entered]
    games: int  # of each pair, or of each agent that plays alone


def find_entries(folder: Path) -> tuple[dict[str, Entered], dict[str, str]]:
    """The last entry of each student below a folder, and why others could not be read.

    Files are named and told apart as for grading; those of other lessons are passed over.
    """
    roster = folder / "roster.csv"
    students = read_roster(roster) if roster.is_file() else []
    files = find(folder, students, [lesson(TOURNAMENT).notebook])
    found: dict[str, Entered] = {}
    problems: dict[str, str] = {}
    for handed in sorted(files, key=lambda handed: handed.when):
        try:
            if (entry := _entry(handed)) is not None:
                found[handed.student] = entry
        except ValueError as error:
            problems[handed.student] = f"{handed.name}: {error}"
    return dict(sorted(found.items())), dict(sorted(problems.items()))


def _entry(handed: Handed) -> Entered | None:
    """The entry in a file; None if it is of another lesson, ValueError if it has none."""
    try:
        notebook = parse(handed.data())
    except Unreadable:
        if guess_lesson(None, handed.name) in OURS:
            raise
        return None
    ours = guess_lesson(notebook, handed.name) in OURS
    return entered(notebook, handed.student) if ours else None


def by_game(entries: Mapping[str, Entered]) -> tuple[dict[str, dict[str, Entered]], dict[str, str]]:
    """The entries of each game, and why others can't play."""
    games: dict[str, dict[str, Entered]] = {}
    problems: dict[str, str] = {}
    for name, entry in entries.items():
        try:
            games.setdefault(entry.plays(), {})[name] = entry
        except ValueError as error:
            problems[name] = str(error)
    return {name: games[name] for name in GAMES if name in games}, problems


def hold(game_name: str, entries: dict[str, Entered], games: int = 20, **where: Any) -> Cup:
    """Everyone against everyone in one game, the shipped agents among them."""
    game = GAMES[game_name]()
    players: dict[str, Player] = {
        f"{name} (shipped)": make for name, make in agents(game_name).items()
    }
    players |= entries
    where["fit"] = sandbox.fit
    table = tournament(game, players, games=games, **where)
    told = "agents asked" if where.get("progress") else None
    places = {name: where[name] for name in ("jobs", "ray", "fit") if name in where}
    return Cup(game, judged(game, table, players, progress=told, **places), entries, games)


def replay(cup: Cup, name: str, seed: int = 0) -> tuple[str, list[Frame]]:
    """One game of an entry against the best of the others: a title, and its turns."""
    others = [other for other in cup.table.table.names if other != name]
    best = agents(cup.game.name)
    rival = others[0].removesuffix(" (shipped)") if others else ""
    opponent = cup.entries.get(rival) or (best[rival]() if rival in best else None)
    alone = cup.game.n_players == 1
    seats: list[Any] = [cup.entries[name]] if alone else [cup.entries[name], opponent]
    words = name if alone else f"{name} against {rival}"
    try:
        record = play(cup.game, seats, np.random.default_rng(seed), max_turns=TURNS)
    except Forfeit as given_up:
        return f"{words}: forfeited ({given_up})", []
    finally:
        for entry in cup.entries.values():
            entry.rest()
    return words, frames(Watch(record, names=(name,) if alone else (name, rival)))
