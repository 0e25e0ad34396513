"""Every lesson's notebook: as it should be, in step with its release, and what both reach."""

import functools
import statistics
from pathlib import Path

import pytest

from lib.grading import author, cells, execute
from lib.grading.lessons import lesson, lesson_numbers
from lib.grading.release import released
from lib.grading.selfcheck import grade_notebook

ROOT = Path(__file__).parents[2]
SOLVED = sorted((ROOT / "solutions").glob("*.ipynb"))
LESSONS = [path for path in SOLVED if cells.lesson_number(cells.read(path)) is not None]


def named(paths: list[Path]) -> list[object]:
    """The paths, each under its own name."""
    return [pytest.param(path, id=path.stem) for path in paths]


def test_every_lesson_has_its_notebook() -> None:
    wanted = {lesson(number).notebook for number in lesson_numbers()}
    assert wanted <= {path.stem for path in LESSONS}


def test_every_lesson_has_its_answers_tested() -> None:
    names = {path.name for path in Path(__file__).parent.glob("*.py")}
    for number in lesson_numbers():
        assert {f"answers{number}.py", f"test_answers{number}.py"} <= names


def test_a_name_belongs_to_one_exercise() -> None:
    names = [e.name for number in lesson_numbers() for e in lesson(number).exercises]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("path", named(SOLVED))
def test_a_notebook_is_as_it_should_be(path: Path) -> None:
    notebook = cells.read(path)
    assert author.problems(notebook) == []
    assert execute.leftovers(notebook) == []
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert statistics.median(len(cell.source.splitlines()) for cell in code) <= 6
    assert all(cell.execution_count for cell in code), "it was not executed"
    assert "import lib" in code[0].source and "course.py lab" in code[0].source
    rebuilt = author.from_text(author.to_text(notebook), path.stem)
    assert [c["id"] for c in rebuilt.cells] == [c["id"] for c in notebook.cells]


@pytest.mark.parametrize("path", named(SOLVED))
def test_a_notebook_is_in_step_with_its_release(path: Path) -> None:
    there = (ROOT / "notebooks" / path.name).read_text(encoding="utf-8")
    assert there == cells.as_text(released(cells.read(path)))


@pytest.mark.parametrize("path", named(LESSONS))
def test_points_are_those_of_the_lesson(path: Path) -> None:
    notebook = cells.read(path)
    course = lesson(cells.lesson_number(notebook) or 0)
    noted = {n: c.metadata.nbgrader for n, c in cells.by_role(notebook, "check").items()}
    assert {name: meta.points for name, meta in noted.items()} == {
        exercise.name: exercise.points for exercise in course.exercises
    }
    assert course.notebook == path.stem and course.number == cells.number_in(path.stem)


@functools.cache
def stub_run(path: Path) -> execute.Run:
    """The released notebook, run to its end as a student would by Run All."""
    return execute.execute(cells.read(ROOT / "notebooks" / path.name), ROOT / "notebooks")


@pytest.mark.slow
@pytest.mark.parametrize("path", named(LESSONS))
def test_a_solution_reaches_all_points_under_nbval(path: Path) -> None:
    found = grade_notebook(path, quiet=True)
    wrong = {row["exercise"]: row["message"] for row in found["exercises"] if not row["right"]}
    assert not wrong and not found["notes"]


@pytest.mark.slow
@pytest.mark.parametrize("path", named(LESSONS))
def test_an_unsolved_notebook_reaches_its_end_and_no_points(path: Path) -> None:
    run = stub_run(path)
    assert run.points == 0 and set(run.results) == set(cells.by_role(run.notebook, "check"))
    assert {row["message"] for row in run.results.values()} == {"Not written yet."}
    assert not [line for line in execute.leftovers(run.notebook) if "stderr" in line]


@pytest.mark.slow
@pytest.mark.parametrize("path", named([path for path in SOLVED if path not in LESSONS]))
def test_a_page_without_exercises_runs_to_its_end(path: Path) -> None:
    assert execute.leftovers(stub_run(path).notebook) == []
