"""The commands around notebooks, called as `course.py` calls them."""

from pathlib import Path

import pytest
from sample_lesson import Sample

from lib.cli import author, grade, lab, release, reset, submit
from lib.cli.main import parse
from lib.grading import cells, handout, notebook
from lib.grading import reset as resetting


def call(module: object, *words: str) -> int:
    """`course.py NAME words...`; the exit code."""
    args = parse("command", module, list(words))  # type: ignore[arg-type]
    return int(module.run(args))  # type: ignore[attr-defined]


def test_author_builds_and_gives_back_text(
    sample: Sample, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, target = tmp_path / "lesson.py", tmp_path / "90_sample.ipynb"
    text.write_text(sample.text)
    assert call(author, "build", str(text), str(target), "--no-run") == 0
    assert capsys.readouterr().out.endswith("9 cells, 0 problems\n")
    assert call(author, "text", str(target), str(tmp_path / "back.py")) == 0
    assert '# %% answer="mean"' in (tmp_path / "back.py").read_text()
    text.write_text(sample.text.replace('# %% check="mean"', "# %%"))
    assert call(author, "build", str(text), str(target), "--no-run") == 1
    assert "mean needs an answer and then a check" in capsys.readouterr().out
    with pytest.raises(ValueError, match="let it end in"):
        call(author, "build", str(text), str(tmp_path / "x.txt"))


def test_release_checks_then_writes(
    sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells.write(tmp_path / "solutions/90_sample.ipynb", sample.solved)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    assert call(release, "--check") == 1 and not (tmp_path / "notebooks").exists()
    assert call(release) == 0
    assert call(release, "--check") == 0


def test_grade_says_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="name a notebook, or a folder of submissions"):
        call(grade, str(tmp_path / "nothing"))


@pytest.mark.slow
def test_grade_and_submit_print_the_points(
    sample: Sample, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = cells.write(tmp_path / "90_sample.ipynb", sample.stub)
    assert call(grade, str(path)) == 1
    assert "     0/10  in total" in capfd.readouterr().out
    assert call(submit, str(path)) == 0
    assert "90_sample.submission.zip: hand in this file (0/10 points)" in capfd.readouterr().out
    solved = cells.write(tmp_path / "solved.ipynb", sample.solved)
    assert call(grade, str(solved)) == 0


def test_an_exercise_is_reset_from_the_page_and_by_command(
    sample: Sample,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    cells.write(tmp_path / "notebooks/90_sample.ipynb", sample.stub)
    handout.hand_out(tmp_path / "notebooks", tmp_path / "work")
    path = tmp_path / "work/90_sample.ipynb"
    monkeypatch.setattr(resetting, "COURSE", tmp_path)
    for way in ("the open page", "work/", "the command"):
        mine = cells.read(path)
        cells.by_role(mine, "answer")["mean"].source = "def mean(numbers): ..."
        cells.write(path, mine)
        monkeypatch.setenv("JPY_SESSION_NAME", str(path) if way == "the open page" else "")
        if way == "the command":
            call(reset, str(path), "mean")
        else:
            print(notebook.reset("mean"))
        assert "The mean: back to the start." in capsys.readouterr().out
        assert not handout.is_touched(cells.read(path))
    assert len(list(path.parent.glob("90_sample.mean-*.py"))) == 3


def test_lab_has_its_options() -> None:
    args = parse("lab", lab, ["--no-browser", "--port", "9000"])
    assert args.no_browser and args.port == 9000
