"""Grading a class: every submission gets a result, and a second run goes on where one stopped.

The driver reads files and writes results; referees (here, in several processes or on a cluster)
judge; only workers run what students wrote.
"""

import argparse
from datetime import datetime
from pathlib import Path

from lib.cli import ROOT


def add_class_arguments(parser: argparse.ArgumentParser) -> None:
    """What grading a folder of submissions takes."""
    add = parser.add_argument
    add("--out", type=Path, default=Path("grades"), help="where results go (grades/)")
    add("--lesson", type=int, help="grade this lesson only; without it, all that were handed in")
    add("--roster", type=Path, help="CSV of ids and names (roster.csv of the folder, if there)")
    add("--jobs", type=int, default=1, help="processes; 0 for one per core")
    add("--ray", metavar="ADDRESS", help='a Ray cluster instead: "auto" or an address')
    add("--seed", type=int, help="secret seed of the inputs; without it, a fresh one")
    add("--due", type=datetime.fromisoformat, help="2026-11-30T23:59: count late days")
    add("--late-penalty", type=float, default=0.0, metavar="PERCENT", help="off per late day")
    add("--similar", action="store_true", help="also compare the submissions with each other")
    add("--solutions", type=Path, default=ROOT / "solutions", help=argparse.SUPPRESS)


def run_class(args: argparse.Namespace) -> int:
    """Grade the folder `args.path` into `args.out`; the exit code."""
    from lib.grading import gradebook, sandbox, similar
    from lib.grading.classroom_run import Run, Settings

    settings = Settings(
        Path(args.path), args.out, args.lesson, args.roster, args.seed, args.solutions
    )
    for line in sandbox.protections():
        print(f"- {line}")
    run = Run(settings)
    if not run.work:
        raise ValueError(f"there are no notebooks in {args.path}: give the folder of submissions")
    where = {"jobs": args.jobs, "ray": args.ray, "progress": "submissions"}
    try:
        results = run.grade(**where)
    except KeyboardInterrupt:
        print(f"What is graded is kept in {args.out}/; the same command goes on from there.")
        raise
    book = gradebook.Book(run.students, results, args.out, args.due, args.late_penalty)
    print(book.write(run.seed, sandbox.protections()))
    if args.similar:
        print(similar.report(run.code(), args.out / "similarity"))
    run.finish()
    return 0
