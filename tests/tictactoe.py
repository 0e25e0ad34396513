"""Tic-tac-toe: a small game with draws, known to everyone, for agents that play any game."""

import numpy as np

from lib.game import Game

State = tuple[int, ...]  # nine squares: 0 empty, 1 for player 0, 2 for player 1
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class TicTacToe(Game[State]):
    """Three in a row win; action a marks square a."""

    name, title, n_players, n_actions = "tictactoe", "Tic-tac-toe", 2, 9

    def start(self) -> State:
        return (0,) * 9

    def winner(self, state: State) -> int:
        """1 or 2 who has three in a row; 0 if nobody has."""
        return next((state[a] for a, b, c in LINES if state[a] == state[b] == state[c] != 0), 0)

    def movers(self, state: State) -> tuple[int, ...]:
        return () if self.winner(state) or 0 not in state else ((9 - state.count(0)) % 2,)

    def legal(self, state: State, player: int) -> list[int]:
        return [square for square in range(9) if state[square] == 0]

    def play(self, state: State, moves: tuple[int, ...]) -> State:
        self.check_moves(state, moves)
        mark = self.movers(state)[0] + 1
        return tuple(mark if square == moves[0] else old for square, old in enumerate(state))

    def score(self, state: State) -> tuple[float, ...]:
        return self.outcome(state)

    def outcome(self, state: State) -> tuple[float, ...]:
        return ((0.0, 0.0), (1.0, -1.0), (-1.0, 1.0))[self.winner(state)]

    def observe(self, state: State, player: int) -> np.ndarray:
        return np.array(state)

    def text(self, state: State) -> str:
        signs = "".join(".XO"[mark] for mark in state)
        return "\n".join([signs[:3], signs[3:6], signs[6:]])

    def describe(self, state: State, player: int, action: int) -> str:
        return f"mark square {action}"

    def write(self, state: State) -> str:
        return "".join(map(str, state))

    def read(self, line: str) -> State:
        return tuple(int(mark) for mark in line)
