"""What a page says to a board, and what must hold of it afterwards."""

from typing import Any

from lib.boards import Board


def press(board: Board, *tokens: str) -> None:
    board._hear(board, {"kind": "input", "tokens": list(tokens)}, [])


def control(board: Board, name: str, value: Any = None) -> None:
    board._hear(board, {"kind": "control", "name": name, "value": value}, [])


def wait(board: Board) -> None:
    """Do what the page does: let the other move as long as the board says so."""
    while board.view["auto"] is not None:
        board._hear(board, {"kind": "go", "seq": board.view["seq"]}, [])


def replayed(board: Board) -> None:
    """The record follows the rules: each state is what the rules make of the one before."""
    record = board.record()
    for before, moves, after in zip(record.states, record.moves, record.states[1:], strict=False):
        played = board.game.play(before, moves)
        options = [state for _, state in board.game.chance(played)] or [played]
        assert after in options
    assert board.view["state"] == board.game.write(board.state)
    assert board.game.read(board.view["state"]) == board.state
