"""How an entered agent is asked for its moves: by text, so that it may run in another process.

An entry is a class that derives from `Agent` and says what it plays:

    class MyAgent(Agent):
        plays = "solitaire"
        def act(self, game, state, player): ...
"""

from typing import Any

import numpy as np

from lib.game import Agent
from lib.games import GAMES


def plays(agent: type[Agent]) -> str:
    """The name of the game that an entry is for; ValueError, in words, if it names none."""
    name = getattr(agent, "plays", None)
    if not isinstance(name, str):
        raise ValueError(f"plays = {name!r}: name one of {', '.join(GAMES)}")
    return GAMES[name].name


class Seat:
    """An entry at the table: moves are asked for with the state as one line of text."""

    def __init__(self, agent: type[Agent]) -> None:
        self.game = GAMES[plays(agent)]()
        self.agent = agent()

    def begin(self, seed: int) -> None:
        """A new game begins, with dice of its own."""
        self.agent.begin(np.random.default_rng(seed))

    def move(self, line: str, player: int) -> Any:
        """What the agent does in the state that `line` describes."""
        return self.agent.act(self.game, self.game.read(line), player)
