"""The perfect player of peg solitaire: it never makes a jump that can't be mended."""

from typing import Any

from lib.game import Agent, Game
from lib.truth.solitaire import winning_jumps


class PerfectSolitaire(Agent):
    """Any jump that keeps the position solvable, else any jump; ties at random."""

    name = "perfect"

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        centre = getattr(game, "centre", True)
        good = winning_jumps(state, centre=centre) or game.legal(state, player)
        return good[int(self.rng.random() * len(good))]
