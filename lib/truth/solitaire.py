"""The truth about peg solitaire: which positions can be solved, and by which jumps.

    solution(position)              jumps that solve it, or None; milliseconds, without a table
    winning_jumps(position)         all jumps after which it can still be solved
    winning_set()                   every position of the usual game that can still be solved
    random_solvable(16, 100, rng)   100 of those with 16 pegs, uniform up to symmetry

The table stands on one observation. Swap pegs and holes, and a game runs backwards: the solved
board becomes the start, and a jump an un-jump. So the positions with n pegs that can be solved are
the complements of those with 33 - n pegs that the start can reach. Search forward from 32 pegs to
16: where the two halves meet is the middle of the table, un-jumps lead from there up to 32 pegs,
and complements give the rest.
"""

import functools
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numba import njit

from lib.files import cache_folder, write_whole
from lib.games import batch_solitaire as batch
from lib.games.batch_solitaire import IMAGE_TABLES, smallest_image
from lib.games.solitaire import AFTER, BEFORE, FLIPS, FULL, START, flip, jumps
from lib.truth.solitaire_search import doubled, slot, solution, solvable_each

__all__ = [
    "WinningSet",
    "random_solvable",
    "solution",
    "solvable",
    "winning_jumps",
    "winning_set",
]

WINNING = 1_679_072  # positions up to symmetry that are reachable and solvable
REACHABLE = 23_475_688  # positions up to symmetry that the start can reach

_FLIPS = np.array(FLIPS, dtype=np.int64)
_BEFORE = np.array(BEFORE, dtype=np.int64)
_AFTER = np.array(AFTER, dtype=np.int64)


@njit(cache=True)
def _neighbours(
    flips: np.ndarray, wanted: np.ndarray, tables: np.ndarray, level: np.ndarray
) -> np.ndarray:
    """Canonical images of all that one jump (or un-jump) makes of `level`, each once."""
    found, count = np.zeros(4096, dtype=np.int64), 0
    for position in level:
        for a in range(len(flips)):
            if position & flips[a] == wanted[a]:
                key = smallest_image(tables, position ^ flips[a])[0]
                i = slot(found, key)
                if found[i] == 0:
                    found[i], count = key, count + 1
                    found = doubled(found) if 2 * count > len(found) else found
    return found[found != 0]


def after_jumps(level: np.ndarray) -> np.ndarray:
    """All positions one jump after those of `level`, canonical and sorted."""
    return np.sort(_neighbours(_FLIPS, _BEFORE, IMAGE_TABLES, level))


def before_jumps(level: np.ndarray) -> np.ndarray:
    """All positions one jump before those of `level`, canonical and sorted."""
    return np.sort(_neighbours(_FLIPS, _AFTER, IMAGE_TABLES, level))


def complements(level: np.ndarray) -> np.ndarray:
    """Pegs and holes swapped, canonical and sorted."""
    return np.sort(batch.canonical(FULL ^ level)[0])


class WinningSet:
    """Positions that the usual start can reach and that can still be solved, by number of pegs.

    `position in winning` asks, `levels[16]` are all with 16 pegs: canonical and sorted.
    One peg in the centre and one peg anywhere have the same set, but for the last peg itself.
    """

    def __init__(self, levels: dict[int, np.ndarray]) -> None:
        self.levels = levels

    def __len__(self) -> int:
        return sum(len(level) for level in self.levels.values())

    def __contains__(self, position: int) -> bool:
        return bool(self.contains(np.array([position]))[0])

    def contains(self, positions: np.ndarray) -> np.ndarray:
        """The same for many positions at once."""
        images, pegs = batch.canonical(positions)[0], batch.count_pegs(positions)
        found = np.zeros(len(images), dtype=bool)
        for count in np.unique(pegs).tolist():
            level, here = self.levels.get(count, np.zeros(0, dtype=np.int64)), pegs == count
            if len(level):
                index = np.searchsorted(level, images[here]).clip(max=len(level) - 1)
                found[here] = level[index] == images[here]
        return found

    def draw(self, pegs: int, count: int, rng: np.random.Generator) -> np.ndarray:
        """`count` positions with `pegs` pegs, uniform up to symmetry, each turned at random."""
        if pegs not in self.levels:
            raise ValueError(f"there is no solvable position with {pegs!r} pegs: choose 1 to 32")
        chosen = rng.choice(self.levels[pegs], count)
        turned = np.stack([batch.symmetric(chosen, symmetry) for symmetry in range(8)])
        return np.asarray(turned[rng.integers(0, 8, count), np.arange(count)])


def build_winning_set(report: Callable[[int, int], None] | None = None) -> WinningSet:
    """Search the game: about 15 s of one core, 0.4 GB; `report(done, 16)` after each level."""
    forward = {32: batch.canonical(np.array([START]))[0]}
    for pegs in range(31, 15, -1):
        forward[pegs] = after_jumps(forward[pegs + 1])
        if report:
            report(32 - pegs, 16)
    last = complements(forward[16])
    levels = {17: np.intersect1d(forward[17], last, assume_unique=True)}
    for pegs in range(18, 33):
        near = before_jumps(levels[pegs - 1])
        levels[pegs] = np.intersect1d(forward[pegs], near, assume_unique=True)
    for pegs in range(1, 17):
        levels[pegs] = complements(levels[33 - pegs])
    return WinningSet(dict(sorted(levels.items())))


def save_winning_set(path: str | Path, winning: WinningSet) -> Path:
    """Write the levels as compressed differences of neighbours."""
    steps = {str(n): np.diff(level, prepend=0) for n, level in winning.levels.items()}
    return write_whole(path, lambda file: np.savez_compressed(file, **steps))  # type: ignore[arg-type]


def load_winning_set(path: str | Path) -> WinningSet:
    """Read what `save_winning_set` wrote; ValueError if it is not the whole set."""
    with np.load(path, allow_pickle=False) as steps:
        levels = {int(name): np.cumsum(steps[name]) for name in steps.files}
    winning = WinningSet(levels)
    if len(winning) != WINNING:
        raise ValueError(f"{path} has {len(winning)} positions instead of {WINNING}: delete it")
    return winning


@functools.cache
def winning_set() -> WinningSet:
    """The complete set: built on first use, then kept in the cache folder."""
    path = cache_folder() / "solitaire-winning-1.npz"
    try:
        return load_winning_set(path)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        winning = build_winning_set()
    save_winning_set(path, winning)
    return winning


def random_solvable(pegs: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """`count` solvable positions with `pegs` pegs, uniform over those reachable, up to symmetry."""
    return winning_set().draw(pegs, count, rng)


def winning_jumps(position: int, *, centre: bool = True) -> list[int]:
    """The jumps after which `position` can still be solved; [] if it is lost or over."""
    images = {a: batch.canonical_position(flip(position, a)) for a in jumps(position)}
    different = list(dict.fromkeys(images.values()))
    good = dict(zip(different, solvable_each(different, centre=centre), strict=True))
    return [a for a, image in images.items() if good[image]]


def solvable(position: int, *, centre: bool = True) -> bool:
    """Can one peg be left, in the centre or (`centre=False`) anywhere?"""
    return solution(position, centre=centre) is not None
