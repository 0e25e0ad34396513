"""nbgrader works on the solutions as they are: release, autograde, validate."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sample_lesson import Sample

from lib.grading import cells
from lib.grading.lessons import lesson

ROOT = Path(__file__).parents[2]
PROGRAM = Path(sys.executable).with_name("nbgrader")


def nbgrader(folder: Path, *arguments: str) -> str:
    """Run nbgrader in a course folder of its own; what it printed."""
    private = {"JUPYTER_CONFIG_DIR": str(folder / "config"), "IPYTHONDIR": str(folder / "ipython")}
    environment = {**os.environ, **private}
    command = [str(PROGRAM), *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 or arguments[0] == "validate", done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(autouse=True)
def alembic(monkeypatch: pytest.MonkeyPatch) -> None:
    """nbgrader calls alembic by its name."""
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    monkeypatch.setenv("PATH", path)


def scores(folder: Path) -> dict[str, tuple[float, float]]:
    """What nbgrader's gradebook says: the points of each student, and those there are."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        rows = book.assignment_submissions("lesson")
        return {row.student.id: (row.score, row.max_score) for row in rows}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["01_q_learning_tapnswap"])
def test_nbgrader_grades_a_lesson_as_it_is(name: str, tmp_path: Path) -> None:
    solved = ROOT / "solutions" / f"{name}.ipynb"
    source = tmp_path / "source/lesson" / solved.name
    cells.write(source, cells.read(solved))
    nbgrader(tmp_path, "generate_assignment", "lesson", "--create")
    theirs = cells.read(tmp_path / "release/lesson" / solved.name)
    assert theirs.cells == cells.read(ROOT / "notebooks" / solved.name).cells
    cells.write(tmp_path / "submitted/good/lesson" / solved.name, cells.read(solved))
    cells.write(tmp_path / "submitted/stub/lesson" / solved.name, theirs)
    nbgrader(tmp_path, "autograde", "lesson", "--create")
    points = lesson(cells.number_in(name)).points
    assert scores(tmp_path) == {"good": (points, points), "stub": (0, points)}


@pytest.mark.slow
def test_nbgrader_releases_autogrades_and_validates(sample: Sample, tmp_path: Path) -> None:
    source = cells.write(tmp_path / "source/lesson/90_sample.ipynb", sample.solved)
    nbgrader(tmp_path, "generate_assignment", "lesson", "--create")
    theirs = cells.read(tmp_path / "release/lesson/90_sample.ipynb")
    assert theirs.cells == sample.stub.cells  # what we release is what nbgrader releases
    cells.write(tmp_path / "submitted/good/lesson/90_sample.ipynb", sample.solved)
    stub = cells.write(tmp_path / "submitted/stub/lesson/90_sample.ipynb", sample.stub)
    nbgrader(tmp_path, "autograde", "lesson", "--create")
    assert scores(tmp_path) == {"good": (10, 10), "stub": (0, 10)}
    assert "Success! Your notebook passes all the tests." in nbgrader(
        tmp_path, "validate", str(source)
    )
    said = nbgrader(tmp_path, "validate", str(stub))
    assert "FAILED ON 2 CELL(S)" in said
    assert 'mean = check("mean", mean)' in said and 'Counter = check("Counter", Counter)' in said
