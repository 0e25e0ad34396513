"""Grades a notebook of your own, or a whole class.

  course.py grade work/01_q_learning_tapnswap.ipynb          points per exercise and in total
  course.py grade submissions/ --out grades/ [--jobs N]      a class (what instructors do)

A notebook is run cell by cell; the exit code is 0 if every exercise is right.
"""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A path; the other options are for a class."""
    parser.add_argument("path", type=Path, help="a notebook, or a folder of submissions")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one cell [600]")
    try:
        from lib.grading.classroom import add_class_arguments
    except ModuleNotFoundError:  # the student edition
        return
    add_class_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """A file goes to the student tier, a folder to the grader."""
    if args.path.is_dir():
        return _class(args)
    if not args.path.is_file():
        raise ValueError(f"there is no {args.path}: name a notebook, or a folder of submissions")
    from lib.grading.selfcheck import grade_notebook, unsaved

    found = grade_notebook(args.path, args.timeout)
    if later := unsaved(args.path, found):
        print(later)
    return 0 if all(row["right"] for row in found["exercises"]) else 1


def _class(args: argparse.Namespace) -> int:
    try:
        from lib.grading.classroom import run_class
    except ModuleNotFoundError:
        raise ValueError("this edition grades notebooks, not classes: name one notebook") from None
    return run_class(args)
