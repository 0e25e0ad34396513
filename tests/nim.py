"""Nim with one heap, a game small enough to know everything about: who takes the last one wins."""

import numpy as np

from lib.game import Agent, Game

State = tuple[int, int]  # (objects left, player to move)


class Nim(Game[State]):
    """Take 1, 2 or 3 objects; action a takes a + 1."""

    name, title, n_players, n_actions = "nim", "Nim", 2, 3

    def __init__(self, heap: int = 7) -> None:
        self.heap = heap

    def start(self) -> State:
        return self.heap, 0

    def movers(self, state: State) -> tuple[int, ...]:
        return (state[1],) if state[0] else ()

    def legal(self, state: State, player: int) -> list[int]:
        return list(range(min(3, state[0])))

    def play(self, state: State, moves: tuple[int, ...]) -> State:
        self.check_moves(state, moves)
        return state[0] - moves[0] - 1, 1 - state[1]

    def score(self, state: State) -> tuple[float, ...]:
        return self.outcome(state)

    def outcome(self, state: State) -> tuple[float, ...]:
        left, mover = state
        return (0.0, 0.0) if left else ((-1.0, 1.0) if mover == 0 else (1.0, -1.0))

    def observe(self, state: State, player: int) -> np.ndarray:
        return np.array([state[0]])

    def text(self, state: State) -> str:
        return "|" * state[0]

    def describe(self, state: State, player: int, action: int) -> str:
        return f"take {action + 1}"

    def write(self, state: State) -> str:
        return f"{state[0]} {state[1]}"

    def read(self, line: str) -> State:
        left, mover = line.split()
        return int(left), int(mover)


class Dice(Nim):
    """One player throws two dice of nature's until there are none left; the pips are the score."""

    name, title, n_players, n_actions = "dice", "Dice", 1, 1

    def start(self) -> State:
        return self.heap, 0

    def movers(self, state: State) -> tuple[int, ...]:
        return (0,) if state[0] > 0 else ()

    def legal(self, state: State, player: int) -> list[int]:
        return [0]

    def play(self, state: State, moves: tuple[int, ...]) -> State:
        self.check_moves(state, moves)
        return -state[0] if state[0] > 1 else -100, state[1]

    def chance(self, state: State) -> list[tuple[float, State]]:
        if state[0] >= 0:
            return []
        left = 0 if state[0] == -100 else -state[0] - 1
        return [(1 / 6, (left, state[1] + pips)) for pips in range(1, 7)]

    def score(self, state: State) -> tuple[float, ...]:
        return (float(state[1]),)

    def outcome(self, state: State) -> tuple[float, ...]:
        return (0.0,) if state[0] else (1.0 if state[1] > 3.5 * self.heap else -1.0,)


class Perfect(Agent):
    """Leaves a multiple of four if it can, and takes one otherwise."""

    name = "perfect"

    def act(self, game: Game[State], state: State, player: int) -> int:
        return (state[0] % 4 or 1) - 1


class Anything(Agent):
    """Takes any number."""

    name = "anything"

    def act(self, game: Game[State], state: State, player: int) -> int:
        return int(self.rng.choice(game.legal(state, player)))


class Growing(Anything):
    """Remembers over games: what it does depends on how many it played before."""

    def __init__(self) -> None:
        super().__init__()
        self.played = 0

    def act(self, game: Game[State], state: State, player: int) -> int:
        self.played += 1
        return self.played % len(game.legal(state, player))
