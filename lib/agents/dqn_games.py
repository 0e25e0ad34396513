"""Whole games of 2048, many at once, and what they gave: scores, tiles, moves, places of tiles."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lib.games.batch2048 import Batch2048, afterstates, exponents
from lib.games.game2048 import Game2048

Chooser = Callable[[np.ndarray], np.ndarray]  # boards (n,) -> legal actions (n,)


@dataclass(frozen=True)
class Games:
    """Finished games, one entry for each."""

    scores: np.ndarray
    boards: np.ndarray  # at the end
    moves: np.ndarray  # (n, 4): how often each direction was taken

    @property
    def mean(self) -> float:
        """The mean score."""
        return float(self.scores.mean())

    @property
    def error(self) -> float:
        """The standard error of the mean score."""
        return float(self.scores.std(ddof=1) / np.sqrt(len(self.scores)))

    def tops(self) -> np.ndarray:
        """The largest tile of each game."""
        return 1 << exponents(self.boards).max(axis=1).astype(np.int64)

    def reached(self, tile: int = 2048) -> float:
        """The share of games that made `tile` or a larger one."""
        return float((self.tops() >= tile).mean())

    def heat(self) -> np.ndarray:
        """The mean tile on each cell of the last board, (4, 4)."""
        cells = exponents(self.boards).astype(np.int64)
        return np.where(cells > 0, 1 << cells, 0).mean(axis=0).reshape(4, 4)


def play_games(choose: Chooser, games: int, seed: int = 0, rules: Game2048 | None = None) -> Games:
    """Play `games` games to their end with the actions that `choose(boards)` returns."""
    rules = rules or Game2048()
    batch = Batch2048(games, np.random.default_rng(seed), p_two=rules.p_two)
    scores, boards = np.zeros(games, np.int64), np.zeros(games, np.uint64)
    moves = np.zeros((games, 4), np.int64)
    alive = np.arange(games)
    while len(alive):
        actions = choose(batch.boards)
        moves[alive, actions] += 1
        batch.step(actions)
        over = np.logical_not(batch.legal().any(axis=1))
        if rules.goal is not None:
            over |= 1 << exponents(batch.boards).max(axis=1).astype(np.int64) >= rules.goal
        scores[alive], boards[alive] = batch.scores, batch.boards
        alive = alive[~over]
        batch.boards, batch.scores = batch.boards[~over], batch.scores[~over]
        batch.dice = batch.dice[~over]
    return Games(scores, boards, moves)


def at_random(seed: int = 0) -> Chooser:
    """A chooser that takes any legal action, each as likely as the next."""
    rng = np.random.default_rng(seed)

    def choose(boards: np.ndarray) -> np.ndarray:
        legal = afterstates(boards)[2]
        return np.argmax(np.where(legal, rng.random(legal.shape), -1.0), axis=1)

    return choose


def preferring(order: tuple[int, int, int, int]) -> Chooser:
    """A chooser that takes the first legal action of `order`: (1, 2, 3, 0) is down, left, ..."""
    if sorted(order) != [0, 1, 2, 3]:
        raise ValueError(f"an order names each of the actions 0 to 3 once, not {order}")

    def choose(boards: np.ndarray) -> np.ndarray:
        legal = afterstates(boards)[2][:, list(order)]
        return np.array(order)[np.argmax(legal, axis=1)]

    return choose
