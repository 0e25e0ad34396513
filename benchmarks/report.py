"""RESULTS.md and its figures from the runs, and the table in the README from RESULTS.md."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.figures import draw
from benchmarks.measure import slope, summary
from benchmarks.parts import Bar, Found, Part, Table, reached
from benchmarks.runs import Run
from lib.files import write_text

HEAD = """# Benchmarks: the last results

Made by `python3 course.py bench`; do not edit. CPU-seconds of one thread; each figure is the median
of its repeats, with the smallest and the largest. Each table comes from one run, which is named
there. The machine's load counts: compare within a table, not between machines.
"""
SUMMARY = ("<!-- summary:begin -->", "<!-- summary:end -->")
README = ("<!-- bench:begin -->", "<!-- bench:end -->")


def last_with(part: Part, runs: Sequence[Run]) -> list[Run]:
    """The runs that measured something of a part, newest first."""
    return [
        run for run in reversed(runs) if any(k.startswith(f"{part.name}/") for k in run.results)
    ]


def write_report(parts: Sequence[Part], runs: Sequence[Run], folder: Path) -> Path:
    """RESULTS.md, and one figure a table."""
    sections, bars = [], []
    for part in parts:
        if measured := last_with(part, runs):
            before = measured[1].results if len(measured) > 1 else {}
            sections.append("\n".join(section(part, measured[0], before, folder)))
            bars += [bar_line(bar, measured[0].results, part.name) for bar in part.bars]
    table = ["| what | measured | bar | |", "| --- | --- | --- | --- |", *bars]
    top = "\n".join([SUMMARY[0], *table, SUMMARY[1]])
    return write_text(folder / "RESULTS.md", "\n".join([HEAD, top, "", *sections]))


def section(part: Part, run: Run, before: dict[str, Found], folder: Path) -> Iterator[str]:
    """The lines of one part."""
    facts = run.machine
    yield f"## {part.title}\n"
    yield (
        f"Run {facts['started']} ({run.mode}{'' if run.finished else ', unfinished'}); "
        f"{facts['processor']}, {facts['cores']} cores, Python {facts['python']}, "
        f"load {facts['load at the start']} at the start.\n"
    )
    for key, table in part.tables.items():
        found = {
            row.name: run.results[name]
            for row in table.rows
            if (name := f"{part.name}/{key}/{row.name}") in run.results
        }
        if not found:
            continue
        yield f"### {table.title}\n"
        if table.about:
            yield f"{table.about}\n"
        if table.growth:
            yield from growth_lines(table, found)
        else:
            old = {row.name: before.get(f"{part.name}/{key}/{row.name}", {}) for row in table.rows}
            yield from value_lines(table, found, old)
        name = re.sub(r"\W+", "-", f"{part.name}-{key}").lower()
        if picture := draw(table, found, folder / "figures" / f"{name}.png"):
            yield f"\n![{table.title}](figures/{picture.name})\n"
    yield from (f"Not measured: {line}\n" for line in part.left_out)


def value_lines(table: Table, found: dict[str, Found], old: dict[str, Found]) -> Iterator[str]:
    """A table of medians, with their spread, beside the first row and the run before."""
    yield f"| | {table.unit} | smallest to largest | times the first row | the run before |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    notes = {row.name: row.note for row in table.rows}
    first = next((summary(f["values"])[0] for f in found.values() if "values" in f), None)
    for name, figures in found.items():
        label = f"{name} ({notes[name]})" if notes[name] else name
        if "values" not in figures:
            yield f"| {label} | not measured: {cell(figures['error'])} | | | |"
            continue
        median, low, high = summary(figures["values"])
        past = number(summary(old[name]["values"])[0]) if "values" in old.get(name, {}) else ""
        ratio = number(median / first) if first else ""
        yield f"| {label} | {number(median)} | {number(low)} to {number(high)} | {ratio} | {past} |"


def growth_lines(table: Table, found: dict[str, Found]) -> Iterator[str]:
    """A table with one line a row: cost by work, and the slope on a log-log plot."""
    yield f"| | {table.growth}: {table.unit} | slope |"
    yield "| --- | --- | ---: |"
    for name, figures in found.items():
        if "x" not in figures:
            yield f"| {name} | not measured: {cell(figures['error'])} | |"
            continue
        pairs = zip(figures["x"], figures["y"], strict=True)
        told = ", ".join(f"{x:,}: {number(y)}" for x, y in pairs)
        steep = slope(figures["x"], figures["y"])
        yield f"| {name} | {told} | {steep:.2f} |"


def bar_line(bar: Bar, results: dict[str, Found], part: str) -> str:
    """One line of the summary: what was reached, and whether that is enough."""
    value = reached(bar, results, part)
    if value is None:
        return f"| {bar.text} | not measured | {number(bar.at_least)} | |"
    verdict = "reached" if value >= bar.at_least else "**not reached**"
    times = " times" if bar.over and not bar.scale else ""
    return f"| {bar.text} | {number(value)}{times} | {number(bar.at_least)}{times} | {verdict} |"


def number(value: float) -> str:
    """Three digits: 12345678 -> "12.3 M", 0.01234 -> "0.0123" """
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if abs(value) >= size:
            return f"{digits(value / size)}{letter}"
    return digits(value)


def digits(value: float) -> str:
    """Three significant digits without an exponent, down to a millionth."""
    if value == 0 or abs(value) < 1e-6:
        return f"{value:.2g}"
    places = max(0, 2 - int(f"{value:e}".partition("e")[2]))
    return f"{value:.{places}f}"


def cell(text: str) -> str:
    """An error on one line of a table."""
    return " ".join(text.replace("|", "/").split())


def fill_readme(results: Path, readme: Path) -> bool:
    """Put the summary of RESULTS.md between the README's markers; False where it has none."""
    text = readme.read_text(encoding="utf-8") if readme.exists() else ""
    start, end = (text.find(mark) for mark in README)
    if min(start, end) < 0 or end < start:
        return False
    table = results.read_text(encoding="utf-8").partition(SUMMARY[0])[2].partition(SUMMARY[1])[0]
    write_text(readme, f"{text[: start + len(README[0])]}{table}{text[end:]}")
    return True
