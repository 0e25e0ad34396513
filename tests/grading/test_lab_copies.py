"""A student's copies: made once, updated with what the student wrote, one exercise put back."""

from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from sample_lesson import Sample

from lib.grading import author, cells, handout, release, reset

ANSWER = "def mean(numbers):\n    return half(sum(numbers))"


@pytest.fixture
def folders(sample: Sample, tmp_path: Path) -> tuple[Path, Path]:
    """notebooks/ with the sample released, and work/ with a fresh copy."""
    notebooks, work = tmp_path / "notebooks", tmp_path / "work"
    cells.write(notebooks / "90_sample.ipynb", sample.stub)
    assert handout.hand_out(notebooks, work) == ["new: 90_sample.ipynb"]
    return notebooks, work


def write_answer(path: Path) -> NotebookNode:
    """A student answers, adds a helper before it and a note at the top, and saves."""
    mine = cells.read(path)
    cells.by_role(mine, "answer")["mean"].source = ANSWER
    at = next(i for i, cell in enumerate(mine.cells) if cell.id == "answer-mean")
    mine.cells.insert(at, nbformat.v4.new_code_cell("def half(x):\n    return x / 2"))
    mine.cells.insert(0, nbformat.v4.new_markdown_cell("my note"))
    cells.write(path, mine)
    return mine


def new_release(sample: Sample, notebooks: Path) -> NotebookNode:
    """The lesson, with another text, another title and a changed docstring in the answer cell."""
    text = sample.text.replace("The mean of no numbers is 0.", "Of no numbers it is 0.")
    text = text.replace('"""Counts from 0."""', '"""Counts, from 0."""')
    made = release.released(author.from_text(text, "90_sample"))
    cells.write(notebooks / "90_sample.ipynb", made)
    return made


def test_a_copy_is_made_once_and_left_alone(folders: tuple[Path, Path]) -> None:
    notebooks, work = folders
    path = work / "90_sample.ipynb"
    assert path.read_bytes() == (notebooks / "90_sample.ipynb").read_bytes()
    write_answer(path)
    before = path.read_bytes()
    assert handout.hand_out(notebooks, work) == []
    assert path.read_bytes() == before


def test_answers_and_own_cells_are_carried_into_a_new_release(
    sample: Sample, folders: tuple[Path, Path]
) -> None:
    notebooks, work = folders
    path = work / "90_sample.ipynb"
    write_answer(path)
    before = path.read_bytes()
    new = new_release(sample, notebooks)
    (said,) = handout.hand_out(notebooks, work)
    assert said.startswith("updated, with your answers: 90_sample.ipynb (as it was: 90_sample.old-")
    (kept,) = work.glob("*.old-*.ipynb")
    assert kept.read_bytes() == before
    mine = cells.read(path)
    sources = [cell.source for cell in mine.cells]
    assert sources[0] == "my note"
    at = sources.index(ANSWER)
    assert sources[at - 1].startswith("def half") and sources[at - 2].startswith("### Exercise 1")
    assert "Of no numbers it is 0." in sources[at - 2]
    assert '"""Counts, from 0."""' in cells.by_role(mine, "answer")["Counter"].source
    assert len(mine.cells) == len(new.cells) + 2
    assert len({cell.id for cell in mine.cells}) == len(mine.cells)
    assert handout.hand_out(notebooks, work) == []


def test_an_untouched_copy_is_simply_replaced(sample: Sample, folders: tuple[Path, Path]) -> None:
    notebooks, work = folders
    new = new_release(sample, notebooks)
    assert handout.hand_out(notebooks, work) == ["updated: 90_sample.ipynb"]
    assert (work / "90_sample.ipynb").read_text() == cells.as_text(new)
    assert [path.name for path in work.iterdir()] == ["90_sample.ipynb"]


def test_copies_of_our_cells_stay_as_the_students_own(
    sample: Sample, folders: tuple[Path, Path]
) -> None:
    notebooks, work = folders
    path = work / "90_sample.ipynb"
    mine = write_answer(path)
    at = next(i for i, cell in enumerate(mine.cells) if cell.id == "answer-mean")
    scratch = nbformat.from_dict({**mine.cells[at], "id": "abcd1234", "source": "# an older try"})
    mine.cells.insert(at, scratch)
    cells.write(path, mine)
    new_release(sample, notebooks)
    handout.hand_out(notebooks, work)
    after = cells.read(path)
    assert cells.by_role(after, "answer")["mean"].source == ANSWER
    (found,) = [cell for cell in after.cells if cell.source == "# an older try"]
    assert "nbgrader" not in found.metadata and cells.role(found) == ""


def test_answers_are_found_where_an_editor_lost_all_ids(
    sample: Sample, folders: tuple[Path, Path]
) -> None:
    notebooks, work = folders
    path = work / "90_sample.ipynb"
    mine = write_answer(path)
    for number, cell in enumerate(mine.cells):
        cell["id"] = f"lost{number:04}"
    cells.write(path, mine)
    new_release(sample, notebooks)
    handout.hand_out(notebooks, work)
    after = cells.read(path)
    assert cells.by_role(after, "answer")["mean"].source == ANSWER
    assert [cell.source for cell in after.cells].count(ANSWER) == 1


def test_a_damaged_copy_is_left_as_it_is(sample: Sample, folders: tuple[Path, Path]) -> None:
    notebooks, work = folders
    path = work / "90_sample.ipynb"
    path.write_text("{ not json")
    new_release(sample, notebooks)
    (said,) = handout.hand_out(notebooks, work)
    assert said.startswith("left as it is:") and "is not a whole notebook" in said
    assert path.read_text() == "{ not json"


def test_one_exercise_goes_back_to_its_stub_and_the_answer_is_kept(
    sample: Sample, folders: tuple[Path, Path]
) -> None:
    notebooks, work = folders
    path = work / "90_sample.ipynb"
    write_answer(path)
    said = reset.reset_in(path, "mean", notebooks)
    assert "Reload Notebook from Disk" in said and "90_sample.mean-1.py" in said
    after = cells.read(path)
    assert not cells.is_changed(cells.by_role(after, "answer")["mean"])
    assert after.cells[0].source == "my note"
    assert (work / "90_sample.mean-1.py").read_text() == ANSWER + "\n"
    assert "already" in reset.reset_in(path, "mean", notebooks)
    with pytest.raises(ValueError, match="lesson 90 has no exercise 'median'"):
        reset.reset_in(path, "median", notebooks)
