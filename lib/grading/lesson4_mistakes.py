"""Typical wrong answers to lesson 4 about rules, boards, rewards and moves."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lib.grading.ask import Outcome
from lib.grading.check import Case, Mistake
from lib.grading.lesson4_reference import binary_tensor, move_reward, slide, valid_moves


def _pushed(row: Sequence[int]) -> list[int]:
    tiles = [int(tile) for tile in row if tile]
    return tiles + [0] * (4 - len(tiles))


def _merges_again(row: Sequence[int]) -> tuple[list[int], int]:
    tiles, earned, at = _pushed(row), 0, 0
    while at < 3:
        if tiles[at] and tiles[at] == tiles[at + 1]:
            tiles[at : at + 2] = [2 * tiles[at]]
            tiles.append(0)
            earned += tiles[at]
            at = max(at - 1, 0)
        else:
            at += 1
    return tiles, earned


def _holes(row: Sequence[int]) -> tuple[list[int], int]:
    tiles, earned = _pushed(row), 0
    for at in range(3):
        if tiles[at] and tiles[at] == tiles[at + 1]:
            tiles[at], tiles[at + 1] = 2 * tiles[at], 0
            earned += tiles[at]
    return tiles, earned


def _neighbours_only(row: Sequence[int]) -> tuple[list[int], int]:
    tiles, earned = [int(tile) for tile in row], 0
    for at in range(3):
        if tiles[at] and tiles[at] == tiles[at + 1]:
            tiles[at], tiles[at + 1] = 2 * tiles[at], 0
            earned += tiles[at]
    return _pushed(tiles), earned


def _from_the_right(row: Sequence[int]) -> tuple[list[int], int]:
    slid, earned = slide(_pushed(row)[::-1])
    return _pushed(slid[::-1]), earned


SLIDE = [
    Mistake(
        "A row has four cells: fill up with 0.",
        lambda row: ([tile for tile in slide(row)[0] if tile], slide(row)[1]),
    ),
    Mistake("A tile made by a merge does not merge again in the same move.", _merges_again),
    Mistake("A merge leaves a gap: close it, so that the tiles stand side by side.", _holes),
    Mistake(
        "Tiles that slide together across empty cells merge too: push first, then merge.",
        _neighbours_only,
    ),
    Mistake("The pair nearest to the left wall merges first.", _from_the_right),
    Mistake("To the left: the row came out slid to the right.", lambda row: _mirrored(row)),
    Mistake(
        "The score grows by the value of each *new* tile: 2 and 2 earn 4.",
        lambda row: (slide(row)[0], slide(row)[1] // 2),
    ),
    Mistake("Return two things: the row, and what it earned.", lambda row: slide(row)[0]),
]


def _mirrored(row: Sequence[int]) -> tuple[list[int], int]:
    slid, earned = slide(row[::-1])
    return slid[::-1], earned


def _room(board: np.ndarray) -> list[int]:
    """Moves that push a tile into an empty cell; merges are forgotten."""
    views = [board.T, board.T[:, ::-1], board, board[:, ::-1]]
    return [a for a, rows in enumerate(views) if any(list(r) != _pushed(r) for r in rows)]


def _swapped(board: np.ndarray) -> list[int]:
    return sorted({0: 2, 1: 3, 2: 0, 3: 1}[a] for a in valid_moves(board))


def _merges(board: np.ndarray) -> list[int]:
    """Moves that earn something; those that only push are forgotten."""
    views = [board.T, board.T[:, ::-1], board, board[:, ::-1]]
    return [a for a, rows in enumerate(views) if any(slide(list(r))[1] for r in rows)]


VALID_MOVES = [
    Mistake("A move that only merges changes the board too.", _room),
    Mistake("A move that pushes a tile and merges nothing changes the board too.", _merges),
    Mistake("Up and down slide the columns, left and right the rows: transpose.", _swapped),
    Mistake(
        "Up is 0 and down is 1, left is 2 and right is 3: two of them are exchanged.",
        lambda board: sorted(a ^ 1 for a in valid_moves(board)),
    ),
    Mistake(
        "Return the numbers of the valid moves, not four booleans.",
        lambda board: [a in valid_moves(board) for a in range(4)],
    ),
    Mistake("Only a move that changes the board is valid.", lambda board: [0, 1, 2, 3]),
]


def _one_lower(board: np.ndarray) -> np.ndarray:
    exponents = np.log2(np.maximum(board, 1)).astype(int)
    shifted = np.minimum(exponents, 12)[None] == np.arange(1, 13)[:, None, None]
    return shifted.astype(np.float32)


def _unclipped(board: np.ndarray) -> np.ndarray:
    exponents = np.log2(np.maximum(board, 1)).astype(int)
    return (exponents == np.arange(12)[:, None, None]).astype(np.float32)


BINARY_TENSOR = [
    Mistake("Tiles larger than 2048 belong to the last plane, 11.", _unclipped),
    Mistake("Plane 0 marks the *empty* cells, plane 1 the tiles 2.", _one_lower),
    Mistake(
        "The planes come first: the shape is (12, 4, 4).",
        lambda board: np.moveaxis(binary_tensor(board), 0, -1),
    ),
    Mistake(
        "Plane 0 marks the empty cells: do not leave it at 0.",
        lambda board: binary_tensor(board) * (np.arange(12) > 0)[:, None, None],
    ),
    Mistake(
        "A plane holds 0 and 1, not the values of the tiles.",
        lambda board: binary_tensor(board) * board,
    ),
    Mistake("There is no plane beyond 11.", raises="IndexError"),
]


def _bonus_when_made(form: str, merged: Sequence[int], after: np.ndarray) -> float:
    if not form.startswith("progressive"):
        return move_reward(form, merged, after)
    made = np.array(list(merged) or [0])
    return move_reward(form, merged, made)


def _bonus_once(form: str, merged: Sequence[int], after: np.ndarray) -> float:
    if not form.startswith("progressive"):
        return move_reward(form, merged, after)
    return move_reward(form, merged, np.unique(after))


REWARD = [
    Mistake(
        "progressive counts the large tiles on the board after *every* move, not only the new "
        "ones.",
        _bonus_when_made,
    ),
    Mistake("progressive counts every 512, 1024 and 2048 on the board, each time.", _bonus_once),
    Mistake(
        "log2 is the sum of the logarithms of the new tiles, not the logarithm of their sum.",
        lambda form, merged, after: (
            float(np.log2(sum(merged)) if merged else 0.0)
            if form == "log2"
            else move_reward(form, merged, after)
        ),
    ),
    Mistake(
        "The logarithm is to base 2: a new 8 earns 3.",
        lambda form, merged, after: (
            float(np.sum(np.log(merged))) if form == "log2" else move_reward(form, merged, after)
        ),
    ),
    Mistake(
        "progressive_penalty: subtract the penalty of 1.5.",
        lambda form, merged, after: move_reward(form.replace("_penalty", ""), merged, after),
    ),
    Mistake(
        "none: a reward of 1 for making 2048, else 0.",
        lambda form, merged, after: (
            float(max(merged, default=0)) if form == "none" else move_reward(form, merged, after)
        ),
    ),
    Mistake(
        "none: it is the move that *makes* 2048 that counts, not a 2048 on the board.",
        lambda form, merged, after: (
            float(2048 in np.asarray(after)) if form == "none" else move_reward(form, merged, after)
        ),
    ),
]


def _worths(case: Case, gains: float = 1.0, gamma: float = 1.0) -> np.ndarray:
    after, earned, _, value, discount = case.args
    seen = np.array([value.target(board) for board in after])
    return np.asarray(gains * earned + gamma * discount * seen)


def _chose(case: Case, got: Outcome, worth: np.ndarray, legal: bool = True) -> bool:
    allowed = case.args[2] if legal else np.ones(4, bool)
    return got.value == int(np.argmax(np.where(allowed, worth, -np.inf)))


def _without_gamma(case: Case) -> np.ndarray:
    return _worths(replace(case, args=(*case.args[:4], 1.0)))


BEST_MOVE = [
    Mistake(
        "It returned None: where every sum is below 0 one must be chosen too, so begin with "
        "-inf. Or is there no `return`?",
        sign=lambda case, got, wanted: got.value is None,
    ),
    Mistake(
        "It chose an illegal move: look only at those that `legal` marks.",
        sign=lambda case, got, wanted: not case.args[2][got.value],
    ),
    Mistake(
        "An illegal move counted as 0 beats values below 0: leave it out, or use -inf.",
        sign=lambda case, got, wanted: case.label == "all is below 0",
    ),
    Mistake(
        "gamma is missing: it multiplies the value.",
        sign=lambda case, got, wanted: (
            case.label == "gamma counts" and _chose(case, got, _without_gamma(case))
        ),
    ),
    Mistake(
        "It looks only at the value: add what the move gains at once.",
        sign=lambda case, got, wanted: _chose(case, got, _worths(case, gains=0.0)),
    ),
    Mistake(
        "It looks only at the gain: add gamma times the value of the board after the move.",
        sign=lambda case, got, wanted: _chose(case, got, _worths(case, gamma=0.0)),
    ),
    Mistake(
        "It takes the smallest sum: the best move has the largest.",
        sign=lambda case, got, wanted: _chose(case, got, -_worths(case)),
    ),
]
