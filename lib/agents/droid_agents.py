"""The droid battle's own agents: they see two droids and answer with an `Action`.

This is the interface of the assignment that lesson 3 is made from. In every round an agent is given
its droid, the other's, and what the last round changed: 1 for a point made, -1 for one lost. It may
use of a droid `location`, `shots`, `copy`, `move_location`, `shoot` and `available_actions`, no
more. After the last round it is asked once again: its answer does not count, but it hears of the
last change. `fight` is that loop; `DroidPlayer` lets such an agent play wherever the course's do.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from lib.agents.progress import Progress
from lib.game import Agent, Game
from lib.games.droids import ACTIONS, Action, Droids, R2Droid, play_round

KEYS = {
    "w": Action.MOVE_UP,
    "s": Action.MOVE_DOWN,
    "a": Action.MOVE_LEFT,
    "d": Action.MOVE_RIGHT,
    " ": Action.SHOOT,
}


class DroidAgent(ABC):
    """Who steers a droid; `rng` is its only source of dice."""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        self.rng = np.random.default_rng(seed)

    def clear(self) -> None:  # noqa: B027 - most agents remember nothing of a game
        """Forget this game, a new one starts; what was learned stays."""

    @abstractmethod
    def get_best_move(
        self, self_droid: R2Droid, adv_droid: R2Droid, score_change: int, training: bool
    ) -> Action:
        """The action of this round; `score_change` is what the last round brought."""

    def pick(self, actions: Sequence[Action]) -> Action:
        """One of the actions, each as likely as the next."""
        return actions[int(self.rng.random() * len(actions))]


def actions_of(droid: R2Droid) -> list[Action]:
    """The droid's actions in their order: a set of enum members has none."""
    available = droid.available_actions()
    return [action for action in ACTIONS if action in available]


def in_sight(droid: R2Droid, other: R2Droid) -> bool:
    """Whether a beam would hit: the droids share a row or a column."""
    (row, col), (its_row, its_col) = droid.location, other.location
    return row == its_row or col == its_col


class RandomAgent(DroidAgent):
    """Any action, each as likely as the next."""

    def get_best_move(
        self, self_droid: R2Droid, adv_droid: R2Droid, score_change: int, training: bool
    ) -> Action:
        return self.pick(actions_of(self_droid))


class ShooterAgent(DroidAgent):
    """Shoots whenever the other is in sight, else moves at random; slips now and then."""

    def __init__(self, slips: float = 0.0, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(seed)
        self.slips = slips  # share of rounds in which any action is taken

    def get_best_move(
        self, self_droid: R2Droid, adv_droid: R2Droid, score_change: int, training: bool
    ) -> Action:
        actions = actions_of(self_droid)
        if self.rng.random() < self.slips:
            return self.pick(actions)
        if Action.SHOOT in actions and in_sight(self_droid, adv_droid):
            return Action.SHOOT
        return self.pick([action for action in actions if action is not Action.SHOOT])


class KeyboardAgent(DroidAgent):
    """Asks for a key until it is one that can be played: W A S D to move, space to shoot."""

    def __init__(self, key: Callable[[], str]) -> None:
        super().__init__()
        self.key = key  # returns the next key: `input` in a terminal, a script in a test

    def get_best_move(
        self, self_droid: R2Droid, adv_droid: R2Droid, score_change: int, training: bool
    ) -> Action:
        available = self_droid.available_actions()
        while (action := KEYS.get(self.key()[:1].lower())) not in available:
            pass
        assert action is not None
        return action


def fight(
    one: DroidAgent,
    other: DroidAgent,
    game: Droids | None = None,
    *,
    swapped: bool = False,
    training: tuple[bool, bool] = (False, False),
) -> Iterator[int]:
    """Play one game; yields the score change of `one` after each round.

    With `swapped`, `one` starts in the second place.
    """
    game = game or Droids()
    mine, its = game.droids(game.start(), player=int(swapped))
    agents, change = (one, other), 0
    for agent in agents:
        agent.clear()
    for _ in range(game.rounds):
        moves = asked(agents, mine, its, change, training)
        change = play_round(mine, its, moves)
        yield change
        if not mine.shots and not its.shots:
            break
    asked(agents, mine, its, change, training)  # so that both hear of the last round


def asked(
    agents: tuple[DroidAgent, DroidAgent],
    mine: R2Droid,
    its: R2Droid,
    change: int,
    training: tuple[bool, bool],
) -> tuple[Action, Action]:
    """What both answer, each looking at copies of its own."""
    return (
        agents[0].get_best_move(mine.copy(), its.copy(), change, training[0]),
        agents[1].get_best_move(its.copy(), mine.copy(), -change, training[1]),
    )


def train(
    learner: DroidAgent,
    opponent: DroidAgent,
    rounds: int = 100_000,
    every: int = 10_000,
    game: Droids | None = None,
    both: bool = False,
) -> Iterator[Progress]:
    """Let `learner` play `rounds` rounds, in turn from both places; with `both`, both learn.

    Tells every so many rounds how many games it won and lost, and its points a game.
    """
    game, done, told, number = game or Droids(), 0, 0, 0
    leads: list[int] = []
    while done < rounds:
        swapped = number % 2 == 1
        changes = list(fight(learner, opponent, game, swapped=swapped, training=(True, both)))
        done, number = done + len(changes), number + 1
        leads.append(sum(changes))
        if done - told >= min(every, rounds - told):
            yield Progress(min(done, rounds), rounds, "rounds", summary(leads))
            leads, told = [], done


def summary(leads: Sequence[int] | np.ndarray) -> dict[str, float]:
    """The shares of games won and lost, and the mean lead, from the final leads of games."""
    final = np.array(leads)
    won, lost = float(np.mean(final > 0)), float(np.mean(final < 0))
    return {"won": won, "lost": lost, "points": float(final.mean())}


class DroidPlayer(Agent):
    """A droid agent as one of the course's: for boards, matches and tournaments."""

    def __init__(self, agent: DroidAgent, name: str = "", training: bool = False) -> None:
        super().__init__()
        self.agent, self.training = agent, training
        self.name = name or type(agent).__name__
        self.lead = 0

    def begin(self, rng: np.random.Generator) -> None:
        self.rng = self.agent.rng = rng
        self.lead = 0
        self.agent.clear()

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        return self._hear(game, state, player).value - 1

    def end(self, game: Game[Any], state: Any, player: int) -> None:
        if self.training:
            self._hear(game, state, player)

    def _hear(self, game: Game[Any], state: Any, player: int) -> Action:
        """What the agent answers to a state, once told what the last round changed."""
        assert isinstance(game, Droids)
        lead = state.points[player] - state.points[1 - player]
        change, self.lead = lead - self.lead, lead
        return self.agent.get_best_move(*game.droids(state, player), change, self.training)
