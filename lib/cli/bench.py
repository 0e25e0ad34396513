"""Measures the course beside what one would pick instead, and writes benchmarks/RESULTS.md.

course.py bench --quick             everything, in some minutes
course.py bench engines search      two parts of it
course.py bench --full              longer, with trainings; interrupted, it goes on where it stopped
course.py bench strength --jobs 0   several rows at once: not for speed, as they slow each other

Peers come from PyPI into environments of their own in .setup/peers; one that can't be installed is
named, and the rest goes on. Every run is kept in benchmarks/kept.
"""

import argparse
import os
from pathlib import Path
from typing import Any

from lib.cli import ROOT

NEEDS = "tests"  # nbgrader is one of the peers
PARTS = (
    "engines",
    "search",
    "learning",
    "strength",
    "lessons",
    "boards",
    "grading",
    "growth",
    "cluster",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Parts, how long, and where to."""
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"parts [all]: {', '.join(PARTS)}")
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--quick", action="store_true", help="at most 5 minutes, peers installed")
    length.add_argument("--full", action="store_true", help="may take hours")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "benchmarks", metavar="DIR", help="[benchmarks]"
    )
    parser.add_argument("--jobs", type=int, default=1, help="rows at once; 0: one per core [1]")
    parser.add_argument("--ray", metavar="ADDRESS", help='a Ray cluster: "auto" or an address')


def run(args: argparse.Namespace) -> int:
    """Measure with a bar, then write the report."""
    unknown = [name for name in args.names if name not in PARTS]
    if unknown:
        raise ValueError(f"there is no part {unknown[0]!r}: choose from {', '.join(PARTS)}")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    mode = "quick" if args.quick else "full" if args.full else "normal"
    measure(args.names or list(PARTS), mode, args.out, jobs=args.jobs, ray=args.ray)
    return 0


def measure(names: list[str], mode: str, out: Path, **where: Any) -> None:
    """Run the parts, go on with an unfinished run of the same kind, and report."""
    from tqdm import tqdm

    from benchmarks import load, report, runs

    parts = {name: load(name) for name in PARTS}
    chosen = [parts[name] for name in PARTS if name in names]
    tasks = [task for part in chosen for task in part.tasks(mode)]
    this = runs.open_run(mode, tasks, out / "kept")
    with tqdm(unit=" measurements") as bar:
        for progress in runs.measure(this, chosen, **where):
            bar.total = progress.total
            bar.set_description(progress.unit)
            bar.update(progress.done - bar.n)
    for name, found in this.results.items():
        if "error" in found:
            print(f"not measured: {name}: {found['error']}")
    results = report.write_report(list(parts.values()), runs.all_runs(out / "kept"), out)
    print(f"Wrote {results} and {this.path.name}.")
    if out == ROOT / "benchmarks" and report.fill_readme(results, ROOT / "README.md"):
        print("The README's table was made from it.")
