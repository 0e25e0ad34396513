"""Q-tables as lesson 1 writes them: dictionaries from positions to the values of ten actions.

A position is a view with left and right forgotten, the mover's hands first: ((1, 3), (2, 4)).
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lib.game import Agent, Game
from lib.games.fingers import FingerGame, FingerState, View, canonical

Moves = dict[View, dict[int, View]]  # position -> action -> the position after it
Table = dict[View, np.ndarray]  # position -> a value for each action


def moves_of(game: FingerGame) -> Moves:
    """The rules as a table: every reachable position, and where each action leads."""
    graph = game.graph
    return {
        graph.views[s]: {a: graph.views[after] for a, after in graph.after[s].items()}
        for s in graph.reachable(game.number(game.start()))
    }


def habit(replies: dict[View, int]) -> Callable[[View], int]:
    """An opponent who always does the same in a position: habit({...})(position) -> 3"""
    return replies.__getitem__


def new_table(moves: Moves) -> Table:
    """A table of zeros: ten values for each position."""
    return {position: np.zeros(10) for position in moves}


class TablePlayer(Agent):
    """Plays a best legal action of such a table; ties at random."""

    name = "table"

    def __init__(self, game: FingerGame, Q: Mapping[View, Any], name: str | None = None) -> None:
        super().__init__()
        self.game, self.Q, self.name = game, Q, name or self.name

    def choices(self, state: FingerState) -> list[int]:
        """The actions that look best in `state`; any legal one where the table is silent."""
        after = self.game.graph.after[self.game.number(state)]
        values = self.Q.get(canonical(state.own, state.other))
        if values is None:
            return self.game.legal(state, state.player)
        best = max(values[a] for a in after)
        return [self.game.action_to(state, s) for a, s in after.items() if values[a] == best]

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        choices = self.choices(state)
        return choices[int(self.rng.random() * len(choices))]
