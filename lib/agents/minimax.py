"""Minimax for two who move at once: what do you assume the other knows?

- *pessimistic*: you move first and the other sees it. An action is worth its worst case, and the
  best worst case is yours whatever the other does.
- *optimistic*: the other moves first and you see it. It picks the action whose best answer is worst
  for it to meet, and you play that answer; if it does anything else, you were too hopeful.
- *combined*: the worst case, plus a little of the mean over all that the other might do. It keeps
  the safety and asks, between equally safe actions, for the one that hopes for mistakes.

The value of a position is what it is under the pessimistic assumption (under the optimistic one for
the optimist), searched `depth` rounds deep with alpha-beta pruning; beyond, `evaluate` guesses.
Von Neumann, Zur Theorie der Gesellschaftsspiele (1928); Knuth & Moore (1975) for alpha-beta.
"""

import time
from contextlib import suppress

import numpy as np

from lib.agents.droid_agents import DroidAgent, actions_of
from lib.games.droids import Action, R2Droid, play_round

ASSUMPTIONS = ("pessimistic", "optimistic", "combined")
EQUAL = 1e-9  # actions whose worth differs by less are equally good


class OutOfTime(Exception):
    """The time for this move is used up."""


class MinimaxAgent(DroidAgent):
    """Searches `depth` rounds ahead, or as deep as `seconds` of CPU time a move allow."""

    def __init__(
        self,
        assumption: str = "combined",
        depth: int = 2,
        seconds: float | None = None,
        shot_value: float = 0.3,  # in points; from 0.5 on it would rather save shots than be safe
        hope: float = 0.1,  # weight of the mean in the combination
        seed: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(seed)
        if assumption not in ASSUMPTIONS:
            raise ValueError(f"{assumption!r}: choose one of {', '.join(ASSUMPTIONS)}")
        if depth < 1:
            raise ValueError(f"depth={depth}: search at least one round")
        self.assumption, self.depth, self.seconds = assumption, depth, seconds
        self.shot_value, self.hope = shot_value, hope
        self.deadline = np.inf
        self.positions = 0  # looked at so far

    def get_best_move(
        self, self_droid: R2Droid, adv_droid: R2Droid, score_change: int, training: bool
    ) -> Action:
        return self.pick(self.best_moves(self_droid, adv_droid))

    def best_moves(self, me: R2Droid, it: R2Droid) -> list[Action]:
        """The actions of the highest worth, searched as deep as depth or time allow."""
        if self.seconds is None:
            return self._best(me, it, self.depth)
        deadline, self.deadline = time.process_time() + self.seconds, np.inf
        found = self._best(me, it, 1)  # there must be an answer, however little time there is
        self.deadline = deadline
        with suppress(OutOfTime):
            for depth in range(2, 50):
                found = self._best(me, it, depth)
        return found

    def _best(self, me: R2Droid, it: R2Droid, depth: int) -> list[Action]:
        worth = self.worth(self.matrix(me, it, depth))
        return [a for a, w in zip(actions_of(me), worth, strict=True) if w > worth.max() - EQUAL]

    def matrix(self, me: R2Droid, it: R2Droid, depth: int) -> np.ndarray:
        """What a round leads to, for each own action (rows) and each of the other's."""
        return np.array(
            [
                [self.after(me, it, (mine, its), depth) for its in actions_of(it)]
                for mine in actions_of(me)
            ]
        )

    def after(self, me: R2Droid, it: R2Droid, moves: tuple[Action, Action], depth: int) -> float:
        """The points of a round, and the value of what follows under the assumption."""
        me, it = me.copy(), it.copy()
        gain = play_round(me, it, moves)
        if self.assumption == "optimistic":  # the other's pessimism, seen from here
            return gain - self.search(it, me, depth - 1)
        return gain + self.search(me, it, depth - 1)

    def worth(self, matrix: np.ndarray) -> np.ndarray:
        """What each own action (row) is worth under the assumption."""
        if self.assumption == "pessimistic":
            return matrix.min(axis=1)
        if self.assumption == "combined":
            return matrix.min(axis=1) + self.hope * matrix.mean(axis=1)
        best_answers = matrix.max(axis=0)
        expected = best_answers < best_answers.min() + EQUAL  # what the other would do
        return matrix[:, expected].mean(axis=1)

    def search(
        self, me: R2Droid, it: R2Droid, depth: int, alpha: float = -np.inf, beta: float = np.inf
    ) -> float:
        """The pessimist's value, if it is between alpha and beta; else a bound beyond them."""
        self.positions += 1
        if time.process_time() > self.deadline:
            raise OutOfTime
        if depth == 0 or not (me.shots or it.shots):
            return self.evaluate(me, it)
        best = -np.inf
        for mine in actions_of(me):
            best = max(best, self.worst(me, it, mine, depth, max(alpha, best), beta))
            if best >= beta:
                break
        return best

    def worst(
        self, me: R2Droid, it: R2Droid, mine: Action, depth: int, alpha: float, beta: float
    ) -> float:
        """What `mine` brings if the other sees it and answers; cut off once not above alpha."""
        worst = np.inf
        for its in actions_of(it):
            here, there = me.copy(), it.copy()
            gain = play_round(here, there, (mine, its))
            low, high = alpha - gain, min(beta, worst) - gain
            worst = min(worst, gain + self.search(here, there, depth - 1, low, high))
            if worst <= alpha:
                break
        return worst

    def evaluate(self, me: R2Droid, it: R2Droid) -> float:
        """A guess at the points still to come: shots left are chances left."""
        return self.shot_value * (me.shots - it.shots)
