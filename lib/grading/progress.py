"""What a student has passed so far: one small file of the student's, written whole."""

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lib.files import cache_folder, write_text
from lib.grading.check import Result
from lib.grading.lessons import lesson, lesson_numbers


def progress_file() -> Path:
    """$RL_FIVE_GAMES_PROGRESS, or work/.progress.json of the course."""
    named = os.environ.get("RL_FIVE_GAMES_PROGRESS")
    if named:
        return Path(named)
    work = Path(__file__).parents[2] / "work"
    return (work if os.access(work.parent, os.W_OK) else cache_folder()) / ".progress.json"


def read_progress() -> dict[str, Any]:
    """The best result of each exercise by name; {} if there is none or the file is damaged."""
    try:
        found = json.loads(progress_file().read_text(encoding="utf8"))["exercises"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def remember(number: int, result: Result) -> None:
    """Keep the best points of an exercise and count the attempts."""
    exercises = read_progress()
    before = exercises.get(result.exercise, {})
    exercises[result.exercise] = {
        "lesson": number,
        "points": max(result.points, float(before.get("points", 0.0))),
        "out_of": result.out_of,
        "attempts": int(before.get("attempts", 0)) + 1,
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    try:
        write_text(progress_file(), json.dumps({"version": 1, "exercises": exercises}, indent=1))
    except OSError:  # a read-only folder: the check still answers
        return


@dataclass(frozen=True)
class LessonProgress:
    """How far a student is in one lesson."""

    number: int
    title: str
    notebook: str
    points: float
    out_of: float
    passed: tuple[str, ...]
    open: tuple[str, ...]


def progress() -> list[LessonProgress]:
    """How far the student is in every lesson, for the start page."""
    kept = read_progress()
    rows = []
    for found in map(lesson, lesson_numbers()):
        points = {e.name: float(kept.get(e.name, {}).get("points", 0)) for e in found.exercises}
        passed = tuple(e.name for e in found.exercises if points[e.name] >= e.points)
        rest = tuple(e.name for e in found.exercises if e.name not in passed)
        row = (found.number, found.title, found.notebook, sum(points.values()), found.points)
        rows.append(LessonProgress(*row, passed, rest))
    return rows
