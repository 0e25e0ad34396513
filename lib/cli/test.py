"""Runs the tests of the course: everything, or with --quick what takes under five minutes.

Other arguments go to pytest: `course.py test tests/test_course.py -k stamp -x`.
"""

import argparse
import os
import subprocess
import sys

from lib.cli import ROOT

NEEDS = "tests"
PASS_ON = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """--quick; the rest is pytest's."""
    parser.add_argument("--quick", action="store_true", help="leave out slow and browser tests")


def run(args: argparse.Namespace) -> int:
    """Run pytest in the course's folder."""
    return subprocess.call(command(args.quick, args.pass_on), cwd=ROOT, env=environ())


def command(quick: bool, pass_on: list[str]) -> list[str]:
    """The call of pytest; whole files go to a process, as a notebook's cells need each other."""
    # conftest.py puts the files that take long first; xdist would sort by the number of tests.
    spread = ["-n", str(workers()), "--dist", "loadfile", "--no-loadscope-reorder"]
    marks = ["-m", "not slow and not browser"] if quick else []
    return [sys.executable, "-m", "pytest", *spread, *marks, *pass_on]


def workers() -> int:
    """One process for each core, at least two and at most eight."""
    return min(max(os.cpu_count() or 2, 2), 8)


def environ() -> dict[str, str]:
    """One thread for each process, as several would fight over the cores; and sets in one order.

    Where answers are graded it is the same one: what they learn can depend on it.
    """
    threads = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    return {**dict.fromkeys(threads, "1"), "PYTHONHASHSEED": "0", **os.environ}
