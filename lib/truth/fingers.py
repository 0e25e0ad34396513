"""The finger games solved exactly: value and distance of every state, by retrograde analysis.

From the lost positions backwards: who can move to a position that is lost for the other wins; who
can only move to positions that are won for the other loses. What is never decided is a draw: both
can go on for ever.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from lib.games.fingers import FingerGame, FingerState, Graph

WIN, DRAW, LOSS = 1, 0, -1

Choices = Callable[
    [FingerState], Sequence[int]
]  # the actions that a player may take, equally likely


class Chances(NamedTuple):
    """What to expect of a match."""

    win: float
    loss: float


@dataclass(frozen=True)
class FingerTruth:
    """The solution; values are for the player to move, distances in plies with best play."""

    game: FingerGame
    values: tuple[int, ...]  # by number in game.graph: 1 won, 0 drawn, -1 lost
    plies: tuple[int | None, ...]  # until the game is over; None when drawn

    def value(self, state: FingerState) -> int:
        """1, 0 or -1 for the player to move."""
        return self.values[self.game.number(state)]

    def distance(self, state: FingerState) -> int | None:
        """Plies until the game is over, when the winner hurries and the loser delays."""
        return self.plies[self.game.number(state)]

    def worth(self, state: FingerState, action: int) -> tuple[int, int]:
        """The value of an action, then how soon: larger is better."""
        after = self.game.play(state, (action,))
        value, plies = -self.value(after), self.distance(after) or 0
        return value, -value * plies

    def keeping_moves(self, state: FingerState) -> list[int]:
        """The actions that keep the value of the state."""
        value = self.value(state)
        return [a for a in self._legal(state) if self.worth(state, a)[0] == value]

    def best_moves(self, state: FingerState) -> list[int]:
        """The actions that win soonest, keep the draw, or lose latest; none when it is over."""
        worth = {action: self.worth(state, action) for action in self._legal(state)}
        return [action for action in worth if worth[action] == max(worth.values())]

    def principal_line(self, state: FingerState) -> list[tuple[int, FingerState]]:
        """Best play of both as (action, state after it); a drawn line ends where it repeats."""
        line: list[tuple[int, FingerState]] = []
        seen: set[FingerState] = set()
        while state not in seen and (best := self.best_moves(state)):
            seen.add(state)
            state = self.game.play(state, (best[0],))
            line.append((best[0], state))
        return line

    def reachable(self) -> list[int]:
        """The numbers of the positions that play from the start can lead to."""
        return self.game.graph.reachable(self.game.number(self.game.start()))

    def counts(self) -> tuple[int, int, int]:
        """How many reachable positions are won, lost and drawn for the mover."""
        values = [self.values[s] for s in self.reachable()]
        return values.count(WIN), values.count(LOSS), values.count(DRAW)

    def _legal(self, state: FingerState) -> list[int]:
        return self.game.legal(state, state.player)


@cache
def solve(game: FingerGame) -> FingerTruth:
    """The exact solution: solve(TapnSwap()).value(state)."""
    values, plies = retrograde(game.graph)
    return FingerTruth(game, values, plies)


def retrograde(graph: Graph) -> tuple[tuple[int, ...], tuple[int | None, ...]]:
    """Values and distances of every position, settled in the order of their distance."""
    values: list[int] = [DRAW] * len(graph)
    plies: list[int | None] = [None] * len(graph)
    parents: list[list[int]] = [[] for _ in values]
    for s, moves in enumerate(graph.after):
        for child in moves.values():
            parents[child].append(s)
    undecided = [len(moves) for moves in graph.after]
    queue = deque(s for s, n in enumerate(undecided) if n == 0)
    for s in queue:
        values[s], plies[s] = LOSS, 0
    while queue:
        s = queue.popleft()
        for parent in parents[s]:
            undecided[parent] -= 1
            decided = values[s] == LOSS or undecided[parent] == 0
            if decided and plies[parent] is None:
                values[parent], plies[parent] = -values[s], (plies[s] or 0) + 1
                queue.append(parent)
    return tuple(values), tuple(plies)


def kept(truth: FingerTruth, choices: Choices) -> tuple[int, int]:
    """In how many reachable positions all of a player's choices keep the value; of how many."""
    game = truth.game
    states = [game.state(s) for s in truth.reachable() if game.graph.after[s]]
    right = [set(choices(state)) <= set(truth.keeping_moves(state)) for state in states]
    return sum(right), len(states)


def forced_wins(game: FingerGame, choices: Choices) -> set[int]:
    """The positions from which a player's choices win against every reply, without circles.

    A position is added when each choice ends the game or leaves only replies into positions
    already added, so that each of them has an end in sight.
    """
    after = game.graph.after
    chosen = [
        {game.number(game.play(state, (action,))) for action in choices(state)} if moves else set()
        for moves, state in ((after[s], game.state(s)) for s in range(len(after)))
    ]
    found: set[int] = set()
    while True:
        more = {
            s
            for s in range(len(after))
            if chosen[s] and all(found.issuperset(after[child].values()) for child in chosen[s])
        }
        if more == found:
            return found
        found = more


def chances(game: FingerGame, choices: Choices, seat: int, turns: int = 500) -> Chances:
    """A player's exact chances to win and lose against a random one, from seat 0 or 1.

    What is left is the chance that the game goes on after so many turns.
    """
    ours = transitions(game, choices)
    theirs = transitions(game, lambda state: game.legal(state, state.player))
    over = np.array([not moves for moves in game.graph.after])
    where = np.zeros(len(over))
    where[game.number(game.start())] = 1.0
    ended = [0.0, 0.0]
    for turn in range(turns):
        where = where @ (ours if turn % 2 == seat else theirs)
        ended[(turn + seat) % 2] += float(where[over].sum())
        where[over] = 0.0
    return Chances(*ended)


def transitions(game: FingerGame, choices: Choices) -> np.ndarray:
    """How likely each position follows each, if a move is drawn from `choices`."""
    matrix = np.zeros((len(game.graph), len(game.graph)))
    for s, moves in enumerate(game.graph.after):
        state = game.state(s)
        actions = choices(state) if moves else []
        for action in actions:
            matrix[s, game.number(game.play(state, (action,)))] += 1 / len(actions)
    return matrix
