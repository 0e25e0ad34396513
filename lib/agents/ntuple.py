"""An n-tuple network on 2048, learned by TD(0) on afterstates with temporal coherence.

The value of a board is a sum of table entries: each tuple looks at five cells and has one entry
for each of their 16**5 contents, and looks at all 8 symmetric images of the board.

    play   the move with the largest reward + V(board after it)
    delta  reward of the next move + V(board after that) - V(board after this), 0 at the end
    learn  every entry behind V(board after this) moves by a share of delta

Temporal coherence (Beal and Smith 1999; on 2048 Jaskowski 2018) gives every entry a step size of
its own, |sum of its deltas| / sum of |its deltas|: 1 while they agree, small once they are noise.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import njit

from lib.agents.progress import Progress
from lib.files import write_whole
from lib.games.batch2048 import move, roll, row_tables, turned, with_tile

FIVE = (  # cells row by row from the top left
    (0, 1, 2, 3, 4),
    (4, 5, 6, 7, 8),
    (0, 1, 2, 4, 5),
    (1, 2, 3, 5, 6),
    (4, 5, 6, 8, 9),
    (0, 1, 4, 5, 8),
)


@dataclass(frozen=True)
class Settings:
    """What a student may turn."""

    tuples: tuple[tuple[int, ...], ...] = FIVE
    beta: float = 1.0  # step size on top of the coherence
    games: int = 200  # games between two reports


def segments(tuples: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Masks and right shifts that gather a tuple's cells: cells 0 1 4 are (0 1) >> 0, (4) >> 8."""
    masks = np.zeros((len(tuples), 5), np.uint64)
    shifts = np.zeros((len(tuples), 5), np.uint64)
    for row, cells in enumerate(tuples):
        if list(cells) != sorted(set(cells)) or not set(cells) <= set(range(16)):
            raise ValueError(f"a tuple is cells from 0 to 15 in increasing order, not {cells}")
        part, last = -1, -2
        for place, cell in enumerate(cells):
            part += cell != last + 1
            masks[row, part] |= np.uint64(15 << 4 * cell)
            shifts[row, part] = 4 * (cell - place)
            last = cell
    used = int((masks > 0).any(axis=0).sum())
    return np.ascontiguousarray(masks[:, :used]), np.ascontiguousarray(shifts[:, :used])


@njit(cache=True)
def index(board, masks, shifts, t):  # type: ignore[no-untyped-def]
    """The entry of tuple t that belongs to a board."""
    found = np.uint64(0)
    for part in range(masks.shape[1]):
        found |= (board & masks[t, part]) >> shifts[t, part]
    return found


@njit(cache=True)
def value(board, weights, masks, shifts):  # type: ignore[no-untyped-def]
    """V(board): the sum over all tuples and the 8 symmetric images."""
    total = 0.0
    for k in range(8):
        image = turned(board, k)
        for t in range(len(weights)):
            total += weights[t, index(image, masks, shifts, t)]
    return total


@njit(cache=True)
def choose(board, weights, masks, shifts, after, gain):  # type: ignore[no-untyped-def]
    """The best action, the board after it, its reward and its value; action -1 if none is legal."""
    best, best_board, best_reward, best_total = -1, board, 0, -np.inf
    for action in range(4):
        moved, reward = move(board, action, after, gain)
        if moved != board:
            total = reward + value(moved, weights, masks, shifts)
            if total > best_total:
                best, best_board, best_reward, best_total = action, moved, reward, total
    return best, best_board, best_reward, best_total


@njit(cache=True)
def learn(board, target, weights, sums, sizes, masks, shifts, beta):  # type: ignore[no-untyped-def]
    """Move V(board) towards `target`, each entry by its own coherent step."""
    delta = target - value(board, weights, masks, shifts)
    share = beta * delta / (8 * len(weights))
    for k in range(8):
        image = turned(board, k)
        for t in range(len(weights)):
            i = index(image, masks, shifts, t)
            coherence = 1.0 if sizes[t, i] == 0 else abs(sums[t, i]) / sizes[t, i]
            weights[t, i] += coherence * share
            sums[t, i] += delta
            sizes[t, i] += abs(delta)


@njit(cache=True)
def play_games(n, weights, sums, sizes, masks, shifts, beta, dice, after, gain, scores, tops):  # type: ignore[no-untyped-def]
    """Play n games to their end, learning unless beta is 0; scores and boards go to the arrays."""
    for game in range(n):
        board = with_tile(np.uint64(0), roll(dice, 0), 0.9)
        board = with_tile(board, roll(dice, 0), 0.9)
        last, score = np.uint64(0), 0
        while True:
            action, moved, reward, total = choose(board, weights, masks, shifts, after, gain)
            if beta > 0 and last != 0:
                target = total if action >= 0 else 0.0
                learn(last, target, weights, sums, sizes, masks, shifts, beta)
            if action < 0:
                break
            last = moved
            score += reward
            board = with_tile(moved, roll(dice, 0), 0.9)
        scores[game] = score
        tops[game] = board


class NTuple:
    """The tables, and what is needed to learn on from them."""

    def __init__(self, settings: Settings | None = None, seed: int = 0) -> None:
        self.settings = settings or Settings()
        size = max(len(cells) for cells in self.settings.tuples)
        shape = (len(self.settings.tuples), 16**size)
        self.weights = np.zeros(shape, np.float32)
        self.sums = np.zeros(shape, np.float32)
        self.sizes = np.zeros(shape, np.float32)
        self.masks, self.shifts = segments(self.settings.tuples)
        self.dice = np.random.default_rng(seed).integers(0, 2**64, 1, dtype=np.uint64)
        self.games_played = 0

    def _play(self, n: int, beta: float, dice: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        scores, boards = np.zeros(n, np.int64), np.zeros(n, np.uint64)
        tables = (self.weights, self.sums, self.sizes, self.masks, self.shifts)
        play_games(n, *tables, beta, dice, *row_tables(), scores, boards)
        return scores, boards

    def train(
        self, *, games: int | None = None, minutes: float | None = None
    ) -> Iterator[Progress]:
        """Learn for a number of games, or for CPU-minutes; the tables are usable at any time."""
        if (games is None) == (minutes is None):
            raise ValueError(f"games={games}, minutes={minutes}: give one of the two")
        done, spent = 0, 0.0
        while done < games if games is not None else spent < 60 * (minutes or 0):
            began = time.process_time()
            n = min(self.settings.games, games - done) if games is not None else self.settings.games
            scores, boards = self._play(n, self.settings.beta, self.dice)
            done, self.games_played = done + n, self.games_played + n
            spent += time.process_time() - began
            yield self._progress(done, games, spent, minutes, scores, boards)

    def _progress(
        self,
        done: int,
        games: int | None,
        spent: float,
        minutes: float | None,
        scores: np.ndarray,
        boards: np.ndarray,
    ) -> Progress:
        metrics = {"games": float(self.games_played), "score": float(scores.mean())}
        metrics |= {str(tile): share for tile, share in reached(boards).items()}
        if games is not None:
            return Progress(done, games, "games", metrics)
        return Progress(int(spent), int(60 * (minutes or 0)), "seconds", metrics)

    def test(self, games: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Final scores and boards of greedy games, without learning."""
        dice = np.random.default_rng(seed).integers(0, 2**64, 1, dtype=np.uint64)
        return self._play(games, 0.0, dice)

    def value(self, board: int) -> float:
        """V(board), the score still to come after a move that led to it."""
        return float(value(np.uint64(board), self.weights, self.masks, self.shifts))

    def save(self, path: str | Path) -> Path:
        """Write the tables, rounded to 16 bits, and beside them what learning on needs."""
        path = Path(path)
        tuples = np.array(self.settings.tuples, np.int64)
        small = self.weights.astype(np.float16)
        write_whole(path, lambda file: np.savez_compressed(file, tuples=tuples, weights=small))
        write_whole(
            resume_file(path),
            lambda file: np.savez_compressed(
                file,
                tuples=tuples,
                weights=self.weights,
                sums=self.sums,
                sizes=self.sizes,
                dice=self.dice,
                beta=np.array(self.settings.beta),
                games_played=np.array(self.games_played),
            ),
        )
        return path

    @classmethod
    def load(cls, path: str | Path, *, resume: bool = False) -> "NTuple":
        """The network that `save` wrote; with `resume` exactly as it was, ready to learn on."""
        with np.load(resume_file(path) if resume else path, allow_pickle=False) as file:
            tuples = tuple(tuple(int(cell) for cell in row) for row in file["tuples"])
            beta = float(file["beta"]) if resume else 1.0
            network = cls(Settings(tuples=tuples, beta=beta))
            network.weights[:] = file["weights"]
            if resume:
                network.sums[:], network.sizes[:] = file["sums"], file["sizes"]
                network.dice[:] = file["dice"]
                network.games_played = int(file["games_played"])
        return network


def resume_file(path: str | Path) -> Path:
    """Where the training state of the weights in `path` is kept: 2048-ntuple.resume.npz."""
    return Path(path).with_suffix(f".resume{Path(path).suffix}")


def reached(boards: np.ndarray) -> dict[int, float]:
    """Share of final boards with a tile of at least 512, 1024, 2048 and 4096."""
    tops = np.max([(boards >> np.uint64(4 * i)) & np.uint64(15) for i in range(16)], axis=0)
    return {1 << k: float((tops >= k).mean()) for k in (9, 10, 11, 12)}
