"""What a student handed in: the code cells of a notebook, and the program of each exercise.

The file is untrusted: it is read as JSON and never executed or parsed as Python here. Answer cells
are known by their ids, wherever they stand; whatever else the student wrote counts as helpers;
checks don't count; and the course's own cells and answers to the other exercises are put in.
"""

import hashlib
import json
import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lib.grading.check import Exercise, Lesson
from lib.grading.lessons import lesson, lesson_numbers

LARGEST = 64 << 20  # bytes of a notebook that is read
MOST_CODE = 2 << 20  # characters of code that are run
KEY = "rl_five_games"
UNKNOWN = -1  # the lesson of a file that does not say


class Unreadable(ValueError):
    """A file that is no notebook; the message tells the student what to do."""


@dataclass(frozen=True)
class Cell:
    """A code cell: its role ("answer", "check" or ""), its exercise, and what it says."""

    source: str
    role: str = ""
    exercise: str = ""


@dataclass(frozen=True)
class Notebook:
    """The code cells of a file, and the lesson that it says it is."""

    cells: tuple[Cell, ...]
    lesson: int = UNKNOWN

    def answered(self, exercise: Exercise) -> list[Cell]:
        """The answer cells of an exercise, under its name now or in older releases."""
        names = (exercise.name, *exercise.formerly)
        return [cell for cell in self.cells if cell.role == "answer" and cell.exercise in names]


def read_bytes(path: str | Path) -> bytes:
    """The bytes of an ordinary file of a reasonable size; Unreadable, in words, if it is none."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | os.O_NONBLOCK)
    except OSError as error:
        if os.path.islink(path):
            raise Unreadable("It is a link, not a file: hand in the notebook itself.") from None
        raise Unreadable(f"The file can't be opened: {error.strerror}.") from None
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable("It is not an ordinary file: hand in the notebook itself.")
        if found.st_size > LARGEST:
            raise Unreadable(
                f"The file has {found.st_size >> 20} MB; {LARGEST >> 20} MB are the limit. Clear "
                "all outputs, save, and hand it in again."
            )
        return file.read(LARGEST)


def parse(data: bytes) -> Notebook:
    """The code cells in the bytes of a notebook; Unreadable, in words, if there are none."""
    if not data.strip():
        raise Unreadable("The file is empty: save the notebook and hand it in again.")
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError):
        raise Unreadable(
            "The file is not a whole notebook: open it in JupyterLab, save it, hand it in again."
        ) from None
    sheets = raw.get("cells") if isinstance(raw, dict) else None
    if not isinstance(sheets, list):
        raise Unreadable("There are no cells in it: is it the right file?")
    found = tuple(cell for cell in map(_cell, sheets) if cell is not None)
    if sum(len(cell.source) for cell in found) > MOST_CODE:
        raise Unreadable(f"There is more code in it than any lesson needs ({MOST_CODE >> 20} MB).")
    return Notebook(found, _lesson(raw.get("metadata")))


def _lesson(metadata: Any) -> int:
    noted = metadata.get(KEY) if isinstance(metadata, dict) else None
    number = noted.get("lesson") if isinstance(noted, dict) else None
    return number if type(number) is int else UNKNOWN


def _cell(raw: Any) -> Cell | None:
    """A code cell; None for any other."""
    if not isinstance(raw, dict) or raw.get("cell_type") != "code":
        return None
    source = raw.get("source", "")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if not isinstance(source, str) or not source.strip():
        return None
    source = source.encode("utf-8", "replace").decode()  # lone surrogates can't be sent
    return Cell(source, *_role(raw))


def _role(raw: dict[str, Any]) -> tuple[str, str]:
    """("answer", "q_update"), by our note, nbgrader's id, or the id of the cell."""
    metadata = raw.get("metadata")
    noted = metadata if isinstance(metadata, dict) else {}
    ours, theirs = noted.get(KEY), noted.get("nbgrader")
    if isinstance(ours, dict) and ours.get("role") in ("answer", "check"):
        return str(ours["role"]), str(ours.get("exercise", ""))
    name = str(theirs.get("grade_id", "")) if isinstance(theirs, dict) else ""
    if name.startswith("check_"):
        return "check", name.removeprefix("check_")
    if name:
        return "answer", name
    role, dash, rest = str(raw.get("id", "")).partition("-")
    if dash and role in ("answer", "check"):
        return role, rest.replace("-", "_")
    return "", ""


@dataclass(frozen=True)
class Pristine:
    """The solved notebook of a lesson: what an answer is put into."""

    cells: tuple[Cell, ...]
    stubs: tuple[str, ...]  # what unwritten answer cells say


def pristine(course: Lesson, solutions: Path) -> Pristine:
    """The solved notebook; ValueError if it is not there."""
    from lib.grading.release import without_solution

    path = solutions / f"{course.notebook}.ipynb"
    if not path.is_file():
        raise ValueError(f"{path} is missing: graders need the solved notebooks of the course")
    cells = parse(path.read_bytes()).cells
    stubs = [without_solution(cell.source).strip() for cell in cells if cell.role == "answer"]
    return Pristine(cells, tuple(stubs))


def program(
    course: Lesson, exercise: Exercise, lesson_cells: Pristine, notebook: Notebook
) -> dict[str, Any]:
    """What a worker is to run for one exercise: the cells in their order, and who wrote them."""
    mine = _renamed(course, notebook.cells)
    head = _until_check(mine, exercise)
    answers = [c for c in head if is_answer(c, exercise)]
    written = [c for c in answers if c.source.strip() not in lesson_cells.stubs] or answers
    references = {c.exercise: c for c in lesson_cells.cells if c.role == "answer"}
    ours = {c.source.strip() for c in lesson_cells.cells if not c.role}
    cells: list[tuple[str, str]] = []
    for cell in _missing(lesson_cells, exercise, head):
        cells.append(("course", cell.source))
    for cell in head:
        if is_answer(cell, exercise):
            cells += [("answer", cell.source)] if cell in written else []
        elif cell.role == "answer" and cell.exercise in references:
            cells.append(("course", references[cell.exercise].source))
        elif cell.role != "check":
            cells.append(("course" if cell.source.strip() in ours else "own", cell.source))
    others = [n for e in course.exercises if e.name != exercise.name for n in e.names]
    return {
        "cells": [{"kind": kind, "source": source} for kind, source in cells],
        "names": list(exercise.names),
        "others": [name for name in others if "." not in name],
        "answered": bool(answers),
    }


def is_answer(cell: Cell, exercise: Exercise) -> bool:
    """Whether a cell is an answer cell of the exercise."""
    return cell.role == "answer" and cell.exercise == exercise.name


def _renamed(course: Lesson, cells: Sequence[Cell]) -> list[Cell]:
    """The cells under the names that their exercises have now; of unknown exercises, helpers."""
    names = {old: e.name for e in course.exercises for old in (e.name, *e.formerly)}
    return [
        replace(cell, exercise=names[cell.exercise]) if cell.exercise in names
        # an id of another release or of the student's own making: what it defines may help
        else replace(cell, exercise="", role="check" if cell.role == "check" else "")
        for cell in cells
    ]  # fmt: skip


def _until_check(cells: Sequence[Cell], exercise: Exercise) -> Sequence[Cell]:
    """What runs before the exercise is checked; all, if the check is not below the answer."""
    mine = [at for at, cell in enumerate(cells) if cell.exercise == exercise.name]
    checks = [at for at in mine if cells[at].role == "check"]
    answers = [at for at in mine if cells[at].role == "answer"]
    return cells[: checks[-1]] if checks and answers and checks[-1] > answers[-1] else cells


def _missing(lesson_cells: Pristine, exercise: Exercise, head: Sequence[Cell]) -> list[Cell]:
    """The course's cells and answers above the exercise that the student's file lacks there."""
    mine = [at for at, cell in enumerate(head) if is_answer(cell, exercise)]
    above = head[: mine[0]] if mine else head
    there = {cell.source.strip() for cell in above if not cell.role}
    answered = {cell.exercise for cell in above if cell.role == "answer"}
    found = []
    for cell in lesson_cells.cells:
        if is_answer(cell, exercise):
            break
        lacking = cell.exercise not in answered if cell.role else cell.source.strip() not in there
        if cell.role != "check" and lacking:
            found.append(cell)
    return found


def guess_lesson(notebook: Notebook | None, name: str, wanted: int = UNKNOWN) -> int:
    """The lesson of a file: as it says, by its name, as wanted, or by the ids of its answers."""
    numbers = lesson_numbers()
    if notebook is not None and notebook.lesson in numbers:
        return notebook.lesson
    for digits in re.findall(r"(?<![0-9A-Za-z])(\d\d)_(?=[a-z])", name):
        if int(digits) in numbers:
            return int(digits)
    if notebook is not None and wanted == UNKNOWN:
        hits = {n: sum(bool(notebook.answered(e)) for e in lesson(n).exercises) for n in numbers}
        best = max(hits, key=lambda n: hits[n], default=UNKNOWN)
        if hits.get(best):
            return best
    return wanted


def digest(data: bytes) -> str:
    """A fingerprint of what was handed in."""
    return hashlib.sha256(data).hexdigest()[:32]
