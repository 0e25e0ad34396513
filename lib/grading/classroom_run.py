"""One grading of a class: what was handed in, who judges it, and the results that are kept."""

import functools
import hashlib
import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lib import parallel
from lib.cli import ROOT
from lib.files import write_text
from lib.grading import sandbox
from lib.grading.check import Result
from lib.grading.feedback import slug
from lib.grading.lessons import lesson
from lib.grading.referee import Referee, nothing
from lib.grading.submission import (
    UNKNOWN,
    Cell,
    Notebook,
    Pristine,
    Unreadable,
    digest,
    guess_lesson,
    parse,
    pristine,
    program,
)
from lib.grading.submission_files import Handed, Student, find, read_roster
from lib.parallel_ray import course_version


@dataclass(frozen=True)
class Settings:
    """What to grade, and where everything is."""

    folder: Path
    out: Path
    lesson: int | None = None
    roster: Path | None = None
    seed: int | None = None
    solutions: Path = ROOT / "solutions"


@dataclass
class Work:
    """One student's notebook of one lesson: what is in it, or why it can't be read."""

    student: str
    lesson: int
    file: str = ""
    when: float = 0.0
    attempts: int = 0
    digest: str = ""
    problem: str = ""
    cells: list[dict[str, str]] = field(default_factory=list)


class Run:
    """One grading of a class, kept in its folder until it is finished."""

    def __init__(self, settings: Settings) -> None:

        self.settings = settings
        self.state = settings.out / ".run.json"
        self.seed, self.begun = self._seed()
        self.students, self.work = collect(settings)
        numbers = {work.lesson for work in self.work} - {UNKNOWN}
        self.pristine = {n: pristine(lesson(n), settings.solutions) for n in sorted(numbers)}

    def _seed(self) -> tuple[int, bool]:
        """The seed given, or that of a run that was interrupted, or a fresh one."""
        before: dict[str, Any] = {}
        if self.state.exists():
            before = json.loads(self.state.read_text(encoding="utf-8"))
        if self.settings.seed is not None:
            return self.settings.seed, True
        if before and not before["finished"]:
            return int(before["seed"]), True
        return secrets.randbits(62), False

    def _note(self, finished: bool) -> None:

        write_text(self.state, json.dumps({"seed": self.seed, "finished": finished}) + "\n")

    def finish(self) -> None:
        """Say that nothing is left to do, so that the next run draws a fresh seed."""
        self._note(True)

    def grade(self, **where: Any) -> list[dict[str, Any]]:
        """A result for each piece of work; those that are there already are not made again."""

        self._note(False)
        results: dict[int, dict[str, Any]] = {}
        for at, work in enumerate(self.work):
            kept = self._kept(work)
            if kept is not None:
                results[at] = kept
        left = [at for at in range(len(self.work)) if at not in results]
        tasks = [self.task(self.work[at]) for at in left]
        try:
            done = parallel.run(tasks, grade_task, fit=sandbox.fit, **where)
            for position, exercises in done:
                at = left[position]
                results[at] = self._result(self.work[at], exercises)
                write_text(self._place(self.work[at]), json.dumps(results[at], indent=1) + "\n")
        finally:
            close_referee()
        return [results[at] for at in range(len(self.work))]

    def task(self, work: Work) -> dict[str, Any]:
        """What a referee needs to know about a piece of work."""
        return task_of(work, self.pristine.get(work.lesson), self.seed)

    def key(self, work: Work) -> str:
        """What a result depends on: the file, the lesson, the seed, the course itself."""
        task = {**self.task(work), "digest": work.digest, "course": _version()}
        return hashlib.sha256(json.dumps(task, sort_keys=True).encode()).hexdigest()[:32]

    def _place(self, work: Work) -> Path:

        return self.settings.out / "results" / f"lesson{work.lesson}" / f"{slug(work.student)}.json"

    def _kept(self, work: Work) -> dict[str, Any] | None:
        try:
            found = json.loads(self._place(work).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        same = isinstance(found, dict) and found.get("key") == self.key(work)
        return {**found, **_about(work)} if same else None

    def _result(self, work: Work, exercises: list[dict[str, Any]]) -> dict[str, Any]:
        return {**_about(work), "key": self.key(work), "exercises": exercises}

    def code(self) -> dict[int, dict[str, str]]:
        """What each student wrote, by lesson: for a comparison of the submissions."""
        found: dict[int, dict[str, str]] = {}
        for work in self.work:
            if work.lesson == UNKNOWN:
                continue
            cells = self.pristine[work.lesson].cells
            ours = {c.source.strip() for c in cells if c.role != "answer"}
            ours |= set(self.pristine[work.lesson].stubs)
            own = [c["source"] for c in work.cells if c["source"].strip() not in ours]
            found.setdefault(work.lesson, {})[work.student] = "\n\n".join(own)
        return found


def _about(work: Work) -> dict[str, Any]:
    names = ("student", "lesson", "file", "when", "attempts", "problem")
    return {name: getattr(work, name) for name in names}


@functools.cache
def _version() -> str:
    return course_version()


def task_of(work: Work, around: Pristine | None, seed: int) -> dict[str, Any]:
    """What a referee needs to know, as plain data: it may be on another machine."""
    return {
        "lesson": work.lesson,
        "settings": {} if work.lesson == UNKNOWN else lesson(work.lesson).settings,
        "seed": seed,
        "problem": work.problem,
        "cells": work.cells,
        "pristine": [asdict(cell) for cell in around.cells] if around else [],
        "stubs": list(around.stubs) if around else [],
    }


def newest(folder: Path, number: int) -> Work:
    """The last readable notebook in a folder, as work on this lesson."""
    found = [read(handed, number) for handed in sorted(find(folder, []), key=lambda h: h.when)]
    ranked = sorted(found, key=lambda work: (not work.problem, work.lesson == number))
    if not ranked:
        return Work("", number, problem="There is no notebook: hand in the .ipynb file.")
    ranked[-1].lesson = number
    return ranked[-1]


def collect(settings: Settings) -> tuple[list[Student], list[Work]]:
    """The students, and the work of each; of several files for a lesson the last one counts."""

    folder = settings.folder
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder: give the one that holds the submissions")
    named = settings.roster or folder / "roster.csv"
    roster = read_roster(named) if settings.roster or named.is_file() else []
    titles = [path.stem for path in sorted(settings.solutions.glob("*.ipynb"))]
    files = sorted(find(folder, roster, titles), key=lambda handed: handed.when)
    latest: dict[tuple[str, int], Work] = {}
    for handed in files:
        work = read(handed, settings.lesson)
        if settings.lesson in (None, work.lesson):
            before = latest.get((work.student, work.lesson))
            if before and work.problem and not before.problem:  # a damaged file replaces nothing
                work = before
            work.attempts = 1 + (before.attempts if before else 0)
            latest[work.student, work.lesson] = work
    known = {student.id: student for student in roster}
    strange = sorted({handed.student for handed in files} - known.keys())
    known.update({name: Student(name, listed=not roster) for name in strange})
    numbers = {number for _, number in latest} | {UNKNOWN}
    numbers |= set() if settings.lesson is None else {settings.lesson}
    order = [(student, number) for student in known for number in sorted(numbers)]
    blank = [Work(s, n, problem="Nothing was handed in.") for s, n in order if n != UNKNOWN]
    all_work = {(w.student, w.lesson): w for w in blank} | latest
    return list(known.values()), [all_work[place] for place in order if place in all_work]


def read(handed: Handed, wanted: int | None) -> Work:
    """One file as work; what can't be read says why, and counts for the lesson it seems to be."""

    work = Work(handed.student, UNKNOWN if wanted is None else wanted, handed.name, handed.when)
    notebook = None
    try:
        data = handed.data()
        work.digest = digest(data)
        notebook = parse(data)
        work.cells = [asdict(cell) for cell in notebook.cells]
    except Unreadable as error:
        work.problem = str(error)
    work.lesson = guess_lesson(notebook, handed.name, work.lesson)
    if work.lesson == UNKNOWN:
        work.problem = work.problem or "It is not a notebook of the course: is it the right file?"
    return work


@functools.cache
def _referee() -> Referee:
    """The referee of this process, with its warm parents."""

    return Referee()


def close_referee() -> None:
    """End the warm parents of this process."""
    if _referee.cache_info().currsize:
        _referee().close()


def grade_task(task: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of one submission, exercise by exercise, as plain data."""
    return list(_graded(task)) if task["lesson"] != UNKNOWN else []


def _graded(task: dict[str, Any]) -> Iterator[dict[str, Any]]:

    course = lesson(task["lesson"])
    course.settings.update(task["settings"])  # it may be another machine than the instructor's
    notebook = Notebook(tuple(Cell(**cell) for cell in task["cells"]))
    around = Pristine(tuple(Cell(**cell) for cell in task["pristine"]), tuple(task["stubs"]))
    for exercise in course.exercises:
        if task["problem"]:
            yield plain(nothing(exercise, task["problem"]))
            continue
        code = program(course, exercise, around, notebook)
        yield plain(_referee().judge(course, exercise, code, task["seed"]))


def plain(result: Result) -> dict[str, Any]:
    """A result as plain data; what is right stays out unless the case is an open one."""
    row = asdict(result)
    for verdict in row["verdicts"]:
        if not verdict["open"]:
            verdict["message"] = masked(verdict["message"], verdict["expected"])
            verdict["expected"] = ""
    return row


def masked(message: str, expected: str) -> str:
    """The message without the value that a hidden case expects, should it be in there."""
    if not expected or not message:
        return message
    return re.sub(rf"(?<![\w.]){re.escape(expected)}(?![\w])", "…", message)
