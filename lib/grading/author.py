"""From a lesson written as text to the solved notebook, executed, and back.

The text is jupytext's percent format. `# %% answer="q_update"` begins the answer cell of the
exercise q_update, `# %% check="q_update"` the cell that checks it; their metadata is made here.
"""

import re
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from lib.grading import cells
from lib.grading.check import Lesson
from lib.grading.lessons import lesson

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
LONGEST_CELL = 25  # lines
LONGEST_TEXT = 160  # words
FLAGS = {"answer": (False, True, False), "check": (True, False, True)}  # grade, solution, locked


def from_text(text: str, name: str) -> NotebookNode:
    """The notebook `name` (as "01_q_learning_tapnswap") made of percent text, not executed."""
    import jupytext

    made = jupytext.reads(text, fmt="py:percent")
    marked = [_mark(cell.metadata) for cell in made.cells]
    number = cells.number_in(name) if any(role for role, _ in marked) else None
    course = lesson(number) if number is not None else None
    notebook = nbformat.v4.new_notebook(metadata=_metadata(number))
    notebook.cells = [
        _cell(cell, role, exercise, course)
        for cell, (role, exercise) in zip(made.cells, marked, strict=True)
        if cell.source.strip()
    ]
    cells.set_ids(notebook)
    return notebook


def _metadata(number: int | None) -> dict[str, Any]:
    found: dict[str, Any] = {"kernelspec": dict(cells.KERNEL), "language_info": {"name": "python"}}
    if number is not None:
        found[cells.KEY] = {"lesson": number}
    return found


def _mark(metadata: dict[str, Any]) -> tuple[str, str]:
    """("answer", "q_update") of a marked cell, ("", "") of any other."""
    for role in FLAGS:
        if role in metadata:
            return role, str(metadata[role])
    return "", ""


def _cell(cell: NotebookNode, role: str, exercise: str, course: Lesson | None) -> NotebookNode:
    """A clean copy of a cell, with the metadata of its role."""
    if cell.cell_type != "code":
        made = nbformat.v4.new_markdown_cell(cell.source)
        made.metadata[cells.KEY] = {"role": "text"}
        return made
    made = nbformat.v4.new_code_cell(cell.source)
    if tags := cell.metadata.get("tags"):
        made.metadata["tags"] = list(tags)
    if not role:
        made.metadata[cells.KEY] = {"role": "code"}
        return made
    assert course is not None
    made.metadata[cells.KEY] = {"role": role, "exercise": exercise}
    grade, solution, locked = FLAGS[role]
    noted: dict[str, Any] = {"grade": grade, "solution": solution, "locked": locked, "task": False}
    noted |= {
        "schema_version": 3,
        "grade_id": exercise if role == "answer" else f"check_{exercise}",
    }
    if grade:
        noted["points"] = course[exercise].points
    made.metadata["nbgrader"] = noted
    return made


def to_text(notebook: NotebookNode) -> str:
    """The percent text that a solved notebook was made of."""
    import jupytext

    plain = nbformat.v4.new_notebook()
    for cell in notebook.cells:
        make = nbformat.v4.new_code_cell if cell.cell_type == "code" else None
        copy = make(cell.source) if make else nbformat.v4.new_markdown_cell(cell.source)
        if cells.role(cell) in FLAGS:
            copy.metadata[cells.role(cell)] = cells.exercise_of(cell)
        if tags := cell.metadata.get("tags"):
            copy.metadata["tags"] = list(tags)
        plain.cells.append(copy)
    plain.metadata["jupytext"] = {"notebook_metadata_filter": "-all", "cell_metadata_filter": "all"}
    return jupytext.writes(plain, fmt="py:percent")


def problems(notebook: NotebookNode) -> list[str]:
    """What is not as a lesson should be, in words; [] if all is."""
    number = cells.lesson_number(notebook)
    found = [line for at, cell in enumerate(notebook.cells) for line in _cell_problems(at, cell)]
    if number is not None:
        found += _exercise_problems(notebook, lesson(number))
    ids = [cell["id"] for cell in notebook.cells]
    found += [f"the id {i} is there twice" for i in sorted({i for i in ids if ids.count(i) > 1})]
    return found


def _cell_problems(at: int, cell: NotebookNode) -> list[str]:
    lines, words = len(cell.source.splitlines()), len(re.findall(r"\w+", cell.source))
    where = f"cell {at} ({cell.source.strip().partition(chr(10))[0][:50]!r})"
    if cell.cell_type == "code" and lines > LONGEST_CELL:
        return [f"{where} has {lines} lines, more than {LONGEST_CELL}"]
    if cell.cell_type == "markdown" and words > LONGEST_TEXT and "<details" not in cell.source:
        return [f"{where} has {words} words, more than {LONGEST_TEXT}"]
    if cells.role(cell) == "answer" and not _has_region(cell.source):
        return [f"{where} has no lines between {BEGIN} and {END}"]
    return []


def _has_region(source: str) -> bool:
    """Whether there is one solution region at least, and every one that begins ends."""
    marks = re.findall(rf"^\s*({BEGIN}|{END})\s*$", source, re.MULTILINE)
    return bool(marks) and marks == [BEGIN, END] * (len(marks) // 2)


def _exercise_problems(notebook: NotebookNode, course: Lesson) -> list[str]:
    """An exercise has one answer, then one check, and the check calls it by name."""
    found = []
    for exercise in course.exercises:
        places = [
            (cells.role(cell), cell.source)
            for cell in notebook.cells
            if cells.exercise_of(cell) == exercise.name
        ]
        if [role for role, _ in places] != ["answer", "check"]:
            roles = ", ".join(role for role, _ in places) or "nothing"
            found.append(f"{exercise.name} needs an answer and then a check: there is {roles}")
        elif f'check("{exercise.name}"' not in places[1][1]:
            found.append(
                f"the check of {exercise.name} does not call check({exercise.name!r}, ...)"
            )
    names = {exercise.name for exercise in course.exercises}
    strange = {cells.exercise_of(cell) for cell in notebook.cells} - names - {""}
    return found + [f"lesson {course.number} has no exercise {name!r}" for name in sorted(strange)]


def name_of(path: str | Path) -> str:
    """01_q_learning_tapnswap of solutions/01_q_learning_tapnswap.ipynb."""
    if Path(path).suffix != ".ipynb":
        raise ValueError(f"{path} is not the name of a notebook: let it end in .ipynb")
    return Path(path).stem
