"""The figures of lesson 4: what boards look like to a network, and how trainings compare."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lib.agents.dqn_games import Games
from lib.arena_results import wilson
from lib.boards.figure import DASHES, INK, MUTED, PAPER, SERIES, Picture, heat, picture
from lib.boards.film import Film
from lib.boards.shapes import Drawing, Shape, rect, text
from lib.boards.watch import Watch
from lib.games.board2048 import MOVES

TILES = (128, 256, 512, 1024, 2048, 4096)
STUDENT = {
    2: 12.71,
    3: 4.30,
    4: 3.18,
    5: 2.78,
    6: 2.57,
    7: 2.45,
    8: 2.36,
    9: 2.31,
    10: 2.26,
}  # 95 %


def planes(tensor: np.ndarray) -> Picture:
    """The twelve planes of a board, each marked cell dark."""
    figure, axes = picture("the binary tensor, plane by plane", 8, 3, 2, 6)
    for k, (axis, plane) in enumerate(zip(axes.flat, np.asarray(tensor), strict=True)):
        axis.pcolormesh(1 - plane, cmap="gray", vmin=-0.4, vmax=1.2, edgecolors=PAPER, lw=1.5)
        axis.set_title("empty" if k == 0 else str(2**k), fontsize=9, color=INK)
        axis.set(xticks=[], yticks=[], ylim=(4, 0), aspect="equal")
        axis.spines[:].set_visible(False)
    return figure


def tiles_reached(games: Mapping[str, Games]) -> Picture:
    """The share of games that reach each tile, and its 95 % interval, a line for each player."""
    figure, axes = picture("share of games that reach a tile")
    for place, (name, played) in enumerate(games.items()):
        shares, n = np.array([played.reached(tile) for tile in TILES]), len(played.scores)
        ends = np.array([wilson(round(share * n), n) for share in shares])
        reach = np.clip([shares - ends[:, 0], ends[:, 1] - shares], 0, None)
        axes.errorbar(range(len(TILES)), shares, reach, marker="os^Dv<"[place % 6],
                      ls=_dash(place), lw=2, elinewidth=1, capsize=3,
                      color=SERIES[place % 6], label=name)  # fmt: skip
    axes.set_xticks(range(len(TILES)), [str(tile) for tile in TILES])
    axes.set(xlabel="tile", ylabel="share of games", ylim=(-0.03, 1.03))
    axes.legend(frameon=False, labelcolor=INK)
    return figure


def scores(games: Mapping[str, Games]) -> Picture:
    """Histograms of the scores, and each player's mean with its standard error."""
    figure, axes = picture("scores", 7.5, 3.6)
    top = max(float(np.quantile(played.scores, 0.995)) for played in games.values())
    for place, (name, played) in enumerate(games.items()):
        words = f"{name}: mean {played.mean:,.0f} ± {played.error:,.0f}"
        each = np.full(len(played.scores), 1 / len(played.scores))
        axes.hist(played.scores, np.linspace(0, top, 50), weights=each, histtype="step", lw=2,
                  label=words, color=SERIES[place % 6], ls=_dash(place))  # fmt: skip
    axes.set(xlabel="score of a game", ylabel="share of games")
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
        mean, half = float(means.mean()), interval(rows)
        axes.barh(place, mean, color=SERIES[0], alpha=0.75)
        axes.errorbar(mean, place, xerr=half, color=INK, capsize=3)
        axes.plot(means, [place] * len(means), "o", color=INK, ms=4)
        share = np.mean([row["reached"]["512"] for row in rows])
        words, end = f"{mean:,.0f} · 512 in {share:.0%}", max(mean + half, means.max())
        axes.annotate(words, (end, place), (8, 0), textcoords="offset points", va="center",
                      fontsize=9, color=INK, bbox={"fc": PAPER, "lw": 0, "pad": 1})  # fmt: skip
    for name, level in (levels or {}).items():
        axes.axvline(level, color=MUTED, ls=":")
        axes.annotate(name, (level, 1.01), xycoords=("data", "axes fraction"), fontsize=8,
                      color=MUTED, ha="center", va="bottom")  # fmt: skip
    axes.set_yticks(range(len(rungs)), list(rungs), color=INK)
    axes.set_xlim(0, axes.get_xlim()[1] * 1.25)
    axes.invert_yaxis()
    axes.set_xlabel("mean score")
    axes.set_title(title, loc="left", fontsize=11, pad=20)
    return figure


def interval(rows: Sequence[Mapping[str, Any]]) -> float:
    """Half of the 95 % interval of the mean: Student's over seeds, or the games' if that's more."""
    means, n = np.array([row["score"] for row in rows]), len(rows)
    games = 1.96 * float(np.sqrt(np.mean([row["error"] ** 2 for row in rows]) / n))
    if n == 1:
        return games
    return max(games, STUDENT.get(n, 1.96) * float(means.std(ddof=1)) / n**0.5)


def heats(maps: Mapping[str, Any]) -> Picture:
    """Mean tile of each cell at the end of a game, one map for each name."""
    figure, axes = picture("mean tile of each cell", 2.2 * len(maps), 2.3, 1, len(maps))
    spots = [[""] * 4] * 2
    for axis, (name, found) in zip(np.ravel(axes), maps.items(), strict=True):
        cells = np.asarray(found)

        def words(i: int, j: int, cells: np.ndarray = cells) -> str:
            return f"{cells[i, j]:,.0f}"

        heat(cells, *spots, title=name, axes=axis, words=words)
    return figure


def moves(counts: Mapping[str, Any], labels: Sequence[str] = MOVES) -> Picture:
    """How often each direction was taken, a group of bars for each label."""
    figure, axes = picture("moves taken", 7.5, 3.2)
    width = 0.8 / len(counts)
    for place, (name, found) in enumerate(counts.items()):
        shares = np.asarray(found) / np.sum(found)
        at = np.arange(4) + (place - (len(counts) - 1) / 2) * width
        bars = axes.bar(at, shares, width, color=SERIES[place % 6], label=name,
                        hatch=("", "//", "..", "xx")[place % 4], edgecolor="white")  # fmt: skip
        axes.bar_label(bars, [f"{share:.0%}" for share in shares], fontsize=8, color=INK)
    axes.set_xticks(range(4), labels)
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


def beside(games: Mapping[str, Watch], pictures: int = 150) -> Film:
    """Finished games side by side, move by move; the later, the more moves to a picture."""
    longest = max(len(watch.session.moves) for watch in games.values())
    film = Film(" beside ".join(games))
    for turn in np.unique((np.linspace(0, 1, pictures) ** 2 * longest).round().astype(int)):
        film.drawings.append(_row(games, int(turn)))
    film.at = len(film.drawings) - 1
    film.refresh()
    return film


def _row(games: Mapping[str, Watch], turn: int) -> Drawing:
    """One turn of all games; a game that ended before shows its last board."""
    shapes: list[Shape] = []
    wide = high = 0.0
    for name, watch in games.items():
        at = min(turn, len(watch.session.moves))
        board = watch.artist.draw(watch.game, watch.scene(at))
        still = [s for s in board.shapes if not s.get("fade")]
        shapes += [_moved(s, wide, 34) for s in still]
        shapes.append(text(wide + 20, 18, f"{name}, move {at:,}", size=16, anchor="start"))
        wide, high = wide + board.width + 16, board.height + 34
    card = rect(0, 0, wide - 16, high, radius=12, fill="panel")
    return Drawing(wide - 16, high, [card, *shapes], f"after {turn:,} moves")


def _moved(shape: Shape, dx: float, dy: float) -> Shape:
    kept = {k: v for k, v in shape.items() if k not in ("input", "drag", "slide", "pop")}
    if kept["kind"] == "poly":
        return {**kept, "points": [[x + dx, y + dy] for x, y in kept["points"]]}
    return {**kept, "x": kept["x"] + dx, "y": kept["y"] + dy}
