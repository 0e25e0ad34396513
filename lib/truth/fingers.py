"""The finger games solved exactly: value and distance of every state, by retrograde analysis.

From the lost positions backwards: who can move to a position that is lost for the other wins; who
can only move to positions that are won for the other loses. What is never decided is a draw: both
can go on for ever.
"""

from collections import deque
from dataclasses import dataclass
from functools import cache

from lib.games.fingers import FingerGame, FingerState, Graph

WIN, DRAW, LOSS = 1, 0, -1


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
    for s, children in enumerate(graph.children):
        for child in children:
            parents[child].append(s)
    undecided = [len(children) for children in graph.children]
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
