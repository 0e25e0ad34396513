"""Packs your work on a lesson for handing in: the notebook and the points that its checks give.

  course.py submit 1                                  the lesson's notebook in work/
  course.py submit my_notebook.ipynb --out mine.zip   any other

Your teacher grades the notebook anew; the points in the file are for your own comparison.
"""

import argparse
from pathlib import Path

from lib.cli import ROOT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A lesson or a notebook."""
    parser.add_argument("lesson", help="the number of a lesson, or a notebook")
    parser.add_argument("--out", type=Path, help="the file to write [beside the notebook]")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one cell [600]")


def run(args: argparse.Namespace) -> int:
    """Check, pack, and say where."""
    from lib.grading.selfcheck import grade_notebook, unsaved
    from lib.grading.submit import find_notebook, pack

    notebook = find_notebook(args.lesson, ROOT / "work")
    score = grade_notebook(notebook, args.timeout)
    if later := unsaved(notebook, score):
        print(later)
    packed = pack(notebook, score, args.out)
    print(f"{packed}: hand in this file ({score['points']:g}/{score['out_of']:g} points)")
    return 0
