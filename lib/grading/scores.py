"""The score of one notebook in the student tier: points per exercise, and why some are missing."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lib.grading.lessons import lesson

NOT_RUN = "Its check did not run: is its cell still there, and does the notebook run up to it?"


def score(path: Path, facts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Points per exercise from what the plugin saw of each cell.

    {"notebook": ..., "lesson": 1, "points": 55.0, "out_of": 60, "exercises": [...], "notes": [...]}
    """
    course = lesson(facts[0]["lesson"])
    rows = {row["exercise"]: row for fact in facts for row in fact["rows"]}
    failed = {fact["exercise"]: fact["note"] for fact in facts if fact["note"]}
    exercises = []
    for exercise in course.exercises:
        missed = {"points": 0.0, "right": False, "message": failed.get(exercise.name, NOT_RUN)}
        row = rows.get(exercise.name, missed)
        named = {"exercise": exercise.name, "title": exercise.title, "out_of": exercise.points}
        exercises.append({**named, **{key: row[key] for key in missed}})
    notes = [fact["note"] for fact in facts if fact["note"] and fact["exercise"] not in rows]
    total = sum(row["points"] for row in exercises)
    found = {"notebook": str(path), "lesson": course.number, "points": total}
    return {**found, "out_of": course.points, "exercises": exercises, "notes": notes}


def table(found: dict[str, Any]) -> list[str]:
    """The score as lines to print."""
    lines = []
    for row in [*found["exercises"], {**found, "title": "in total", "message": ""}]:
        points = f"{row['points']:g}/{row['out_of']:g}"
        first, *rest = row["message"].splitlines() or [""]
        lines.append(f"{points:>9}  {row['title']:<32}  {first}".rstrip())
        lines += [f"{'':>13}{line.rstrip()}" for line in rest]
    return lines + [f"  not run to its end: {note}" for note in found["notes"]]
