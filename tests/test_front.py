"""The start page: the map counts what was passed, a missing package is named with its remedy."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as xml

import pytest

from lib.boards import Arcade
from lib.cli import ROOT
from lib.front import ABOUT, HOURS, MINE, Installation, course_map, installation, own_entry
from lib.grading import cells
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


@pytest.mark.slow
def test_my_entry_of_the_tournament_can_be_chosen_in_the_arcade(tmp_path: Path) -> None:
    mine = tmp_path / "07_tournament.ipynb"
    assert own_entry(mine) == {}, "not there yet"
    notebook = cells.read(ROOT / "notebooks" / "07_tournament.ipynb")
    cells.write(mine, notebook)
    assert own_entry(mine) == {}, "not written yet"
    cells.by_role(notebook, "answer")["my_agent"].source = (
        "class MyAgent(Agent):\n    plays = 'tapnswap'\n"
        "    def act(self, game, state, player):\n        return game.legal(state, player)[-1]\n"
    )
    cells.write(mine, notebook)
    arcade = Arcade("tapnswap", more=own_entry(mine))
    assert MINE in arcade.opponents() and MINE in arcade.rival.options
    arcade.against.value = MINE
    arcade.board.play(0)
    arcade.board.go()
    assert arcade.board.names == ("You", MINE) and len(arcade.board.record().moves) == 2
    arcade.game.value = "2048"
    assert MINE not in arcade.opponents(), "it plays another game"


def colab() -> ModuleType:
    """binder/colab.py, which is no part of lib."""
    spec = importlib.util.spec_from_file_location("colab", ROOT / "binder" / "colab.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_copies_for_colab_have_one_cell_more_and_keep_what_was_written(tmp_path: Path) -> None:
    module, released = colab(), ROOT / "notebooks"
    module.lay_out(released, tmp_path)
    mine = tmp_path / "00_start_here.ipynb"
    written = cells.read(mine)
    answer = cells.by_role(written, "answer")["fingers_left"]
    answer.source = "def fingers_left(hands):\n    return sum(hands)\n"
    cells.write(mine, written)
    module.lay_out(released, tmp_path)
    for path in released.glob("*.ipynb"):
        ids = [cell["id"] for cell in cells.read(tmp_path / path.name).cells]
        assert ids == [module.ID, *(cell["id"] for cell in cells.read(path).cells)]
    assert cells.by_role(cells.read(mine), "answer")["fingers_left"].source == answer.source


def test_the_cell_for_colab_does_nothing_elsewhere_and_finds_the_course_there(
    tmp_path: Path,
) -> None:
    module = colab()
    exec(module.CELL, {})
    package = tmp_path / "google" / "colab"
    package.mkdir(parents=True)
    pretended = "from types import SimpleNamespace\ndrive = SimpleNamespace(mount=print)\n"
    pretended += "output = SimpleNamespace(enable_custom_widget_manager=lambda: print('widgets'))"
    (package / "__init__.py").write_text(pretended, encoding="utf8")
    (tmp_path / "binder").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "binder" / "colab.py").write_bytes((ROOT / "binder" / "colab.py").read_bytes())
    code = module.CELL.replace(f"/content/drive/MyDrive/{ROOT.name}", str(tmp_path))
    code += "import os, sys\nprint(os.getcwd() == sys.path[0] + '/work')"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.split() == ["/content/drive", "widgets", "True"], done.stderr


def test_what_binder_and_colab_open_is_there() -> None:
    badges = (ROOT / "README.md").read_text(encoding="utf8")
    assert "urlpath=lab%2Ftree%2Fwork%2F00_start_here.ipynb" in badges
    assert (
        "blob/HEAD/binder/colab.ipynb" in badges and (ROOT / "binder/postBuild").stat().st_mode & 1
    )
    opened = json.loads((ROOT / "binder" / "colab.ipynb").read_text(encoding="utf8"))
    code = "".join(opened["cells"][-1]["source"])
    assert "binder/colab.py" in code and "MyDrive/rl-in-five-games" in code
