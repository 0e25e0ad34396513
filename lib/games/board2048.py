"""Boards of 2048 as integers of 64 bits: rows slid by table, rewards, and what networks see.

Cell i (row by row from the top left) has the four bits from 4i on: 0 for an empty cell and k for
the tile 2**k. So 32768 is the largest tile: two of them do not merge, they stand in each other's
way like different tiles.
"""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

UP, DOWN, LEFT, RIGHT = range(4)
MOVES = ("up", "down", "left", "right")
LARGEST = 15  # the exponent of the largest tile, 32768
WON = 11  # the exponent of 2048
REWARD_FORMS = ("none", "score", "log2", "progressive", "progressive_penalty")
PROGRESSIVE = {9: 1.0, 10: 2.5, 11: 6.0}  # the seed's bonus a move for each 512, 1024, 2048
PENALTY = 1.5  # the seed's price of a move
_ROW = 0xFFFF


def slide(row: Sequence[int]) -> tuple[list[int], list[int]]:
    """A row of exponents slid to the left, and the tiles made: [1 1 1 1] -> [2 2 0 0], [2 2]."""
    tiles = [tile for tile in row if tile]
    slid: list[int] = []
    made: list[int] = []
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile < LARGEST:
            tile = tiles.pop(0) + 1
            made.append(tile)
        slid.append(tile)
    return slid + [0] * (4 - len(slid)), made


class Tables(NamedTuple):
    """What a move to the left or right makes of each of the 65,536 rows."""

    left: list[int]  # the row after a move to the left
    right: list[int]
    gain: list[int]  # the sum of the new tiles: the same to either side
    logs: list[int]  # the sum of their exponents
    can: list[int]  # bit 0: a move to the left is valid, bit 1: to the right
    mirror: list[int]  # the row read from the other end


@functools.cache
def tables() -> Tables:
    """The row tables, made once by calling `slide` on every row."""
    rows = [(r & 15, r >> 4 & 15, r >> 8 & 15, r >> 12) for r in range(1 << 16)]
    mirror = [d | c << 4 | b << 8 | a << 12 for a, b, c, d in rows]
    slid = [slide(row) for row in rows]
    left = [a | b << 4 | c << 8 | d << 12 for (a, b, c, d), _ in slid]
    right = [mirror[left[mirror[r]]] for r in range(1 << 16)]
    gain = [sum(1 << tile for tile in made) for _, made in slid]
    logs = [sum(made) for _, made in slid]
    can = [(left[r] != r) | (right[r] != r) << 1 for r in range(1 << 16)]
    return Tables(left, right, gain, logs, can, mirror)


def transpose(board: int) -> int:
    """The board with rows and columns exchanged."""
    board = (
        board & 0xF0F00F0FF0F00F0F
        | (board & 0x0000F0F00000F0F0) << 12
        | (board & 0x0F0F00000F0F0000) >> 12
    )
    return (
        board & 0xFF00FF0000FF00FF
        | (board & 0x00000000FF00FF00) << 24
        | (board & 0x00FF00FF00000000) >> 24
    )


def move(board: int, action: int) -> tuple[int, int]:
    """The board after a move and the score it earns; an invalid move returns the same board."""
    table = tables()
    if action < 2:
        board = transpose(board)
    a, b, c, d = board & _ROW, board >> 16 & _ROW, board >> 32 & _ROW, board >> 48
    to = table.right if action & 1 else table.left
    moved = to[a] | to[b] << 16 | to[c] << 32 | to[d] << 48
    gain = table.gain
    earned = gain[a] + gain[b] + gain[c] + gain[d]
    return (transpose(moved) if action < 2 else moved), earned


def can_move(board: int) -> list[int]:
    """The valid actions, in increasing order."""
    return _LISTS[valid_bits(board)].copy()


def valid_bits(board: int) -> int:
    """The valid actions as bits: bit a for action a."""
    can = tables().can
    t = transpose(board)
    columns = can[t & _ROW] | can[t >> 16 & _ROW] | can[t >> 32 & _ROW] | can[t >> 48]
    rows = can[board & _ROW] | can[board >> 16 & _ROW] | can[board >> 32 & _ROW] | can[board >> 48]
    return columns | rows << 2


_LISTS = [[a for a in range(4) if bits >> a & 1] for bits in range(16)]


def cells(board: int) -> list[int]:
    """The 16 exponents, row by row from the top left."""
    return [board >> shift & 15 for shift in range(0, 64, 4)]


def from_cells(exponents: Sequence[int]) -> int:
    """The board of 16 exponents, row by row: the inverse of `cells`."""
    if len(exponents) != 16 or not all(0 <= k <= LARGEST for k in exponents):
        raise ValueError(f"16 exponents from 0 to {LARGEST} expected, not {list(exponents)}")
    return sum(int(k) << 4 * i for i, k in enumerate(exponents))


def from_tiles(tiles: Sequence[Sequence[int]] | np.ndarray) -> int:
    """The board of a 4x4 array of tile values, 0 where empty: the inverse of `tiles_of`."""
    array = np.asarray(tiles)
    if array.shape != (4, 4):
        raise ValueError(f"a 4x4 board expected, not one of shape {array.shape}")
    values = [int(value) for value in array.ravel()]
    for value in values:
        if value and (value not in range(2, 2**LARGEST + 1) or value & (value - 1)):
            raise ValueError(f"{value} is no tile: use 0 or a power of two from 2 to 32768")
    return from_cells([value.bit_length() - 1 if value else 0 for value in values])


def tiles_of(board: int) -> np.ndarray:
    """The 4x4 array of tile values, 0 where empty."""
    rows = _tile_bytes()
    four = rows[board & _ROW], rows[board >> 16 & _ROW], rows[board >> 32 & _ROW], rows[board >> 48]
    return np.frombuffer(bytearray().join(four), np.int64).reshape(4, 4)


@functools.cache
def _tile_bytes() -> list[bytes]:
    """The tile values of each row as bytes: joining four is four times faster than np.array."""
    exponents = np.arange(1 << 16)[:, None] >> np.arange(0, 16, 4) & 15
    values = np.where(exponents, np.int64(1) << exponents, 0)
    return [row.tobytes() for row in values]


def largest(board: int) -> int:
    """The value of the largest tile, 0 on the empty board."""
    top = max(cells(board))
    return 1 << top if top else 0


def empty_mask(board: int) -> int:
    """The board with a 2 on each empty cell and nothing else."""
    board |= board >> 1
    return ~(board | board >> 2) & 0x1111111111111111


def reward(form: str, board: int, action: int) -> float:
    """What a move on `board` earns under one of the seed's five REWARD_FORMS.

    none: 1 when the move makes the first 2048; score: the sum of the new tiles; log2: the sum of
    their exponents; progressive: log2 and, for each 512 / 1024 / 2048 on the board, 1 / 2.5 / 6;
    progressive_penalty: the same less 1.5.
    """
    after, earned = move(board, action)
    if form == "score":
        return float(earned)
    if form == "none":
        return float(max(cells(board)) < WON <= max(cells(after)))
    if form not in REWARD_FORMS:
        raise ValueError(f"no reward form {form!r}: choose one of {', '.join(REWARD_FORMS)}")
    lines = transpose(board) if action < 2 else board
    logs = tables().logs
    total = float(sum(logs[lines >> shift & _ROW] for shift in (0, 16, 32, 48)))
    if form.startswith("progressive"):
        total += sum(PROGRESSIVE.get(k, 0.0) for k in cells(after))
    return total - PENALTY if form == "progressive_penalty" else total


def planes(exponents: np.ndarray, depth: int = 12) -> np.ndarray:
    """The binary tensor (..., depth, 4, 4) of exponents (..., 4, 4): plane k marks the tiles 2**k.

    Plane 0 marks the empty cells; tiles above the last plane are shown there.
    """
    array = np.asarray(exponents)
    if array.shape[-2:] != (4, 4):
        raise ValueError(f"boards of 4x4 exponents expected, not shape {array.shape}")
    clipped = np.minimum(array, depth - 1)
    marks = clipped[..., None, :, :] == np.arange(depth)[:, None, None]
    return marks.astype(np.float32)
