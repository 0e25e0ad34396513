"""The droid battle's Q-learning, compiled: the same tables from the same dice as `droid_q`.

The opponent is a table of shares [own shots, other's, pair of places, action], seen by itself, such
as `random_shares`, `shooter_shares`, or `greedy_shares` of a table that was learned. It need not
be still: with `self_play` it is the learner's own table of the moment.
"""

from collections.abc import Iterator

import numpy as np
from numba import njit

from lib.agents.droid_agents import summary
from lib.agents.droid_q import QAgent
from lib.agents.progress import Progress
from lib.games.droids import Droids
from lib.truth.droids import board_tables
from lib.truth.droids_compiled import actions


def legal_table(game: Droids) -> np.ndarray:
    """Whether an action can be played, at [own shots, other's, pair of places, action]."""
    after = board_tables(game.rows, game.cols).after
    legal = np.empty((game.shots + 1, game.shots + 1, len(after), 5), bool)
    legal[:] = after[:, :, 4] >= 0  # the shot is never walled in
    legal[0, :, :, 4] = False
    return legal


def shared(chosen: np.ndarray) -> np.ndarray:
    """Equal shares of the chosen actions of each state."""
    return chosen / chosen.sum(axis=-1, keepdims=True)


def random_shares(game: Droids) -> np.ndarray:
    """The random player."""
    return shared(legal_table(game))


def shooter_shares(game: Droids, slips: float = 0.0) -> np.ndarray:
    """Shoot if the other is in sight, else move at random; a share of slips at random."""
    chosen = legal_table(game)
    places = board_tables(game.rows, game.cols).pairs
    sight = np.array([a[0] == b[0] or a[1] == b[1] for a, b in places])
    chosen[1:, :, sight, :4] = False
    chosen[:, :, ~sight, 4] = False
    return (1 - slips) * shared(chosen) + slips * random_shares(game)


def greedy_shares(game: Droids, table: np.ndarray) -> np.ndarray:
    """The player who takes a best action of a table; ties equally."""
    values = np.where(legal_table(game), table, -np.inf)
    return shared(values == values.max(axis=-1, keepdims=True))


@njit(cache=True)
def choose(
    values: np.ndarray, legal: np.ndarray, count: int, epsilon: float, rng: np.random.Generator
) -> int:
    """Epsilon-greedy over the first `count` of the legal actions, ties at random."""
    explore = rng.random() < epsilon
    best, ties = -np.inf, 0
    for i in range(count):
        best = max(best, values[legal[i]])
    for i in range(count):
        if explore or values[legal[i]] == best:
            ties += 1
    left = int(rng.random() * ties)
    for i in range(count):
        if explore or values[legal[i]] == best:
            if left == 0:
                return legal[i]
            left -= 1
    return legal[0]


@njit(cache=True)
def draw(shares: np.ndarray, rng: np.random.Generator) -> int:
    """An action with the chances given; the last possible one if rounding leaves a gap."""
    roll, upto, last = rng.random(), 0.0, 0
    for action in range(5):
        if shares[action] > 0:
            upto += shares[action]
            last = action
            if roll < upto:
                return action
    return last


@njit(cache=True)
def learn_game(
    Q: np.ndarray,
    opponent: np.ndarray,
    self_play: bool,
    after: np.ndarray,
    change: np.ndarray,
    swapped: np.ndarray,
    start: int,
    rounds: int,
    settings: tuple[float, float, float],
    rng: np.random.Generator,
    its_rng: np.random.Generator,
) -> tuple[int, int]:
    """One game in which Q learns; returns the rounds played and the final lead."""
    alpha, gamma, epsilon = settings
    own, other, pair, lead = Q.shape[0] - 1, Q.shape[0] - 1, start, 0
    legal, its_legal = np.empty(5, np.int64), np.empty(5, np.int64)
    count = actions(after, pair, own, True, legal)
    a = choose(Q[own, other, pair], legal, count, epsilon, rng)
    for done in range(rounds + 1):
        view = swapped[pair]
        if self_play:
            its_count = actions(after, view, other, True, its_legal)
            b = choose(Q[other, own, view], its_legal, its_count, epsilon, its_rng)
        else:
            b = draw(opponent[other, own, view], its_rng)
        if done == rounds or own + other == 0:  # asked once more, and not heard
            return done, lead
        gain = change[pair, a, b]
        next_own, next_other, next_pair = own - (a == 4), other - (b == 4), after[pair, a, b]
        count = actions(after, next_pair, next_own, True, legal)
        best = -np.inf
        for i in range(count):
            best = max(best, Q[next_own, next_other, next_pair, legal[i]])
        Q[own, other, pair, a] += alpha * (gain + gamma * best - Q[own, other, pair, a])
        own, other, pair, lead = next_own, next_other, next_pair, lead + gain
        a = choose(Q[own, other, pair], legal, count, epsilon, rng)
    return rounds, lead


@njit(cache=True)
def learn_games(
    Q: np.ndarray,
    opponent: np.ndarray,
    self_play: bool,
    after: np.ndarray,
    change: np.ndarray,
    swapped: np.ndarray,
    starts: tuple[int, int],
    rounds: int,
    settings: tuple[float, float, float],
    rng: np.random.Generator,
    its_rng: np.random.Generator,
    number: int,
    leads: np.ndarray,
) -> tuple[int, int]:
    """Games until len(leads) rounds are played; returns the rounds and the games, fills `leads`."""
    done, games = 0, 0
    while done < len(leads):
        start = starts[(number + games) % 2]
        played, leads[games] = learn_game(
            Q, opponent, self_play, after, change, swapped, start, rounds, settings, rng, its_rng
        )
        done, games = done + played, games + 1
    return done, games


def learn(
    agent: QAgent,
    opponent: np.ndarray | None,
    rounds: int = 1_000_000,
    every: int = 100_000,
    game: Droids | None = None,
    seed: int | np.random.Generator | None = None,
) -> Iterator[Progress]:
    """Train `agent` against a table of shares, or against itself if None; as `train` does.

    `seed` is that of the opponent's dice. The agent has its new table whenever progress is told.
    """
    game, its_rng = game or Droids(), np.random.default_rng(seed)
    pairs, after, change = board_tables(game.rows, game.cols)
    swapped = np.array([pairs[b, a] for a, b in pairs])
    starts = pairs[game.starts], pairs[game.starts[::-1]]
    Q, how = agent.table(game), agent.settings
    shares, settings = Q if opponent is None else opponent, (how.alpha, how.gamma, how.epsilon)
    done, number = 0, 0
    while done < rounds:
        leads = np.empty(min(every, rounds - done), np.int64)
        played, games = learn_games(
            Q, shares, opponent is None, after, change, swapped, starts, game.rounds, settings,
            agent.rng, its_rng, number, leads,
        )  # fmt: skip
        done, number, agent.rounds = done + played, number + games, agent.rounds + played
        agent.learn_table(Q, game)
        yield Progress(min(done, rounds), rounds, "rounds", summary(leads[:games]))
