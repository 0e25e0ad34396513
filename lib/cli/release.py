"""Makes notebooks/ from solutions/: answers and outputs out, everything else as it is.

`--student DIR` also writes the edition to hand out: no solutions, no tests, no grader. Docs say
what is out of sight there and what can't be.
"""

import argparse
from pathlib import Path

from lib.cli import ROOT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--check, --student DIR."""
    parser.add_argument("--check", action="store_true", help="change nothing; 1 if not in step")
    parser.add_argument("--student", type=Path, metavar="DIR", help="write a student edition there")


def run(args: argparse.Namespace) -> int:
    """Release, or say what a release would change."""
    from lib.grading.edition import write_edition
    from lib.grading.release import differences, write_release

    solutions, notebooks = ROOT / "solutions", ROOT / "notebooks"
    if args.check:
        found = differences(solutions, notebooks)
        print("\n".join(found) or "notebooks/ is in step with solutions/")
        return 1 if found else 0
    print("\n".join(write_release(solutions, notebooks)) or "notebooks/ was in step already")
    if args.student is not None:
        count = write_edition(ROOT, args.student)
        print(f"{args.student}: {count} files, ready to hand out")
    return 0
