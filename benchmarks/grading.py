"""Grading beside other tools: CPU-seconds a submission beyond the answers, and the hostile suite.

The measuring itself is in `graders.py`, training exercises left out, in `holes.py` and `kills.py`.
"""

import json
import statistics
import sysconfig
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks import graders, holes, kills, peers
from benchmarks.measure import EFFORTS, Effort
from benchmarks.parts import Bar, Found, Part, Row, Table
from lib.grading.lessons import lesson

COPIES = {"quick": 1, "normal": 2, "full": 10}
REPEATS = {"quick": 1, "normal": 2, "full": 5}
LONGER = ("normal", "full")


@cache
def work(number: int) -> tuple[dict[str, Any], float]:
    """The bare lesson, and the CPU-seconds that right answers take in it: the least of three."""
    course = lesson(number)
    return graders.bare(course), min(graders.answers_alone(course) for _ in range(3))


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
    return lambda book, place, copies: graders.ours(lesson(number), book, 5 * copies)


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
        Row(holes.OURS, beyond(number, referee(number)), modes=modes),
        Row("nbval", beyond(number, graders.nbval), "peer", modes=modes),
        Row("nbgrader", beyond(number, graders.nbgrader), "peer", modes=modes),
        Row("otter-grader", beyond(number, otter), "peer", modes=modes),
    )


def counted(tool: str, what: Callable[[holes.Marks], bool]) -> Callable[[Effort], Found]:
    """The `run` of a row: how many submissions of the hostile suite this is true of."""
    return lambda effort: {"values": [float(sum(map(what, holes.sweep(tool).values())))]}


def hole_rows(what: Callable[[holes.Marks], bool]) -> tuple[Row, ...]:
    """Every tool, ours first; not in a quick run, since hostile submissions take their time."""
    tools = {holes.OURS: "ours", **dict.fromkeys(holes.TOOLS, "peer")}
    return tuple(Row(tool, counted(tool, what), kind, modes=LONGER) for tool, kind in tools.items())


COST = (
    f"In a class of {graders.CLASS}: what a tool does once, such as starting, importing and (ours) "
    "making warm parents, is shared by so many. All processes count, guards and sandbox included. "
    "Subtracted is what the answers' own functions take, with nothing around them."
)
TABLES = {
    f"lesson {number}": Table(
        f"Lesson {number}",
        "CPU-seconds a submission beyond the answers",
        rows(number, ("quick", *LONGER) if number == 1 else LONGER),
        about=COST if number == 1 else "",
    )
    for number in (1, 5)
} | {
    "undeserved": Table(
        "The hostile suite: undeserved points",
        "submissions",
        hole_rows(holes.undeserved),
        about=f"{holes.ABOUT} Undeserved: more points than what is answered in the submission "
        "earns, which is nothing in most of them. One by one: [holes.md](results/holes.md).",
    ),
    "no result": Table("The hostile suite: without a result", "submissions", hole_rows(holes.lost)),
    "others": Table(
        "The hostile suite: others affected",
        "submissions",
        hole_rows(holes.harmed),
        about="The honest submission that follows in the same batch loses points or its result.",
    ),
    "kills": Table(
        "A grader killed hard three times on the way",
        f"submissions of {kills.SUBMISSIONS} with the result of an undisturbed run, to the word",
        (Row(holes.OURS, kills.same_results, modes=LONGER),),
        about="Lesson 2, a tenth of the submissions hostile.",
    ),
}


def bars() -> tuple[Bar, ...]:
    """So many times less than every tool, no holes, and nothing lost."""
    costs = [
        Bar(
            f"Grading lesson {number}: at least {times} times less than {tool}",
            f"lesson {number}",
            holes.OURS,
            times,
            tool,
            less=True,
        )
        for number, times in ((1, 10), (5, 5))
        for tool in holes.TOOLS
    ]
    suite = [
        Bar(f"Hostile suite: {what}", table, holes.OURS, at_most=0)
        for table, what in (
            ("undeserved", "undeserved points"),
            ("no result", "submissions without a result"),
            ("others", "other submissions affected"),
        )
    ]
    killed = Bar(
        "Killed three times: the same results", "kills", holes.OURS, at_least=kills.SUBMISSIONS
    )
    return (*costs, *suite, killed)


PART = Part("grading", "Grading", TABLES, bars())
