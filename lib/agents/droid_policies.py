"""Every droid agent as a table of shares, and what the exact solution says of each.

A table of shares [own shots, other's, pair of places, action] is all there is to know of an agent
that looks at places and shots alone. `odds` and `exploitability` of `lib.truth.droids` then need no
games: they are exact.
"""

import numpy as np

from lib.agents.droid_agents import DroidAgent, RandomAgent, ShooterAgent
from lib.agents.droid_compiled import (
    greedy_shares,
    legal_table,
    random_shares,
    shared,
    shooter_shares,
)
from lib.agents.droid_q import QAgent
from lib.agents.minimax import EQUAL, MinimaxAgent
from lib.games.droids import ACTIONS, Action, Droids, R2Droid
from lib.truth.droids import Policy, board_tables


def as_policy(shares: np.ndarray) -> Policy:
    """A table of shares as lib.truth takes it: the same at any lead and in any round."""
    layer = np.ascontiguousarray(shares[:, :, None])
    return lambda rounds: layer


def shares_of(agent: DroidAgent, game: Droids | None = None) -> np.ndarray:
    """The table of shares of an agent that is not training."""
    game = game or Droids()
    if isinstance(agent, QAgent):
        return greedy_shares(game, agent.table(game))
    if isinstance(agent, MinimaxAgent):
        return minimax_shares(agent, game)
    if isinstance(agent, ShooterAgent):
        return shooter_shares(game, agent.slips)
    if isinstance(agent, RandomAgent):
        return random_shares(game)
    raise ValueError(f"no table is known for {agent!r}: count its moves in matches instead")


def asked_shares(agent: DroidAgent, game: Droids | None = None, times: int = 1) -> np.ndarray:
    """The shares of any agent, from its answers in every situation, asked so many times."""
    game = game or Droids()
    found = np.zeros(legal_table(game).shape)
    for (own, other), pair in board_tables(game.rows, game.cols).pairs.items():
        for shots, its_shots in np.ndindex(found.shape[:2]):
            mine = R2Droid(game.rows, game.cols, own, shots)
            its = R2Droid(game.rows, game.cols, other, its_shots)
            for _ in range(times):
                action = agent.get_best_move(mine.copy(), its.copy(), 0, False)
                found[shots, its_shots, pair, action.value - 1] += 1 / times
    return found


class TableAgent(DroidAgent):
    """Plays by a table of shares: any of the agents here, in a microsecond a move."""

    def __init__(
        self,
        shares: np.ndarray,
        game: Droids | None = None,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        super().__init__(seed)
        game = game or Droids()
        self.pairs = board_tables(game.rows, game.cols).pairs
        self.upto = np.where(shares > 0, shares.cumsum(axis=-1), 0.0).tolist()

    def get_best_move(
        self, self_droid: R2Droid, adv_droid: R2Droid, score_change: int, training: bool
    ) -> Action:
        pair = self.pairs[self_droid.location, adv_droid.location]
        upto = self.upto[self_droid.shots][adv_droid.shots][pair]
        roll = self.rng.random()
        for action, limit in zip(ACTIONS, upto, strict=True):
            if roll < limit:
                return action
        return ACTIONS[upto.index(max(upto))]  # rounding left a gap below 1


def minimax_shares(agent: MinimaxAgent, game: Droids | None = None) -> np.ndarray:
    """A minimax agent of fixed depth as a table: the whole board searched, a round at a time."""
    game = game or Droids()
    if agent.seconds is not None or type(agent).evaluate is not MinimaxAgent.evaluate:
        raise ValueError("only a fixed depth and the usual evaluation can be tabulated")
    shots = np.arange(game.shots + 1.0)
    pairs = len(board_tables(game.rows, game.cols).pairs)
    guess = agent.shot_value * (shots[:, None] - shots)
    values = np.repeat(guess[:, :, None], pairs, axis=2)
    for _ in range(agent.depth - 1):
        matrix = matrices(values, game)
        best = _optimistic if agent.assumption == "optimistic" else _pessimistic
        values = best(matrix)
        values[0, 0] = 0.0
    worth = _worth(agent, matrices(values, game))
    best_worth = worth.max(axis=-1, keepdims=True)
    return shared(legal_table(game) & (worth > best_worth - EQUAL))


def matrices(values: np.ndarray, game: Droids) -> np.ndarray:
    """Every state's matrix of a round from the values after it; nan where an action is illegal.

    Indices: own shots, other's, pair of places, own action, the other's.
    """
    _, after, change = board_tables(game.rows, game.cols)
    found = np.full((*values.shape, 5, 5), np.nan)
    for own, other, mine, its in np.ndindex(*values.shape[:2], 5, 5):
        if (mine == 4 and own == 0) or (its == 4 and other == 0):
            continue
        pair = after[:, mine, its]
        after_it = values[own - (mine == 4), other - (its == 4), pair] + change[:, mine, its]
        found[own, other, :, mine, its] = np.where(pair >= 0, after_it, np.nan)
    return found


def _low(matrix: np.ndarray) -> np.ndarray:
    """The worst case of each own action; -inf where it is illegal."""
    illegal = np.isnan(matrix).all(axis=-1)
    return np.where(illegal, -np.inf, np.where(np.isnan(matrix), np.inf, matrix).min(axis=-1))


def _high(matrix: np.ndarray) -> np.ndarray:
    """The best answer to each of the other's actions; inf where it is illegal."""
    illegal = np.isnan(matrix).all(axis=-2)
    return np.where(illegal, np.inf, np.where(np.isnan(matrix), -np.inf, matrix).max(axis=-2))


def _pessimistic(matrix: np.ndarray) -> np.ndarray:
    return _low(matrix).max(axis=-1)


def _optimistic(matrix: np.ndarray) -> np.ndarray:
    return _high(matrix).min(axis=-1)


def _mean(matrix: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The mean of each own action over the columns chosen; -inf where it is illegal."""
    used = columns[..., None, :] & ~np.isnan(matrix)
    total = np.where(used, matrix, 0.0).sum(axis=-1)
    return np.where(used.any(axis=-1), total / np.maximum(used.sum(axis=-1), 1), -np.inf)


def _worth(agent: MinimaxAgent, matrix: np.ndarray) -> np.ndarray:
    """As `MinimaxAgent.worth`, for every state at once."""
    if agent.assumption == "pessimistic":
        return _low(matrix)
    if agent.assumption == "combined":
        return _low(matrix) + agent.hope * _mean(matrix, ~np.isnan(matrix).all(axis=-2))
    high = _high(matrix)
    return _mean(matrix, high < high.min(axis=-1, keepdims=True) + EQUAL)
