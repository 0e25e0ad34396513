"""The start page: the map counts what was passed, a missing package is named with its remedy."""

from pathlib import Path
from xml.etree import ElementTree as xml

import pytest

from lib.front import ABOUT, HOURS, Installation, course_map, installation
from lib.grading.check import Result
from lib.grading.lessons import lesson_numbers
from lib.grading.progress import remember


def test_the_map_shows_every_lesson_and_counts_what_was_passed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RL_FIVE_GAMES_PROGRESS", str(tmp_path / "progress.json"))
    before = course_map()
    assert [lesson.number for lesson in before.lessons] == list(lesson_numbers())
    assert before.points == 0 and before.out_of == 371
    assert set(ABOUT) == set(HOURS) == set(lesson_numbers())
    remember(0, Result("fingers_left", "Count the fingers", 1.0, 1.0))
    after = course_map()
    assert after.points == 1
    assert "0 Start here: 1 of 1 points" in repr(after)
    table = xml.fromstring(after._repr_html_())
    rows = ["".join(row.itertext()) for row in table.iter("tr")]
    assert len(rows) == len(after.lessons) + 2
    assert "1 of 1●" in rows[1] and "0 of 60○" in rows[2]


def test_everything_is_installed_here() -> None:
    assert installation().missing == []
    assert repr(installation()).startswith("Everything is here: ")


def test_a_missing_and_another_version_are_named() -> None:
    found = Installation({"numpy": ("2.0.0", "1.9.0"), "torch": ("2.13.0", None)})
    assert len(found.missing) == 2
    assert "numpy 1.9.0" in repr(found) and "torch is missing" in repr(found)
    assert "course.py lab" in repr(found)
