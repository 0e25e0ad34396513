"""A class is graded whatever its files are called, wherever it runs, however often it stops."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from small_class import HOSTILE, NAME, grade, lesson91, write

sys.path.insert(0, str(HOSTILE))
from books import cells_of, code, released, save, solved, with_answers, with_cells

from lib.grading import submission
from lib.grading.submission_files import Student, find, read_roster, shown

WRONG = "def squares(numbers): return sum(numbers)"


@pytest.fixture(scope="module", autouse=True)
def lesson() -> Iterator[None]:
    with lesson91():
        yield


@pytest.mark.parametrize(
    "path, student",
    [
        ("ada/91_small_things.ipynb", "ada"),
        ("ada/91_small_things/91_small_things.ipynb", "ada"),
        ("ada_91_small_things.ipynb", "ada"),
        ("91_small_things_ada (2).ipynb", "ada"),
        ("lovelaceada_4711_99_91_small_things-1.ipynb", "ada"),
        ("Ada Lovelace_4711_assignsubmission_file_/work.ipynb", "ada"),
        ("ada@example.org/x.ipynb", "ada"),
        ("adam/91_small_things.ipynb", "adam"),
        ("bob_91_small_things.ipynb", "bob"),
        ("Bob Byte_12_assignsubmission_file_/work.ipynb", "Bob Byte"),
    ],
)
def test_whose_file_it_is(tmp_path: Path, path: str, student: str) -> None:
    roster = [Student("ada", "Ada Lovelace", "ada@example.org"), Student("adam", "Adam Ant")]
    save(solved(), tmp_path / path)
    save(solved(), tmp_path / ".ipynb_checkpoints" / "x.ipynb")
    assert [handed.student for handed in find(tmp_path, roster, [Path(NAME).stem])] == [student]


def test_rosters_as_systems_write_them(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text("\ufeffStudent,ID,SIS Login ID\n    Points Possible,,\nAda L,7,ada@x.org\n")
    assert [(s.id, s.name, s.email) for s in read_roster(path)] == [("7", "Ada L", "ada@x.org")]
    path.write_text("First name;Last name;ID number;Email address\nAda;Lovelace;7;a@x.org\n")
    assert [(s.id, s.name) for s in read_roster(path)] == [("7", "Ada Lovelace")]
    path.write_text("id,name\n7,a\n7,b\n")
    with pytest.raises(ValueError, match="more than once"):
        read_roster(path)
    path.write_text("colour\nred\n")
    with pytest.raises(ValueError, match="column of ids"):
        read_roster(path)


def test_names_from_outside_can_be_shown_anywhere() -> None:
    assert shown("a\nb") == "a�b"
    assert "\udce9" not in shown(os.fsdecode(b"caf\xe9"))


def test_a_program_puts_the_answer_into_the_lesson(tmp_path: Path) -> None:
    from lib.grading.lessons import lesson as course_of

    course = course_of(91)
    save(solved(), tmp_path / NAME)
    around = submission.pristine(course, tmp_path)
    book = with_cells(with_answers(released(), squares=WRONG), "import math")
    mine = submission.parse(json.dumps(book).encode())
    made = submission.program(course, course["mean_square"], around, mine)
    kinds = [(cell["kind"], cell["source"].partition("(")[0]) for cell in made["cells"]]
    assert ("own", "import math") in kinds
    assert ("answer", "def mean_square") in kinds
    assert [s for k, s in kinds if s == "def squares"] == ["def squares"]
    assert not [s for _, s in kinds if "check" in s and "import" not in s]
    own = [cell for cell in made["cells"] if "def squares" in cell["source"]]
    assert own[0]["kind"] == "course" and "BEGIN SOLUTION" in own[0]["source"]
    asked = [c["source"] for c in made["cells"] if c["kind"] != "answer"]
    assert not any("def mean_square" in source for source in asked), (
        "the reference of what is asked"
    )


def test_a_class_with_a_roster(tmp_path: Path) -> None:
    """Missing, unlisted and unreadable ones; points by exercise; and again from what is kept."""
    folder = write(
        tmp_path, ada=solved(), bob=with_answers(solved(), squares=WRONG), eve=released()
    )
    (folder / "submissions" / "roster.csv").write_text("id,name\nada,Ada\nbob,Bob\nzoe,Zoe\n")
    (folder / "submissions" / "mallory.ipynb").write_text("junk")
    rows = {row["student"]: row for row in grade(folder)}
    points = {student: row["points"] for student, row in rows.items()}
    assert points == {"ada": 10, "bob": 7.33, "zoe": 0, "eve": 0, "mallory": 0}
    assert rows["zoe"]["problem"] == "Nothing was handed in."
    assert "not a whole notebook" in rows["mallory"]["problem"]
    wrong = rows["bob"]["exercises"][0]["verdicts"]
    assert wrong[0]["message"] == "This is the sum: square each number first."
    kept = folder / "grades" / "results" / "lesson91"
    before = {path: path.stat().st_mtime_ns for path in kept.iterdir()}
    gone = next(path for path in kept.iterdir() if path.name.startswith("bob"))
    gone.unlink()
    assert {row["student"]: row["points"] for row in grade(folder)} == points
    after = {path: path.stat().st_mtime_ns for path in kept.iterdir()}
    assert [path for path in before if before[path] != after[path]] == [gone]
    assert all(json.loads(path.read_text())["key"] for path in kept.iterdir())


def test_seeds(tmp_path: Path) -> None:
    """Fresh unless given; an unfinished run keeps its own."""
    from lib.grading.classroom_run import Run, Settings

    folder = write(tmp_path, ada=released())
    where = (folder / "submissions", folder / "grades", 91)
    first = Run(Settings(*where, solutions=folder / "solutions"))
    first.grade()
    second = Run(Settings(*where, solutions=folder / "solutions"))
    assert second.seed == first.seed, "not finished: it goes on"
    second.finish()
    assert Run(Settings(*where, solutions=folder / "solutions")).seed != first.seed
    assert Run(Settings(*where, seed=5, solutions=folder / "solutions")).seed == 5


def test_the_last_readable_file_counts(tmp_path: Path) -> None:
    folder = write(tmp_path, ada=released())
    own = folder / "submissions" / "ada"
    os.utime(own / NAME, (1000, 1000))
    save(solved(), own / "second.ipynb")
    os.utime(own / "second.ipynb", (2000, 2000))
    (own / "third_91_small_things.ipynb").write_text("{")
    (row,) = grade(folder)
    assert row["points"] == 10 and row["file"] == "second.ipynb" and row["attempts"] == 3


def test_who_stops_it_is_told_that_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from lib.grading.classroom_run import Run

    def stopped(self: Run, **where: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "grade", stopped)
    with pytest.raises(KeyboardInterrupt):
        grade(write(tmp_path, ada=released()))
    assert f"kept in {tmp_path / 'grades'}/; the same command goes on" in capsys.readouterr().out


def test_nothing_is_left_in_the_folder_for_temporary_files(tmp_path: Path) -> None:
    script = "from small_class import grade, lesson91\nimport sys\nfrom pathlib import Path\n"
    script += (
        "if __name__ == '__main__':\n    with lesson91(): grade(Path(sys.argv[1]), '--jobs', '2')"
    )
    line = [sys.executable, "-c", script, str(write(tmp_path / "class", ada=solved()))]
    (tmp_path / "tmp").mkdir()
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    where = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": path}
    subprocess.run(line, check=True, env=where, capture_output=True, timeout=300)
    assert not list((tmp_path / "tmp").glob("rl-five-games-*"))


def test_nothing_to_grade(tmp_path: Path) -> None:
    (tmp_path / "submissions").mkdir()
    with pytest.raises(ValueError, match="no notebooks"):
        grade(tmp_path)
    with pytest.raises(ValueError, match="not a folder"):
        grade(tmp_path / "nowhere")
    folder = write(tmp_path / "class", ada=solved())
    (folder / "solutions" / NAME).unlink()
    with pytest.raises(ValueError, match="missing"):
        grade(folder)


def many(folder: Path, count: int) -> Path:
    """A class of right, wrong, unwritten and hostile work in turn."""
    answers = [
        "def squares(numbers):\n    return sum(x * x for x in numbers)",
        WRONG,
        "def squares(numbers): raise NotImplementedError",
        "import os\ndef squares(numbers): os._exit(0)",
        "def squares(numbers): return float(np.random.default_rng().random())",
    ]
    books = {}
    for at in range(count):
        book = with_answers(released(), squares=answers[at % len(answers)])
        books[f"s{at:03}"] = with_cells(book, f"note = {at}")
    return write(folder, **books)


def plain(rows: list[dict[str, object]]) -> list[object]:
    """What must be the same again."""
    return [(row["student"], row["points"], row["exercises"]) for row in rows]


@pytest.mark.slow
def test_two_processes_give_the_same_grades(tmp_path: Path) -> None:
    folder = many(tmp_path, 10)
    assert plain(grade(folder, out="one")) == plain(grade(folder, "--jobs", "2", out="two"))


@pytest.mark.slow
def test_killed_three_times_it_still_ends_with_the_same_results(tmp_path: Path) -> None:
    folder = many(tmp_path, 24)
    undisturbed = plain(grade(folder, out="undisturbed"))
    script = (
        "import sys; sys.path[:0] = [sys.argv[1]]\nfrom pathlib import Path\n"
        "from small_class import grade, lesson91\n"
        "if __name__ == '__main__':\n    with lesson91(): grade(Path(sys.argv[2]), '--jobs', '2')\n"
    )
    line = [sys.executable, "-c", script, str(Path(__file__).parent), str(folder)]
    kept = folder / "grades" / "results" / "lesson91"
    for wanted in (3, 9, 15):
        process = subprocess.Popen(line, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        end = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < end:
            if kept.is_dir() and len(list(kept.glob("*.json"))) >= wanted:
                process.send_signal(signal.SIGKILL)
            time.sleep(0.02)
        process.wait()
        assert not (folder / "grades" / "gradebook.csv").exists()
        for path in kept.glob("*.json"):
            json.loads(path.read_text())
    assert len(list(kept.glob("*.json"))) < 24
    assert plain(grade(folder, "--jobs", "2")) == undisturbed


def test_helper_cells_and_checks_are_told_apart() -> None:
    book = solved()
    cells = submission.parse(json.dumps(book).encode()).cells
    assert [c.exercise for c in cells if c.role == "answer"] == [
        "squares",
        "mean_square",
        "halve",
        "Guesser",
    ]
    assert len([c for c in cells if c.role == "check"]) == len(cells_of(book, "check"))
    bare = {"cell_type": "code", "source": "x = 1", "id": "answer-mean-square", "metadata": {}}
    named = submission.parse(json.dumps({"cells": [bare, code("y")]}).encode()).cells
    assert (named[0].role, named[0].exercise) == ("answer", "mean_square")
