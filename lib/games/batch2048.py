"""2048 on many boards at once: the rules of `game2048`, compiled, on arrays of uint64.

Each game has dice of its own, one uint64 that is stepped as in SplitMix64 (Steele, Lea and Flood
2014), so what happens in one game does not depend on which others are played beside it.
"""

import functools

import numpy as np
from numba import njit

from lib.games import board2048

_ROW = np.uint64(0xFFFF)
_ONES = np.uint64(0x1111111111111111)
_U1, _U2, _U4, _U8 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(8)
_U12, _U16, _U24, _U32 = np.uint64(12), np.uint64(16), np.uint64(24), np.uint64(32)
_U48 = np.uint64(48)
_LOW = np.uint64(0xFFFFFFFF)


@functools.cache
def row_tables() -> tuple[np.ndarray, np.ndarray]:
    """Rows after a move to the left [0] or right [1], and what the move earns."""
    table = board2048.tables()
    after = np.array([table.left, table.right], dtype=np.uint16)
    return after, np.array(table.gain, dtype=np.int32)


@njit(cache=True)
def transpose(board):  # type: ignore[no-untyped-def]
    """The board with rows and columns exchanged."""
    board = (
        (board & np.uint64(0xF0F00F0FF0F00F0F))
        | ((board & np.uint64(0x0000F0F00000F0F0)) << _U12)
        | ((board & np.uint64(0x0F0F00000F0F0000)) >> _U12)
    )
    return (
        (board & np.uint64(0xFF00FF0000FF00FF))
        | ((board & np.uint64(0x00000000FF00FF00)) << _U24)
        | ((board & np.uint64(0x00FF00FF00000000)) >> _U24)
    )


@njit(cache=True)
def slide(board, to, gain):  # type: ignore[no-untyped-def]
    """All four rows through the table `to`, and the score earned."""
    a, b = board & _ROW, (board >> _U16) & _ROW
    c, d = (board >> _U32) & _ROW, board >> _U48
    moved = (
        np.uint64(to[a])
        | (np.uint64(to[b]) << _U16)
        | (np.uint64(to[c]) << _U32)
        | (np.uint64(to[d]) << _U48)
    )
    return moved, gain[a] + gain[b] + gain[c] + gain[d]


@njit(cache=True)
def move(board, action, after, gain):  # type: ignore[no-untyped-def]
    """The board after an action and the score it earns; the same board if it is invalid."""
    if action < 2:
        moved, earned = slide(transpose(board), after[action], gain)
        return transpose(moved), earned
    return slide(board, after[action - 2], gain)


@njit(cache=True)
def roll(dice, i):  # type: ignore[no-untyped-def]
    """64 random bits from the dice of game i."""
    dice[i] += np.uint64(0x9E3779B97F4A7C15)
    z = dice[i]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True)
def count_bits(x):  # type: ignore[no-untyped-def]
    """How many cells a mask with one bit a cell marks."""
    if x == _ONES:  # 16 does not fit in the topmost four bits of the product
        return _U16
    return (x * _ONES) >> np.uint64(60)


@njit(cache=True)
def with_tile(board, bits, p_two):  # type: ignore[no-untyped-def]
    """The board with one tile more: 32 of the random bits choose the cell, 32 the tile."""
    free = board | (board >> _U1)
    free = ~(free | (free >> _U2)) & _ONES
    cell = ((bits >> _U32) * count_bits(free)) >> _U32
    while cell > 0:
        free &= free - _U1
        cell -= _U1
    lowest = free & (~free + _U1)
    if np.float64(bits & _LOW) < p_two * 4294967296.0:
        return board | lowest
    return board | (lowest << _U1)


@njit(cache=True)
def _reset(boards, scores, dice, i, p_two):  # type: ignore[no-untyped-def]
    boards[i] = with_tile(with_tile(np.uint64(0), roll(dice, i), p_two), roll(dice, i), p_two)
    scores[i] = 0


@njit(cache=True)
def _afterstates(boards, after, gain, boards4, gains4, legal4):  # type: ignore[no-untyped-def]
    for i in range(len(boards)):
        for action in range(4):
            board, earned = move(boards[i], action, after, gain)
            boards4[i, action] = board
            gains4[i, action] = earned
            legal4[i, action] = board != boards[i]


@njit(cache=True)
def _step(boards, scores, dice, actions, after, gain, p_two, earned):  # type: ignore[no-untyped-def]
    for i in range(len(boards)):
        board, reward = move(boards[i], actions[i], after, gain)
        boards[i] = with_tile(board, roll(dice, i), p_two)
        scores[i] += reward
        earned[i] = reward


@njit(cache=True)
def _play_random(boards, scores, dice, steps, after, gain, p_two):  # type: ignore[no-untyped-def]
    """`steps` uniformly random legal moves in every game; how many games came to their end."""
    ended = 0
    for i in range(len(boards)):
        done = 0
        while done < steps:
            board, bits, left = boards[i], roll(dice, i), 4
            order = np.uint64(0x3210)  # the actions not yet tried, one a nibble
            while left > 0:
                spot = (((bits & _LOW) * np.uint64(left)) >> _U32) << _U2
                action = np.int64((order >> spot) & np.uint64(15))
                moved, reward = move(board, action, after, gain)
                if moved != board:
                    break
                low = order & ((_U1 << spot) - _U1)
                order = low | ((order >> (spot + _U4)) << spot)
                bits = roll(dice, i)
                left -= 1
            if left == 0:
                ended += 1
                _reset(boards, scores, dice, i, p_two)
                continue
            boards[i] = with_tile(moved, roll(dice, i), p_two)
            scores[i] += reward
            done += 1
    return ended


@njit(cache=True)
def _reset_where(boards, scores, dice, where, p_two):  # type: ignore[no-untyped-def]
    for i in range(len(boards)):
        if where[i]:
            _reset(boards, scores, dice, i, p_two)


@njit(cache=True)
def turned(board, k):  # type: ignore[no-untyped-def]
    """One of the 8 symmetric images: bit 0 transposes, bit 1 turns upside down, bit 2 mirrors."""
    if k & 1:
        board = transpose(board)
    if k & 2:
        inner = ((board & (_ROW << _U16)) << _U16) | ((board & (_ROW << _U32)) >> _U16)
        board = (board << _U48) | inner | (board >> _U48)
    if k & 4:
        board = ((board & np.uint64(0x00FF00FF00FF00FF)) << _U8) | (
            (board >> _U8) & np.uint64(0x00FF00FF00FF00FF)
        )
        board = ((board & np.uint64(0x0F0F0F0F0F0F0F0F)) << _U4) | (
            (board >> _U4) & np.uint64(0x0F0F0F0F0F0F0F0F)
        )
    return board


@njit(cache=True)
def _symmetric(boards, which, out):  # type: ignore[no-untyped-def]
    for i in range(len(boards)):
        out[i] = turned(boards[i], which[i])


@njit(cache=True)
def _cells(boards, out):  # type: ignore[no-untyped-def]
    for i in range(len(boards)):
        for cell in range(16):
            out[i, cell] = (boards[i] >> np.uint64(4 * cell)) & np.uint64(15)


def as_boards(boards: np.ndarray) -> np.ndarray:
    """A one-dimensional array of uint64, or ValueError."""
    array = np.ascontiguousarray(boards)
    if array.ndim != 1 or array.dtype != np.uint64:
        raise ValueError(
            f"boards are a 1-d array of uint64, not {array.ndim}-d of {array.dtype}: "
            "use np.array([...], dtype=np.uint64)"
        )
    return array


def afterstates(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Boards after each of the 4 actions, scores earned, which are legal: each of shape (n, 4)."""
    boards = as_boards(boards)
    shape = (len(boards), 4)
    after, gains = np.empty(shape, np.uint64), np.empty(shape, np.int32)
    legal = np.empty(shape, np.bool_)
    _afterstates(boards, *row_tables(), after, gains, legal)
    return after, gains, legal


def symmetric(boards: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Each board's symmetric image number `which`, 0 (itself) to 7."""
    boards = as_boards(boards)
    out = np.empty_like(boards)
    _symmetric(boards, np.ascontiguousarray(which, dtype=np.int64), out)
    return out


def exponents(boards: np.ndarray) -> np.ndarray:
    """The cells of each board, row by row, as an array (n, 16) of uint8."""
    boards = as_boards(boards)
    out = np.empty((len(boards), 16), np.uint8)
    _cells(boards, out)
    return out


class Batch2048:
    """Many games at once; a game that is over stays until `reset` starts it anew."""

    def __init__(self, n: int, rng: np.random.Generator, *, p_two: float = 0.9) -> None:
        if n < 1:
            raise ValueError(f"{n} games: at least one is needed")
        self.p_two = p_two
        self.boards = np.zeros(n, np.uint64)
        self.scores = np.zeros(n, np.int64)
        self.dice = rng.integers(0, 2**64, n, dtype=np.uint64)
        self.reset(np.ones(n, np.bool_))

    def reset(self, where: np.ndarray) -> None:
        """Start the games marked in `where` anew."""
        _reset_where(self.boards, self.scores, self.dice, where, self.p_two)

    def legal(self) -> np.ndarray:
        """Which of the 4 actions are legal in each game, as booleans (n, 4)."""
        return afterstates(self.boards)[2]

    def step(self, actions: np.ndarray) -> np.ndarray:
        """Play one action in every game and let the tiles appear; the scores earned."""
        actions = np.ascontiguousarray(actions, dtype=np.int64)
        if actions.shape != self.boards.shape:
            raise ValueError(f"{len(self.boards)} actions expected, not shape {actions.shape}")
        moved = afterstates(self.boards)[2]
        known = (actions >= 0) & (actions < 4)
        bad = np.flatnonzero(~known | ~moved[np.arange(len(actions)), actions % 4])
        if len(bad):
            raise ValueError(f"action {actions[bad[0]]} is illegal in game {bad[0]} of the batch")
        earned = np.empty(len(actions), np.int32)
        _step(self.boards, self.scores, self.dice, actions, *row_tables(), self.p_two, earned)
        return earned

    def play_random(self, steps: int) -> int:
        """`steps` random legal moves in every game, new ones for those that end; how many ended."""
        if steps < 0:
            raise ValueError(f"{steps} steps: a negative count")
        after, gain = row_tables()
        return _play_random(self.boards, self.scores, self.dice, steps, after, gain, self.p_two)
