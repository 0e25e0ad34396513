"""The figures of lesson 1: what a table thinks of every position, and how settings matter."""

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lib.agents import q_sweep
from lib.agents.q_learning import QSettings
from lib.agents.tables import Moves
from lib.boards import Explorer
from lib.games.fingers import FingerGame, View
from lib.truth.fingers import solve

COLOURS = ("#0072b2", "#b84a00", "#00694d", "#a3386f")  # apart for colour-blind readers
MARKS = ("o", "s", "^", "D")


def exact_values(game: FingerGame) -> dict[View, float]:
    """1, 0 or -1 for who moves in every reachable position."""
    truth = solve(game)
    return {game.graph.views[s]: float(truth.values[s]) for s in truth.reachable()}


def table_values(Q: Mapping[View, Any], moves: Moves) -> dict[View, float]:
    """The value of the best legal action of every position; -1 where the game is lost."""
    return {
        s: max(float(Q[s][a]) for a in actions) if actions else -1.0 for s, actions in moves.items()
    }


def value_maps(maps: Mapping[str, Mapping[View, float]]) -> Figure:
    """Several maps side by side, by title: blue is good for who moves, orange bad."""
    figure, axes = plt.subplots(1, len(maps), figsize=(5.6 * len(maps), 5.4), squeeze=False)
    for ax, (title, values) in zip(axes[0], maps.items(), strict=True):
        value_map(ax, title, values)
    figure.tight_layout()
    plt.close(figure)
    return figure


def value_map(ax: Axes, title: str, values: Mapping[View, float]) -> None:
    """One map: a row for each pair of own hands, a column for each of the other's."""
    owns, others = (sorted({view[i] for view in values}) for i in (0, 1))
    grid = np.full((len(owns), len(others)), np.nan)
    for (own, other), value in values.items():
        grid[owns.index(own), others.index(other)] = value
    ax.imshow(np.ma.masked_invalid(grid), cmap="PuOr", vmin=-1.2, vmax=1.2)
    for (row, column), value in np.ndenumerate(grid):
        if not np.isnan(value):
            sign = "+" if value > 0.05 else "−" if value < -0.05 else "·"
            colour = "white" if abs(value) > 0.8 else "black"
            ax.text(column, row, sign, ha="center", va="center", fontsize=8, color=colour)
    ax.set_xticks(range(len(others)), [f"{a}-{b}" for a, b in others], rotation=90, fontsize=8)
    ax.set_yticks(range(len(owns)), [f"{a}-{b}" for a, b in owns], fontsize=8)
    ax.set(title=title, xlabel="the other's hands", ylabel="hands of who moves")


def sweep_explorer() -> Explorer:
    """What training against random reaches: a slider for epsilon, one for alpha."""
    stored = q_sweep.stored()
    alphas = {"1/visits" if alpha is None else f"{alpha:g}": alpha for alpha in q_sweep.ALPHAS}

    def curves(epsilon: float, alpha: str) -> dict[str, list[list[tuple[float, float]]]]:
        runs = stored["curves"][q_sweep.name(QSettings(alpha=alphas[alpha], epsilon=epsilon))]
        names = ("games won against random", "positions right")
        return {
            name: [list(zip(stored["games"], [p[i] for p in run], strict=True)) for run in runs]
            for i, name in enumerate(names)
        }

    settings = {"epsilon": q_sweep.EPSILONS, "alpha": tuple(alphas)}
    best = {"perfect": 1.0}
    start: dict[str, Any] = {"epsilon": 0.6, "alpha": "0.3"}
    return Explorer("Q-learning", "games", "share", settings, curves, best, **start)


def schedules() -> Figure:
    """The same for the four schedules of opponents."""
    chosen = [QSettings(opponents=schedule) for schedule in q_sweep.SCHEDULES]
    return _curves({q_sweep.name(s): " then ".join(s.opponents) for s in chosen})


def _curves(names: Mapping[str, str]) -> Figure:
    stored = q_sweep.stored()
    figure, axes = plt.subplots(1, 2, figsize=(10.5, 3.6))
    titles = ("games won against a random player", "positions with the exact value kept")
    for i, (ax, title) in enumerate(zip(axes, titles, strict=True)):
        for name, colour, mark in zip(names, COLOURS, MARKS, strict=False):
            runs = np.array(stored["curves"][name])[:, :, i]
            label = names[name]
            ax.plot(stored["games"], runs.mean(axis=0), mark + "-", ms=4, color=colour, label=label)
            low, high = runs.min(axis=0), runs.max(axis=0)
            ax.fill_between(stored["games"], low, high, alpha=0.2, color=colour, lw=0)
        ax.axhline(1, color="black", lw=1, ls=":")
        ax.set(title=title, xlabel="games played", ylim=(0.9 if i == 0 else 0.6, 1.01))
        ax.grid(alpha=0.3)
    axes[1].legend(loc="lower right", fontsize=9)
    figure.tight_layout()
    plt.close(figure)
    return figure


def settings_grid() -> Figure:
    """Positions that are right after 10,000 games, for every epsilon and alpha."""
    stored = q_sweep.stored()["curves"]
    figure, ax = plt.subplots(figsize=(7.5, 3.8))
    for alpha, colour, mark in zip(q_sweep.ALPHAS, COLOURS, MARKS, strict=True):
        names = [q_sweep.name(QSettings(alpha=alpha, epsilon=e)) for e in q_sweep.EPSILONS]
        last = np.array([[run[-1][1] for run in stored[name]] for name in names])
        label = "1 / visits" if alpha is None else f"{alpha:g}"
        ax.plot(q_sweep.EPSILONS, last.mean(1), mark + "-", ms=5, color=colour, label=label)
        ax.fill_between(q_sweep.EPSILONS, last.min(1), last.max(1), alpha=0.15, color=colour, lw=0)
    ax.axhline(1, color="black", lw=1, ls=":")
    ax.set(xlabel="epsilon", ylabel="positions right", title="after 10,000 games against random")
    ax.legend(title="alpha", fontsize=9)
    ax.grid(alpha=0.3)
    figure.tight_layout()
    plt.close(figure)
    return figure
