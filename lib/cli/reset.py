"""Puts one exercise of your notebook back to its start; your answer is kept in a file beside it.

course.py reset work/01_q_learning_tapnswap.ipynb q_update
"""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A notebook and the name of one of its exercises."""
    parser.add_argument("notebook", type=Path)
    parser.add_argument("exercise", help='the name in its check, as in check("q_update", ...)')


def run(args: argparse.Namespace) -> int:
    """Reset it and say so."""
    from lib.grading.reset import reset_in

    print(reset_in(args.notebook, args.exercise))
    return 0
