"""Peg solitaire on many boards at once: the rules of `solitaire.py` on arrays of positions.

A batch is an array of 64-bit integers, one position each. Compiled with numba; the plain rules
remain the definition, and the tests prove the two equal.
"""

import numpy as np
from numba import njit

from lib.games.solitaire import AFTER, BEFORE, FLIPS, FULL, HOLE_AT, HOLES, JUMPS, TO_REMOVE, Jump

_FLIPS = np.array(FLIPS, dtype=np.int64)
_BEFORE = np.array(BEFORE, dtype=np.int64)
_AFTER = np.array(AFTER, dtype=np.int64)
_CELLS = np.array([7 * r + c for r, c in HOLES])


def _hole_images() -> np.ndarray:
    """Row s says where symmetry s takes each hole: s = 4 * mirrored + quarter turns."""
    images = np.empty((8, 33), dtype=np.int64)
    for hole, (r, c) in enumerate(HOLES):
        for symmetry in range(8):
            y, x = (r, 6 - c) if symmetry >= 4 else (r, c)
            for _ in range(symmetry % 4):
                y, x = x, 6 - y
            images[symmetry, hole] = HOLE_AT[y, x]
    return images


HOLE_IMAGES = _hole_images()
JUMP_IMAGES = np.array(
    [[JUMPS.index(Jump(*image[list(jump)].tolist())) for jump in JUMPS] for image in HOLE_IMAGES]
)


def _image_tables() -> np.ndarray:
    """Images of 11 holes at a time: tables[s, part, bits] is where symmetry s takes those bits."""
    bits = np.arange(2048)[:, None] >> np.arange(11) & 1
    parts = HOLE_IMAGES.reshape(8, 3, 1, 11)
    return np.asarray((bits << parts).sum(axis=3), dtype=np.int64)


IMAGE_TABLES = _image_tables()


@njit(cache=True)
def image(tables: np.ndarray, symmetry: int, position: int) -> int:
    """The position turned or mirrored; `tables` are this module's own (compiled callers)."""
    return (
        tables[symmetry, 0, position & 2047]
        | tables[symmetry, 1, position >> 11 & 2047]
        | tables[symmetry, 2, position >> 22]
    )


@njit(cache=True)
def smallest_image(tables: np.ndarray, position: int) -> tuple[int, int]:
    """The smallest of the eight images, and the symmetry that gives it."""
    best, which = position, 0
    for symmetry in range(1, 8):
        other = image(tables, symmetry, position)
        if other < best:
            best, which = other, symmetry
    return best, which


def symmetric(positions: np.ndarray, symmetry: int) -> np.ndarray:
    """The positions under one of the eight symmetries."""
    tables = IMAGE_TABLES[symmetry]
    low, middle, high = positions & 2047, positions >> 11 & 2047, positions >> 22
    return tables[0, low] | tables[1, middle] | tables[2, high]


@njit(cache=True)
def _canonical(tables: np.ndarray, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    images, symmetries = np.empty_like(positions), np.empty_like(positions)
    for i in range(len(positions)):
        images[i], symmetries[i] = smallest_image(tables, positions[i])
    return images, symmetries


def canonical(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One image for all eight that look alike, and the symmetry that leads from each to it.

    A jump `a` of a position is `JUMP_IMAGES[symmetry, a]` of its canonical image.
    """
    return _canonical(IMAGE_TABLES, _checked(positions))


def canonical_position(position: int) -> int:
    """The same for one position."""
    return int(smallest_image(IMAGE_TABLES, position)[0])


@njit(cache=True)
def _mask(flips: np.ndarray, wanted: np.ndarray, positions: np.ndarray) -> np.ndarray:
    possible = np.empty((len(positions), len(flips)), dtype=np.bool_)
    for i in range(len(positions)):
        for a in range(len(flips)):
            possible[i, a] = positions[i] & flips[a] == wanted[a]
    return possible


def legal(positions: np.ndarray) -> np.ndarray:
    """n×76 booleans: which jumps can be made."""
    return _mask(_FLIPS, _BEFORE, _checked(positions))


def unjumps(positions: np.ndarray) -> np.ndarray:
    """n×76 booleans: which jumps can have come last."""
    return _mask(_FLIPS, _AFTER, _checked(positions))


def play(positions: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """The positions after one jump each; ValueError at the first illegal one."""
    positions, actions = _checked(positions), np.asarray(actions)
    if actions.shape != positions.shape:
        raise ValueError(f"{len(positions)} actions expected, not an array of {actions.shape}")
    known = (actions >= 0) & (actions < 76)
    flips = _FLIPS[np.where(known, actions, 0)]
    wrong = ~known | (positions & flips != _BEFORE[np.where(known, actions, 0)])
    if wrong.any():
        i = int(wrong.argmax())
        raise ValueError(
            f"action {actions[i]} is illegal on board {i}, position {positions[i]}: "
            "choose one where `legal` is true"
        )
    return positions ^ flips


def count_pegs(positions: np.ndarray) -> np.ndarray:
    """Pegs on each board, as int64 (numpy's own count is uint8, and a minus would wrap)."""
    return np.bitwise_count(positions).astype(np.int64)


def observe(positions: np.ndarray) -> np.ndarray:
    """n×7×7×3 planes, as `Solitaire.observe`."""
    positions = _checked(positions)
    planes = np.zeros((len(positions), 49, 3), dtype=np.float32)
    planes[:, _CELLS, 0] = positions[:, None] >> np.arange(33) & 1
    pegs = count_pegs(positions)[:, None]
    planes[:, :, 1] = (TO_REMOVE + 1 - pegs) / TO_REMOVE
    planes[:, :, 2] = (pegs - 1) / TO_REMOVE
    return planes.reshape(-1, 7, 7, 3)


@njit(cache=True)
def _random_walk(
    flips: np.ndarray, wanted: np.ndarray, positions: np.ndarray, dice: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    after, chosen = positions.copy(), np.full(len(positions), -1, dtype=np.int64)
    options = np.empty(len(flips), dtype=np.int64)
    for i in range(len(positions)):
        count = 0
        for a in range(len(flips)):
            options[count] = a
            count += positions[i] & flips[a] == wanted[a]
        if count:
            chosen[i] = options[int(dice[i] * count)]
            after[i] ^= flips[chosen[i]]
    return after, chosen


def random_jump(positions: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """One uniformly random legal jump each: positions after, and the jumps (-1: none is left)."""
    positions = _checked(positions)
    return _random_walk(_FLIPS, _BEFORE, positions, rng.random(len(positions)))


def random_unjump(positions: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """One uniformly random un-jump each: positions before, and the jumps (-1: none)."""
    positions = _checked(positions)
    return _random_walk(_FLIPS, _AFTER, positions, rng.random(len(positions)))


def _checked(positions: np.ndarray) -> np.ndarray:
    positions = np.asarray(positions)
    if positions.ndim != 1 or positions.dtype.kind not in "iu":
        raise ValueError(
            f"a batch is one row of whole numbers, not {positions.dtype} of shape {positions.shape}"
        )
    positions = positions.astype(np.int64, copy=False)
    if len(positions) and not (positions.min() >= 0 and positions.max() <= FULL):
        raise ValueError(f"a position has 33 holes: numbers from 0 to {FULL} only")
    return positions
