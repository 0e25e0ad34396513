"""Hostile and unlucky submissions: a result for each, no undeserved point, nobody else affected.

The whole class is graded once, honest work among the attacks; `lesson/lesson91.py` has the limits.
"""

import csv
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import attacks_guard  # noqa: F401  (adds to ATTACKS)
import attacks_system  # noqa: F401  (and this)
from attacks_code import ATTACKS
from attacks_files import FILE_ATTACKS
from books import save, solved
from odd_names import ODD_BYTES, ODD_NAMES
from unlucky import UNLUCKY

import lib.grading

LESSON = Path(__file__).parent / "lesson"
SEED = 91
pytestmark = pytest.mark.skipif(os.name == "nt", reason="grading a class needs fork")


def write_class(folder: Path) -> dict[str, float]:
    """The submissions; by name, the points that each deserves."""
    save(solved(), folder / "solutions" / "91_small_things.ipynb")
    everyone = folder / "submissions"
    deserved: dict[str, float] = {}
    for name, make in UNLUCKY.items():
        own = everyone / f"unlucky-{name}"
        own.mkdir(parents=True)
        deserved[own.name] = make(own)
    save(solved(), everyone / "ada" / "91_small_things.ipynb")
    deserved["ada"] = 10
    for name, attack in ATTACKS.items():
        save(attack(), everyone / f"hostile-{name}" / "91_small_things.ipynb")
        deserved[f"hostile-{name}"] = 0
    for name, file_attack in FILE_ATTACKS.items():
        own = everyone / f"files-{name}"
        own.mkdir()
        file_attack(own, everyone)
        deserved[own.name] = 0
    return deserved


@pytest.fixture(scope="module", autouse=True)
def lesson91() -> Iterator[None]:
    """Lesson 91 can be found, here and in processes that are started."""
    patch = pytest.MonkeyPatch()
    patch.setattr(lib.grading, "__path__", [*lib.grading.__path__, str(LESSON)])
    patch.setenv("RL_FIVE_GAMES_LESSONS", str(LESSON))
    yield
    patch.undo()


def grade(folder: Path, out: str, *more: str) -> dict[str, Any]:
    """Grade the class in `folder` by the command; results.json."""
    import argparse

    from lib.grading.classroom import add_class_arguments, run_class

    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    add_class_arguments(parser)
    where = [str(folder / "submissions"), "--out", str(folder / out), "--seed", str(SEED)]
    run_class(parser.parse_args([*where, "--solutions", str(folder / "solutions"), *more]))
    return json.loads((folder / out / "results.json").read_text())


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, float], dict[str, Any]]:
    """What each submission deserves, and all results."""
    folder = tmp_path_factory.mktemp("class")
    deserved = write_class(folder)
    results = grade(folder, "grades", "--jobs", "2", "--lesson", "91")
    assert not (Path("/tmp/pwned").exists() or Path("/tmp/squares.txt").exists())
    return deserved, {row["student"]: row for row in results["results"]}


def test_the_suite_is_large_enough() -> None:
    assert len(ATTACKS) + len(FILE_ATTACKS) >= 100
    assert len(UNLUCKY) >= 20


@pytest.mark.slow
def test_every_submission_has_a_result(graded: tuple[dict[str, float], dict[str, Any]]) -> None:
    deserved, rows = graded
    assert rows.keys() == deserved.keys()
    for name, row in rows.items():
        assert len(row["exercises"]) == 4, name
        assert all(e["status"] != "trouble" for e in row["exercises"]), (name, row)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ATTACKS, *FILE_ATTACKS])
def test_no_undeserved_points(name: str, graded: tuple[dict[str, float], dict[str, Any]]) -> None:
    row = graded[1][f"hostile-{name}" if name in ATTACKS else f"files-{name}"]
    assert row["points"] == 0, row["exercises"]
    said = row["problem"] + "".join(v["message"] for e in row["exercises"] for v in e["verdicts"])
    assert said or all(e["status"] == "unwritten" for e in row["exercises"])
    assert "  File " not in said, "a traceback of ours is no reason for a student"


@pytest.mark.slow
@pytest.mark.parametrize("name", UNLUCKY)
def test_honest_work_keeps_its_points(
    name: str, graded: tuple[dict[str, float], dict[str, Any]]
) -> None:
    deserved, rows = graded
    row = rows[f"unlucky-{name}"]
    if deserved[row["student"]] >= 0:
        assert row["points"] == deserved[row["student"]], row["exercises"]


@pytest.mark.slow
def test_others_are_not_affected(
    tmp_path: Path, graded: tuple[dict[str, float], dict[str, Any]]
) -> None:
    """The honest ones graded alone, in another order, by one process: the same in every word."""
    save(solved(), tmp_path / "solutions" / "91_small_things.ipynb")
    for name, make in UNLUCKY.items():
        own = tmp_path / "submissions" / f"unlucky-{name}"
        own.mkdir(parents=True)
        make(own)
    alone = grade(tmp_path, "grades", "--lesson", "91")
    for row in alone["results"]:
        assert row["exercises"] == graded[1][row["student"]]["exercises"]


@pytest.mark.slow
def test_names_with_every_odd_character(tmp_path: Path) -> None:
    save(solved(), tmp_path / "solutions" / "91_small_things.ipynb")
    for at, name in enumerate([*ODD_NAMES, *ODD_BYTES]):
        folder = tmp_path / "submissions"
        folder.mkdir(exist_ok=True)
        raw = name if isinstance(name, bytes) else name.encode()
        place = os.fsencode(folder) + b"/" + raw.replace(b"/", b"_")
        target = place + b"/n.ipynb" if at % 2 else place + b".ipynb"
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(json.dumps(solved()).encode())
    results = grade(tmp_path, "grades", "--lesson", "91")["results"]
    assert len(results) == len(ODD_NAMES) + len(ODD_BYTES)
    assert all(row["points"] == 10 for row in results)
    out = tmp_path / "grades"
    assert len(list((out / "feedback").glob("*.html"))) == len(results)
    for page in [*(out / "feedback").glob("*.html"), out / "summary.html"]:
        assert "onerror=alert(1)>" not in page.read_text().replace("&gt;", "")
    with (out / "gradebook.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == len(results) + 1
    assert not any(cell.startswith(("=", "@", "+")) for row in rows for cell in row)
