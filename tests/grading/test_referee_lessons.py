"""Every lesson in the grader tier: the solution earns everything, the released notebook nothing."""

import json
from pathlib import Path

import pytest

from lib.cli import ROOT
from lib.grading.classroom_run import Work, close_referee, grade_task, read, task_of
from lib.grading.lesson3_match import SETTINGS
from lib.grading.lessons import lesson, lesson_numbers
from lib.grading.release import without_solution
from lib.grading.submission import pristine
from lib.grading.submission_files import Handed

SOLUTIONS = ROOT / "solutions"
NUMBERS = [n for n in lesson_numbers() if (SOLUTIONS / f"{lesson(n).notebook}.ipynb").is_file()]


def graded(number: int, path: Path, seed: int) -> list[dict[str, object]]:
    work: Work = read(Handed("ada", path), number)
    assert not work.problem and work.lesson == number
    try:
        return grade_task(task_of(work, pristine(lesson(number), SOLUTIONS), seed))
    finally:
        close_referee()


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
def test_the_solution_earns_everything(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SETTINGS, "rounds", 100_000)  # of lesson 3, as in its notebook
    rows = graded(number, SOLUTIONS / f"{lesson(number).notebook}.ipynb", 1234)
    for row, exercise in zip(rows, lesson(number).exercises, strict=True):
        assert float(str(row["points"])) >= exercise.enough * exercise.points, row


@pytest.mark.slow
@pytest.mark.parametrize("number", NUMBERS)
def test_the_released_notebook_earns_nothing(number: int, tmp_path: Path) -> None:
    book = json.loads((SOLUTIONS / f"{lesson(number).notebook}.ipynb").read_text())
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            cell["source"] = without_solution("".join(cell["source"]))
    (tmp_path / "x.ipynb").write_text(json.dumps(book))
    rows = graded(number, tmp_path / "x.ipynb", 1234)
    assert [row["points"] for row in rows] == [0] * len(rows), rows
