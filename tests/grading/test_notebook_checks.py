"""`check` in a notebook: it shows, remembers and goes on; for a grading tool it raises."""

import json
from pathlib import Path
from typing import Any

import pytest
from sample_lesson import Sample

from lib.grading import execute, notebook
from lib.grading.check import Verdict
from lib.grading.lessons import lesson
from lib.grading.progress import progress, read_progress

RIGHT = "def mean(numbers):\n    return sum(numbers) / max(len(numbers), 1)\n"


@pytest.fixture
def page(sample: Sample, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> "Page":
    monkeypatch.setenv("RL_FIVE_GAMES_PROGRESS", str(tmp_path / "progress.json"))
    for name in ("RL_FIVE_GAMES_RAISE", "NBGRADER_EXECUTION", "RL_FIVE_GAMES_RESULTS"):
        monkeypatch.delenv(name, raising=False)
    shown: list[notebook.Table] = []
    monkeypatch.setattr(notebook, "_display", shown.append)
    return Page(shown)


class Page:
    """A notebook's namespace, and the tables that were shown in it."""

    def __init__(self, shown: list[notebook.Table]) -> None:
        self.shown = shown
        self.names: dict[str, Any] = {"check": notebook.check}

    def run(self, source: str) -> None:
        exec(compile(source, "<cell>", "exec"), self.names)


def test_a_right_answer_is_shown_kept_and_goes_on(page: Page) -> None:
    page.run(RIGHT + "mine = mean\nmean = check('mean', mean)")
    assert page.names["mean"] is page.names["mine"]
    assert repr(page.shown[0]).splitlines()[0] == "The mean: 6/6 points"
    assert "6/6 points" in page.shown[0]._repr_html_()
    assert read_progress()["mean"]["points"] == 6


def test_an_unwritten_one_is_told_kindly_and_the_reference_goes_on(page: Page) -> None:
    page.run("def mean(numbers):\n    raise NotImplementedError()\nmean = check('mean', mean)")
    assert "Not written yet. The lesson goes on with the course's own answer." in repr(
        page.shown[0]
    )
    page.run("assert mean([1, 2]) == 1.5")
    page.run("mean = check('mean', mean)")  # run again, it does not count as an answer
    assert page.shown[1].result.points == 0 and "Run your own cell again" in repr(page.shown[1])
    assert read_progress()["mean"] == {**read_progress()["mean"], "points": 0.0, "attempts": 1}


def test_a_wrong_one_shows_why_and_the_best_result_is_kept(page: Page) -> None:
    page.run(RIGHT + "mean = check('mean', mean)")
    page.run("def mean(numbers):\n    return sum(numbers)\nmean = check('mean', mean)")
    text, page_text = repr(page.shown[1]), page.shown[1]._repr_html_()
    for part in ("2/6 points", "This is the sum: divide by how many there are.", "mean([1, 2])"):
        assert part in text and part in page_text
    assert read_progress()["mean"]["points"] == 6 and read_progress()["mean"]["attempts"] == 2
    (row,) = [row for row in progress() if row.number == 90]
    assert (row.points, row.out_of, row.passed, row.open) == (6, 10, ("mean",), ("Counter",))


def test_what_an_answer_prints_is_shown_apart(
    page: Page, capfd: pytest.CaptureFixture[str]
) -> None:
    noisy = (
        "import sys, warnings\ndef mean(numbers):\n    print('<b>hi</b>')\n    warnings.warn('x')\n"
    )
    noisy += "    print('loud', file=sys.stderr)\n    return sum(numbers) / max(len(numbers), 1)\n"
    page.run(noisy + "mean = check('mean', mean)")
    assert capfd.readouterr() == ("", "")
    assert page.shown[0].result.right and "&lt;b&gt;hi" in page.shown[0]._repr_html_()


@pytest.mark.parametrize("name", ["RL_FIVE_GAMES_RAISE", "NBGRADER_EXECUTION"])
def test_for_a_grading_tool_it_raises_and_the_rest_goes_on(
    page: Page, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "1")
    with pytest.raises(AssertionError, match=r"^2/6 points\. two numbers: This is the sum"):
        page.run("def mean(numbers):\n    return sum(numbers)\nmean = check('mean', mean)")
    page.run("assert mean([1, 2]) == 1.5")
    with pytest.raises(AssertionError, match=r"^0/4 points\. Not written yet\."):
        page.run("class Counter:\n    def add(self, n):\n        raise NotImplementedError()\n"
                 "Counter = check('Counter', Counter)")  # fmt: skip
    page.run(RIGHT + "mean = check('mean', mean)")
    assert read_progress() == {}


def test_a_damaged_progress_file_is_no_trouble(page: Page, tmp_path: Path) -> None:
    (tmp_path / "progress.json").write_text("{ not json")
    page.run(RIGHT + "mean = check('mean', mean)")
    assert json.loads((tmp_path / "progress.json").read_text())["exercises"]["mean"]["points"] == 6


def test_a_lent_class_takes_methods_and_ours_stays_as_it_is(page: Page) -> None:
    ours = lesson(90)["Counter"].reference
    page.run("class Counter:\n    pass\nCounter = check('Counter', Counter)")
    lent = page.names["Counter"]
    assert lent is not ours and issubclass(lent, ours) and notebook.is_lent(lent, ours)
    notebook.bind(page.names, {"Counter.add": lambda self, n: 0})
    assert page.names["Counter"]().add(3) == 0 and ours().add(3) == 3
    assert (
        notebook.judge_here(lesson(90)["Counter"], {"Counter": lent}, {})[0].status == "reference"
    )


def test_an_unknown_exercise_is_named(page: Page) -> None:
    with pytest.raises(ValueError, match="there is no exercise 'median'"):
        page.run("check('median', 3)")


def test_the_whole_unsolved_notebook_reaches_its_end(sample: Sample, tmp_path: Path) -> None:
    run = execute.execute(sample.stub, tmp_path)
    assert run.points == 0 and len(run.results) == 2
    assert execute.leftovers(run.notebook) == []
    assert run.notebook.cells[-1].outputs[0].text == "[1, 3, 6]\n"


def test_a_verdict_in_html_is_escaped() -> None:
    result = notebook.Result("x", "<X>", 0, 1, (Verdict("<l>", 0.0, "<m>"),))
    assert "<l>" not in notebook.Table(result)._repr_html_()
