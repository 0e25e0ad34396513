"""Authoring and release: text to notebook and back, stubs, ids, metadata, the student edition."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sample_lesson import Sample

from lib.grading import author, cells, edition, execute, release
from lib.grading.lessons import lesson, lesson_numbers

ROOT = Path(__file__).parents[2]


def test_text_becomes_a_notebook_and_the_same_text_again(sample: Sample) -> None:
    text = author.to_text(sample.solved)
    assert author.to_text(author.from_text(text, "90_sample")) == text
    assert [c.source for c in author.from_text(text, "90_sample").cells] == [
        c.source for c in sample.solved.cells
    ]


def test_cells_have_the_metadata_that_nbgrader_asks_for(sample: Sample) -> None:
    noted = {
        c.metadata.nbgrader.grade_id: c for c in sample.solved.cells if "nbgrader" in c.metadata
    }
    assert list(noted) == ["mean", "check_mean", "Counter", "check_Counter"]
    answer, check = noted["mean"].metadata.nbgrader, noted["check_mean"].metadata.nbgrader
    assert (answer.grade, answer.solution, answer.locked, answer.task) == (
        False,
        True,
        False,
        False,
    )
    assert (check.grade, check.solution, check.locked, check.points) == (True, False, True, 6)
    assert "points" not in answer
    assert [c.id for c in noted.values()] == [
        "answer-mean", "check-mean", "answer-Counter", "check-Counter",
    ]  # fmt: skip


def test_the_sample_has_no_problems_and_a_broken_one_has_them_named(sample: Sample) -> None:
    assert author.problems(sample.solved) == []
    text = sample.text.replace('# %% check="Counter"', "# %%").replace("### END SOLUTION", "#")
    text += "\n\n# %%\n" + "\n".join(f"x{i} = {i}" for i in range(26))
    found = "\n".join(author.problems(author.from_text(text, "90_sample")))
    assert "Counter needs an answer and then a check: there is answer" in found
    assert "no lines between ### BEGIN SOLUTION" in found
    assert "26 lines, more than 25" in found


def test_an_unknown_exercise_is_named(sample: Sample) -> None:
    with pytest.raises(ValueError, match="lesson 90 has no exercise 'median': choose one of mean"):
        author.from_text(sample.text.replace('check="mean"', 'check="median"'), "90_sample")


def test_ids_of_other_cells_follow_what_they_say(sample: Sample) -> None:
    before = [c.id for c in sample.solved.cells]
    changed = author.from_text(sample.text.replace("for the tests", "for all tests"), "90_sample")
    after = [c.id for c in changed.cells]
    assert before[0] != after[0] and before[1:] == after[1:]
    twice = author.from_text(sample.text + "\n\n# %%\n1\n\n# %%\n1\n", "90_sample")
    assert twice.cells[-1].id == f"{twice.cells[-2].id}-2"


def test_a_release_holds_no_answers_and_no_outputs(sample: Sample) -> None:
    for cell in sample.stub.cells:
        assert "SOLUTION" not in cell.source
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None
            ast.parse(cell.source)
    answer = cells.by_role(sample.stub, "answer")["Counter"].source
    assert answer.count("    # YOUR CODE HERE\n        raise NotImplementedError()") == 2
    assert "self.count" not in answer and "def add(self, n: int) -> int:" in answer


def test_release_gives_the_same_bytes_every_time(sample: Sample) -> None:
    once, again = cells.as_text(sample.stub), cells.as_text(sample.stub)
    assert once == again
    assert cells.as_text(release.released(cells.parse(once))) == once


@pytest.mark.parametrize(
    "source",
    ["### BEGIN SOLUTION\n1", "### END SOLUTION", "### BEGIN SOLUTION\n### BEGIN SOLUTION"],
)
def test_a_broken_region_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="SOLUTION"):
        release.without_solution(source)


def test_folders_out_of_step_are_noticed_and_brought_in_step(
    sample: Sample, tmp_path: Path
) -> None:
    solutions, notebooks = tmp_path / "solutions", tmp_path / "notebooks"
    cells.write(solutions / "90_sample.ipynb", sample.solved)
    notebooks.mkdir()
    (notebooks / "91_gone.ipynb").write_text("{}")
    assert release.differences(solutions, notebooks) == [
        "90_sample.ipynb is missing",
        "91_gone.ipynb has no solution",
    ]
    assert len(release.write_release(solutions, notebooks)) == 2
    assert release.differences(solutions, notebooks) == []
    path = notebooks / "90_sample.ipynb"
    path.write_text(path.read_text().replace("of no numbers", "of nothing"))
    assert release.differences(solutions, notebooks) == [
        "90_sample.ipynb is not what its solution gives"
    ]


def test_the_courses_own_folders_are_in_step() -> None:
    assert release.differences(ROOT / "solutions", ROOT / "notebooks") == []


def test_checksums_and_stubs_are_nbgraders_own(sample: Sample) -> None:
    from nbgrader.preprocessors import ClearSolutions
    from nbgrader.utils import compute_checksum

    theirs, _ = ClearSolutions().preprocess(sample.solved, {})
    for cell, other in zip(sample.stub.cells, theirs.cells, strict=True):
        assert cell.source == other.source
        if "nbgrader" in cell.metadata:
            assert cell.metadata.nbgrader.checksum == compute_checksum(cell)
            assert not cells.is_changed(cell)


def test_broken_notebooks_are_named(tmp_path: Path) -> None:
    for junk in ("", "{", "[]", '{"cells": 3}', "\x00\x01", '{"cells": [{"x": 1}], "nbformat": 4}'):
        path = tmp_path / "x.ipynb"
        path.write_text(junk)
        with pytest.raises(ValueError, match=re.escape(f"{path} is not a whole notebook")):
            cells.read(path)


def test_executing_reports_points_and_what_must_not_stay(sample: Sample, tmp_path: Path) -> None:
    bad = "import sys\nprint('x', file=sys.stderr)\nprint(object())"
    text = sample.text.replace("self.count += n", "self.count = n") + f"\n\n# %%\n{bad}\n"
    run = execute.execute(author.from_text(text, "90_sample"), tmp_path)
    assert run.points == 6 + 2 and run.results["Counter"]["out_of"] == 4
    assert execute.shortfalls(run) == ["Counter: 2/4 points. adds: The counts don't add up."]
    found = "\n".join(execute.leftovers(run.notebook))
    assert "wrote to stderr" in found and "shows an address" in found
    assert not (tmp_path / "work").exists()


def test_a_cell_that_raises_is_named(sample: Sample, tmp_path: Path) -> None:
    notebook = author.from_text(sample.text + "\n\n# %%\n1 / 0\n", "90_sample")
    with pytest.raises(ValueError, match="ZeroDivisionError"):
        execute.execute(notebook, tmp_path)


def test_the_student_edition_has_no_answers(tmp_path: Path) -> None:
    made = tmp_path / "course"
    assert edition.write_edition(ROOT, made) > 50
    names = {path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
    assert not [n for n in names if re.match(r"solutions|tests|benchmarks/.*\.py|\.|work", n)]
    assert not [n for n in names if re.search(r"lesson\d|classroom|__pycache__", n)]
    assert {"course.py", "lib/grading/lessons.zip", "lib/grading/notebook.py"} <= names


@pytest.mark.slow
def test_the_checks_of_a_student_edition_work(tmp_path: Path) -> None:
    made = tmp_path / "course"
    edition.write_edition(ROOT, made)
    code = (
        "import lib.grading\n"
        f"assert lib.__file__.startswith({str(made)!r}), lib.__file__\n"
        "from lib.grading.lessons import lesson, lesson_numbers\n"
        "from lib.grading.notebook import check\n"
        "first = lesson(1).exercises[0]\n"
        "check(first.name, lambda *args: None)\n"
        "print([(n, lesson(n).points) for n in lesson_numbers()])\n"
    )
    environment = {**os.environ, "RL_FIVE_GAMES_PROGRESS": str(tmp_path / "progress.json")}
    command = [sys.executable, "-c", code]
    answer = subprocess.run(command, cwd=made, capture_output=True, text=True, env=environment)
    assert answer.returncode == 0, answer.stderr
    *table, listed = answer.stdout.strip().splitlines()
    assert f"0/{lesson(1).exercises[0].points:g} points" in table[0]
    assert listed == str([(n, lesson(n).points) for n in lesson_numbers()])


def test_no_solution_stands_in_a_file_of_the_edition() -> None:
    regions = []
    for path in (ROOT / "solutions").glob("*.ipynb"):
        for cell in cells.by_role(cells.read(path), "answer").values():
            found = re.findall(rf"{author.BEGIN}\n(.*?)\n *{author.END}", cell.source, re.DOTALL)
            regions += [region for region in found if region.count("\n") >= 2]
    assert len(regions) > 10
    for name in edition.handed_out(ROOT):
        if name.startswith(("lib/agents/", "lib/games/")):  # what the course teaches stays readable
            continue
        if name.endswith(".ipynb"):
            text = "\n\n".join(cell.source for cell in cells.read(ROOT / name).cells)
        else:
            text = (ROOT / name).read_bytes().decode("utf-8", "replace")
        assert not [region for region in regions if region in text], name


def test_nothing_in_the_edition_imports_what_is_kept_back(tmp_path: Path) -> None:
    inside = set(edition.handed_out(ROOT))
    for name in (n for n in inside if n.endswith(".py")):
        for node in ast.parse((ROOT / name).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lib."):
                path = str(node.module).replace(".", "/")
                assert {f"{path}.py", f"{path}/__init__.py"} & inside, f"{name} imports {path}"


def test_an_edition_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(ValueError, match="not empty"):
        edition.write_edition(ROOT, tmp_path)
    with pytest.raises(ValueError, match="is part of the course"):
        edition.write_edition(ROOT, ROOT / "lib" / "handed_out")
