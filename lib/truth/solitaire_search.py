"""A solver for any one solitaire position, in milliseconds and without a table.

Depth first, each position visited once up to symmetry, and cut short by *pagoda functions*
(Conway, Winning Ways, chapter 23): weights on the holes such that no jump raises the sum over all
pegs. A position whose sum is below the weight of the last hole can't be solved any more.
"""

import functools

import numpy as np
from numba import njit

from lib.games import batch_solitaire as batch
from lib.games.batch_solitaire import IMAGE_TABLES, smallest_image
from lib.games.solitaire import BEFORE, CENTRE, FLIPS, FULL, HOLES, JUMPS

_FLIPS = np.array(FLIPS, dtype=np.int64)
_BEFORE = np.array(BEFORE, dtype=np.int64)

# Found by linear programming on lost positions: of many, three that refute most, row by row.
PAGODAS = tuple(
    tuple(int(weight) for weight in rows.replace("/", " ").split())
    for rows in (
        "-4 0 -4 / 4 3 4 / -3 3 0 3 0 3 -3 / 2 2 4 6 4 2 2 / -1 1 0 1 0 1 -1 / 4 5 4 / -4 0 -4",
        "-1 0 -1 / 1 0 1 / 0 0 0 0 0 0 0 / 0 1 1 0 1 0 1 / 0 0 0 0 0 0 0 / 1 0 1 / -1 0 -1",
        "-1 0 -1 / 1 2 1 / 0 0 0 0 0 0 0 / 0 1 1 2 1 1 0 / 0 0 0 0 0 0 0 / 1 2 1 / -1 0 -1",
    )
)
# Jumps of outer pegs first, towards the middle: a stray peg far outside is what spoils a game.
_DISTANCE = [(r - 3) ** 2 + (c - 3) ** 2 for r, c in HOLES]
_ORDER = np.array(
    sorted(range(76), key=lambda a: (-_DISTANCE[JUMPS[a].source], _DISTANCE[JUMPS[a].target]))
)
_SIGNS = np.array([0x8080808080808080], dtype=np.uint64).view(np.int64)[0]


def same_class(position: int) -> int:
    """The holes (as bits) where a last peg can stand, by Reiss's parities.

    Colour the diagonals with three colours in turn: a jump changes the number of pegs of each
    colour by one, so what agrees in parity, agrees for ever. Both directions of diagonals count.
    """
    here = _parities(position)
    return sum(1 << hole for hole in range(33) if _parities(1 << hole) == here)


_COLOURS = [  # the holes of one colour, as bits: rising diagonals, then falling ones
    [sum(1 << h for h, (r, c) in enumerate(HOLES) if (r + sign * c) % 3 == k) for k in range(3)]
    for sign in (1, -1)
]


def _parities(position: int) -> tuple[bool, ...]:
    """Which neighbouring colours have both an even, or both an odd, number of pegs."""
    counts = [[(position & colour).bit_count() & 1 for colour in three] for three in _COLOURS]
    return tuple(odd[i] == odd[i + 1] for odd in counts for i in (0, 1))


@functools.cache
def _pagoda_tables(goals: int) -> tuple[np.ndarray, np.ndarray]:
    """Sums of 11 holes at a time, eight symmetries packed as eight bytes of one integer.

    The three sums and `margin` together have the highest bit of a byte set just if that
    symmetry's sum reaches the lowest weight of a goal; weights are small, so no byte overflows.
    """
    sums = np.zeros((len(PAGODAS), 3, 2048), dtype=np.uint64)
    margin = np.zeros(len(PAGODAS), dtype=np.uint64)
    bits = np.arange(2048)[:, None] >> np.arange(11) & 1
    for i, weights in enumerate(PAGODAS):
        for symmetry in range(8):
            turned = np.array(weights)[batch.HOLE_IMAGES[symmetry]]
            lowest = min(turned[hole] for hole in range(33) if goals >> hole & 1)
            shift = np.uint64(8 * symmetry)
            for part, piece in enumerate(turned.reshape(3, 11)):
                sums[i, part] += (bits * piece).sum(axis=1).astype(np.uint64) << shift
            margin[i] += np.uint64(128 - lowest) << shift
    return sums.view(np.int64), margin.view(np.int64)


@njit(cache=True)
def slot(table: np.ndarray, key: int) -> int:
    """Where `key` is, or belongs, in an open hash table of 2**k places; 0 marks a free one."""
    mask = len(table) - 1
    i = (key * -7046029254386353131) >> 20 & mask
    while table[i] != 0 and table[i] != key:
        i = (i + 1) & mask
    return i


@njit(cache=True)
def doubled(table: np.ndarray) -> np.ndarray:
    """The same keys in a table of twice the length."""
    bigger = np.zeros(2 * len(table), dtype=np.int64)
    for key in table:
        if key != 0:
            bigger[slot(bigger, key)] = key
    return bigger


@njit(cache=True)
def _hopeless(sums: np.ndarray, margin: np.ndarray, signs: int, position: int) -> bool:
    for i in range(len(margin)):
        total = sums[i, 0, position & 2047] + sums[i, 1, position >> 11 & 2047]
        total += sums[i, 2, position >> 22] + margin[i]
        if total & signs != signs:
            return True
    return False


@njit(cache=True)
def _search(
    rules: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    pagoda: tuple[np.ndarray, np.ndarray],
    signs: int,
    position: int,
    goals: int,
    path: np.ndarray,
    lost: np.ndarray,
) -> tuple[int, np.ndarray]:
    """The number of jumps to a goal, written to `path`, or -1; and all positions looked at.

    Positions in the hash table `lost` are known to be without hope. If there is no way, all that
    were looked at are.
    """
    flips, before, order, tables = rules
    seen, count = lost.copy(), np.count_nonzero(lost)
    stack, tried = np.zeros(34, dtype=np.int64), np.zeros(34, dtype=np.int64)
    stack[0], depth = position, 0
    while depth >= 0:
        here, k = stack[depth], tried[depth]
        if here & (here - 1) == 0 and here & goals:
            return depth, seen
        while k < 76 and here & flips[order[k]] != before[order[k]]:
            k += 1
        tried[depth] = k + 1
        if k >= 76:
            depth -= 1
            continue
        path[depth] = order[k]
        after = here ^ flips[order[k]]
        if _hopeless(pagoda[0], pagoda[1], signs, after):
            continue
        key = smallest_image(tables, after)[0]
        i = slot(seen, key)
        if seen[i] == 0:
            seen[i], count = key, count + 1
            seen = doubled(seen) if 2 * count > len(seen) else seen
            depth += 1
            stack[depth], tried[depth] = after, 0
    return -1, seen


def solution(position: int, *, centre: bool = True) -> list[int] | None:
    """Jumps that leave one peg, in the centre or (`centre=False`) anywhere; None if none do.

    solution(START) is one of the 40,861,647,040,079,968 ways to solve the usual game.
    """
    return _line(position, _goals(position, centre), _nothing())[0]


def solvable_each(positions: list[int], *, centre: bool = True) -> list[bool]:
    """Which positions can be solved; those of one class share what was found to be lost."""
    lost: dict[int, np.ndarray] = {}
    answers = []
    for position in positions:
        goals = _goals(position, centre)
        line, seen = _line(position, goals, lost.setdefault(goals, _nothing()))
        answers.append(line is not None)
        if line is None:
            lost[goals] = seen
    return answers


def _nothing() -> np.ndarray:
    return np.zeros(4096, dtype=np.int64)


def _goals(position: int, centre: bool) -> int:
    """The holes (as bits) where the last peg may stand."""
    if not 0 < position <= FULL:
        raise ValueError(f"position {position} is impossible: it needs pegs in the 33 holes")
    return same_class(position) & (1 << CENTRE if centre else FULL)


def _line(position: int, goals: int, lost: np.ndarray) -> tuple[list[int] | None, np.ndarray]:
    """Jumps to a goal, or None; and the lost positions, with those found on the way."""
    if not goals or _hopeless(*_pagoda_tables(goals), _SIGNS, position):
        return None, lost
    path = np.zeros(34, dtype=np.int64)
    rules = (_FLIPS, _BEFORE, _ORDER, IMAGE_TABLES)
    length, seen = _search(rules, _pagoda_tables(goals), _SIGNS, position, goals, path, lost)
    return None if length < 0 else path[:length].tolist(), seen
