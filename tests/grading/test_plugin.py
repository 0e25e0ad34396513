"""The student tier: points per exercise, with partial credit, whatever a notebook does."""

import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from sample_lesson import Sample

from lib.grading import author, cells, scores, selfcheck, submit
from lib.grading.check import Result
from lib.grading.lessons import lesson
from lib.grading.plugin import brief
from lib.grading.progress import remember


def save(notebook: NotebookNode, folder: Path) -> Path:
    """The notebook in a file of its own."""
    return cells.write(folder / "90_sample.ipynb", notebook)


def points(found: dict) -> dict[str, float]:
    """What each exercise earned."""
    return {row["exercise"]: row["points"] for row in found["exercises"]}


def test_a_half_right_notebook_gets_its_points_and_reasons(sample: Sample, tmp_path: Path) -> None:
    text = sample.text.replace("sum(numbers) / len(numbers)", "sum(numbers)")
    path = save(author.from_text(text, "90_sample"), tmp_path)
    command = [sys.executable, "-m", "pytest", "--nbval-lax", "-p", "no:cacheprovider", path.name]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    assert "points of 90_sample.ipynb" in said
    assert "      2/6  The mean                          two numbers: This is the sum" in said
    assert "      4/4  A counter" in said and "     6/10  in total" in said
    assert "AssertionError" in said  # nbval shows the check that raised


@pytest.mark.slow
def test_a_solution_gets_all_and_a_release_nothing(sample: Sample, tmp_path: Path) -> None:
    solved = selfcheck.grade_notebook(save(sample.solved, tmp_path / "a"), quiet=True)
    assert points(solved) == {"mean": 6, "Counter": 4} and solved["notes"] == []
    stub = selfcheck.grade_notebook(save(sample.stub, tmp_path / "b"), quiet=True)
    assert points(stub) == {"mean": 0, "Counter": 0} and stub["notes"] == []
    assert {row["message"] for row in stub["exercises"]} == {"Not written yet."}


@pytest.mark.slow
def test_a_kernel_that_ends_is_noticed_at_once(sample: Sample, tmp_path: Path) -> None:
    notebook = sample.solved
    at = next(i for i, cell in enumerate(notebook.cells) if cell.id == "answer-Counter")
    notebook.cells.insert(at, nbformat.v4.new_code_cell("import os; os._exit(3)"))
    before = time.monotonic()
    found = selfcheck.grade_notebook(save(notebook, tmp_path), timeout=500, quiet=True)
    assert time.monotonic() - before < 120
    assert points(found) == {"mean": 6, "Counter": 0}
    assert "the kernel ended here; what follows was not run" in found["notes"][0]


@pytest.mark.slow
def test_a_cell_that_hangs_is_stopped_and_the_rest_counts(sample: Sample, tmp_path: Path) -> None:
    notebook = sample.solved
    notebook.cells.insert(5, nbformat.v4.new_code_cell("while True: pass"))
    found = selfcheck.grade_notebook(save(notebook, tmp_path), timeout=5, quiet=True)
    assert points(found) == {"mean": 6, "Counter": 4}
    assert "KeyboardInterrupt" in found["notes"][0]


@pytest.mark.slow
def test_two_notebooks_in_two_processes(sample: Sample, tmp_path: Path) -> None:
    text = sample.text.replace("self.count += n", "self.count = n")
    save(sample.solved, tmp_path / "a")
    save(author.from_text(text, "90_sample"), tmp_path / "b")
    told = tmp_path / "points.json"
    command = [sys.executable, "-m", "pytest", "--nbval-lax", "-p", "no:cacheprovider", "-n", "2"]
    subprocess.run([*command, "--points", told.name, "."], cwd=tmp_path, capture_output=True)
    found = {Path(f["notebook"]).parent.name: points(f) for f in json.loads(told.read_text())}
    assert found == {"a": {"mean": 6, "Counter": 4}, "b": {"mean": 6, "Counter": 2}}


def test_a_missing_check_costs_its_points_and_says_so(sample: Sample) -> None:
    row = {"exercise": "mean", "points": 6.0, "right": True, "message": ""}
    facts = [{"lesson": 90, "rows": [row], "exercise": "mean", "note": ""}]
    found = scores.score(Path("x.ipynb"), facts)
    assert points(found) == {"mean": 6, "Counter": 0}
    assert (
        scores.table(found)[1].startswith("      0/4  A counter")
        and scores.NOT_RUN in (scores.table(found)[1])
    )


def test_the_last_line_of_what_was_raised() -> None:
    error = Exception("x")
    error.inner_traceback = "a\n\x1b[31mNameError\x1b[39m: name 'q'\n\n"  # type: ignore[attr-defined]
    assert brief(error) == "NameError: name 'q'" and brief(ValueError("no")) == "no"


def test_other_runs_of_pytest_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text(
        "import os\ndef test_x():\n    assert 'RL_FIVE_GAMES_RAISE' not in os.environ\n"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RL_FIVE_GAMES")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    said = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert said.returncode == 0 and "points of" not in said.stdout


def test_notebooks_without_exercises_are_refused(tmp_path: Path) -> None:
    path = save(nbformat.v4.new_notebook(), tmp_path)
    with pytest.raises(ValueError, match="has no exercises"):
        selfcheck.grade_notebook(path)


def test_a_submission_is_one_file_with_the_self_check(sample: Sample, tmp_path: Path) -> None:
    path = save(sample.stub, tmp_path)
    facts = [{"lesson": 90, "rows": [], "exercise": "", "note": ""}]
    packed = submit.pack(path, scores.score(path, facts))
    assert packed.name == "90_sample.submission.zip"
    with zipfile.ZipFile(packed) as inside:
        assert sorted(inside.namelist()) == ["90_sample.ipynb", "self-check.json"]
        assert inside.read("90_sample.ipynb") == path.read_bytes()
        told = json.loads(inside.read("self-check.json"))
    assert told["out_of"] == lesson(90).points == 10 and str(tmp_path) not in json.dumps(told)


def test_what_was_passed_but_not_saved_is_named(
    sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RL_FIVE_GAMES_PROGRESS", str(tmp_path / "progress.json"))
    path = save(sample.stub, tmp_path)
    found = scores.score(path, [{"lesson": 90, "rows": [], "exercise": "", "note": ""}])
    os.utime(path, (time.time() - 60,) * 2)
    assert selfcheck.unsaved(path, found) == ""
    remember(90, Result("mean", "The mean", 6.0, 6.0))
    remember(90, Result("Counter", "A counter", 0.0, 4.0))
    assert ": The mean. Save the notebook" in selfcheck.unsaved(path, found)
    os.utime(path, (time.time() + 60,) * 2)
    assert selfcheck.unsaved(path, found) == "", "it was saved since, so the file is what counts"


def test_a_lesson_is_found_by_number_or_path(sample: Sample, tmp_path: Path) -> None:
    path = save(sample.stub, tmp_path)
    assert submit.find_notebook("90", tmp_path) == path == submit.find_notebook(str(path), tmp_path)
    with pytest.raises(ValueError, match="there is no lesson 89"):
        submit.find_notebook("89", tmp_path)
    with pytest.raises(ValueError, match=r"there is no nothing\.ipynb"):
        submit.find_notebook("nothing.ipynb", tmp_path)
