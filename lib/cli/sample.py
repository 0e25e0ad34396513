"""Makes up a class: submissions of lessons and a roster, to try grading on.

course.py sample submissions/ --students 30 --lesson 1 7
"""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder, how many, of which lesson."""
    parser.add_argument("folder", type=Path, help="a folder that is not there yet")
    parser.add_argument("--students", type=int, default=30, metavar="N", help="how many [30]")
    parser.add_argument(
        "--lesson", type=int, nargs="+", default=[1], metavar="L", help="of which lessons [1]"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of the dice [0]")


def run(args: argparse.Namespace) -> int:
    """Write the class."""
    from lib.grading.sample import sample_class

    if args.folder.exists() and any(args.folder.iterdir()):
        raise ValueError(f"{args.folder} is not empty: name a new folder")
    for number in args.lesson:
        sample_class(args.folder, number, args.students, args.seed)
    lessons = " and ".join(map(str, args.lesson))
    print(f"{args.students} submissions of lesson {lessons} and roster.csv in {args.folder}")
    return 0
