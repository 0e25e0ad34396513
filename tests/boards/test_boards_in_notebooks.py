"""Boards and curves in notebooks that are run without a page: nbval and nbconvert."""

import base64
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from lib.cli import ROOT

pytestmark = pytest.mark.slow

CELLS = (
    "from lib.boards import Board, LiveCurve, Watch\nfrom lib.games import GAMES\n"
    "from lib.agents.progress import Progress\n"
    "from lib.boards.film import Film\nfrom lib.boards.shapes import Drawing, circle",
    'Board(GAMES["solitaire"](), coach=True)',
    'Watch(GAMES["tapnswap"](), agents=("random", "greedy"), seed=1)',
    'curve = LiveCurve("Learning", "games", "won", best=1.0)\n'
    "reports = (Progress(n, 50, metrics={'won': n / 50}) for n in range(1, 51))\n"
    "for _ in curve.follow(reports):\n    pass",
    'film = Film("Growing")\nfor r in (10, 20, 30):\n'
    '    film.add(Drawing(100, 100, [circle(50, 50, r)], f"radius {r}"))',
    "from lib.plots import bars\nbars({'q': 0.9, 'random': 0.5})",
)


def run(*arguments: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("notebooks")
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbformat.write(made, folder / "boards.ipynb")
    run("nbconvert", "--to", "notebook", "--execute", "--inplace", "boards.ipynb", folder=folder)
    return folder / "boards.ipynb"


def test_what_is_saved_has_pictures_and_no_addresses(executed: Path) -> None:
    outputs = [cell.outputs for cell in nbformat.read(executed, 4).cells]
    assert [len(found) for found in outputs] == [0, 2, 2, 2, 2, 1]
    for still, live in outputs[1:5]:
        assert "data:image/svg+xml" in still["data"]["text/html"]
        assert live["data"]["text/plain"] == ""
    words = [out["data"].get("text/plain", "") for found in outputs for out in found]
    assert not [word for word in words if re.search("0x[0-9a-f]{6}", word)]
    assert {"Learning: won 1 at 50 games", "radius 30"} <= set(words)
    assert not [out for found in outputs for out in found if out.output_type in ("stream", "error")]


def test_nbval_passes(executed: Path) -> None:
    said = run(
        "pytest",
        "--nbval-lax",
        "-q",
        "-p",
        "no:cacheprovider",
        executed.name,
        folder=executed.parent,
    )
    assert "6 passed" in said


def test_an_export_shows_the_pictures(executed: Path) -> None:
    run("nbconvert", "--to", "html", executed.name, folder=executed.parent)
    page = executed.with_suffix(".html").read_text()
    assert len(re.findall('class="rl-still"><img alt="[^"]+" src="data:image/svg', page)) == 4
    assert "data:image/png;base64" in page


def test_no_lesson_leaves_an_empty_picture() -> None:
    still = re.compile('class="rl-still"><img alt="([^"]*)" src="data:image/svg.xml;base64,([^"]+)')
    found = {}
    for path in sorted((ROOT / "solutions").glob("*.ipynb")):
        for cell in nbformat.read(path, 4).cells:
            for output in cell.get("outputs", []):
                for words, data in still.findall(output.get("data", {}).get("text/html", "")):
                    found[path.name, cell.id, words] = base64.b64decode(data).decode().count("<")
    assert len(found) > 20
    assert not [place for place in found if "nothing yet" in place[2]]  # a curve without a point
    assert min(found.values()) > 20, min(found, key=lambda place: found[place])
