"""The picture of a table: bars with their spread, or lines of growth; both on log scales."""

from pathlib import Path
from typing import Any

from benchmarks.measure import slope, summary
from benchmarks.parts import Found, Table

COLOURS = {"ours": "#0072b2", "peer": "#999999", "limit": "#d55e00"}


def draw(table: Table, found: dict[str, Found], path: Path) -> Path | None:
    """Write a PNG of what was measured; None if nothing was."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 1.2 + 0.34 * len(found)) if not table.growth else (6, 4))
    axes = figure.subplots()
    drawn = lines(axes, table, found) if table.growth else bars(axes, table, found)
    if not drawn:
        return None
    axes.set_title(table.title, fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Without the version of matplotlib in it, the same figures give the same file.
    figure.savefig(path, dpi=90, bbox_inches="tight", metadata={"Software": None})
    return path


def bars(axes: Any, table: Table, found: dict[str, Found]) -> bool:
    """One bar a row, the first on top, with a whisker from the smallest to the largest."""
    kinds = {row.name: row.kind for row in table.rows}
    rows = [(name, f["values"]) for name, f in found.items() if "values" in f][::-1]
    for place, (name, values) in enumerate(rows):
        median, low, high = summary(values)
        spread = [[median - low], [high - median]]
        axes.barh(place, median, xerr=spread, color=COLOURS[kinds[name]], capsize=3)
        if kinds[name] == "peer":
            axes.patches[-1].set_hatch("//")
    axes.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=8)
    axes.set_xscale("log")
    axes.set_xlabel(table.unit, fontsize=8)
    return bool(rows)


def lines(axes: Any, table: Table, found: dict[str, Found]) -> bool:
    """One line a row, its slope in the legend."""
    rows = {name: f for name, f in found.items() if "x" in f}
    for (name, f), mark in zip(rows.items(), "osD^vP*X" * 3, strict=False):
        label = f"{name} (slope {slope(f['x'], f['y']):.2f})"
        axes.loglog(f["x"], f["y"], marker=mark, label=label)
    axes.set_xlabel(table.growth, fontsize=8)
    axes.set_ylabel(table.unit, fontsize=8)
    if rows:
        axes.legend(fontsize=8)
    return bool(rows)
