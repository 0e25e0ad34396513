"""Measures the course beside what one would pick instead, and writes benchmarks/RESULTS.md.

course.py bench --quick             everything, in some minutes
course.py bench engines search      two parts of it
course.py bench --full              longer, with trainings; interrupted, it goes on where it stopped

Peers come from PyPI into environments of their own in .setup/peers; one that can't be installed is
named, and the rest goes on. Every run is kept in benchmarks/kept.
"""

import argparse
import os
from pathlib import Path

from lib.cli import ROOT

NEEDS = "tests"  # nbgrader is one of the peers
PARTS = ("engines", "search", "learning", "strength", "grading", "growth")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Parts, how long, and where to."""
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"parts [all]: {', '.join(PARTS)}")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--quick", action="store_true", help="at most 5 minutes, peers installed")
    length.add_argument("--full", action="store_true", help="may take hours")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "benchmarks", metavar="DIR", help="[benchmarks]"
    )


def run(args: argparse.Namespace) -> int:
    """Measure with a bar, then write the report."""
    unknown = [name for name in args.names if name not in PARTS]
    if unknown:
        raise ValueError(f"there is no part {unknown[0]!r}: choose from {', '.join(PARTS)}")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    mode = "quick" if args.quick else "full" if args.full else "normal"
    measure(args.names or list(PARTS), mode, args.out)
    return 0


def measure(names: list[str], mode: str, out: Path) -> None:
    """Run the parts, go on with an unfinished run of the same kind, and report."""
    from tqdm import tqdm

    from benchmarks import load, report, runs

    parts = {name: load(name) for name in PARTS}
    chosen = [parts[name] for name in PARTS if name in names]
    tasks = [task for part in chosen for task in part.tasks(mode)]
    this = runs.open_run(mode, tasks, out / "kept")
    with tqdm(total=len(tasks), unit="row") as bar:
        for progress in runs.measure(this, chosen):
            bar.set_description(progress.unit)
            bar.update(progress.done - bar.n)
    for name, found in this.results.items():
        if "error" in found:
            print(f"not measured: {name}: {found['error']}")
    results = report.write_report(list(parts.values()), runs.all_runs(out / "kept"), out)
    print(f"Wrote {results} and {this.path.name}.")
    if out == ROOT / "benchmarks" and report.fill_readme(results, ROOT / "README.md"):
        print("The README's table was made from it.")
