"""Two hundred random inputs to each board: never an error, a dead board or another state."""

import json
from typing import Any

import numpy as np
import pytest
from pages import control, replayed, wait

from lib.boards import Board
from lib.games import GAMES


def everything(board: Board, rng: np.random.Generator) -> dict[str, Any]:
    """One random message: what a hand, a key, a control or a confused page could send."""
    inputs = [s["input"] for s in board.view["shapes"] if "input" in s]
    inputs += [chip["input"] for chip in board.view["chips"]]
    inputs += board.view["keys"].values()
    inputs += ["escape", "hole:99", "act:", "by:7:1", "", "hand:"]
    controls = [(c["name"], c.get("options")) for c in board.view["controls"]]
    draw = rng.random()
    if draw < 0.7:
        return {"kind": "input", "tokens": rng.choice(inputs, rng.choice([1, 1, 1, 2])).tolist()}
    if draw < 0.85:
        name, options = controls[rng.integers(len(controls))]
        value = options[rng.integers(len(options))][0] if options else None
        return {"kind": "control", "name": name, "value": value}
    if draw < 0.95:
        return {"kind": "go", "seq": 0}
    odd: list[dict[str, Any]] = [
        {"kind": "control", "name": "level", "value": ["x"]},
        {"kind": "control", "name": "launch"},
        {"kind": "input", "tokens": 3},
        {"kind": "input", "tokens": ["hand:0:0"] * 9},
        {"kind": "what"},
        {},
    ]
    return odd[rng.integers(len(odd))]


@pytest.mark.parametrize("name", list(GAMES))
def test_monkey(name: str) -> None:
    rng, board = np.random.default_rng(11), Board(GAMES[name](), against=None, seed=1)
    for _ in range(200):
        seq = board.view["seq"]
        board._hear(board, everything(board, rng), [])
        assert board.view["seq"] > seq
        assert "Error" not in board.view["say"]
        json.dumps(board.view, allow_nan=False)
        assert board.view["state"] == board.game.write(board.state)
        assert board.view["over"] or board.view["auto"] is not None or board.session.persons
    replayed(board)
    control(board, "new")
    control(board, "undo")
    assert not board.view["over"]
    wait(board)
    assert board.session.persons
