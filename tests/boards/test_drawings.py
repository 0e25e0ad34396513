"""Drawings: tiles that arrive where the rules put them, stills, PNG, and what a reader hears."""

import base64
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import get_data_path
from PIL import Image, ImageFont

from lib.agents.baselines import Random
from lib.boards import Board, LiveCurve, Watch
from lib.boards.artists import ARTISTS, artist_of
from lib.boards.droids import middle
from lib.boards.palette import DARK, LIGHT, colour
from lib.boards.raster import png, save_png
from lib.boards.scene import Mark, Scene
from lib.boards.shapes import Drawing, breadth, circle, poly, rect, text
from lib.boards.tiles import Tiles, journeys
from lib.game import Game
from lib.games import GAMES
from lib.games.board2048 import cells, from_cells, move


def test_tiles_arrive_where_the_rules_put_them() -> None:
    rng = np.random.default_rng(0)
    for _ in range(3000):
        board = from_cells(rng.choice([0, 0, 1, 1, 2, 3, 15], 16).tolist())
        for action in range(4):
            after = [0] * 16
            for source, goal, merges in journeys(board, action):
                after[goal] = cells(board)[source] + merges
            assert from_cells(after) == move(board, action)[0]


@pytest.mark.parametrize("name", list(GAMES))
def test_whoever_draws_labels_every_input(name: str) -> None:
    board = Board(GAMES[name](), coach=True, seed=2)
    inputs = [shape for shape in board.view["shapes"] if "input" in shape]
    assert inputs
    assert all(shape["label"] for shape in inputs)
    assert all(shape["kind"] in ("rect", "circle") for shape in inputs)
    roles = {shape.get(part) for shape in board.view["shapes"] for part in ("fill", "stroke")}
    assert roles - {None} <= set(LIGHT)
    assert board.view["label"].startswith(board.game.title)


@pytest.mark.parametrize("name", list(GAMES))
def test_a_still_picture_is_valid_and_has_no_address(name: str) -> None:
    board = Board(GAMES[name](), seed=2)
    for dark in (False, True):
        root = xml.fromstring(board.svg(dark=dark))
        assert root.tag.endswith("svg")
        assert len(root) > 10
    bundle, _ = board._repr_mimebundle_()
    assert "image/svg+xml" in bundle
    assert not re.search("0x[0-9a-f]{6}", bundle["text/plain"])
    html = board._still_html()["text/html"]
    found = re.search('base64,([^"]+)"', html)
    assert found
    assert xml.fromstring(base64.b64decode(found[1])).tag.endswith("svg")


def test_other_widgets_have_no_address_either() -> None:
    for widget in (LiveCurve("Q"), Watch(GAMES["2048"](), agents=["random"], seed=0)):
        bundle, _ = widget._repr_mimebundle_()
        assert not re.search("0x[0-9a-f]{6}", bundle["text/plain"])


def test_both_editions_have_the_same_colours_and_an_unknown_one_is_named() -> None:
    assert set(LIGHT) == set(DARK)
    with pytest.raises(ValueError, match="'pink'"):
        colour("pink")


def luminance(hex_colour: str) -> float:
    parts = [int(hex_colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("edition", [LIGHT, DARK])
def test_words_can_be_read_on_what_they_stand_on(edition: dict[str, str]) -> None:
    pairs = [("ink", ground) for ground in ("paper", "panel", "cell", "litsoft")]
    pairs += [("muted", "panel"), ("p0", "panel"), ("p1", "panel")]
    pairs += [(tone, f"{tone}soft") for tone in ("good", "even", "bad")]
    pairs += [(f"tileink{k}", f"tile{k}") for k in range(1, 17)]
    weak = {pair: contrast(*(edition[role] for role in pair)) for pair in pairs}
    assert not {pair: ratio for pair, ratio in weak.items() if ratio < 4.5}


def test_a_drawing_becomes_the_pixels_it_says(tmp_path: Any) -> None:
    shapes = [rect(0, 0, 100, 50, fill="p0"), circle(75, 25, 10, fill="p1")]
    shapes += [poly([(0, 50), (20, 50), (10, 30)], fill="good"), text(30, 20, "$5$", size=10)]
    path = save_png(Drawing(100, 50, shapes), tmp_path / "x.png")
    with Image.open(path) as image:
        assert image.size == (200, 100)
        pixels = image.convert("RGB")
        for place, role in (((100, 10), "p0"), ((150, 50), "p1"), ((20, 90), "good")):
            wanted = tuple(int(colour(role)[i : i + 2], 16) for i in (1, 3, 5))
            assert pixels.getpixel(place) == wanted


def test_dark_pictures_are_dark() -> None:
    drawing = Board(GAMES["solitaire"]()).drawing()
    assert png(drawing) != png(drawing, dark=True)


def test_a_game_that_nobody_draws_is_shown_in_words() -> None:
    class Unknown(GAMES["tapnswap"]):  # type: ignore[misc]
        name = "nim"

    game = Unknown()
    board = Board(game)
    shown = [shape["text"] for shape in board.view["shapes"] if shape["kind"] == "text"]
    assert shown == game.text(board.state).splitlines()
    chips = board.view["chips"]
    assert [chip["label"] for chip in chips] == [
        game.describe(board.state, 0, action) for action in game.legal(board.state, 0)
    ]
    board.heard({"kind": "input", "tokens": [chips[-1]["input"]]})
    assert board.record().moves == ((game.legal(game.start(), 0)[-1],),)
    board.heard({"kind": "input", "tokens": ["act:99"]})
    assert board.said == "That move is not possible here."
    assert set(ARTISTS) == set(GAMES)


def test_what_is_spoken_tells_the_whole_board() -> None:
    said = {name: spoken(GAMES[name]()) for name in ("droids", "solitaire", "tapnswap")}
    assert "R2 in row 3, column 1, 5 shots" in said["droids"]
    assert "32 pegs: all but d4" in said["solitaire"]
    assert "1 and 1" in said["tapnswap"]


@pytest.mark.parametrize("where", ["1,3", "3,0", "1,0", "2,1"])
@pytest.mark.parametrize("first", ["me", "it"])
def test_the_coach_covers_no_droid_and_says_what_a_shot_is_worth(where: str, first: str) -> None:
    game = GAMES["droids"]()
    places = (f"2,0,4,1 {where},3,0", f"{where},4,1 2,0,3,0")[first == "it"]
    board = Board(game, start=game.read(f"{places} 37"), level="easy", first=first, coach=True)
    shapes = board.drawing().shapes
    tags = [s for s in shapes if s["kind"] == "rect" and s["radius"] == 11]
    assert len(tags) == len(game.legal(board.state, int(first == "it"))) == 4
    for x, y in map(middle, board.state.locations):
        body = (x - 30, y - 32, x + 30, y + 34)
        assert not [tag for tag in tags if overlap(tag, body)]
    shots = [s["label"] for s in shapes if s.get("input") == "act:4"]
    assert len(shots) == 2 and all("equilibrium" in label for label in shots)


def overlap(tag: Any, box: tuple[float, float, float, float]) -> bool:
    across = tag["x"] < box[2] and tag["x"] + tag["w"] > box[0]
    return across and tag["y"] < box[3] and tag["y"] + tag["h"] > box[1]


def wide(words: Any) -> float:
    """How wide words are drawn in DejaVu, whose letters are wide."""
    file = f"DejaVuSans{'-Bold' * bool(words.get('bold'))}.ttf"
    font = ImageFont.truetype(str(Path(get_data_path()) / "fonts" / "ttf" / file), 100)
    return font.getlength(words["text"]) * float(words["size"]) / 100


def test_the_breadth_of_words_is_about_right_and_never_too_small() -> None:
    for words in ("games won against random", "1,048,576", "Q5 · MinimaxAgent", "positions right"):
        for bold in (False, True):
            true = wide({"text": words, "size": 15, "bold": bold})
            assert true <= breadth(words, 15, bold=bold) < 1.25 * true


@pytest.mark.parametrize("name", [*GAMES, "curve"])
def test_no_words_leave_the_sheet(name: str) -> None:
    if name == "curve":
        curve = LiveCurve("Long", "games", "won", {"random": 0.5}, every=60)
        for x in range(0, 200_001, 50_000):
            curve.add(x, x / 1e6)
        drawing = curve.drawing()
    else:
        drawing = Board(GAMES[name](), coach=True, seed=2).drawing()
    for words in (shape for shape in drawing.shapes if shape["kind"] == "text"):
        share = {"start": 0.0, "middle": 0.5, "end": 1.0}[words["anchor"]]
        left = words["x"] - share * wide(words)
        assert left >= 0 and left + wide(words) <= drawing.width, words["text"]


@pytest.mark.parametrize(("name", "room"), [("droids", 160), ("tapnswap", 144)])
def test_a_long_name_fits_its_place(name: str, room: float) -> None:
    rival = Random()
    rival.name = "my q-learning, seed 3, at night"
    shapes = Board(GAMES[name](), against=rival).drawing().shapes
    (found,) = [s for s in shapes if s["kind"] == "text" and rival.name in s["text"]]
    assert wide(found) <= room


def test_a_value_of_six_figures_fits_its_arrow() -> None:
    game = GAMES["2048"]()
    marks = {action: Mark("good", "", "123,456") for action in range(4)}
    state = game.read("0000/0110/0110/0000 0 0")
    shapes = Tiles().draw(game, Scene(state, player=0, marks=marks)).shapes
    pads = {s["input"]: s for s in shapes if "input" in s}
    values = [s for s in shapes if s.get("text") == "123,456"]
    for value, pad in zip(values, (pads[f"act:{n}"] for n in range(4)), strict=True):
        left = value["x"] - (wide(value) / 2 if value["anchor"] == "middle" else 0)
        assert pad["x"] <= left and left + wide(value) <= pad["x"] + pad["w"]


def test_a_hole_says_what_the_coach_thinks_of_it() -> None:
    board = Board(GAMES["solitaire"](), coach=True)
    labels = {s["label"] for s in board.drawing().shapes if s.get("input") == "hole:4"}
    assert labels == {"d2, peg, still solvable"}


def spoken(game: Game[Any]) -> str:
    return artist_of(game).speak(game, Scene(game.start()))


def test_importing_boards_loads_nothing_heavy() -> None:
    heavy = "torch matplotlib PIL numba ray"
    code = f"import lib.boards, sys; print([m for m in '{heavy}'.split() if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
