"""What it costs to grade a copy of a notebook, in CPU seconds: with this course, nbval, nbgrader.

Exercises that train are left out; what the answers themselves take is measured alone.
"""

import ast
import contextlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar
from unittest import mock

from lib.cli import ROOT
from lib.grading import selfcheck
from lib.grading.ask import LocalAsk
from lib.grading.check import Lesson
from lib.grading.judge import mark, reference_names
from lib.grading.lessons import lesson
from lib.grading.sandbox_warm import Warm
from lib.grading.session import Session

CLASS = 50  # submissions that share what a tool does once: starting, importing
HERE = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls alembic
ONE = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "PATH": HERE}


def children() -> float:
    """CPU seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def bare(course: Lesson) -> dict[str, Any]:
    """The solved notebook with its first cell, its answers and checks, and what these need."""
    book = json.loads((ROOT / "solutions" / f"{course.notebook}.ipynb").read_text())
    names = {exercise.name for exercise in course.exercises if not exercise.trains}
    first, *cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    answers = [cell for cell in cells if _exercise(cell) in names]
    read = {name for cell in answers for name in _names(cell, ast.Load)}
    kept = [first]
    for cell in cells:
        if cell in answers:
            kept.append(cell)
        elif not _exercise(cell) and (lines := _constants(cell, read)):
            kept.append({**cell, "source": lines})
    return {**book, "cells": [{**cell, "outputs": [], "execution_count": None} for cell in kept]}


def _exercise(cell: dict[str, Any]) -> str:
    """The exercise that a cell belongs to; "" for the course's own."""
    return str(cell["metadata"].get("rl_five_games", {}).get("exercise", ""))


def _names(cell: dict[str, Any], how: type) -> set[str]:
    """The names that a cell reads or binds."""
    tree = ast.walk(ast.parse("".join(cell["source"])))
    return {node.id for node in tree if isinstance(node, ast.Name) and isinstance(node.ctx, how)}


def _constants(cell: dict[str, Any], read: set[str]) -> str:
    """Those lines of a cell that give a number to a name that answers read: `SOLVED = 1 << 16`."""
    lines = []
    for node in ast.parse("".join(cell["source"])).body:
        if isinstance(node, ast.Assign) and not _names({"source": ast.unparse(node)}, ast.Load):
            bound = _names({"source": ast.unparse(node)}, ast.Store)
            lines += [ast.unparse(node)] if bound & read else []
    return "\n".join(lines)


class Timed(Session):
    """Counts the CPU seconds of the answers' own functions: not their inputs, not what we do."""

    used = 0.0

    def _target(self, request: dict[str, Any]) -> Any:
        target = super()._target(request)
        if request["op"] not in ("call", "many", "repeat"):
            return target

        def timed(*args: Any, **kwargs: Any) -> Any:
            begun = time.thread_time()
            try:
                return target(*args, **kwargs)
            finally:
                self.used += time.thread_time() - begun

        return timed

    def ask_referee(self, *what: Any) -> Any:
        begun = time.thread_time()
        try:
            return super().ask_referee(*what)
        finally:
            self.used -= time.thread_time() - begun


def answers_alone(course: Lesson) -> float:
    """CPU seconds that right answers take in all checks, on one thread as in a worker."""
    if "torch" in course.imports:
        import torch

        torch.set_num_threads(1)  # else waiting threads count, and too much is subtracted
    total = 0.0
    for exercise in course.exercises:
        if not exercise.trains:
            ask = LocalAsk(reference_names(exercise))
            mark(exercise, ask, 7)  # compiles, fills caches
            ask.session = timed = Timed(ask.session.namespace, ask._direct, interruptible=True)
            mark(exercise, ask, 7)
            total += timed.used
    return total


def a_copy(cost: Callable[[int], float], copies: int) -> float:
    """CPU seconds a copy in a class of `CLASS`, from the cost of a class of one and a larger one.

    What a tool does once, as starting, is shared by the class.
    """
    one = cost(1)
    each = (cost(1 + copies) - one) / copies
    return each + max(0.0, one - each) / CLASS


def family(pid: int) -> dict[int, list[str]]:
    """/proc/PID/stat, after the name, of a process and all its descendants."""
    stats: dict[int, list[str]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            text = path.read_text(errors="replace")  # a process may have any bytes for a name
            stats[int(path.parent.name)] = text.rpartition(")")[2].split()
    found = {pid}
    while more := {p for p, fields in stats.items() if int(fields[1]) in found} - found:
        found |= more
    return {p: stats[p] for p in found if p in stats}


def tree(pid: int) -> float:
    """CPU seconds of a process and its descendants, with those that they have waited for."""
    ticks = sum(int(tick) for fields in family(pid).values() for tick in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


class Counted(Warm):
    """A warm parent whose CPU time is still known when it has ended."""

    everyone: ClassVar[list["Counted"]] = []
    used = 0.0  # in the end, with all its guards and workers

    def __init__(self, *what: Any) -> None:
        super().__init__(*what)
        self.everyone.append(self)

    def close(self) -> None:
        self.used = self.used or tree(self.process.pid)
        super().close()

    @classmethod
    def total(cls) -> float:
        """CPU seconds of this process, and of all warm parents with what they started."""
        return time.process_time() + sum(w.used or tree(w.process.pid) for w in cls.everyone)


def ours(course: Lesson, book: dict[str, Any], copies: int) -> float:
    """CPU seconds a copy: of the referee, bubblewrap, the warm parents, the guards, the workers.

    What is done once for a class, as starting the warm parents, is shared by `CLASS` copies.
    """
    from lib.grading import referee as refereeing
    from lib.grading.submission import parse, pristine, program

    written, around = json.dumps(book).encode(), pristine(course, ROOT / "solutions")
    exercises = [exercise for exercise in course.exercises if not exercise.trains]

    def judge(referee: refereeing.Referee) -> None:
        notebook = parse(written)
        for exercise in exercises:
            code = program(course, exercise, around, notebook)
            result = referee.judge(course, exercise, code, 7)
            assert result.right, result

    with mock.patch.object(refereeing, "Warm", Counted), refereeing.Referee() as referee:
        times = [Counted.total()]
        for count in (1, copies):
            for _ in range(count):
                judge(referee)
            times.append(Counted.total())
    each = (times[2] - times[1]) / copies
    return each + max(0.0, times[1] - times[0] - each) / CLASS


def nbval(book: dict[str, Any], place: Path, copies: int) -> float:
    """CPU seconds a copy under one pytest --nbval-lax for all, with the course's plugin."""

    def cost(count: int) -> float:
        folder, told = place / f"nbval{count}", place / "points.json"
        folder.mkdir()
        for number in range(count):
            (folder / f"s{number}.ipynb").write_text(json.dumps(book))
        before = children()
        quiet = {
            "stdout": subprocess.DEVNULL,
            "env": {**ONE, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        }
        subprocess.run(selfcheck.command(folder, told, 600), cwd=folder, **quiet)  # type: ignore[call-overload]
        spent = children() - before
        scores = json.loads(told.read_text())
        trains = [e for e in lesson(scores[0]["lesson"]).exercises if e.trains]
        missing = [row for s in scores for row in s["exercises"] if row["points"] < row["out_of"]]
        assert (len(scores), len(missing)) == (count, count * len(trains)), scores
        return spent

    return a_copy(cost, copies)


def nbgrader(book: dict[str, Any], place: Path, copies: int) -> float:
    """CPU seconds a copy under one nbgrader autograde for all."""
    line = [sys.executable, "-m", "nbgrader"]

    def cost(count: int) -> float:
        root = place / f"nbgrader{count}"
        shown = {"cwd": root, "env": ONE, "capture_output": True, "check": True}
        for folder in ("source", *(f"submitted/s{number}" for number in range(count))):
            (root / folder / "lesson").mkdir(parents=True)
            (root / folder / "lesson" / "book.ipynb").write_text(json.dumps(book))
        config = "c = get_config()\nc.CourseDirectory.course_id = 'x'"
        (root / "nbgrader_config.py").write_text(config)
        subprocess.run([*line, "generate_assignment", "lesson", "--create"], **shown)  # type: ignore[call-overload]
        before = children()
        subprocess.run([*line, "autograde", "lesson", "--create"], **shown)  # type: ignore[call-overload]
        return children() - before

    return a_copy(cost, copies)
