"""Lesson 3: the course's own answers, as they stand in the solved notebook."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from lib.games.droid_round import Action, play_round


class R2Droid:
    """A droid on a board of rows x cols."""

    location: tuple[int, int]
    shots: int

    def __init__(self, rows: int, cols: int, location: tuple[int, int], shots: int) -> None:
        self._rows, self._cols = rows, cols
        self.location, self.shots = location, shots

    def copy(self) -> "R2Droid":
        """A droid of its own in the same place."""
        return copy(self)

    def move_location(self, move: Action) -> None:
        """One step, unless `move` is a shot or a wall is in the way."""
        move_location(self, move)

    def shoot(self, other: "R2Droid", move: Action) -> bool:
        """Fire, if `move` says so and a shot is left."""
        return shoot(self, other, move)

    def available_actions(self) -> set[Action]:
        """What the droid can do."""
        return available_actions(self)


def copy(self: Any) -> Any:
    """A droid of its own in the same place."""
    return type(self)(self._rows, self._cols, self.location, self.shots)


def move_location(self: Any, move: Action) -> None:
    """One step, unless `move` is a shot or a wall is in the way."""
    row, col = self.location
    if move == Action.MOVE_UP and row > 0:
        self.location = (row - 1, col)
    elif move == Action.MOVE_DOWN and row < self._rows - 1:
        self.location = (row + 1, col)
    elif move == Action.MOVE_LEFT and col > 0:
        self.location = (row, col - 1)
    elif move == Action.MOVE_RIGHT and col < self._cols - 1:
        self.location = (row, col + 1)


def shoot(self: Any, other: Any, move: Action) -> bool:
    """Fire, if `move` says so and a shot is left: True if `other` is hit."""
    if move != Action.SHOOT or self.shots == 0:
        return False
    self.shots -= 1
    (row, col), (its_row, its_col) = self.location, other.location
    return bool(row == its_row or col == its_col)


def available_actions(self: Any) -> set[Action]:
    """The moves that no wall blocks, and the shot if one is left."""
    actions = {Action.SHOOT} if self.shots > 0 else set()
    for move in set(Action) - {Action.SHOOT}:
        there = self.copy()
        there.move_location(move)
        if there.location != self.location:
            actions.add(move)
    return actions


class Agent(ABC):
    """Who steers a droid: the interface of both agents."""

    def clear(self) -> None:  # noqa: B027 - most agents remember nothing of a game
        """A new game starts: forget the old one, keep what was learned."""

    @abstractmethod
    def get_best_move(
        self, self_droid: Any, adv_droid: Any, score_change: int, training: bool
    ) -> Action:
        """The action of this round."""


def state(self_droid: Any, adv_droid: Any) -> Any:
    """What the table tells apart: something hashable."""
    return self_droid.location, adv_droid.location, self_droid.shots, adv_droid.shots


def state_choice() -> str:
    """Your choice and why, in a sentence."""
    return "Both places and both numbers of shots, because they decide what can happen next."


def reward(score_change: int, self_droid: Any, adv_droid: Any) -> float:
    """What a round was worth."""
    return float(score_change)


def reward_choice() -> str:
    """Your choice and why, in a sentence."""
    return "The point made or lost and nothing else, because points decide who wins."


class QAgent(Agent):
    """Learns on the go, by your state and your reward."""

    def __init__(self) -> None:
        self.alpha, self.gamma, self.epsilon = 0.1, 0.9, 0.3
        self.Q: dict[Any, dict[Action, float]] = {}
        self.last: Any = None
        self.rng = np.random.default_rng()

    def clear(self) -> None:
        self.last = None

    def get_best_move(
        self, self_droid: Any, adv_droid: Any, score_change: int, training: bool
    ) -> Action:
        """Learn from the last round, then choose."""
        s = state(self_droid, adv_droid)
        values = self.Q.setdefault(s, dict.fromkeys(self_droid.available_actions(), 0.0))
        if training and self.last is not None:
            old, a = self.last
            target = reward(score_change, self_droid, adv_droid) + self.gamma * max(values.values())
            self.Q[old][a] += self.alpha * (target - self.Q[old][a])
        explore = training and self.rng.random() < self.epsilon
        best = max(values.values())
        choices = [a for a in values if explore or values[a] == best]
        action = choices[self.rng.integers(len(choices))]
        self.last = s, action
        return action


def after(me: Any, it: Any, mine: Action, its: Action) -> tuple[Any, Any, int]:
    """Both droids after a round, as copies, and the points of `me`: 1, 0 or -1."""
    me, it = me.copy(), it.copy()
    gain = play_round(me, it, (mine, its))
    return me, it, gain


def evaluate(me: Any, it: Any) -> float:
    """A guess at the points still to come, in favour of `me`."""
    return 0.3 * float(me.shots - it.shots)


def evaluate_choice() -> str:
    """Your choice and why, in a sentence."""
    return "A shot left is a chance left, but worth clearly less than half a point."


def worst(me: Any, it: Any, mine: Action, value: Any, floor: float = -np.inf) -> float:
    """The worst that `mine` can lead to; looks no further once that is not above `floor`."""
    low = np.inf
    for its in it.available_actions():
        me_then, it_then, gain = after(me, it, mine, its)
        low = min(low, gain + value(me_then, it_then))
        if low <= floor:
            break
    return float(low)


class MinimaxAgent(Agent):
    """Looks `depth` rounds ahead: safe first, hopeful second."""

    def __init__(self) -> None:
        self.depth, self.rng = 2, np.random.default_rng()

    def value(self, me: Any, it: Any, depth: int) -> float:
        """The best worst case of a position, `depth` rounds deep."""
        if depth == 0 or me.shots == it.shots == 0:
            return evaluate(me, it)
        best = -np.inf
        for mine in me.available_actions():
            best = max(best, worst(me, it, mine, lambda a, b: self.value(a, b, depth - 1), best))
        return best

    def get_best_move(
        self, self_droid: Any, adv_droid: Any, score_change: int, training: bool
    ) -> Action:
        """The action of the best worst case, plus a little of the mean; ties at random."""
        worth: dict[Action, float] = {}
        for mine in self_droid.available_actions():
            ends = [after(self_droid, adv_droid, mine, a) for a in adv_droid.available_actions()]
            values = [gain + self.value(me, it, self.depth - 1) for me, it, gain in ends]
            worth[mine] = min(values) + 0.1 * sum(values) / len(values)
        best = [a for a in worth if worth[a] > max(worth.values()) - 1e-9]
        return best[self.rng.integers(len(best))]
