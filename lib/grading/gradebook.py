"""The gradebook: points by student and exercise, marks given by hand, and the files that hold them.

gradebook.csv     one line a student          canvas.csv, moodle.csv   for import there
feedback/*.html   one page a student          summary.html             the class
results.json      everything, for machines    choices.csv              what students say they chose
manual.csv        yours: never overwritten
"""

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from statistics import mean, median
from typing import Any

from lib.files import write_text
from lib.grading import feedback
from lib.grading.lessons import lesson
from lib.grading.submission import UNKNOWN
from lib.grading.submission_files import Student

MANUAL = ("student", "lesson", "exercise", "points", "comment")
FORMULA = re.compile(r"[=+\-@\t\r]")
NUMBER = re.compile(r"[+-]?[\d.]+")


class Book:
    """All results of a class, with what was given by hand and taken off for lateness."""

    def __init__(
        self,
        students: Sequence[Student],
        results: Sequence[dict[str, Any]],
        out: Path,
        due: datetime | None = None,
        penalty: float = 0.0,
    ) -> None:
        self.students = students
        self.out = out
        self.due = due
        self.penalty = penalty
        self.manual = read_manual(out / "manual.csv")
        self.rows = [self._row(result) for result in results]
        self.lessons = sorted({row["lesson"] for row in self.rows} - {UNKNOWN})

    def _row(self, result: dict[str, Any]) -> dict[str, Any]:
        """A result with its points added up."""
        number = result["lesson"]
        by_hand = self.manual.get((result["student"], number), {})
        exercises = [_marked(row, by_hand.get(row["exercise"])) for row in result["exercises"]]
        earned = sum(row["points"] for row in exercises)
        late = self._late_days(result)
        points = round(earned * max(0.0, 1 - late * self.penalty / 100), 2)
        row = {**result, "exercises": exercises, "earned": earned, "points": points}
        known = number != UNKNOWN
        row |= {"late_days": late, "out_of": lesson(number).points if known else 0.0}
        title = f"Lesson {number} · {lesson(number).title}" if known else "Unknown lesson"
        return {**row, "title": title, "notes": self._notes(row, by_hand.get("", {}))}

    def _late_days(self, result: dict[str, Any]) -> int:
        if self.due is None or not result["when"]:
            return 0
        return max(0, math.ceil((result["when"] - self.due.timestamp()) / 86400))

    def _notes(self, row: dict[str, Any], by_hand: dict[str, Any]) -> list[str]:
        notes = [row["problem"]] if row["problem"] else []
        if row["attempts"] > 1:
            notes.append(f"{row['attempts']} files were handed in; {row['file']} counts, the last.")
        if row["late_days"]:
            taken = f": {row['earned'] - row['points']:g} points off" if self.penalty else ""
            days = "1 day" if row["late_days"] == 1 else f"{row['late_days']} days"
            notes.append(f"{days} late{taken}.")
        return notes + ([by_hand["comment"]] if by_hand.get("comment") else [])

    def of(self, student: str) -> list[dict[str, Any]]:
        """The results of one student, by lesson."""
        return [row for row in self.rows if row["student"] == student]

    def write(self, seed: int, protections: Sequence[str]) -> str:
        """Write every file, each whole; what there is now, in words."""
        for student in self.students:
            rows = self.of(student.id)
            if rows:
                text = feedback.student_page(student.name or student.id, rows)
                write_text(self.out / "feedback" / f"{feedback.slug(student.id)}.html", text)
        classes = [self._class(number) for number in self.lessons]
        write_text(self.out / "summary.html", feedback.summary_page(classes, protections))
        everything = {"seed": seed, "protections": list(protections), "results": self.rows}
        write_text(self.out / "results.json", json.dumps(everything, indent=1) + "\n")
        for name, table in (
            ("gradebook.csv", self.table()),
            ("canvas.csv", self.canvas()),
            ("moodle.csv", self.moodle()),
        ):
            write_text(self.out / name, as_csv(table))
        choices = self.choices()
        if choices:
            write_text(self.out / "choices.csv", as_csv([[*MANUAL, "found"], *choices]))
        if not (self.out / "manual.csv").exists():
            write_text(self.out / "manual.csv", as_csv([list(MANUAL)]))
        return self._told(classes)

    def _told(self, classes: Sequence[dict[str, Any]]) -> str:
        lines = [
            f"{row['title']}: {row['handed']} handed in, mean {row['mean']:.1f} of "
            f"{row['out_of']:g} points"
            for row in classes
        ]
        lines += [f"To look at: {line}" for row in classes for line in row["look"]]
        unknown = [row for row in self.rows if row["lesson"] == UNKNOWN]
        lines += [
            f"To look at: {row['student']}: {row['file']}: {row['problem']}" for row in unknown
        ]
        return "\n".join([*lines, f"Gradebook, feedback and summary are in {self.out}/"])

    def table(self) -> list[list[Any]]:
        """The gradebook: a line for each student, a column for each exercise, and the totals."""
        titles: list[Any] = ["id", "name"]
        for number in self.lessons:
            titles += [f"{number}.{exercise.name}" for exercise in lesson(number).exercises]
            titles += [f"lesson {number}", f"lesson {number} late days", f"lesson {number} files"]
        lines: list[list[Any]] = [[*titles, "total", "out of", "note"]]
        for student in self.students:
            rows = {row["lesson"]: row for row in self.of(student.id)}
            line: list[Any] = [student.id, student.name]
            for number in self.lessons:
                line += _columns(number, rows.get(number))
            several = len(self.lessons) > 1
            notes = [
                f"Lesson {number}: {row['problem']}"
                if several and number != UNKNOWN
                else row["problem"]
                for number, row in rows.items()
                if row["problem"]
            ]
            notes += [] if student.listed else ["not on the roster"]
            total = sum(row["points"] for row in rows.values())
            out_of = sum(lesson(number).points for number in self.lessons)
            lines.append([*line, round(total, 2), out_of, " ".join(notes)])
        return lines

    def choices(self) -> list[list[Any]]:
        """What an instructor may overrule, in manual.csv's columns, and what the check found."""
        return [
            [row["student"], row["lesson"], e["exercise"], e["points"], e.get("comment", ""), said]
            for row in self.rows
            for e in row["exercises"]
            if lesson(row["lesson"])[e["exercise"]].manual
            and (said := " · ".join(v["message"] for v in e["verdicts"] if v["message"]))
        ]

    def canvas(self) -> list[list[Any]]:
        """Canvas's form: its own columns of the roster, and points possible in the second line."""
        own = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
        heads = [f"Lesson {number}" for number in self.lessons]
        possible = [lesson(number).points for number in self.lessons]
        lines: list[list[Any]] = [
            [*own, *heads],
            ["    Points Possible", "", "", "", "", *possible],
        ]
        for student in filter(lambda s: s.listed, self.students):
            known = [student.row.get(name, "") for name in own]
            if not any(known):
                known = [student.name or student.id, "", student.id, student.email, ""]
            lines.append([*known, *self._totals(student)])
        return lines

    def moodle(self) -> list[list[Any]]:
        """Moodle's form: the id number, the address, and a column for each lesson."""
        lines: list[list[Any]] = [["ID number", "Email address"]]
        lines[0] += [f"Lesson {number}" for number in self.lessons]
        for student in filter(lambda s: s.listed, self.students):
            lines.append([student.id, student.email, *self._totals(student)])
        return lines

    def _totals(self, student: Student) -> list[Any]:
        rows = {row["lesson"]: row["points"] for row in self.of(student.id)}
        return [rows.get(number, 0.0) for number in self.lessons]

    def _class(self, number: int) -> dict[str, Any]:
        """What a lesson's part of the summary says."""
        rows = [row for row in self.rows if row["lesson"] == number]
        handed = [row for row in rows if row["file"]]
        points = [row["points"] for row in handed] or [0.0]
        out_of = lesson(number).points
        bins = [0] * 10
        for row in handed:
            bins[min(9, int(10 * row["points"] / out_of))] += 1
        look = [f"{row['student']}: {row['problem']}" for row in handed if row["problem"]]
        look += [
            f"{row['student']}: {exercise['title']}: the grader had trouble"
            for row in handed
            for exercise in row["exercises"]
            if exercise["status"] == "trouble"
        ]
        found = {"title": f"Lesson {number} · {lesson(number).title}", "out_of": out_of}
        found |= {"handed": len(handed), "absent": len(rows) - len(handed), "bins": bins}
        return {
            **found,
            "mean": mean(points),
            "median": median(points),
            "missed": missed(number, handed),
            "look": look,
        }


def missed(number: int, rows: Sequence[dict[str, Any]]) -> list[tuple[str, float, str]]:
    """The exercises by the share of points lost, most first, each with its most frequent reason."""
    found = []
    for exercise in lesson(number).exercises:
        mine = [e for row in rows for e in row["exercises"] if e["exercise"] == exercise.name]
        lost = sum(e["out_of"] - e["points"] for e in mine)
        reasons = Counter(filter(None, map(_reason, mine)))
        reason = reasons.most_common(1)[0][0] if reasons else ""
        found.append((exercise.title, lost / max(1e-9, exercise.points * len(mine)), reason))
    return sorted((row for row in found if row[1] > 0), key=lambda row: -row[1])


def _reason(row: dict[str, Any]) -> str:
    if row["status"] == "unwritten":
        return "Not written yet."
    wrong = next((v for v in row["verdicts"] if v["share"] < 1), None)
    return str(wrong["message"])[:200] if wrong else ""


def _columns(number: int, row: dict[str, Any] | None) -> list[Any]:
    """A student's columns of one lesson."""
    earned = {e["exercise"]: e["points"] for e in row["exercises"]} if row else {}
    points = [earned.get(exercise.name, 0.0) for exercise in lesson(number).exercises]
    return [*points, *([row["points"], row["late_days"], row["attempts"]] if row else [0.0, 0, 0])]


def read_manual(path: Path) -> dict[tuple[str, int], dict[str, dict[str, Any]]]:
    """Marks and comments given by hand: by student and lesson, then by exercise."""
    found: dict[tuple[str, int], dict[str, dict[str, Any]]] = {}
    text = path.read_text(encoding="utf-8-sig") if path.exists() else ""
    for at, row in enumerate(csv.DictReader(io.StringIO(text)), start=2):
        if not any(row.values()):
            continue
        try:
            number, name = int(row["lesson"]), (row["exercise"] or "").strip()
            points = float(row["points"]) if (row["points"] or "").strip() else None
            if points is not None and not 0 <= points <= lesson(number)[name].points:
                raise ValueError(f"{name} has {lesson(number)[name].points:g} points")
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{path}, line {at}: write {','.join(MANUAL)}, as in ada,1,q_update,5,well done "
                f"({error})"
            ) from None
        mark = {"points": points, "comment": row.get("comment") or ""}
        found.setdefault((row["student"], number), {})[name] = mark
    return found


def _marked(row: dict[str, Any], by_hand: dict[str, Any] | None) -> dict[str, Any]:
    """A result with the mark and the comment given by hand, if there are any."""
    if by_hand is None:
        return row
    points = row["points"] if by_hand["points"] is None else by_hand["points"]
    return {**row, "points": points, "automatic": row["points"], "comment": by_hand["comment"]}


def as_csv(table: Sequence[Sequence[Any]]) -> str:
    """A table as CSV; a text that a spreadsheet would run as a formula is quoted."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for line in table:
        writer.writerow([_cell(value) for value in line])
    return out.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, str) and FORMULA.match(value) and not NUMBER.fullmatch(value):
        return f"'{value}"
    return value
