"""The archive for Gradescope: its scripts, and always a results.json."""

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_class import HOSTILE, NAME, lesson91, write

from lib.grading import export


@pytest.fixture(scope="module", autouse=True)
def lesson() -> Iterator[None]:
    with lesson91():
        yield


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with nothing but lesson 91's solution."""
    made = write(tmp_path_factory.mktemp("course"))
    for name in ("course.py", "pyproject.toml", "requirements.txt", "lib/__init__.py"):
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_text("")
    (made / "lib" / "__pycache__").mkdir()
    (made / "lib" / "__pycache__" / "x.pyc").write_text("")
    return made


def test_what_is_in_the_archive(root: Path, tmp_path: Path) -> None:
    written = export.gradescope(91, tmp_path / "out.zip", root, seed=3, seconds=60)
    with zipfile.ZipFile(written) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path)
        modes = {i.filename: i.external_attr >> 16 for i in archive.infolist()}
    assert {"setup.sh", "run_autograder", "course/seed.txt"} <= set(names)
    assert f"course/solutions/{NAME}" in names
    assert not [name for name in names if "pycache" in name]
    assert modes["setup.sh"] & 0o111 and modes["run_autograder"] & 0o111
    for script in ("setup.sh", "run_autograder"):
        assert subprocess.run(["bash", "-n", tmp_path / script]).returncode == 0
    with pytest.raises(ValueError, match="missing"):
        export.gradescope(91, tmp_path / "out.zip", tmp_path / "nowhere")


def test_the_wrapper_leaves_a_result_when_the_grader_dies(root: Path, tmp_path: Path) -> None:
    """Its paths are Gradescope's: put ours in their place, with a Python that fails."""
    text = export.RUN.format(lesson=91, seconds=5).replace("/autograder", str(tmp_path))
    (tmp_path / "source" / "course").mkdir(parents=True)
    (tmp_path / "results").mkdir()
    done = subprocess.run(["bash", "-c", text], capture_output=True)
    assert done.returncode == 0
    found = json.loads((tmp_path / "results" / "results.json").read_text())
    assert found["score"] == 0 and "instructor" in found["output"]


def test_results_as_gradescope_reads_them(root: Path, tmp_path: Path) -> None:
    from books import save, solved, with_answers

    wrong = "def squares(numbers): return sum(numbers)"
    save(with_answers(solved(), squares=wrong), tmp_path / "my work.ipynb")
    found = export.results(91, tmp_path, root / "solutions", 3)
    assert found["score"] == 7.33
    assert [t["status"] for t in found["tests"]] == ["failed", "passed", "passed", "passed"]
    assert sum(t["max_score"] for t in found["tests"]) == 10
    assert "square each number first" in found["tests"][0]["output"]
    assert found["tests"][0]["visibility"] == "visible"


@pytest.mark.parametrize("content", [None, b"", b"junk", b'{"cells": []}'])
def test_any_submission_has_a_result(root: Path, tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "x.ipynb").write_bytes(content)
    found = export.results(91, tmp_path, root / "solutions", 3)
    assert found["score"] == 0 and found["output"]


def test_the_command_never_fails(tmp_path: Path) -> None:
    target = tmp_path / "results.json"
    line = [sys.executable, "-m", "lib.grading.export", "77", str(tmp_path), str(target), "nowhere"]
    environment = {**os.environ, "RL_FIVE_GAMES_LESSONS": str(HOSTILE / "lesson")}
    assert subprocess.run(line, env=environment).returncode == 0
    assert json.loads(target.read_text())["score"] == 0
