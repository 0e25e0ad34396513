"""Holds a tournament of a class: every entry in a worker of its own, an HTML page at the end.

  course.py tournament submissions/ --out tournament.html

Entries are notebooks of lesson 7 (07_tournament.ipynb), in folders by student or as flat files.
Each game that someone entered for has its own round robin, with the shipped agents among them.
"""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder, the page, and where games run."""
    parser.add_argument("folder", type=Path, help="submissions, as for `course.py grade`")
    parser.add_argument(
        "--out", type=Path, default=Path("tournament.html"), help="the page [tournament.html]"
    )
    parser.add_argument("--games", type=int, default=20, help="games of each pair [20]")
    parser.add_argument("--seed", type=int, default=0, help="of all dice [0]")
    parser.add_argument("--jobs", type=int, default=1, help="processes; 0 for one per core [1]")
    parser.add_argument("--ray", metavar="ADDRESS", help='a Ray cluster: "auto" or an address')


def run(args: argparse.Namespace) -> int:
    """Find the entries, play, and write the page."""
    from lib.grading import tournament, tournament_page

    if not args.folder.is_dir():
        raise ValueError(f"{args.folder} is not a folder: give one with submissions")
    entries, problems = tournament.find_entries(args.folder)
    games, more = tournament.by_game(entries)
    problems |= more
    cups = []
    where = {"jobs": args.jobs, "ray": args.ray, "progress": "games", "seed": args.seed}
    for name, players in games.items():
        cups.append(tournament.hold(name, players, args.games, **where))
        print(f"\n{cups[-1].game.title}\n{cups[-1].table}", flush=True)
    for name, why in problems.items():
        print(f"not in the tournament: {name}: {why}")
    replays = {(c.game.name, e): tournament.replay(c, e) for c in cups for e in c.entries}
    page = tournament_page.write(args.out, cups, replays, problems)
    print(f"\n{page} has the tables and replays.")
    return 0 if cups else 1
