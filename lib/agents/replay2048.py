"""Replay for many games of 2048 at once: a ring of time steps, and n-step returns from it."""

from dataclasses import dataclass

import numpy as np
from numba import njit


@dataclass(frozen=True)
class Sample:
    """Boards drawn from the ring, and n steps on: value = returns + discounts * value(later)."""

    boards: np.ndarray
    actions: np.ndarray
    returns: np.ndarray
    discounts: np.ndarray  # gamma**n, or 0 where the game ended before
    later: np.ndarray


@njit(cache=True)
def _look_ahead(boards, rewards, over, times, games, n, gamma, first, returns, discounts, later):  # type: ignore[no-untyped-def]
    size = len(boards)
    for i in range(len(times)):
        t, g, discount = times[i], games[i], 1.0
        returns[i] = 0.0
        for k in range(n):
            if first == 1 and over[(t + k) % size, g]:
                discount = 0.0
                break
            returns[i] += discount * rewards[(t + k + first) % size, g]
            discount *= gamma
            if first == 0 and over[(t + k) % size, g]:
                discount = 0.0
                break
        discounts[i] = discount
        later[i] = boards[(t + n) % size, g]


class Ring:
    """The last `capacity` boards of `games` games, one row a time step."""

    def __init__(self, capacity: int, games: int, *, afterstates: bool) -> None:
        self.length = capacity // games
        if self.length < 2:
            raise ValueError(f"a replay of {capacity} holds no two steps of {games} games")
        shape = (self.length, games)
        self.boards = np.zeros(shape, np.uint64)
        self.actions = np.zeros(shape, np.uint8)
        self.rewards = np.zeros(shape, np.float32)
        self.over = np.zeros(shape, np.bool_)
        self.count = 0  # time steps ever added
        # The reward that follows an afterstate is that of the next move; a state's is its own.
        self.first = int(afterstates)

    def add(
        self, boards: np.ndarray, actions: np.ndarray, rewards: np.ndarray, over: np.ndarray
    ) -> None:
        """One time step of all games; the oldest is forgotten."""
        row = self.count % self.length
        self.boards[row], self.actions[row] = boards, actions
        self.rewards[row], self.over[row] = rewards, over
        self.count += 1

    def ready(self, n: int) -> bool:
        """Whether a board has been followed for n steps."""
        return self.count > n

    def sample(self, size: int, n: int, gamma: float, rng: np.random.Generator) -> Sample:
        """`size` boards, each equally likely, with their n-step returns."""
        oldest = max(0, self.count - self.length)
        times = rng.integers(oldest, self.count - n, size) % self.length
        games = rng.integers(0, self.boards.shape[1], size)
        returns, discounts = np.empty(size, np.float32), np.empty(size, np.float32)
        later = np.empty(size, np.uint64)
        ring = (self.boards, self.rewards, self.over)
        _look_ahead(*ring, times, games, n, gamma, self.first, returns, discounts, later)
        boards, actions = self.boards[times, games], self.actions[times, games]
        return Sample(boards, actions, returns, discounts, later)
