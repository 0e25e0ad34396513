"""Figures in the course's style: on light paper of their own, so that they read in any theme.

Nothing is said by colour alone: cells carry numbers or signs, lines have dashes of their own.
"""

import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from lib.boards.axes import DASHES
from lib.boards.palette import colour

INK, MUTED, PAPER = colour("ink"), colour("muted"), colour("panel")
SERIES = tuple(colour(f"s{place}") for place in range(6))
DIVERGING = "RdBu"  # from bad (red) over white to good (blue), safe for the colour-blind


class Picture(Figure):
    """A figure that shows itself in a notebook, without an address in its text."""

    words = "figure"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        return {"image/png": self.png(), "text/plain": self.words}

    def png(self) -> bytes:
        """The figure as the bytes of a PNG file."""
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", bbox_inches="tight", pad_inches=0.12)
        return buffer.getvalue()


def picture(
    words: str, width: float = 7, height: float = 4, rows: int = 1, columns: int = 1
) -> tuple[Picture, Any]:
    """A figure in the course's style and its axes; one axes alone comes without a list."""
    figure = Picture(figsize=(width, height), dpi=110, facecolor=PAPER, layout="constrained")
    figure.words = words
    axes = figure.subplots(rows, columns, squeeze=False)
    for one in axes.flat:
        one.set_facecolor(PAPER)
        one.tick_params(colors=MUTED, labelsize=9)
        one.spines[["top", "right"]].set_visible(False)
        one.spines[["left", "bottom"]].set_color(MUTED)
        one.title.set_color(INK)
    return figure, axes[0, 0] if rows == columns == 1 else axes


def heat(
    values: np.ndarray,
    rows: Sequence[object],
    columns: Sequence[object],
    *,
    title: str = "",
    words: Callable[[int, int], str] | None = None,
    limit: float | None = None,
    axes: Any = None,
) -> Picture | None:
    """A matrix as colours with a word in each cell; nan stays empty. Blue is high, red is low."""
    figure = None
    if axes is None:
        size = 2 + 0.62 * len(columns), 1.4 + 0.44 * len(rows)
        figure, axes = picture(title or "matrix", *size)
    limit = limit or float(np.nanmax(np.abs(values))) or 1.0
    axes.imshow(values, cmap=DIVERGING, vmin=-1.6 * limit, vmax=1.6 * limit, aspect="auto")
    axes.set_xticks(range(len(columns)), [str(c) for c in columns])
    axes.set_yticks(range(len(rows)), [str(r) for r in rows])
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for (i, j), value in np.ndenumerate(values):
        if not np.isnan(value):
            word = words(i, j) if words else f"{value:.2g}"
            axes.text(j, i, word, ha="center", va="center", fontsize=8, color=INK)
    axes.set_title(title, loc="left", fontsize=11, color=INK)
    return figure


def bands(
    curves: Mapping[str, tuple[Sequence[float], Any]],
    *,
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    levels: Mapping[str, float] | None = None,
) -> Picture:
    """Curves over seeds, {"name": (x, seeds × values)}: the mean, and a band of all seeds."""
    figure, axes = picture(title or "curves")
    ends = []
    for place, (name, (x, values)) in enumerate(curves.items()):
        array = np.atleast_2d(np.asarray(values, dtype=float))
        ends.append(array.mean(0)[[0, -1]])
        dash = DASHES[place % 6]
        style: Any = "-" if dash is None else (0, [float(n) / 2 for n in dash.split()])
        axes.plot(x, array.mean(0), color=SERIES[place % 6], linestyle=style, lw=2, label=name)
        if len(array) > 1:
            axes.fill_between(
                x, array.min(0), array.max(0), color=SERIES[place % 6], alpha=0.2, lw=0
            )
    for name, level in (levels or {}).items():
        axes.axhline(level, color=MUTED, lw=1, ls=":")
        left, right = (min((abs(e[at] - level) for e in ends), default=0.0) for at in (0, 1))
        where, side = (0.01, "left") if left >= right else (0.99, "right")  # away from the curves
        axes.annotate(
            f"{name} {level:g}", (where, level), xycoords=("axes fraction", "data"), color=MUTED,
            xytext=(0, 2), textcoords="offset points", ha=side,
        )  # fmt: skip
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.set_title(title, loc="left", fontsize=11)
    if any(curves):
        axes.legend(fontsize=9, facecolor=PAPER, edgecolor="none")  # it hides a level behind it
    return figure


def bars(
    values: Mapping[str, float],
    *,
    errors: Mapping[str, float | tuple[float, float]] | None = None,
    title: str = "",
    ylabel: str = "",
    form: str = "{:.3g}",
    axes: Any = None,
) -> Picture | None:
    """Bars with their figure above them, and intervals where `errors` gives them."""
    figure = None
    if axes is None:
        figure, axes = picture(title or "bars", min(9, max(4, 1.1 * len(values) + 1)), 3.4)
    spread = None
    if errors:
        pairs = [errors[n] if isinstance(errors[n], tuple) else (errors[n],) * 2 for n in values]
        spread = np.array(pairs, dtype=float).T
    drawn = axes.bar(list(values), list(values.values()), yerr=spread, color=SERIES[0], capsize=4)
    axes.bar_label(
        drawn, [form.format(v) for v in values.values()], padding=3, color=INK, fontsize=9
    )
    axes.margins(y=0.15)
    axes.set_ylabel(ylabel)
    axes.set_title(title, loc="left", fontsize=11)
    return figure
