"""Lesson 91 of the hostile suite, as a class of a few students, for the tests of the grader."""

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import lib.grading

HOSTILE = Path(__file__).parents[1] / "hostile"
sys.path.insert(0, str(HOSTILE))
from books import save, solved  # noqa: E402

NAME = "91_small_things.ipynb"


@contextmanager
def lesson91() -> Iterator[None]:
    """Lesson 91 can be found, here and in processes that are started."""
    patch = pytest.MonkeyPatch()
    patch.setattr(lib.grading, "__path__", [*lib.grading.__path__, str(HOSTILE / "lesson")])
    patch.setenv("RL_FIVE_GAMES_LESSONS", str(HOSTILE / "lesson"))
    try:
        yield
    finally:
        patch.undo()


def write(folder: Path, **books: Any) -> Path:
    """A folder with solutions/ and submissions/ of these students."""
    save(solved(), folder / "solutions" / NAME)
    for student, book in books.items():
        save(book, folder / "submissions" / student / NAME)
    return folder


def grade(folder: Path, *more: str, out: str = "grades") -> list[dict[str, Any]]:
    """Grade by the command, with a fixed seed unless another is given; the rows of results.json."""
    from lib.grading.classroom import add_class_arguments, run_class

    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    add_class_arguments(parser)
    line = [str(folder / "submissions"), "--out", str(folder / out), "--lesson", "91"]
    line += ["--solutions", str(folder / "solutions"), "--seed", "7", *more]
    assert run_class(parser.parse_args(line)) == 0
    rows = json.loads((folder / out / "results.json").read_text())["results"]
    assert isinstance(rows, list)
    return rows
