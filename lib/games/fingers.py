"""What the two finger games share: the state, and the rules kept as tables.

A position is seen by the player whose turn it is: her own hands first, then the other's. The
game is over when she has no finger left: she has lost. A game gives only `pairs` and `moves`;
everything else here is looked up in tables that are made from these two when first needed.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from lib.game import Game

Pair = tuple[int, int]  # the fingers of two hands, 0 for a dead one
View = tuple[Pair, Pair]  # the mover's hands, the other player's hands

DEAD: Pair = (0, 0)
POSSIBLE = "hands hold 0 to 4 fingers, and the player who has just moved has a finger left"


class FingerState(NamedTuple):
    """A view and whose it is: FingerState((3, 1), (2, 4), player=0)."""

    own: Pair
    other: Pair
    player: int


class Entry(NamedTuple):
    """What the rules say about one state."""

    state: FingerState  # itself: equal states are one object
    movers: tuple[int, ...]
    legal: list[int]
    after: dict[tuple[int, ...], FingerState]


class Table(dict[FingerState, Entry]):
    """The rules of every state; a state that can't be is a ValueError."""

    def __missing__(self, state: object) -> Entry:
        raise ValueError(f"{state!r} is no state of this game: {POSSIBLE}")


def canonical(own: Pair, other: Pair) -> View:
    """The view with left and right forgotten: (3, 1), (2, 4) -> (1, 3), (2, 4)."""
    return (min(own), max(own)), (min(other), max(other))


@dataclass(frozen=True)
class Graph:
    """The game with left and right forgotten: in position `s`, action `a` leads to `after[s][a]`.

    Positions are numbered, each is seen by its mover: what is good after a move is bad before it.
    Of several actions that lead to the same position only the first is listed.
    """

    views: tuple[View, ...]
    after: tuple[dict[int, int], ...]  # empty when the game is over: the mover has lost
    index: dict[View, int]

    def __len__(self) -> int:
        return len(self.views)

    def reachable(self, root: int) -> list[int]:
        """All that play can lead to from `root`, itself first."""
        found = {root: None}
        for s in (queue := [root]):
            for child in self.after[s].values():
                if child not in found:
                    found[child] = None
                    queue.append(child)
        return list(found)


class FingerGame(Game[FingerState]):
    """The rules of a finger game, from `pairs` and `moves`."""

    n_players = 2
    n_actions = 10
    names: ClassVar[tuple[str, str]]  # what the two players are called
    middle: ClassVar[str] = "L -------------------- R"  # the line between them in the picture

    @abstractmethod
    def pairs(self) -> Iterable[Pair]:
        """All that two hands can be, dead ones included."""

    @abstractmethod
    def moves(self, own: Pair, other: Pair) -> dict[int, View]:
        """Every legal action, with the mover's and the other's hands after it."""

    @cached_property
    def table(self) -> Table:
        """The rules, state by state."""
        return make_table(self)

    @cached_property
    def graph(self) -> Graph:
        """The game as numbered positions, for learning and solving."""
        return make_graph(self)

    def __getstate__(self) -> dict[str, Any]:
        """The switches alone: a copy in another process makes its own tables."""
        return {k: v for k, v in self.__dict__.items() if k not in ("table", "graph")}

    def number(self, state: FingerState) -> int:
        """The number of a state's view in `graph`; ValueError if there is no such state."""
        self.table[state]
        return self.graph.index[canonical(state.own, state.other)]

    def state(self, number: int, player: int = 0) -> FingerState:
        """The state of a numbered position, smaller hands on the left."""
        return self.table[FingerState(*self.graph.views[number], player)].state

    def action_to(self, state: FingerState, number: int) -> int:
        """The first action that leads from `state` to a numbered position."""
        for (action,), after in self.table[state].after.items():
            if self.graph.index[canonical(after.own, after.other)] == number:
                return action
        raise ValueError(f"no move leads from {self.write(state)} to position {number}")

    def states(self) -> Iterator[FingerState]:
        """Every state that the rules speak of, whether play can reach it or not."""
        for own in self.pairs():
            for other in self.pairs():
                if other != DEAD:
                    yield FingerState(own, other, 0)
                    yield FingerState(own, other, 1)

    def start(self) -> FingerState:
        return FingerState((1, 1), (1, 1), 0)

    def movers(self, state: FingerState) -> tuple[int, ...]:
        return self.table[state].movers

    def legal(self, state: FingerState, player: int) -> list[int]:
        entry = self.table[state]
        return entry.legal.copy() if player in entry.movers else []

    def play(self, state: FingerState, moves: tuple[int, ...]) -> FingerState:
        try:
            return self.table[state].after[moves]
        except (KeyError, TypeError):
            self.check_moves(state, moves)
            raise ValueError(f"moves must be a tuple of one action, not {moves!r}") from None

    def score(self, state: FingerState) -> tuple[float, ...]:
        return self.outcome(state)

    def outcome(self, state: FingerState) -> tuple[float, ...]:
        if self.table[state].movers:
            return (0.0, 0.0)
        return (-1.0, 1.0) if state.player == 0 else (1.0, -1.0)

    def observe(self, state: FingerState, player: int) -> np.ndarray:
        """Five numbers: one's own hands, the other's, and 1 when it is one's turn."""
        mine, hers = self.hands(state, player), self.hands(state, 1 - player)
        return np.array([*mine, *hers, state.player == player], dtype=np.int8)

    def hands(self, state: FingerState, player: int) -> Pair:
        """The hands of one player, whoever moves."""
        if player not in (0, 1):
            raise ValueError(f"there is no player {player!r}: choose 0 or 1")
        return state.own if state.player == player else state.other

    def text(self, state: FingerState) -> str:
        bottom, top = self.names[state.player], self.names[1 - state.player]
        head = f"Round of {bottom}" if self.table[state].movers else f"{top} has won"
        return f"{head}\n\n{self.picture(top, state.other, bottom, state.own)}"

    def picture(self, top: str, top_hands: Pair, bottom: str, bottom_hands: Pair) -> str:
        """The table as the TapnSwap seed draws it: the mover sits at the bottom."""
        rows = [top, "|", fingers(top_hands), "|", self.middle]
        rows += ["|", fingers(bottom_hands), "|", bottom]
        return "\n".join(row.center(40).rstrip() for row in rows)

    def state_of(self, own: Any, other: Any, player: int, written: str) -> FingerState:
        """The state with these hands; ValueError, naming what was `written`, if it can't be."""
        try:
            return self.table[FingerState(own, other, player)].state
        except (TypeError, ValueError):
            raise ValueError(f"{written} can't be a state: {POSSIBLE}") from None


@cache
def make_table(game: FingerGame) -> Table:
    """The rules of every state; equal games share one table."""
    states = {state: state for state in game.states()}
    table = Table()
    for state in states:
        own, other, player = state
        after: dict[tuple[int, ...], FingerState] = {}
        for action, (own_then, other_then) in sorted(game.moves(own, other).items()):
            after[(action,)] = states[FingerState(other_then, own_then, 1 - player)]
        movers = (player,) if after else ()
        table[state] = Entry(state, movers, [action for (action,) in after], after)
    return table


@cache
def make_graph(game: FingerGame) -> Graph:
    """The numbered positions and where each action leads."""
    views = sorted({canonical(s.own, s.other) for s in game.states()})
    index = {view: number for number, view in enumerate(views)}
    after = []
    for own, other in views:
        moves: dict[int, int] = {}
        for (action,), state in game.table[FingerState(own, other, 0)].after.items():
            number = index[canonical(state.own, state.other)]
            if number not in moves.values():
                moves[action] = number
        after.append(moves)
    return Graph(tuple(views), tuple(after), index)


def fingers(hands: Pair) -> str:
    """(2, 4) -> "             ||   |   ||||             ", 40 wide."""
    left, right = ("|" * hand for hand in hands)
    return f"{left:>16}   |   {right:<17}"
