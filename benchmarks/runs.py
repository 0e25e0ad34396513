"""Runs of the benchmarks: each a JSON file, written row by row, so that it goes on when stopped."""

import json
import os
import platform
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import product
from math import inf
from pathlib import Path
from typing import Any

from benchmarks.measure import EFFORTS
from benchmarks.parts import Found, Part, Row
from lib import parallel
from lib.agents.progress import Progress
from lib.files import write_text
from lib.parallel_ray import fingerprint

KEPT = Path(__file__).parent / "kept"


@dataclass
class Run:
    """One run: what was asked for, on what machine, and what was found so far."""

    path: Path
    mode: str
    machine: dict[str, Any]
    results: dict[str, Found]
    finished: bool = False

    def save(self) -> None:
        """Write the file, whole."""
        content = {
            "mode": self.mode,
            "finished": self.finished,
            "machine": self.machine,
            "results": self.results,
        }
        write_text(self.path, json.dumps(content, indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> "Run":
        """The run that `save` wrote."""
        content = json.loads(path.read_text())
        return cls(
            path, content["mode"], content["machine"], content["results"], content["finished"]
        )


def machine() -> dict[str, Any]:
    """What the figures depend on; the load says how far to trust them."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        model = next((x.partition(":")[2].strip() for x in lines if "model name" in x), model)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "load at the start": round(load, 1),
    }


def all_runs(folder: Path = KEPT) -> list[Run]:
    """Every run that was kept, oldest first."""
    return [Run.load(path) for path in sorted(folder.glob("*.json"))]


def open_run(mode: str, tasks: Sequence[str], folder: Path = KEPT) -> Run:
    """The last run of this mode if it was cut short with the same tasks, else a new one."""
    for run in reversed(all_runs(folder)):
        if run.mode == mode and not run.finished and run.machine.get("tasks") == list(tasks):
            return run
    stamp = datetime.now(UTC).strftime("%Y-%m-%d_%H%M%S")
    facts = {**machine(), "started": stamp, "tasks": list(tasks)}
    return Run(folder / f"{stamp}_{mode}.json", mode, facts, {})


def measure(
    run: Run, parts: Sequence[Part], jobs: int = 1, ray: str | None = None
) -> Iterator[Progress]:
    """Measure every row that the run does not have yet; a row that fails is kept as its error.

    Where they run: see `lib.parallel`. Parts that don't spread are measured here, after the others.
    """
    effort = EFFORTS[run.mode]
    turns = {name: most for part in parts for name, most in part.turns(effort).items()}
    if ray or jobs != 1:
        run.machine["rows"] = "rows spread over a Ray cluster" if ray else "several rows at once"
    yield told(run, turns)
    for spreads, turn in product((True, False), range(1, effort.turns + 1)):
        rows = {n: r for p in parts if p.spreads == spreads for n, r in p.tasks(run.mode).items()}
        left = [name for name in rows if taken(run, name) < min(turn, turns[name])]
        where: dict[str, Any] = {}
        if spreads:
            where = {"jobs": jobs, "ray": ray, "fit": partial(fit, version())}
        tasks = [rows[name] for name in left]
        with closing(parallel.run(tasks, partial(found, mode=run.mode), **where)) as results:
            for at, result in results:
                add(run, left[at], result)
                run.save()
                yield told(run, turns)
    run.finished = True
    run.machine.pop("tasks", None)
    run.save()


def taken(run: Run, name: str) -> float:
    """How many turns a row has had; one that failed needs no other."""
    result = run.results.get(name, {"turns": 0})
    return inf if "error" in result else result.get("turns", 1)


def add(run: Run, name: str, result: Found) -> None:
    """Put what a turn found to what the turns before it did."""
    before = run.results.get(name, {})
    if "error" not in result:
        result |= {"turns": taken(run, name) + 1}
        result |= {key: before[key] + result[key] for key in ("values", "seconds") if key in before}
    run.results[name] = result


def told(run: Run, turns: dict[str, int]) -> Progress:
    """How many turns of rows are done, and a row that is not measured yet."""
    done = {name: min(most, taken(run, name)) for name, most in turns.items()}
    left = [name for name, most in turns.items() if done[name] < most]
    first = min(left, key=lambda name: done[name], default="done")
    return Progress(int(sum(done.values())), sum(turns.values()), first)


def version() -> str:
    """A fingerprint of the benchmarks: a node with others would measure something else."""
    return fingerprint(Path(__file__).parent, "*.py", "*.c")


def fit(wanted: str) -> str:
    """Why this machine can't measure for one that has the benchmarks `wanted`; "" if it can."""
    return "" if version() == wanted else "it has other benchmarks"


def found(row: Row, mode: str) -> Found:
    """What a row measures, with the seconds that took; or its error, and the rest goes on."""
    begun = time.monotonic()
    try:
        result = row.run(EFFORTS[mode])
    except Exception as error:  # a peer that fails must not end the run
        result = {"error": f"{type(error).__name__}: {error}"[:240]}
    return {**result, "seconds": round(time.monotonic() - begun, 1)}
