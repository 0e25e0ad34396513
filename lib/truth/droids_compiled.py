"""The droid battle backwards, one layer of equal rounds left at a time, compiled.

Everything is seen by one player, "own", against the "other". A layer is an array over own shots,
other's shots, lead (own points minus the other's, shifted to start at 0) and pair of places. With a
lead axis of length 1 the lead is left out and points are added up on the way instead.
"""

from itertools import product
from typing import NamedTuple

import numpy as np
from numba import njit

from lib.games.droids import ACTIONS, Droids, Location, R2Droid, play_round
from lib.truth.matrix import solve_rows


class Tables(NamedTuple):
    """One round of the plain rules for every pair of places and every pair of actions."""

    pairs: dict[tuple[Location, Location], int]  # (own place, other's place) -> number
    after: np.ndarray  # [pair, own action, other's action]: the pair after it, -1 where a wall is
    change: np.ndarray  # the same index: 1 if own hit counts, -1 if the other's does


def tables(game: Droids) -> Tables:
    """The plain rules of one round, asked once for everything that can happen."""
    cells = list(product(range(game.rows), range(game.cols)))
    places = [(own, other) for own, other in product(cells, cells) if own != other]
    pairs = {pair: number for number, pair in enumerate(places)}
    after = np.full((len(pairs), 5, 5), -1, np.int32)
    change = np.zeros((len(pairs), 5, 5), np.int8)
    for (a, b), number in pairs.items():
        one, other = (R2Droid(game.rows, game.cols, place, 1) for place in (a, b))
        for mine, its in product(one.available_actions(), other.available_actions()):
            i, j, here, there = mine.value - 1, its.value - 1, one.copy(), other.copy()
            change[number, i, j] = play_round(here, there, (ACTIONS[i], ACTIONS[j]))
            after[number, i, j] = pairs[here.location, there.location]
    return Tables(pairs, after, change)


@njit(cache=True)
def actions(after: np.ndarray, pair: int, shots: int, own: bool, out: np.ndarray) -> int:
    """How many actions one side has; their numbers go into `out`. The shot is never walled in."""
    count = 0
    for a in range(5):
        walled = (after[pair, a, 4] if own else after[pair, 4, a]) < 0
        if not walled and (a < 4 or shots > 0):
            out[count] = a
            count += 1
    return count


@njit(cache=True)
def payoffs(
    following: np.ndarray,
    after: np.ndarray,
    change: np.ndarray,
    spot: tuple[int, int, int, int],
    rows: np.ndarray,
    columns: np.ndarray,
    out: np.ndarray,
) -> tuple[int, int]:
    """The matrix of a round at (own shots, other's, lead, pair) from the layer that follows it."""
    own, other, lead, pair = spot
    m = actions(after, pair, own, True, rows)
    n = actions(after, pair, other, False, columns)
    leads = following.shape[2] > 1
    for i in range(m):
        for j in range(n):
            a, b = rows[i], columns[j]
            gain = change[pair, a, b]
            to = lead + gain if leads else 0
            value = following[own - (a == 4), other - (b == 4), to, after[pair, a, b]]
            out[i, j] = value if leads else value + gain
    return m, n


@njit(cache=True)
def reached(shots: int, own: int, other: int, lead: int, leads: int) -> bool:
    """Whether the lead (shifted by `shots`) can be: no one has more points than shots fired."""
    return leads == 1 or (lead - shots <= shots - own and shots - lead <= shots - other)


@njit(cache=True)
def equilibrium_layer(
    following: np.ndarray,
    after: np.ndarray,
    change: np.ndarray,
    ends: np.ndarray,
    values: np.ndarray,
    mixes: np.ndarray,
) -> None:
    """Solve every matrix of a layer: `values` and the own player's `mixes` are filled in."""
    shots, leads, pairs = values.shape[0] - 1, values.shape[2], values.shape[3]
    payoff, mix = np.empty((5, 5)), np.empty(5)
    rows, columns = np.empty(5, np.int64), np.empty(5, np.int64)
    for own in range(shots + 1):
        for other in range(shots + 1):
            for lead in range(leads):
                if not reached(shots, own, other, lead, leads):
                    continue
                for pair in range(pairs):
                    spot = (own, other, lead, pair)
                    m, n = payoffs(following, after, change, spot, rows, columns, payoff)
                    value = solve_rows(payoff, m, n, mix)
                    values[spot] = ends[lead] if own + other == 0 else value
                    for a in range(5):
                        mixes[own, other, lead, pair, a] = 0.0
                    for i in range(m):
                        mixes[own, other, lead, pair, rows[i]] = mix[i]


@njit(cache=True)
def fixed_layer(
    following: np.ndarray,
    after: np.ndarray,
    change: np.ndarray,
    ends: np.ndarray,
    policy: np.ndarray,
    reply: np.ndarray,
    swapped: np.ndarray,
    values: np.ndarray,
    choices: np.ndarray,
) -> None:
    """The own value of a layer for a fixed `policy` against `reply`, or its best reply if empty.

    `reply` is a policy too, seen by the other. The best reply's action goes into `choices`.
    """
    shots, leads, pairs = values.shape[0] - 1, values.shape[2], values.shape[3]
    payoff = np.empty((5, 5))
    rows, columns = np.empty(5, np.int64), np.empty(5, np.int64)
    for own in range(shots + 1):
        for other in range(shots + 1):
            for lead in range(leads):
                if not reached(shots, own, other, lead, leads):
                    continue
                mine = lead if policy.shape[2] > 1 else 0
                its = leads - 1 - lead if reply.shape[2] > 1 else 0
                for pair in range(pairs):
                    spot = (own, other, lead, pair)
                    m, n = payoffs(following, after, change, spot, rows, columns, payoff)
                    best, mean = np.inf, 0.0
                    for j in range(n):
                        value = 0.0
                        for i in range(m):
                            value += policy[own, other, mine, pair, rows[i]] * payoff[i, j]
                        if value < best:
                            best = value
                            choices[spot] = columns[j]
                        if reply.size:
                            mean += reply[other, own, its, swapped[pair], columns[j]] * value
                    values[spot] = mean if reply.size else best
                    if own + other == 0:
                        values[spot] = ends[lead]
