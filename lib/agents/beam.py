"""Beam search on peg solitaire: of all positions that are so many jumps away, keep the best few.

All positions of a level have the same number of pegs, so nothing is met twice on the way down, and
the deepest level that is reached is the best end that was found. A network's value says which
positions to keep; positions that are images of each other count once.
"""

from typing import Any, NamedTuple

import numpy as np

from lib.agents.solitaire_networks import judge
from lib.games import batch_solitaire as batch
from lib.games.solitaire import SOLVED


class Level(NamedTuple):
    """Positions, and how each was reached: from which one of the level before, by which jump."""

    boards: np.ndarray
    parents: np.ndarray
    jumps: np.ndarray

    def pick(self, chosen: np.ndarray) -> "Level":
        """Those of the given numbers, in that order."""
        return Level(self.boards[chosen], self.parents[chosen], self.jumps[chosen])


def expand(boards: np.ndarray) -> Level:
    """All positions one jump further, each once up to symmetry."""
    parents, jumps = np.nonzero(batch.legal(boards))
    after = batch.play(boards[parents], jumps)
    _, first = np.unique(batch.canonical(after)[0], return_index=True)
    return Level(after, parents, jumps).pick(first)


def worth(network: Any, boards: np.ndarray) -> np.ndarray:
    """The network's value of each position; what is over counts as what it is."""
    values = judge(network, boards)[1]
    stuck = ~batch.legal(boards).any(axis=1)
    ends = np.where(boards == SOLVED, 2.0, np.where(batch.count_pegs(boards) == 1, 1.0, -np.inf))
    return np.where(stuck, ends, values)


def beam_search(network: Any, position: int, width: int = 64) -> list[int]:
    """The jumps of the best line found; the last peg in the centre is best of all."""
    if width < 1:
        raise ValueError(f"width={width}: a beam keeps one position or more")
    nothing = np.zeros(1, dtype=np.int64)
    levels = [Level(np.array([position]), nothing, nothing)]
    while len((found := expand(levels[-1].boards)).boards):
        best = np.argsort(-worth(network, found.boards), kind="stable")
        levels.append(found.pick(best[:width]))
    return _line(levels)


def _line(levels: list[Level]) -> list[int]:
    """The jumps from the first level to the best position of the last."""
    at, jumps = 0, []
    for level in reversed(levels[1:]):
        jumps.append(int(level.jumps[at]))
        at = int(level.parents[at])
    return jumps[::-1]
