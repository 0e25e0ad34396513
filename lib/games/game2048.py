"""2048: slide the tiles of a 4x4 board, equal tiles merge, try to make 2048.

1. The board starts with two tiles. A new tile is a 2 with probability 0.9, else a 4, and appears
   on an empty cell, each equally likely.
2. A move slides every tile as far as it goes: up, down, left or right (0 to 3).
3. Two equal tiles that meet become one tile of twice the value, which does not merge again in the
   same move; the tiles nearest to the wall that they move to merge first. The score grows by the
   value of the new tile.
4. Only a move that changes the board is valid. After it one new tile appears.
5. The game is over when no move is valid. Who has made 2048 has won, and may go on (`goal=None`)
   or stop there (`goal=2048`).

A board is one integer of 64 bits, four for each cell (`board2048`). So 32768 is the largest tile:
two of them do not merge, they stand in each other's way like different tiles.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lib.game import Game
from lib.games.board2048 import (
    DOWN,
    LARGEST,
    LEFT,
    MOVES,
    PENALTY,
    PROGRESSIVE,
    REWARD_FORMS,
    RIGHT,
    UP,
    WON,
    can_move,
    cells,
    empty_mask,
    from_cells,
    from_tiles,
    largest,
    move,
    planes,
    reward,
    slide,
    tiles_of,
    transpose,
)

__all__ = [
    "DOWN",
    "LARGEST",
    "LEFT",
    "MOVES",
    "PENALTY",
    "PROGRESSIVE",
    "REWARD_FORMS",
    "RIGHT",
    "UP",
    "WON",
    "Game2048",
    "State",
    "can_move",
    "cells",
    "empty_mask",
    "from_cells",
    "from_tiles",
    "largest",
    "move",
    "planes",
    "reward",
    "slide",
    "tiles_of",
    "transpose",
]


class State(NamedTuple):
    """The board, the score so far, and how many tiles nature still has to place."""

    board: int
    score: int = 0
    due: int = 0


@dataclass(frozen=True)
class Game2048(Game[State]):
    """The rules of 2048: one player against chance."""

    p_two: float = 0.9  # the probability that a new tile is a 2
    goal: int | None = None  # the tile that ends the game, such as 2048; None goes on

    name = "2048"
    title = "2048"
    n_players = 1
    n_actions = 4

    def __post_init__(self) -> None:
        """Refuse settings that no game can have."""
        if not 0 <= self.p_two <= 1:
            raise ValueError(f"p_two={self.p_two}: a probability from 0 to 1 expected")
        if self.goal is not None and self.goal not in {1 << k for k in range(3, LARGEST + 1)}:
            raise ValueError(f"goal={self.goal}: a tile from 8 to 32768 or None expected")

    def start(self) -> State:
        """The empty board, two tiles due."""
        return State(0, 0, 2)

    def movers(self, state: State) -> tuple[int, ...]:
        """(0,) while a move is valid and the goal is not reached."""
        return (0,) if self.legal(state, 0) else ()

    def legal(self, state: State, player: int) -> list[int]:
        """The moves that change the board; none once the goal is reached."""
        if self.goal is not None and largest(state.board) >= self.goal:
            return []
        return can_move(state.board)

    def play(self, state: State, moves: tuple[int, ...]) -> State:
        """The board slid and merged, one tile due."""
        action = moves[0] if len(moves) == 1 else -1
        if state.due or action not in (0, 1, 2, 3):
            self._refuse(state, moves)
        after, earned = move(state.board, action)
        if after == state.board or (self.goal is not None and largest(state.board) >= self.goal):
            self._refuse(state, moves)
        return State(after, state.score + earned, 1)

    def _refuse(self, state: State, moves: tuple[int, ...]) -> None:
        if state.due:
            raise ValueError(f"{self.write(state)} has {state.due} tile(s) due: settle it first")
        self.check_moves(state, moves)

    def score(self, state: State) -> tuple[float, ...]:
        """The sum of all tiles made by merging."""
        return (float(state.score),)

    def outcome(self, state: State) -> tuple[float, ...]:
        """1 for who has made 2048 (or the goal), -1 for who has not, 0 while the game goes on."""
        if state.due or self.movers(state):
            return (0.0,)
        return (1.0,) if largest(state.board) >= (self.goal or 1 << WON) else (-1.0,)

    def observe(self, state: State, player: int) -> np.ndarray:
        """The 4x4 exponents: 0 where empty, k for the tile 2**k."""
        return np.array(cells(state.board), dtype=np.int8).reshape(4, 4)

    def chance(self, state: State) -> list[tuple[float, State]]:
        """A 2 or a 4 on each empty cell while a tile is due."""
        if not state.due:
            return []
        free = [i for i, k in enumerate(cells(state.board)) if not k]
        return [
            (p / len(free), State(state.board | k << 4 * i, state.score, state.due - 1))
            for i in free
            for k, p in ((1, self.p_two), (2, 1 - self.p_two))
            if p > 0
        ]

    def settle(self, state: State, rng: np.random.Generator) -> State:
        """Place the tiles that are due: one draw chooses the cell, and its remainder the tile."""
        board, score, due = state
        if not due:
            return state
        for _ in range(due):
            free = empty_mask(board)
            draw = rng.random() * free.bit_count()
            cell = int(draw)
            for _ in range(cell):
                free &= free - 1  # without its lowest bit
            board |= (free & -free) * (1 if draw - cell < self.p_two else 2)
        return State(board, score, 0)

    def text(self, state: State) -> str:
        """The board with tile values, dots where empty, and the score."""
        values = [str(1 << k) if k else "." for k in cells(state.board)]
        lines = ["".join(f"{v:>7}" for v in values[i : i + 4]) for i in range(0, 16, 4)]
        return "\n".join([f"score {state.score}", *lines])

    def describe(self, state: State, player: int, action: int) -> str:
        """up, down, left or right."""
        return MOVES[action]

    def write(self, state: State) -> str:
        """Exponents in hexadecimal, score, tiles due: "0010/0000/0002/0000 0 0"."""
        digits = "".join(f"{k:x}" for k in cells(state.board))
        rows = "/".join(digits[i : i + 4] for i in range(0, 16, 4))
        return f"{rows} {state.score} {state.due}"

    def read(self, line: str) -> State:
        """The state that `write` wrote; ValueError if no game has it."""
        found = re.fullmatch(r"([0-9a-f]{4}(?:/[0-9a-f]{4}){3}) ([0-9]+) ([012])", line.strip())
        if not found:
            raise ValueError(f'{line!r} is not like "0010/0000/0002/0000 0 0": board, score, due')
        exponents = [int(digit, 16) for digit in found[1].replace("/", "")]
        state = State(from_cells(exponents), int(found[2]), int(found[3]))
        most = sum((k - 1) << k for k in exponents if k)  # every tile made from 2s alone
        if state.score > most or state.score % 4:
            raise ValueError(f"{line!r}: these tiles give a multiple of 4 up to {most} as score")
        if (state.board == 0) != (state.due == 2) or (state.due and all(exponents)):
            raise ValueError(f"{line!r}: two tiles are due on the empty board only, one else")
        return state
