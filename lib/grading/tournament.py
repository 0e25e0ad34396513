"""The class tournament: everyone's entry, each in its worker, against everyone's and the ladder."""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lib.agents.registry import agents
from lib.arena import Player, tournament
from lib.boards import Watch
from lib.files import write_text
from lib.game import Forfeit, Game, play
from lib.games import GAMES
from lib.grading import sandbox
from lib.grading.distance import Judged, judged
from lib.grading.entries import TOURNAMENT, Entered, entered
from lib.grading.lessons import lesson
from lib.grading.submission import UNKNOWN, Unreadable, guess_lesson, parse
from lib.grading.submission_files import Handed, find, read_roster

TURNS = 200
OURS = (TOURNAMENT, UNKNOWN)  # lessons of files that may hold an entry


@dataclass
class Cup:
    """The tournament of one game."""

    game: Game[Any]
    table: Judged
    entries: dict[str, Entered]


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
    return Cup(game, judged(game, table, players, progress=told, **places), entries)


def replay(cup: Cup, name: str, seed: int = 0) -> tuple[str, list[str]]:
    """One game of an entry against the best of the others: a title, and its pictures as HTML."""
    others = [other for other in cup.table.table.names if other != name]
    best = agents(cup.game.name)
    rival = others[0].removesuffix(" (shipped)") if others else ""
    opponent = cup.entries.get(rival) or (best[rival]() if rival in best else None)
    seats: list[Any] = (
        [cup.entries[name]] if cup.game.n_players == 1 else [cup.entries[name], opponent]
    )
    words = name if len(seats) == 1 else f"{name} against {rival}"
    try:
        record = play(cup.game, seats, np.random.default_rng(seed), max_turns=TURNS)
    except Forfeit as given_up:
        return f"{words}: forfeited ({given_up})", []
    return words, [drawing.html() for drawing in Watch(record).drawings()]


def page(cups: list[Cup], problems: Mapping[str, str]) -> str:
    """The whole tournament as one HTML page that needs nothing else."""
    parts = [HEAD]
    for cup in cups:
        parts.append(f"<h2>{html.escape(cup.game.title)}</h2>{_table(cup.table)}")
        for name in cup.entries:
            parts.append(_replay(*replay(cup, name)))
    if problems:
        listed = "".join(
            f"<li><b>{html.escape(name)}</b>: {html.escape(why)}</li>"
            for name, why in problems.items()
        )
        parts.append(f"<h2>Not in the tournament</h2><ul>{listed}</ul>")
    return "\n".join([*parts, SCRIPT, "</body></html>\n"])


def write_page(path: Path, cups: list[Cup], problems: Mapping[str, str]) -> Path:
    """Write the page, whole or not at all."""
    return write_text(path, page(cups, problems))


def _table(table: Judged) -> str:
    head = "".join(f"<th>{name}</th>" for name in table.headings)
    rows = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
        for row in table.rows()
    )
    return f"<table><tr>{head}</tr>{rows}</table>"


def _replay(title: str, frames: list[str]) -> str:
    if not frames:
        return f"<p>{html.escape(title)}</p>"
    shown = "".join(f"<div hidden>{frame}</div>" for frame in frames)
    slider = (
        f"<input type='range' min='0' max='{len(frames) - 1}' value='0' aria-label='turn'>"
        "<output>0</output>"
    )
    summary = f"<summary>{html.escape(title)}</summary>"
    return f"<details class='replay'>{summary}<p>{slider}</p>{shown}</details>"


HEAD = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tournament</title>
<style>
:root { color-scheme: light dark }
body { font-family: system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em }
table { border-collapse: collapse }
td, th { padding: .3em .8em; text-align: left; border-bottom: 1px solid #8886 }
details { margin: .6em 0 }
</style></head><body><h1>Tournament</h1>
<p>In games of two, seats were swapped, a win counts 1 and a draw one half; in games of one the
score is the mean of all games. The last column asks the exact solution, where there is one.</p>"""
SCRIPT = """<script>
for (const replay of document.querySelectorAll(".replay")) {
  const frames = replay.querySelectorAll("div");
  const slider = replay.querySelector("input"), turn = replay.querySelector("output");
  const show = () => {
    frames.forEach((frame, i) => { frame.hidden = i != slider.value; });
    turn.textContent = `${slider.value} / ${slider.max}`;
  };
  slider.addEventListener("input", show);
  show();
}
</script>"""
