"""Runs of the benchmarks: each a JSON file, written row by row, so that it goes on when stopped."""

import json
import os
import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.measure import EFFORTS
from benchmarks.parts import Found, Part, Row
from lib.agents.progress import Progress
from lib.files import write_text

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


def measure(run: Run, parts: Sequence[Part]) -> Iterator[Progress]:
    """Measure every row that the run does not have yet; a row that fails is kept as its error."""
    tasks = {name: row for part in parts for name, row in part.tasks(run.mode).items()}
    for done, (name, row) in enumerate(tasks.items()):
        if name not in run.results:
            yield Progress(done, len(tasks), name)
            run.results[name] = found(row, run.mode)
            run.save()
    run.finished = True
    run.machine.pop("tasks", None)
    run.save()
    yield Progress(len(tasks), len(tasks), "done")


def found(row: Row, mode: str) -> Found:
    """What a row measures, with the seconds that took; or its error, and the rest goes on."""
    begun = time.monotonic()
    try:
        result = row.run(EFFORTS[mode])
    except Exception as error:  # a peer that fails must not end the run
        result = {"error": f"{type(error).__name__}: {error}"[:240]}
    return {**result, "seconds": round(time.monotonic() - begun, 1)}
