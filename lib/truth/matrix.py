"""Matrix games: two players choose a row and a column at once, the row player gets the entry.

A *saddle point* (an entry that is the smallest of its row and the largest of its column) settles
the game with one row and one column. Otherwise both must mix, and a small linear program finds how.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

EQUAL = 1e-12  # payoffs closer than this count as equal
ZERO = 1e-14  # a gain or a divisor smaller than this is rounding
PIVOTS = 1000  # Bland's rule needs about ten: rounding must not make it run for ever


@njit(cache=True)
def maximin(payoff: np.ndarray, m: int, n: int) -> tuple[float, int]:
    """The best worst case and its row; of equal rows the best one against a random column."""
    best, best_mean, best_row = -np.inf, -np.inf, 0
    for i in range(m):
        low, mean = payoff[i, 0], payoff[i, 0]
        for j in range(1, n):
            low = min(low, payoff[i, j])
            mean += payoff[i, j]
        if low > best + EQUAL or (low > best - EQUAL and mean > best_mean):
            best, best_mean, best_row = max(low, best), mean, i
    return best, best_row


@njit(cache=True)
def minimax(payoff: np.ndarray, m: int, n: int) -> float:
    """What the row player gets if it sees the column first."""
    best = np.inf
    for j in range(n):
        high = payoff[0, j]
        for i in range(1, m):
            high = max(high, payoff[i, j])
        best = min(best, high)
    return best


@njit(cache=True)
def pivot(table: np.ndarray, basis: np.ndarray, rows: int, cols: int, row: int, col: int) -> None:
    """Make column `col` basic in `row`: the one step of the simplex method."""
    scale = table[row, col]
    for k in range(cols + 1):
        table[row, k] /= scale
    for i in range(rows + 1):
        if i != row:
            factor = table[i, col]
            for k in range(cols + 1):
                table[i, k] -= factor * table[row, k]
    basis[row] = col


@njit(cache=True)
def simplex(payoff: np.ndarray, m: int, n: int, mix: np.ndarray) -> float:
    """The value of the upper left m x n of `payoff`; the row player's best mix goes into `mix`.

    With all entries scaled to 1 .. 2: maximise sum(y) so that payoff @ y <= 1, y >= 0. Then the
    value is 1 / sum(y), and the prices of the m constraints, scaled alike, are the row player's
    mix. Bland's rule: the first column that gains, the first basis variable that limits it.
    """
    low, high, cols = payoff[0, 0], payoff[0, 0], n + m
    for i in range(m):
        for j in range(n):
            low, high = min(low, payoff[i, j]), max(high, payoff[i, j])
    table = np.zeros((m + 1, cols + 1))
    basis = np.empty(m, np.int64)
    for i in range(m):
        for j in range(n):
            table[i, j] = 1.0 + (payoff[i, j] - low) / (high - low)
        table[i, n + i] = table[i, cols] = 1.0
        basis[i] = n + i
    for j in range(n):
        table[m, j] = -1.0
    for _ in range(PIVOTS):
        col = 0
        while col < cols and table[m, col] > -ZERO:
            col += 1
        row, ratio = -1, np.inf
        for i in range(m):
            if col < cols and table[i, col] > ZERO:
                limit = table[i, cols] / table[i, col]
                if limit < ratio - EQUAL or (limit < ratio + EQUAL and basis[i] < basis[row]):
                    row, ratio = i, limit
        if row < 0:  # no column gains, or only by rounding
            break
        pivot(table, basis, m, cols, row, col)
    total = table[m, cols]
    for i in range(m):
        mix[i] = max(table[m, n + i], 0.0) / total
    return low + (1.0 / total - 1.0) * (high - low)


@njit(cache=True)
def solve_rows(payoff: np.ndarray, m: int, n: int, mix: np.ndarray) -> float:
    """The value of the game; an optimal mix of the m rows goes into `mix`."""
    lower, row = maximin(payoff, m, n)
    if minimax(payoff, m, n) <= lower + EQUAL:
        for i in range(m):
            mix[i] = 1.0 if i == row else 0.0
        return lower
    return simplex(payoff, m, n, mix)


class Equilibrium(NamedTuple):
    """What both can make sure of, and the shares of each row and of each column."""

    value: float
    rows: np.ndarray
    columns: np.ndarray


def equilibrium(payoff: np.ndarray) -> Equilibrium:
    """The solution of a matrix game; a row or column that is nan throughout is not allowed.

    >>> [part.round(3).tolist() for part in equilibrium(np.array([[3.0, 0.0], [1.0, 2.0]]))[1:]]
    [[0.25, 0.75], [0.5, 0.5]]
    """
    payoff = np.asarray(payoff, dtype=float)
    rows, columns = allowed_parts(payoff)
    allowed = np.ascontiguousarray(payoff[np.ix_(rows, columns)])
    row_mix, column_mix = np.zeros(payoff.shape[0]), np.zeros(payoff.shape[1])
    mix = np.zeros(len(rows))
    value = solve_rows(allowed, len(rows), len(columns), mix)
    row_mix[rows] = mix
    mix = np.zeros(len(columns))
    solve_rows(np.ascontiguousarray(-allowed.T), len(columns), len(rows), mix)
    column_mix[columns] = mix
    return Equilibrium(float(value), row_mix, column_mix)


def allowed_parts(payoff: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the rows and columns that are not nan throughout."""
    rows, columns = (np.flatnonzero(~np.isnan(payoff).all(axis=axis)) for axis in (1, 0))
    if not (len(rows) and np.isfinite(payoff[np.ix_(rows, columns)]).all()):
        raise ValueError(f"a matrix game needs finite payoffs in whole rows and columns:\n{payoff}")
    return rows, columns


def pessimistic(payoff: np.ndarray) -> float:
    """The row player's best worst case: it moves first, the other sees it (nan: not allowed)."""
    return float(payoff[np.ix_(*allowed_parts(payoff))].min(axis=1).max())


def optimistic(payoff: np.ndarray) -> float:
    """The row player moves second and sees the column (nan: not allowed)."""
    return float(payoff[np.ix_(*allowed_parts(payoff))].max(axis=0).min())
