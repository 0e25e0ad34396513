"""The figures that the lessons share.

q_table(learner)                      the value of every position of a finger game, as a map
round_matrix(game, state)             a round of the droids: both assumptions, the equilibrium
report_2048(records)                  scores, tiles, moves and mean tiles of played games
peg_strip(positions)                  a game of solitaire as a strip of boards
search_tree, tile_values, peg_policy  drawings of what an algorithm thinks
bands, bars, heat                     curves over seeds, bars with intervals, a labelled matrix
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lib.boards.figure import INK, MUTED, SERIES, Picture, bands, bars, heat, picture
from lib.boards.film import Film
from lib.boards.palette import colour
from lib.boards.tree import search_tree
from lib.boards.understand import peg_policy, tile_values
from lib.game import Record
from lib.games.board2048 import MOVES, cells, largest
from lib.games.solitaire import HOLES

__all__ = [
    "Film",
    "Picture",
    "bands",
    "bars",
    "heat",
    "peg_policy",
    "peg_strip",
    "picture",
    "q_table",
    "report_2048",
    "round_matrix",
    "search_tree",
    "tile_values",
    "value_map",
]


def value_map(
    game: Any,
    value: Callable[[int], float | None],
    *,
    title: str = "",
    words: Callable[[int, float], str] | None = None,
) -> Picture:
    """Every reachable position of a finger game: own hands down, the other's across.

    `value(number)` is between -1 (the mover loses) and 1 (she wins), or None for "not known".
    """
    graph = game.graph
    reached = [s for s in graph.reachable(game.number(game.start())) if graph.after[s]]
    pairs = sorted({pair for s in reached for pair in graph.views[s]})
    pairs = [pair for pair in pairs if pair != (0, 0)]
    place = {pair: at for at, pair in enumerate(pairs)}
    values, notes = np.full((len(pairs), len(pairs)), np.nan), {}
    for s in reached:
        found = value(s)
        if found is not None:
            spot = place[graph.views[s][0]], place[graph.views[s][1]]
            values[spot] = found
            notes[spot] = words(s, found) if words else sign(found)
    labels = [f"{a}-{b}" for a, b in pairs]
    figure = heat(values, labels, labels, title=title, words=lambda i, j: notes[i, j], limit=1.0)
    assert figure is not None
    figure.axes[0].set_ylabel("hands of who moves", color=INK)
    figure.supxlabel("hands of the other", color=INK, fontsize=10)
    return figure


def sign(value: float) -> str:
    """How a value is written in a small cell: + wins, - loses, = neither."""
    return "+" if value > 0.05 else "−" if value < -0.05 else "="


def q_table(learner: Any, *, truth: bool = True, title: str = "") -> Picture:
    """The best value of every position in a Q-table; with `truth`, ✗ where its move is wrong."""
    from lib.truth.fingers import solve

    game, exact = learner.game, solve(learner.game)

    def words(s: int, value: float) -> str:
        if not truth:
            return sign(value)
        best = max(learner.Q[s], key=lambda action: learner.Q[s][action])
        right = best in exact.keeping_moves(game.state(s))
        return sign(value) if right else f"{sign(value)}✗"

    def value(s: int) -> float | None:
        return max(learner.Q[s].values(), default=None)

    note = " · ✗ a move that gives the exact value away" if truth else ""
    games = f"{getattr(learner, 'games', 0):,} games"
    return value_map(game, value, title=title or f"Q-table after {games}{note}", words=words)


def round_matrix(game: Any, state: Any, player: int = 0, matrix: Any = None) -> Picture:
    """A round of the droids as a matrix: the payoff of `player` for every pair of actions.

    Beside the rows the worst case of each (pessimistic: the best of them), below the columns the
    best answer to each (optimistic: the worst of them), and the shares of the equilibrium.
    """
    from lib.truth.droids import solve
    from lib.truth.matrix import equilibrium, optimistic, pessimistic

    full = solve(game).matrix(state, player) if matrix is None else np.asarray(matrix, dtype=float)
    rows, columns = (np.flatnonzero(~np.isnan(full).all(axis=axis)) for axis in (1, 0))
    part, balance = full[np.ix_(rows, columns)], equilibrium(full)
    names = [game.describe(state, player, int(a)).removeprefix("move ") for a in range(5)]
    worst, best = part.min(axis=1), part.max(axis=0)
    across = [f"{names[a]}\n{balance.columns[a]:.0%}" for a in columns] + ["worst"]
    down = [f"{names[a]}  {balance.rows[a]:.0%}" for a in rows] + ["best"]
    table = np.full((len(rows) + 1, len(columns) + 1), np.nan)
    table[:-1, :-1], table[:-1, -1], table[-1, :-1] = part, worst, best
    figure, axes = picture("a round as a matrix", 7.2, 0.9 + 0.55 * len(down))
    low, high = pessimistic(full), optimistic(full)

    def words(i: int, j: int) -> str:
        chosen = (j == len(columns) and table[i, j] == low) or (
            i == len(rows) and table[i, j] == high
        )
        return f"[{table[i, j]:+.2f}]" if chosen else f"{table[i, j]:+.2f}"

    title = (
        f"pessimistic {low:+.2f}  ≤  equilibrium {balance.value:+.2f}  ≤  optimistic {high:+.2f}"
    )
    heat(table, down, across, title=title, words=words, axes=axes)
    axes.axhline(len(rows) - 0.5, color=MUTED)
    axes.axvline(len(columns) - 0.5, color=MUTED)
    axes.set_ylabel("you", color=INK)
    axes.set_xlabel("the other droid", color=INK)
    axes.xaxis.set_label_position("top")
    return figure


def report_2048(records: Sequence[Record[Any]], title: str = "") -> Picture:
    """The statistics of the seed's report: scores, largest tiles, moves, mean tile of each cell."""
    if not records:
        raise ValueError("a report needs at least one played game")
    scores = [record.score[0] for record in records]
    tops = Counter(largest(record.states[-1].board) for record in records)
    taken = Counter(move for record in records for (move,) in record.moves)
    ends = np.array([cells(record.states[-1].board) for record in records])
    means = np.where(ends > 0, 2.0**ends, 0).mean(axis=0).reshape(4, 4)
    words = title or f"{len(records)} games of 2048, mean score {np.mean(scores):,.0f}"
    figure, axes = picture(words, 9, 6.2, 2, 2)
    _histogram(axes[0, 0], scores)
    share = {f"{tile}": tops[tile] / len(records) for tile in sorted(tops)}
    bars(share, title="share of games by largest tile", form="{:.0%}", axes=axes[0, 1])
    total = sum(taken.values()) or 1
    moves = {name: taken[action] / total for action, name in enumerate(MOVES)}
    bars(moves, title="share of each move", form="{:.0%}", axes=axes[1, 0])
    spots = [[1, 2, 3, 4]] * 2
    heat(
        means,
        *spots,
        title="mean tile of each cell at the end",
        axes=axes[1, 1],
        words=lambda i, j: f"{means[i, j]:,.0f}",
    )
    figure.suptitle(words, x=0.01, ha="left", color=INK)
    return figure


def _histogram(axes: Any, scores: Sequence[float]) -> None:
    mean = float(np.mean(scores))
    axes.hist(scores, bins=min(30, max(5, len(scores) // 4)), color=SERIES[0])
    axes.axvline(mean, color=SERIES[1], lw=2, ls="--")
    axes.annotate(
        f" mean {mean:,.0f}", (mean, 0.92), xycoords=("data", "axes fraction"), color=SERIES[1]
    )
    axes.set_title("score of a game", loc="left", fontsize=11)
    axes.set_ylabel("games")


def peg_strip(
    positions: Sequence[int],
    columns: int = 8,
    title: str = "",
    labels: Sequence[object] | None = None,
) -> Picture:
    """Positions of solitaire as small boards, row by row; filled dots are pegs.

    Above each its number, or what `labels` says.
    """
    labels = labels or range(len(positions))
    rows = -(-len(positions) // columns)
    figure, axes = picture(title or "a game", 1.15 * columns, 1.25 * rows + 0.3, rows, columns)
    for place, one in enumerate(np.ravel(axes)):
        one.set_axis_off()
        if place >= len(positions):
            continue
        one.set(xlim=(-0.7, 6.7), ylim=(6.7, -0.7), aspect="equal")
        for hole, (row, column) in enumerate(HOLES):
            full = positions[place] >> hole & 1
            style = {"color": colour("peg")} if full else {"mfc": "none", "color": MUTED, "ms": 2}
            one.plot(column, row, "o", **{"ms": 5.5, **style})
        one.set_title(str(labels[place]), fontsize=8, color=MUTED, pad=1)
    if title:
        figure.suptitle(title, x=0.01, ha="left", color=INK)
    return figure
