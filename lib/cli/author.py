"""Makes a solved notebook from text, or text from a solved notebook: how lessons are edited.

  course.py author text  solutions/01_name.ipynb lesson.py    notebook -> text, to edit
  course.py author build lesson.py solutions/01_name.ipynb    text -> notebook, executed

The text is jupytext's percent format; CONTRIBUTING.md says how answers and checks are marked.
"""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from lib.cli import ROOT

if TYPE_CHECKING:
    from nbformat import NotebookNode

NEEDS = "tests"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """text NOTEBOOK FILE, or build FILE NOTEBOOK."""
    parser.add_argument("do", choices=("build", "text"))
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--no-run", action="store_true", help="build without executing")
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one cell")


def run(args: argparse.Namespace) -> int:
    """Translate; 1 if the lesson is not as it should be."""
    from lib.files import write_text
    from lib.grading import author, cells

    if args.do == "text":
        write_text(args.target, author.to_text(cells.read(args.source)))
        return 0
    text = args.source.read_text(encoding="utf-8")
    notebook = author.from_text(text, author.name_of(args.target))
    found = author.problems(notebook)
    if not args.no_run:
        found += _execute(notebook, args)
    cells.write(args.target, notebook)
    for line in found:
        print(f"- {line}")
    print(f"{args.target}: {len(notebook.cells)} cells, {len(found)} problems")
    return 1 if found else 0


def _execute(notebook: "NotebookNode", args: argparse.Namespace) -> list[str]:
    """Run it where it will lie, show the time it took, return what is wrong."""
    from lib.grading.execute import execute, leftovers, shortfalls

    folder = args.target.parent if args.target.parent.is_dir() else ROOT
    done = execute(notebook, folder.resolve(), args.timeout)
    slow = sorted(done.seconds, key=lambda at: -done.seconds[at])[:3]
    slowest = ", ".join(f"cell {at} {done.seconds[at]:.1f} s" for at in slow)
    print(f"ran in {sum(done.seconds.values()):.1f} s (slowest: {slowest})")
    print(f"{done.points:g} points in {len(done.results)} checks")
    return leftovers(done.notebook) + shortfalls(done)
