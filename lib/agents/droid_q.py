"""Q-learning on the go in the droid battle: the table is updated from one round to the next.

    Q[s][a] += alpha * (reward + gamma * max Q[s'] - Q[s][a])

A state is where both droids are and how many shots each has left: 8,640 of them on the usual board.
The other droid is part of the world: what it does makes the next state, so a table learned against
one opponent is an answer to that opponent. A state in which nobody has a shot left is the end; it
keeps its zeros. `lib.agents.droid_compiled` learns the same table from the same dice, 60 times as
fast.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from lib.agents.droid_agents import DroidAgent, actions_of
from lib.files import write_whole
from lib.games.droids import ACTIONS, Action, Droids, Location, R2Droid

State = tuple[Location, Location, int, int]  # own place, other's, own shots, other's
Values = dict[Action, float]  # of the available actions


@dataclass(frozen=True)
class DroidQSettings:
    """How to learn; the defaults learn to beat a frozen agent."""

    alpha: float = 0.1  # step size
    gamma: float = 0.9  # what a point is worth a round later
    epsilon: float = 0.3  # share of rounds in which any action is taken, while training


class QAgent(DroidAgent):
    """Plays by its table, and learns while `training`."""

    def __init__(
        self,
        settings: DroidQSettings | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(seed)
        self.settings = settings or DroidQSettings()
        self.Q: dict[State, Values] = {}
        self.last: tuple[State, Action] | None = None  # where it was and what it did
        self.rounds = 0  # learned from so far

    def clear(self) -> None:
        self.last = None

    def get_best_move(
        self, self_droid: R2Droid, adv_droid: R2Droid, score_change: int, training: bool
    ) -> Action:
        state = self.state(self_droid, adv_droid)
        values = self.values(state, self_droid)
        if training and self.last is not None:
            self.update(self.reward(score_change), values)
        action = self.choose(values, self.settings.epsilon if training else 0.0)
        self.last = state, action
        return action

    def state(self, self_droid: R2Droid, adv_droid: R2Droid) -> State:
        """What the table tells apart."""
        return self_droid.location, adv_droid.location, self_droid.shots, adv_droid.shots

    def reward(self, score_change: int) -> float:
        """What a round was worth: the point made or lost."""
        return float(score_change)

    def values(self, state: State, self_droid: R2Droid) -> Values:
        """The values of the available actions; zeros in a state never seen before."""
        if state not in self.Q:
            self.Q[state] = dict.fromkeys(actions_of(self_droid), 0.0)
        return self.Q[state]

    def update(self, reward: float, next_values: Values) -> None:
        """Move the value of the last action towards what it led to."""
        assert self.last is not None
        state, action = self.last
        target = reward + self.settings.gamma * max(next_values.values())
        self.Q[state][action] += self.settings.alpha * (target - self.Q[state][action])
        self.rounds += 1

    def choose(self, values: Values, epsilon: float) -> Action:
        """Any action with probability epsilon, else a best one; ties at random."""
        if self.rng.random() < epsilon:
            return self.pick(list(values))
        best = max(values.values())
        return self.pick([action for action in values if values[action] == best])

    def table(self, game: Droids | None = None) -> np.ndarray:
        """Q as an array [own shots, other's, pair of places, action], 0 where never seen."""
        places = pairs(game or Droids())
        top = 1 + (game or Droids()).shots
        table = np.zeros((top, top, len(places), len(ACTIONS)))
        for (own, other, shots, its_shots), values in self.Q.items():
            for action, value in values.items():
                table[shots, its_shots, places[own, other], action.value - 1] = value
        return table

    def learn_table(self, table: np.ndarray, game: Droids | None = None) -> None:
        """Take over the values of an array like that of `table`."""
        game = game or Droids()
        for (own, other), pair in pairs(game).items():
            for shots, its_shots in np.ndindex(table.shape[:2]):
                droid = R2Droid(game.rows, game.cols, own, shots)
                row = table[shots, its_shots, pair]
                self.Q[own, other, shots, its_shots] = {
                    action: float(row[action.value - 1]) for action in actions_of(droid)
                }

    def save(self, path: str | Path, game: Droids | None = None) -> Path:
        """Write the table and what is needed to go on training."""
        facts = {"rounds": self.rounds, "settings": asdict(self.settings)}
        facts["rng"] = self.rng.bit_generator.state
        table = self.table(game)
        return write_whole(
            path, lambda file: np.savez_compressed(file, table=table, facts=json.dumps(facts))
        )

    @classmethod
    def load(cls, path: str | Path, game: Droids | None = None) -> "QAgent":
        """What `save` wrote, ready to play or to go on training."""
        game = game or Droids()
        with np.load(path, allow_pickle=False) as file:
            table, facts = file["table"], json.loads(str(file["facts"]))
        shape = (game.shots + 1, game.shots + 1, len(pairs(game)), len(ACTIONS))
        if table.shape != shape:
            raise ValueError(f"{path} was learned on another board: {table.shape}, not {shape}")
        agent = cls(DroidQSettings(**facts["settings"]))
        agent.learn_table(table, game)
        agent.rounds, agent.rng.bit_generator.state = facts["rounds"], facts["rng"]
        return agent


def pairs(game: Droids) -> dict[tuple[Location, Location], int]:
    """The number of every pair of places, own first, as in `lib.truth.droids_compiled`."""
    cells: Iterable[Location] = list(np.ndindex(game.rows, game.cols))
    places = [(own, other) for own in cells for other in cells if own != other]
    return {pair: number for number, pair in enumerate(places)}
