"""Players of 2048 that look one move ahead with learned values, and how those are learned."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lib.agents.afterstate_dqn import TUPLES, AfterstateDQN, Settings
from lib.agents.dqn_files import load, load_resume, save
from lib.agents.ntuple import NTuple, choose
from lib.agents.progress import Progress
from lib.game import Agent, Game
from lib.games.batch2048 import row_tables

RECIPES = {"dqn": Settings(), "tuples": TUPLES}


class DQNPlayer(Agent):
    """The move with the largest reward + gamma V, V averaged over symmetric images."""

    name = "dqn"

    def __init__(
        self, learner: AfterstateDQN, symmetries: int = 8, name: str | None = None
    ) -> None:
        super().__init__()
        self.learner, self.symmetries, self.name = learner, symmetries, name or self.name

    def values(self, board: int) -> np.ndarray:
        """What each of the four moves is worth, -inf where it is illegal."""
        boards = np.array([board], dtype=np.uint64)
        return self.learner.preferences(boards, self.symmetries, self.learner.mean)[0]

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        return int(np.argmax(self.values(state.board)))


class NTuplePlayer(Agent):
    """The move with the largest reward + V of an n-tuple network."""

    name = "ntuple"

    def __init__(self, network: NTuple) -> None:
        super().__init__()
        self.network = network

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        network = self.network
        tables = (network.weights, network.masks, network.shifts)
        return int(choose(np.uint64(state.board), *tables, *row_tables())[0])


def shipped(path: Path) -> DQNPlayer:
    """A player with weights of the course: tuples see all symmetries by themselves."""
    learner = load(path, device="cpu")
    symmetric = learner.settings.network == "tuples"
    return DQNPlayer(learner, 1 if symmetric else 8, "tuples" if symmetric else "dqn")


def start(
    recipe: str, seed: int, minutes: float, resume: Path | None
) -> tuple[Iterator[Progress], Callable[[Path], object]]:
    """A training of so many CPU-minutes in all, and how to save it."""
    agent = load_resume(resume) if resume else AfterstateDQN(RECIPES[recipe], seed=seed)
    return agent.train(minutes=minutes), lambda path: save(agent, path)
