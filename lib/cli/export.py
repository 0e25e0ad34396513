"""Writes what other systems grade a lesson with: an autograder for Gradescope.

  course.py export gradescope --lesson 3          gradescope_lesson3.zip, to upload there

Gradebooks for Canvas and Moodle are written by `course.py grade` (canvas.csv, moodle.csv).
"""

import argparse
from pathlib import Path

from lib.cli import ROOT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The system and the lesson."""
    parser.add_argument("system", choices=("gradescope",))
    parser.add_argument("--lesson", type=int, required=True, help="the number of the lesson")
    parser.add_argument("--out", type=Path, help="the file to write [gradescope_lessonN.zip]")
    parser.add_argument("--seed", type=int, help="of the hidden inputs; without it, a fresh one")
    parser.add_argument("--seconds", type=int, default=1100, help="for one submission [1100]")


def run(args: argparse.Namespace) -> int:
    """Write the archive, and say where."""
    from lib.grading.export import gradescope

    out = args.out or Path(f"gradescope_lesson{args.lesson}.zip")
    written = gradescope(args.lesson, out, ROOT, args.seed, args.seconds)
    print(f"{written}: upload it at Gradescope as the autograder (Ubuntu 24.04 or 22.04)")
    return 0
