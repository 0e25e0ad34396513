"""The perfect player of the finger games: it reads the exact solution."""

from typing import Any

from lib.game import Agent, Game
from lib.truth.fingers import solve


class PerfectFingers(Agent):
    """Wins as soon as possible, loses as late as possible, keeps a draw; ties at random."""

    name = "perfect"

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        best = solve(game).best_moves(state)
        return best[int(self.rng.random() * len(best))]
