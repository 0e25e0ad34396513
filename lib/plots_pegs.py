"""The figure of lesson 5 that the other lessons don't share."""

from collections.abc import Mapping, Sequence

import numpy as np

from lib.arena_results import wilson
from lib.boards.figure import INK, SERIES, Picture, picture


def solved_by_pegs(rows: Sequence[Mapping[str, float]]) -> Picture:
    """The share of positions solved against their pegs, with 95 % intervals: greedy, and a beam."""
    figure, axes = picture("share solved by pegs on the board")
    pegs = [row["pegs"] for row in rows]
    for name, label, colour, mark, dash in (
        ("beam", "beam of 64", SERIES[0], "o", "-"),
        ("greedy", "greedy", SERIES[1], "s", "--"),
    ):
        shares = np.array([row[name] for row in rows])
        sizes = [int(row[f"{name} of"]) for row in rows]
        ends = np.array([wilson(s * n, n) for s, n in zip(shares, sizes, strict=True)])
        reach = np.clip([shares - ends[:, 0], ends[:, 1] - shares], 0, None)
        axes.errorbar(pegs, shares, reach, color=colour, marker=mark, ls=dash, lw=2, capsize=3,
                      label=f"{label}, {sizes[0]:,} positions each")  # fmt: skip
    axes.set(xlabel="pegs on the board", ylabel="share solved", ylim=(0, 1.05), xticks=pegs)
    axes.legend(frameon=False, fontsize=9, labelcolor=INK)
    return figure
