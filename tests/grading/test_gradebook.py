"""The gradebook: sums, marks by hand, late days, pages that tell no hidden answer."""

import csv
import json
import os
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from small_class import NAME, grade, lesson91, write

from lib.grading.check import Result, Verdict
from lib.grading.classroom_run import masked, plain
from lib.grading.feedback import slug, student_page
from lib.grading.gradebook import as_csv

ROSTER = "id,name,email\nada,Ada L,ada@x.org\nbob,Bob,bob@x.org\nzoe,Zoe,\n"


@pytest.fixture(scope="module", autouse=True)
def lesson() -> Iterator[None]:
    with lesson91():
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class that is graded once; each test grades again, from what is kept."""
    from books import solved, with_answers

    wrong = with_answers(solved(), squares="def squares(n): return -1.0")
    made = write(tmp_path_factory.mktemp("class"), ada=solved(), bob=wrong)
    (made / "submissions" / "roster.csv").write_text(ROSTER)
    grade(made)
    return made


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_one_line_a_student(folder: Path) -> None:
    rows = {row["id"]: row for row in table(folder / "grades" / "gradebook.csv")}
    assert list(rows) == ["ada", "bob", "zoe"]
    assert rows["ada"]["91.squares"] == "4" and rows["ada"]["total"] == "10"
    assert rows["bob"]["91.squares"] == "0" and rows["bob"]["lesson 91"] == "6"
    assert rows["zoe"]["total"] == "0" and rows["zoe"]["note"] == "Nothing was handed in."
    assert {row["out of"] for row in rows.values()} == {"10"}


def test_forms_that_canvas_and_moodle_import(folder: Path) -> None:
    canvas = table(folder / "grades" / "canvas.csv")
    assert canvas[0]["Student"].strip() == "Points Possible" and canvas[0]["Lesson 91"] == "10"
    assert [(r["SIS User ID"], r["Lesson 91"]) for r in canvas[1:]] == [
        ("ada", "10"),
        ("bob", "6"),
        ("zoe", "0"),
    ]
    moodle = table(folder / "grades" / "moodle.csv")
    assert moodle[0] == {"ID number": "ada", "Email address": "ada@x.org", "Lesson 91": "10"}


def test_marks_by_hand_survive_grading_again(folder: Path) -> None:
    manual = folder / "grades" / "manual.csv"
    assert manual.read_text() == "student,lesson,exercise,points,comment\n"
    text = manual.read_text() + "bob,91,squares,3,a good idea\nbob,91,,,see me\n"
    manual.write_text(text)
    rows = {row["student"]: row for row in grade(folder)}
    first = rows["bob"]["exercises"][0]
    assert (first["points"], first["automatic"], rows["bob"]["points"]) == (3, 0, 9)
    page = (folder / "grades" / "feedback" / f"{slug('bob')}.html").read_text()
    assert "a good idea" in page and "see me" in page
    assert manual.read_text() == text
    for bad in ("bob,91,squares,99,", "bob,91,nothing,1,", "bob,x,squares,1,", "bob"):
        manual.write_text(text + bad + "\n")
        with pytest.raises(ValueError, match="line 4"):
            grade(folder)
    manual.unlink()


def test_late_days(folder: Path) -> None:
    when = datetime(2026, 11, 10, 12, 0)
    for student in ("ada", "bob"):
        late = when + timedelta(days=1.5 if student == "bob" else -1)
        stamp = late.timestamp()
        os.utime(folder / "submissions" / student / NAME, (stamp, stamp))
    due = ["--due", when.isoformat()]
    rows = {row["student"]: row for row in grade(folder, *due)}
    assert (rows["ada"]["late_days"], rows["bob"]["late_days"]) == (0, 2)
    assert rows["bob"]["points"] == 6, "late days are counted; points go only if asked"
    assert rows["bob"]["notes"] == ["2 days late."]
    rows = {row["student"]: row for row in grade(folder, *due, "--late-penalty", "10")}
    assert (rows["ada"]["points"], rows["bob"]["points"]) == (10, 4.8)
    assert rows["bob"]["notes"] == ["2 days late: 1.2 points off."]


def test_the_summary_names_what_was_missed(folder: Path) -> None:
    grade(folder)
    page = (folder / "grades" / "summary.html").read_text()
    assert "The sum of squares" in page.partition("Missed most")[2]
    assert "2 handed in, 1 did not" in page
    assert "limits on CPU time" in page


def test_feedback_tells_no_hidden_answer(folder: Path) -> None:
    grade(folder)
    results = json.loads((folder / "grades" / "results.json").read_text())["results"]
    bob = next(row for row in results if row["student"] == "bob")
    verdicts = {v["label"]: v for v in bob["exercises"][0]["verdicts"]}
    assert verdicts["an example"]["expected"] == "5"
    hidden = verdicts["any numbers"]
    assert hidden["asked"] and hidden["expected"] == ""
    numbers = json.loads(hidden["asked"].removeprefix("squares(").removesuffix(")"))
    right = f"{sum(x * x for x in numbers):.4g}"
    page = (folder / "grades" / "feedback" / f"{slug('bob')}.html").read_text()
    assert right not in page and "<th>expected</th><td><pre>5</pre>" in page


def test_a_hidden_value_in_a_message_is_masked() -> None:
    assert masked("The result is 1, and 11 or x1 are not.", "1") == (
        "The result is …, and 11 or x1 are not."
    )
    said = Verdict("one", 0.0, "It is -0.25 here.", "f(3)", "7", "-0.25")
    row = plain(Result("f", "F", 0.0, 1.0, (said,)))["verdicts"][0]
    assert row["message"] == "It is … here." and not row["expected"] and row["got"] == "7"


def test_a_page_folds_what_is_right_and_shows_code_as_code() -> None:
    right = {"label": "one", "share": 1.0, "message": "", "asked": "", "got": "", "expected": ""}
    wrong = {**right, "label": "two", "share": 0.0, "message": "Use `x < 1`.", "asked": "f(1)"}
    exercise = {"title": "F", "points": 0, "out_of": 1, "enough": 1.0, "status": "checked"}
    exercise["verdicts"] = [{**right, "open": True}, {**wrong, "open": True}]
    row = {"title": "L", "points": 3, "out_of": 4, "notes": [], "exercises": [exercise]}
    page = student_page("Ada", [row])
    assert "✓</span> one</p>" in page and page.count("class='case'") == 1
    assert "<code>x &lt; 1</code>" in page and "width:75%" in page


def test_problems_name_their_lesson_where_there_are_several() -> None:
    from lib.grading.gradebook import Book
    from lib.grading.submission_files import Student

    rows = [
        {"student": "ada", "lesson": n, "file": "", "when": 0, "attempts": 0, "problem": "Gone."}
        for n in (1, 2)
    ]
    book = Book([Student("ada")], [{**row, "exercises": []} for row in rows], Path("nowhere"))
    assert book.table()[1][-1] == "Lesson 1: Gone. Lesson 2: Gone."


def test_pages_run_nothing_that_a_student_wrote() -> None:
    evil = "<script>alert(1)</script>"
    verdict: dict[str, Any] = {"label": evil, "share": 0.0, "message": evil, "open": True}
    verdict |= {"asked": evil, "got": evil, "expected": evil}
    exercise = {"title": evil, "points": 0, "out_of": 1, "enough": 1.0, "status": "checked"}
    exercise |= {"verdicts": [verdict], "comment": evil}
    row = {"title": evil, "points": 0, "out_of": 1, "notes": [evil], "exercises": [exercise]}
    page = student_page(evil, [row])
    assert "<script" not in page and page.count("&lt;script") == 11
    assert "default-src 'none'" in page


def test_spreadsheets_run_no_formulas() -> None:
    assert as_csv([["=1+1", "@x", "-5", "+cmd", 2.50]]) == "'=1+1,'@x,-5,'+cmd,2.5\n"


def test_slugs_are_safe_and_differ() -> None:
    names = ["ada", "Ada", "a/da", "../ada", "名前", "", "x" * 300, "con"]
    slugs = [slug(name) for name in names]
    assert len(set(slugs)) == len(names)
    assert all(len(s) < 60 and "/" not in s and "." not in s for s in slugs)
