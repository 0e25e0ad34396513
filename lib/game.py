"""The one interface that all five games share, and the one loop that plays them.

A game is its rules: pure functions of an immutable, hashable state. Who moves is `movers`: one
player, or two at once, or nobody when the game is over. Where nature moves (2048's new tile),
`chance` lists what can happen and `settle` draws from it. Turn limits are not rules: they are
given to the loop, and a game that reaches one is *truncated*.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

State = TypeVar("State")


class Game(ABC, Generic[State]):
    """The rules of a game; actions are integers 0 .. n_actions - 1, players are 0 and 1."""

    name: str  # as on the command line: "tapnswap"
    title: str  # as on a page: "TapnSwap"
    n_players: int
    n_actions: int

    @abstractmethod
    def start(self) -> State:
        """The first state; `settle` it before asking who moves."""

    @abstractmethod
    def movers(self, state: State) -> tuple[int, ...]:
        """Who moves now: (0,), (1,), (0, 1) at once, or () when the game is over."""

    @abstractmethod
    def legal(self, state: State, player: int) -> list[int]:
        """The actions `player` may take, in increasing order."""

    @abstractmethod
    def play(self, state: State, moves: tuple[int, ...]) -> State:
        """The state after one move per mover, nature not yet heard; ValueError if illegal."""

    @abstractmethod
    def score(self, state: State) -> tuple[float, ...]:
        """What each player has earned so far: a reward is a difference of scores."""

    @abstractmethod
    def outcome(self, state: State) -> tuple[float, ...]:
        """1, 0 or -1 for each player once the game is over, zeros before."""

    @abstractmethod
    def observe(self, state: State, player: int) -> np.ndarray:
        """The state as numbers, seen by `player`: itself first."""

    def chance(self, state: State) -> Sequence[tuple[float, State]]:
        """What nature may do now, as (probability, state); () when it is not nature's turn."""
        return ()

    def settle(self, state: State, rng: np.random.Generator) -> State:
        """Let nature move until it has nothing left to do."""
        while options := self.chance(state):
            chances = [p for p, _ in options]
            state = options[rng.choice(len(options), p=chances)][1]
        return state

    @abstractmethod
    def text(self, state: State) -> str:
        """The state drawn as text, for terminals and recorded playthroughs."""

    @abstractmethod
    def describe(self, state: State, player: int, action: int) -> str:
        """A legal action in words, such as "tap 3 on 2"."""

    @abstractmethod
    def write(self, state: State) -> str:
        """The whole state on one line, such as "1322C"; `read` is the inverse."""

    @abstractmethod
    def read(self, line: str) -> State:
        """The state that `write` wrote; ValueError if there is no such state."""

    def check_moves(self, state: State, moves: tuple[int, ...]) -> None:
        """ValueError, in words, unless `moves` is one legal action per mover."""
        movers = self.movers(state)
        if not movers:
            raise ValueError(
                f"the game is over in {self.write(state)}: no move {moves} is possible"
            )
        if len(moves) != len(movers):
            raise ValueError(f"{len(movers)} move(s) expected, one per mover, not {moves!r}")
        for player, move in zip(movers, moves, strict=True):
            legal = self.legal(state, player)
            if move not in legal:
                options = ", ".join(f"{a} ({self.describe(state, player, a)})" for a in legal)
                raise ValueError(
                    f"move {move!r} of player {player} is illegal in {self.write(state)}: "
                    f"choose one of {options}"
                )


class Agent:
    """Someone who plays: `act` returns one legal action. `rng` is its only source of dice."""

    name = "agent"

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        self.rng = np.random.default_rng(seed)

    def begin(self, rng: np.random.Generator) -> None:
        """A new game starts, with dice of its own."""
        self.rng = rng

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        """The action that `player` takes in `state`."""
        raise NotImplementedError

    def end(self, game: Game[Any], state: Any, player: int) -> None:
        """The game is over (or was cut off) in `state`: the last chance to see the score."""


class Forfeit(Exception):
    """Raised by an agent's `act`: it can't go on, and loses this game in the arena."""

    def __init__(self, agent: Agent, why: str) -> None:
        super().__init__(why)
        self.agent = agent


@dataclass(frozen=True)
class Turn(Generic[State]):
    """One turn of a game: the settled state, the moves made there, the settled state after."""

    state: State
    moves: tuple[int, ...]
    next_state: State


@dataclass(frozen=True)
class Record(Generic[State]):
    """A game as it was played; `truncated` when the turn limit ended it."""

    game: Game[State]
    states: tuple[State, ...]
    moves: tuple[tuple[int, ...], ...]
    truncated: bool

    @property
    def outcome(self) -> tuple[float, ...]:
        """1, 0 or -1 for each player; a truncated game is a draw."""
        return self.game.outcome(self.states[-1])

    @property
    def score(self) -> tuple[float, ...]:
        """What each player earned."""
        return self.game.score(self.states[-1])


def turns(
    game: Game[State],
    agents: Sequence[Agent],
    rng: np.random.Generator,
    *,
    start: State | None = None,
    max_turns: int | None = None,
) -> Iterator[Turn[State]]:
    """Play one game turn by turn: ask each mover, play, settle, until nobody moves."""
    if len(agents) != game.n_players:
        raise ValueError(f"{game.title} needs {game.n_players} agent(s), not {len(agents)}")
    for agent, dice in zip(agents, rng.spawn(len(agents)), strict=True):
        agent.begin(dice)
    state = game.settle(game.start() if start is None else start, rng)
    count = 0
    while (movers := game.movers(state)) and (max_turns is None or count < max_turns):
        moves = tuple(agents[player].act(game, state, player) for player in movers)
        after = game.settle(game.play(state, moves), rng)
        yield Turn(state, moves, after)
        state = after
        count += 1
    for player, agent in enumerate(agents):
        agent.end(game, state, player)


def play(
    game: Game[State],
    agents: Sequence[Agent],
    rng: np.random.Generator,
    *,
    start: State | None = None,
    max_turns: int | None = None,
) -> Record[State]:
    """Play one game to its end, or to `max_turns`, and return its record."""
    first = game.settle(game.start() if start is None else start, rng)
    states, moves = [first], []
    for turn in turns(game, agents, rng, start=first, max_turns=max_turns):
        states.append(turn.next_state)
        moves.append(turn.moves)
    return Record(game, tuple(states), tuple(moves), bool(game.movers(states[-1])))
