"""Grading: CPU-seconds a submission, beyond what the answers themselves take, beside other tools.

The measuring itself is in `grading.py`; training exercises are left out.
"""

import json
import statistics
import sysconfig
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks import grading, peers
from benchmarks.measure import EFFORTS, Effort
from benchmarks.parts import Bar, Found, Part, Row, Table
from lib.grading.lessons import lesson

COPIES = {"quick": 1, "normal": 2, "full": 10}
REPEATS = {"quick": 1, "normal": 2, "full": 5}
LONGER = ("normal", "full")


@cache
def work(number: int) -> tuple[dict[str, Any], float]:
    """The bare lesson, and the CPU-seconds that right answers take in it."""
    course = lesson(number)
    return grading.bare(course), grading.answers_alone(course)


def beyond(number: int, cost: Callable[[dict[str, Any], Path, int], float]) -> Any:
    """The `run` of a row: a tool's cost a copy, less that of the answers."""

    def run(effort: Effort) -> Found:
        book, alone = work(number)
        found = []
        for _ in range(REPEATS[effort.mode]):
            with tempfile.TemporaryDirectory() as name:
                found.append(cost(book, Path(name), COPIES[effort.mode]) - alone)
        return {"values": [max(1e-4, value) for value in found], "answers alone": alone}

    return run


def referee(number: int) -> Callable[[dict[str, Any], Path, int], float]:
    """The class grader's own referee and workers, from a warm parent."""
    return lambda book, place, copies: grading.ours(lesson(number), book, 5 * copies)


def otter(book: dict[str, Any], place: Path, copies: int) -> float:
    """otter-grader in its own environment, the lesson's checks as its tests."""
    path = place / "book.ipynb"
    path.write_text(json.dumps(book))
    words = str(path), str(copies), sysconfig.get_paths()["purelib"]
    told = peers.ask("otter-grader", "otter_grade.py", EFFORTS["quick"], *words)
    return statistics.mean(told["values"])


def rows(number: int, modes: tuple[str, ...]) -> tuple[Row, ...]:
    """One lesson under each tool."""
    return (
        Row("ours, the class grader", beyond(number, referee(number)), modes=modes),
        Row("nbval", beyond(number, grading.nbval), "peer", modes=modes),
        Row("nbgrader", beyond(number, grading.nbgrader), "peer", modes=modes),
        Row("otter-grader", beyond(number, otter), "peer", modes=modes),
    )


TABLES = {
    f"lesson {number}": Table(
        f"Lesson {number}",
        "CPU-seconds a submission beyond the answers",
        rows(number, ("quick", *LONGER) if number == 1 else LONGER),
    )
    for number in (1, 5)
}


def bars() -> tuple[Bar, ...]:
    """So many times less than every tool: 10 for lesson 1, 5 for lesson 5."""
    return tuple(
        Bar(
            f"Grading lesson {number}: at least {times} times less than {tool}",
            f"lesson {number}",
            "ours, the class grader",
            times,
            tool,
            less=True,
        )
        for number, times in ((1, 10), (5, 5))
        for tool in ("nbval", "nbgrader", "otter-grader")
    )


PART = Part(
    "grading",
    "Grading",
    TABLES,
    bars(),
    (
        "the holes of the hostile suite: `tests/hostile` grades it with this course; nbval, "
        "nbgrader and otter would run its fork bombs and kills with nothing around them.",
    ),
)
