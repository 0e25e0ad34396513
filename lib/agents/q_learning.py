"""Tabular Q-learning on a finger game: `Q[s][a]` is what action `a` is worth in position `s`.

Positions are the numbered ones of `game.graph`, so left and right don't matter, and `Q[s]` holds
the legal actions only: an illegal one can't be chosen, nor spoil a maximum. Two forms:

- `QLearning`, after the TapnSwap seed: the opponent is part of the environment. The next position
  is the one after its reply, and there is a reward only at the end: 1 for a win, -1 for a loss.
- `NegamaxQLearning`: both sides learn from every move. The next position is the opponent's, so
  what is good there is bad here: the target is 1, or -gamma max Q[s'].

Watkins & Dayan, Q-learning (1992); Littman, Markov games (1994) for the second form.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from lib.agents.progress import Progress
from lib.files import write_whole
from lib.game import Agent, Game
from lib.games.fingers import FingerGame, FingerState

Dice = Callable[[], float]  # the next random number in [0, 1)
Values = dict[int, float]  # action -> value


@dataclass(frozen=True)
class QSettings:
    """How to learn; the defaults are those of the seed's form."""

    alpha: float | None = 0.3  # step size; None: 1 / visits of the action
    gamma: float = 1.0  # below 1, a win is worth less the later it comes
    epsilon: float = 0.6  # share of moves chosen at random
    opponents: tuple[str, ...] = (
        "random",
    )  # "random" or "self", each for an equal part of training
    legal_only: bool = True  # False: the seed's mistake, illegal actions (0) in the maximum
    max_turns: int = 200  # a game that runs in circles is cut off


def best_actions(values: Values) -> list[int]:
    """The actions of the highest value: {0: 0.5, 3: 0.5, 4: 0.1} -> [0, 3]."""
    best = max(values.values())
    return [action for action in values if values[action] == best]


def epsilon_greedy(values: Values, epsilon: float, dice: Dice) -> int:
    """A random legal action with probability epsilon, else a best one; ties at random."""
    actions = list(values) if dice() < epsilon else best_actions(values)
    return actions[int(dice() * len(actions))]


def td_target(reward: float, gamma: float, next_values: Values) -> float:
    """The reward, plus what the best legal action promises next; nothing follows the end."""
    return reward + gamma * max(next_values.values(), default=0.0)


def uniforms(rng: np.random.Generator) -> Dice:
    """Random numbers in [0, 1), drawn in blocks: one at a time is five times slower."""

    def stream() -> Iterator[float]:
        while True:
            yield from rng.random(1024).tolist()

    return stream().__next__


class QLearning:
    """The seed's form: for progress in QLearning(TapnSwap()).train(10_000): ..."""

    defaults: ClassVar[QSettings] = QSettings()

    def __init__(
        self, game: FingerGame, settings: QSettings | None = None, seed: int | None = None
    ) -> None:
        self.game = game
        self.settings = settings or self.defaults
        self.rng = np.random.default_rng(seed)
        self.after = game.graph.after
        self.start = game.number(game.start())
        self.Q: list[Values] = [dict.fromkeys(moves, 0.0) for moves in self.after]
        self.visits: list[dict[int, int]] = [dict.fromkeys(moves, 0) for moves in self.after]
        self.games = 0  # played so far

    def train(self, games: int = 10_000, every: int = 500) -> Iterator[Progress]:
        """Play and learn; tells every so many games how many were won."""
        first = self.games
        last = first + games
        while self.games < last:
            dice = uniforms(self.rng)
            chunk = min(every, last - self.games)
            results = []
            for _ in range(chunk):
                results.append(self.episode(self.opponent(self.games - first, games), dice))
                self.games += 1
            share = {"won": results.count(1) / chunk, "cut off": results.count(0) / chunk}
            yield Progress(self.games - first, games, "games", share)

    def opponent(self, done: int, games: int) -> float:
        """The share of random moves of the opponent whose part of the training this is."""
        opponents = self.settings.opponents
        name = opponents[done * len(opponents) // games]
        if name not in ("random", "self"):
            raise ValueError(f"no opponent is called {name!r}: choose 'random' or 'self'")
        return 1.0 if name == "random" else self.settings.epsilon

    def episode(self, opponent: float, dice: Dice) -> int:
        """One game in which the opponent is the environment: 1 won, -1 lost, 0 cut off."""
        s = self.start
        if self.games % 2:  # the opponent begins every other game
            s = self.after[s][epsilon_greedy(self.Q[s], opponent, dice)]
        for _ in range(self.settings.max_turns):
            a = epsilon_greedy(self.Q[s], self.settings.epsilon, dice)
            next_s, reward = self.step(s, a, opponent, dice)
            self.update(s, a, td_target(reward, self.settings.gamma, self.next_values(next_s)))
            if reward:
                return reward
            s = next_s
        return 0

    def step(self, s: int, a: int, opponent: float, dice: Dice) -> tuple[int, int]:
        """The environment's answer: the position after the opponent's reply, and the reward."""
        theirs = self.after[s][a]
        if not self.after[theirs]:
            return theirs, 1
        next_s = self.after[theirs][epsilon_greedy(self.Q[theirs], opponent, dice)]
        return next_s, 0 if self.after[next_s] else -1

    def next_values(self, s: int) -> Values:
        """The values that the maximum of the target runs over: those of the legal actions."""
        if self.settings.legal_only:
            return self.Q[s]
        return dict.fromkeys(range(self.game.n_actions), 0.0) | self.Q[s]

    def update(self, s: int, a: int, target: float) -> None:
        """Move Q[s][a] towards the target by a step of alpha."""
        self.visits[s][a] += 1
        alpha = self.settings.alpha or 1 / self.visits[s][a]
        self.Q[s][a] += alpha * (target - self.Q[s][a])

    def save(self, path: str | Path) -> Path:
        """Write the table and what is needed to go on training."""
        rows = [(s, a, q, self.visits[s][a]) for s, qs in enumerate(self.Q) for a, q in qs.items()]
        facts = {"games": self.games, "settings": asdict(self.settings)}
        facts |= {"form": type(self).__name__, "rng": self.rng.bit_generator.state}
        table = np.array(rows)
        return write_whole(
            path, lambda file: np.savez_compressed(file, table=table, facts=json.dumps(facts))
        )

    @classmethod
    def load(cls, path: str | Path, game: FingerGame) -> "QLearning":
        """What `save` wrote, ready to play or to go on training."""
        with np.load(path, allow_pickle=False) as file:
            table, facts = file["table"], json.loads(str(file["facts"]))
        settings = facts["settings"] | {"opponents": tuple(facts["settings"]["opponents"])}
        learner = FORMS[facts["form"]](game, QSettings(**settings))
        learner.games, learner.rng.bit_generator.state = facts["games"], facts["rng"]
        if len(table) != sum(map(len, learner.Q)):
            raise ValueError(f"{path} was not learned on {game!r}: its table has {len(table)} rows")
        for s, a, q, visits in table.tolist():
            learner.Q[int(s)][int(a)], learner.visits[int(s)][int(a)] = q, int(visits)
        return learner


class NegamaxQLearning(QLearning):
    """Self-play in which both sides learn from every move."""

    defaults = QSettings(alpha=0.5, gamma=0.9, epsilon=0.5, opponents=("self",))

    def episode(self, opponent: float, dice: Dice) -> int:
        """One game against oneself: 1 when who began won, -1 when not, 0 cut off."""
        s, settings = self.start, self.settings
        for turn in range(settings.max_turns):
            a = epsilon_greedy(self.Q[s], settings.epsilon, dice)
            next_s = self.after[s][a]
            reward = 0 if self.after[next_s] else 1
            self.update(s, a, td_target(reward, -settings.gamma, self.next_values(next_s)))
            if reward:
                return 1 if turn % 2 == 0 else -1
            s = next_s
        return 0


FORMS: dict[str, type[QLearning]] = {"QLearning": QLearning, "NegamaxQLearning": NegamaxQLearning}


class QPlayer(Agent):
    """Plays the best action of a table; ties at random."""

    name = "q-learning"

    def __init__(
        self, learner: QLearning, name: str | None = None, seed: int | None = None
    ) -> None:
        super().__init__(seed)
        self.learner, self.name = learner, name or self.name

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        choices = self.choices(state)
        return choices[int(self.rng.random() * len(choices))]

    def choices(self, state: FingerState) -> list[int]:
        """The actions that look best in `state`."""
        game = self.learner.game
        s = game.number(state)
        moves = self.learner.after[s]
        return [game.action_to(state, moves[a]) for a in best_actions(self.learner.Q[s])]
