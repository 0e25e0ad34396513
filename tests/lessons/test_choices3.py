"""Lesson 3's choices: an instructor reads each sentence, beside what the check found."""

import csv
from pathlib import Path

import pytest

from lib.cli.main import main
from lib.grading import cells, classroom_run, lesson3

SOLVED = Path(__file__).parents[2] / "solutions" / f"{lesson3.LESSON.notebook}.ipynb"
SAYS = "Both places and both numbers of shots, because they decide what can happen next."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One submission that has nothing but its choices."""
    notebook = cells.read(SOLVED.parents[1] / "notebooks" / SOLVED.name)
    solved = cells.by_role(cells.read(SOLVED), "answer")
    for name, cell in cells.by_role(notebook, "answer").items():
        if name in ("state", "reward"):
            cell.source = solved[name].source
    cells.write(tmp_path / "submissions" / "ada" / SOLVED.name, notebook)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def grade(folder: Path) -> list[dict[str, str]]:
    assert main(["grade", "submissions", "--out", "grades", "--seed", "1"]) == 0
    with (folder / "grades" / "choices.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_sentences_are_in_one_file_and_marks_by_hand_come_back(folder: Path) -> None:
    rows = {row["exercise"]: row for row in grade(folder)}
    assert set(rows) == {"state", "reward"}  # the evaluation is not written
    assert rows["state"]["points"] == "5" and rows["state"]["found"].startswith(SAYS)
    assert "960 states" in rows["state"]["found"]
    manual = folder / "grades" / "manual.csv"
    manual.write_text(manual.read_text() + "ada,3,state,2,why the shots?\n")
    rows = {row["exercise"]: row for row in grade(folder)}
    assert (rows["state"]["points"], rows["state"]["comment"]) == ("2", "why the shots?")
    (page,) = (folder / "grades" / "feedback").glob("*.html")
    assert SAYS in page.read_text() and "why the shots?" in page.read_text()


def test_settings_of_an_instructor_are_part_of_what_a_result_depends_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = classroom_run.Run(classroom_run.Settings(folder / "submissions", folder / "grades"))
    before = run.key(run.work[0])
    monkeypatch.setitem(lesson3.SETTINGS, "draws", 0.5)
    assert run.key(run.work[0]) != before
