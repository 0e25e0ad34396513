"""The figures of lesson 4: what boards look like to a network, and how trainings compare."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lib.agents.dqn_games import Games
from lib.boards.figure import DASHES, INK, MUTED, SERIES, Picture, heat, picture
from lib.games.board2048 import MOVES

TILES = (128, 256, 512, 1024, 2048, 4096)


def planes(tensor: np.ndarray) -> Picture:
    """The twelve planes of a board, each marked cell dark."""
    figure, axes = picture("the binary tensor, plane by plane", 8, 3, 2, 6)
    for k, (axis, plane) in enumerate(zip(axes.flat, np.asarray(tensor), strict=True)):
        axis.imshow(1 - plane, cmap="gray", vmin=-0.4, vmax=1.2)
        axis.set_title("empty" if k == 0 else str(2**k), fontsize=9, color=INK)
        axis.set(xticks=[], yticks=[])
    return figure


def tiles_reached(games: Mapping[str, Games]) -> Picture:
    """The share of games that reach each tile, a line for each player."""
    figure, axes = picture("share of games that reach a tile")
    for place, (name, played) in enumerate(games.items()):
        shares = [played.reached(tile) for tile in TILES]
        axes.plot(range(len(TILES)), shares, "os^Dv<"[place % 6], ls=_dash(place), lw=2,
                  color=SERIES[place % 6], label=name)  # fmt: skip
    axes.set_xticks(range(len(TILES)), [str(tile) for tile in TILES])
    axes.set(xlabel="tile", ylabel="share of games", ylim=(-0.03, 1.03))
    axes.legend(frameon=False, labelcolor=INK)
    return figure


def scores(games: Mapping[str, Games]) -> Picture:
    """Histograms of the scores, and each player's mean."""
    figure, axes = picture("scores", 7.5, 3.6)
    top = max(float(np.quantile(played.scores, 0.995)) for played in games.values())
    for place, (name, played) in enumerate(games.items()):
        words = f"{name}: mean {played.mean:,.0f} ± {played.error:,.0f}"
        axes.hist(played.scores, np.linspace(0, top, 50), histtype="step", lw=2, label=words,
                  color=SERIES[place % 6], ls=_dash(place))  # fmt: skip
    axes.set(xlabel="score of a game", ylabel="games")
    axes.legend(frameon=False, labelcolor=INK)
    return figure


def _dash(place: int) -> Any:
    dash = DASHES[place % 6]
    return "-" if dash is None else (0, [float(n) / 2 for n in dash.split()])


def ladder(
    rungs: Mapping[str, Sequence[Mapping[str, Any]]],
    title: str,
    levels: Mapping[str, float] | None = None,
) -> Picture:
    """A bar for each rung: mean score and 95 % interval, a dot for each seed, the share of 512."""
    figure, axes = picture(title, 8, 0.42 * len(rungs) + 1.2)
    for place, rows in enumerate(rungs.values()):
        means = np.array([row["score"] for row in rows])
        mean, half = float(means.mean()), 1.96 * spread(rows)
        axes.barh(place, mean, color=SERIES[0], alpha=0.75)
        axes.errorbar(mean, place, xerr=half, color=INK, capsize=3)
        axes.plot(means, [place] * len(means), "o", color=INK, ms=4)
        share = np.mean([row["reached"]["512"] for row in rows])
        words, end = f"  {mean:,.0f} · 512 in {share:.0%}", max(mean + half, means.max())
        axes.annotate(words, (end, place), va="center", fontsize=9, color=INK)
    for name, level in (levels or {}).items():
        axes.axvline(level, color=MUTED, ls=":")
        axes.annotate(name, (level, -0.6), fontsize=8, color=MUTED, ha="center")
    axes.set_yticks(range(len(rungs)), list(rungs), color=INK)
    axes.set_xlim(0, axes.get_xlim()[1] * 1.25)
    axes.invert_yaxis()
    axes.set_xlabel("mean score")
    axes.set_title(title, loc="left", fontsize=11, pad=14)
    return figure


def spread(rows: Sequence[Mapping[str, Any]]) -> float:
    """The standard error of the mean over seeds: between seeds, or of the games if that is more."""
    means = np.array([row["score"] for row in rows])
    games = float(np.sqrt(np.mean([row["error"] ** 2 for row in rows]) / len(rows)))
    between = float(means.std(ddof=1) / np.sqrt(len(rows))) if len(rows) > 1 else 0.0
    return max(games, between)


def heats(maps: Mapping[str, Any]) -> Picture:
    """Mean tile of each cell at the end of a game, one map for each name."""
    figure, axes = picture("mean tile of each cell", 3.1 * len(maps), 3, 1, len(maps))
    spots = [[""] * 4] * 2
    for axis, (name, found) in zip(np.ravel(axes), maps.items(), strict=True):
        cells = np.asarray(found)

        def words(i: int, j: int, cells: np.ndarray = cells) -> str:
            return f"{cells[i, j]:,.0f}"

        heat(cells, *spots, title=name, axes=axis, words=words)
    return figure


def moves(counts: Mapping[str, Any]) -> Picture:
    """How often each direction was taken, a group of bars for each name."""
    figure, axes = picture("moves taken", 7.5, 3.2)
    width = 0.8 / len(counts)
    for place, (name, found) in enumerate(counts.items()):
        shares = np.asarray(found) / np.sum(found)
        at = np.arange(4) + (place - (len(counts) - 1) / 2) * width
        bars = axes.bar(at, shares, width, color=SERIES[place % 6], label=name,
                        hatch=("", "//", "..", "xx")[place % 4], edgecolor="white")  # fmt: skip
        axes.bar_label(bars, [f"{share:.0%}" for share in shares], fontsize=8, color=INK)
    axes.set_xticks(range(4), MOVES)
    axes.set_ylabel("share of moves")
    axes.margins(y=0.15)
    axes.legend(frameon=False, labelcolor=INK)
    return figure


def losses() -> Picture:
    """Huber's loss and the squared one, and their slopes, over the error."""
    figure, axes = picture("two losses", 7.5, 3, 1, 2)
    error = np.linspace(-6, 6, 301)
    huber = np.where(np.abs(error) <= 1, error**2 / 2, np.abs(error) - 0.5)
    pairs = (
        ("loss", error**2 / 2, huber),
        ("slope: what moves the weights", error, np.clip(error, -1, 1)),
    )
    for axis, (title, squared, clipped) in zip(np.ravel(axes), pairs, strict=True):
        axis.plot(error, squared, lw=2, color=SERIES[0], label="squared / 2")
        axis.plot(error, clipped, lw=2, color=SERIES[1], ls="--", label="Huber")
        axis.set_title(title, loc="left", fontsize=11)
        axis.set_xlabel("TD error")
        axis.legend(frameon=False, labelcolor=INK)
    return figure
