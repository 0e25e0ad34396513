"""What a benchmark is made of: tables of rows, and the bars that they should reach."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from benchmarks.measure import Effort, rates, slope, summary

TAKE: dict[str, Callable[[Sequence[float]], float]] = {
    "median": statistics.median,
    "mean": statistics.fmean,
    "worst": min,
}
Found = dict[str, Any]  # {"values": [...]}, {"x": [...], "y": [...]} or {"error": "..."}


@dataclass(frozen=True)
class Row:
    """One line of a table: `run` measures it."""

    name: str
    run: Callable[[Effort], Found]
    kind: str = "ours"  # ours, peer or limit
    note: str = ""
    modes: tuple[str, ...] = ("quick", "normal", "full")


@dataclass(frozen=True)
class Table:
    """Rows in one unit. A table of growth has one line a row, cost against work."""

    title: str
    unit: str
    rows: tuple[Row, ...]
    growth: str = ""  # what the work is, such as "submissions"
    about: str = ""
    in_turns: bool = False  # the repeats of a row are spread over the run


@dataclass(frozen=True)
class Bar:
    """`row` should reach so much, in its unit or as a multiple of another row.

    Of a row of growth, the slope of its line counts.
    """

    text: str
    table: str
    row: str
    at_least: float = -inf
    over: str = ""  # the other row, of the same table
    less: bool = False  # a cost: the other row divided by this one
    scale: float = 0.0  # if the other row were this: a figure for another machine
    take: str = "median"  # of the row's values: median, mean or worst
    at_most: float = inf


@dataclass(frozen=True)
class Part:
    """A part of the benchmarks: `course.py bench NAME`."""

    name: str
    title: str
    tables: dict[str, Table]
    bars: tuple[Bar, ...] = ()
    spreads: bool = False  # rows may run elsewhere, several at once: they count their own CPU time

    def tasks(self, mode: str) -> dict[str, Row]:
        """Every row by its name in a run's file: "2048/C bitboard"."""
        return {
            f"{self.name}/{key}/{row.name}": row
            for key, table in self.tables.items()
            for row in table.rows
            if mode in row.modes
        }

    def turns(self, effort: Effort) -> dict[str, int]:
        """How many turns each row takes."""
        return {
            name: effort.turns if self.tables[name.split("/")[1]].in_turns else 1
            for name in self.tasks(effort.mode)
        }


def timed(make: Callable[[], Callable[[], int]]) -> Callable[[Effort], Found]:
    """The `run` of a row: `make()` prepares and returns what `measure.rates` calls."""
    return lambda effort: {"values": rates(make(), effort)}


def reached(bar: Bar, results: dict[str, Found], part: str) -> float | None:
    """What a bar's row came to; None where something was not measured."""
    found = results.get(f"{part}/{bar.table}/{bar.row}", {})
    if "x" in found:
        return slope(found["x"], found["y"])
    other = results.get(f"{part}/{bar.table}/{bar.over}", {})
    if "values" not in found or (bar.over and "values" not in other):
        return None
    value = TAKE[bar.take](found["values"])
    if not bar.over:
        return value
    than = summary(other["values"])[0]
    ratio = than / value if bar.less else value / than
    return ratio * (bar.scale or 1)
