"""One game being played: who sits where, what happened so far, and how to take it back."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lib.game import Agent, Game, Record


@dataclass
class Session:
    """A game in progress; a seat is an agent, or None for a person at the board."""

    game: Game[Any]
    seats: list[Agent | None]
    rng: np.random.Generator
    max_turns: int | None = None  # a game that runs in circles is cut off here, as a draw
    states: list[Any] = field(default_factory=list)
    moves: list[tuple[int, ...]] = field(default_factory=list)
    chosen: dict[int, int] = field(default_factory=dict)  # moves made before the other's, at once
    start: Any = None  # where every new game begins; None: where the game says

    def __post_init__(self) -> None:
        if len(self.seats) != self.game.n_players:
            raise ValueError(
                f"{self.game.title} has {self.game.n_players} seat(s), not {len(self.seats)}"
            )
        if not self.states:
            self.new()

    def new(self) -> None:
        """Begin again."""
        first = self.game.start() if self.start is None else self.start
        self.states, self.moves = [self.game.settle(first, self.rng)], []
        self.chosen.clear()
        for agent in self.seats:
            if agent is not None:
                agent.begin(self.rng.spawn(1)[0])

    @property
    def state(self) -> Any:
        """Where the game stands."""
        return self.states[-1]

    @property
    def truncated(self) -> bool:
        """Cut off by the turn limit."""
        limit = self.max_turns is not None and len(self.moves) >= self.max_turns
        return limit and bool(self.game.movers(self.state))

    @property
    def over(self) -> bool:
        """Nobody moves any more."""
        return self.truncated or not self.game.movers(self.state)

    @property
    def persons(self) -> tuple[int, ...]:
        """The people whose move the game waits for."""
        if self.over:
            return ()
        movers = self.game.movers(self.state)
        return tuple(p for p in movers if self.seats[p] is None and p not in self.chosen)

    def choose(self, player: int, action: int) -> bool:
        """A person moves; True if the turn is complete. ValueError if it may not."""
        if player not in self.persons:
            raise ValueError("the game is over" if self.over else "it is not your turn")
        if action not in self.game.legal(self.state, player):
            raise ValueError(f"move {action} is not legal in {self.game.write(self.state)}")
        self.chosen[player] = action
        movers = self.game.movers(self.state)
        if any(self.seats[p] is not None for p in movers) and not self.persons:
            self._ask_agents()
        return self._complete()

    def step(self) -> bool:
        """The agents whose turn it is move; True if the turn is complete."""
        if self.over or self.persons:
            return False
        self._ask_agents()
        return self._complete()

    def _ask_agents(self) -> None:
        for player in self.game.movers(self.state):
            agent = self.seats[player]
            if agent is not None:
                self.chosen[player] = int(agent.act(self.game, self.state, player))

    def _complete(self) -> bool:
        movers = self.game.movers(self.state)
        if any(player not in self.chosen for player in movers):
            return False
        moves = tuple(self.chosen[player] for player in movers)
        self.chosen.clear()  # also if the game refuses what an agent chose
        after = self.game.settle(self.game.play(self.state, moves), self.rng)
        self.states.append(after)
        self.moves.append(moves)
        if self.over:
            self._say_goodbye()
        return True

    def _say_goodbye(self) -> None:
        for player, agent in enumerate(self.seats):
            if agent is not None:
                agent.end(self.game, self.state, player)

    def undo(self) -> bool:
        """Back to the last position where a person had to move; True if there was one."""
        if self.chosen:
            self.chosen.clear()
            return True
        for turn in range(len(self.moves) - 1, -1, -1):
            if any(self.seats[p] is None for p in self.game.movers(self.states[turn])):
                del self.states[turn + 1 :], self.moves[turn:]
                return True
        return False

    def record(self) -> Record[Any]:
        """The game so far, as the one loop would have recorded it."""
        return Record(self.game, tuple(self.states), tuple(self.moves), self.truncated)
