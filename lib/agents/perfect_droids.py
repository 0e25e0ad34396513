"""The perfect player of the droid battle: it mixes its actions as the equilibrium does."""

from typing import Any

from lib.game import Agent, Game
from lib.truth.droids import solve


class PerfectDroids(Agent):
    """Draws from the equilibrium mix: nobody wins more often than it loses against it."""

    name = "perfect"

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        mix = solve(game).mix(state, player)  # type: ignore[arg-type]
        return int(self.rng.choice(len(mix), p=mix / mix.sum()))
