"""The same training with several seeds, here, in processes or on a cluster, and the table of it."""

import json
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from lib.cli.follow import number


@dataclass(frozen=True)
class Training:
    """One training of a sweep: everything a process elsewhere must know."""

    game: str
    agent: str
    minutes: float
    seed: int


def train(task: Training) -> tuple[dict[str, float], dict[str, bytes]]:
    """Train to the end: the last figures, and the files that were saved, by name."""
    from lib.agents.trainers import trainers

    trainer = trainers(task.game)[task.agent]
    progress, save = trainer.start(task.seed, task.minutes, None)
    metrics: dict[str, float] = {}
    for told in progress:
        metrics = told.metrics
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder) / file_name(task))
        files = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    return {name: float(value) for name, value in metrics.items()}, files


def file_name(task: Training) -> str:
    """tapnswap-q-learning-seed0.npz"""
    from lib.agents.trainers import trainers

    suffix = Path(trainers(task.game)[task.agent].file).suffix
    return f"{task.game}-{task.agent}-seed{task.seed}{suffix}"


def sweep(
    tasks: Sequence[Training], folder: Path, *, resume: bool, **where: Any
) -> dict[int, dict[str, float]]:
    """Train all; figures by seed. With `resume`, seeds that `folder` already has are not redone."""
    from lib import parallel
    from lib.files import write_text, write_whole

    notes = {task.seed: folder / f"{file_name(task)}.json" for task in tasks}
    done = {seed: _read(path) for seed, path in notes.items() if resume and path.exists()}
    left = [task for task in tasks if task.seed not in done]
    where = {"progress": "seeds", **where}
    for index, (metrics, files) in parallel.run(left, train, **where):
        task = left[index]
        for name, content in files.items():
            write_whole(folder / name, partial(_write, content))
        facts = {**vars(task), "metrics": metrics}
        write_text(notes[task.seed], json.dumps(facts, indent=1) + "\n")
        done[task.seed] = metrics
    return dict(sorted(done.items()))


def _write(content: bytes, file: BinaryIO) -> None:
    file.write(content)


def _read(path: Path) -> dict[str, float]:
    return dict(json.loads(path.read_text(encoding="utf-8"))["metrics"])


def table(results: dict[int, dict[str, float]]) -> str:
    """A row for each seed, then mean and spread (standard deviation)."""
    names = list(next(iter(results.values()), {}))
    rows = [["seed", *names]]
    rows += [[str(seed), *(number(m[n]) for n in names)] for seed, m in results.items()]
    columns = [[metrics[name] for metrics in results.values()] for name in names]
    rows.append(["mean", *(number(statistics.mean(column)) for column in columns)])
    if len(results) > 1:
        rows.append(["spread", *(number(statistics.stdev(column)) for column in columns)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
