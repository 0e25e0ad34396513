"""RESULTS.md and its figures from the runs, and the table in the README from RESULTS.md."""

import re
from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path

from benchmarks.figures import draw
from benchmarks.measure import slope, summary
from benchmarks.parts import Bar, Found, Part, Table, reached
from benchmarks.runs import Run
from lib.files import write_text

HEAD = """# Benchmarks: the last results

Made by `python3 course.py bench`; do not edit. CPU-seconds of one thread; each figure is the median
of its repeats, with the smallest and the largest. A machine is not always as fast: except in a
quick run, the repeats of rates are taken in five turns, minutes apart. Each table comes from one
run, which is named there: the newest of those that measured the most rows, a quick one only where
there is no other. The machine's load counts: compare within a table, not between machines.

"The run before" is one of the same length on the same kind of machine. Two runs agree on a row if
its values in both, from the smallest to the largest, overlap; where they do not, the figure of the
run before is **bold**.
"""
SUMMARY = ("<!-- summary:begin -->", "<!-- summary:end -->")
README = ("<!-- bench:begin -->", "<!-- bench:end -->")


def rows_of(part: Part, key: str, run: Run) -> dict[str, Found]:
    """What a run found of a table, by the names of its rows."""
    names = {row.name: f"{part.name}/{key}/{row.name}" for row in part.tables[key].rows}
    return {row: run.results[name] for row, name in names.items() if name in run.results}


def chosen(part: Part, key: str, runs: Sequence[Run]) -> list[Run]:
    """The runs that measured something of a table; the one to report comes first."""

    def worth(at: int) -> tuple[int, bool, int]:
        measured = [
            found for found in rows_of(part, key, runs[at]).values() if "error" not in found
        ]
        return len(measured), runs[at].mode != "quick", at

    with_it = [at for at, run in enumerate(runs) if rows_of(part, key, run)]
    return [runs[at] for at in sorted(with_it, key=worth, reverse=True)]


def write_report(parts: Sequence[Part], runs: Sequence[Run], folder: Path) -> Path:
    """RESULTS.md, and one figure a table."""
    sections, bars, agreed = [], [], list[bool]()
    for part in parts:
        told = {key: measured for key in part.tables if (measured := chosen(part, key, runs))}
        if told:
            lines = [line for key in told for line in table_lines(part, key, told[key], folder)]
            sections += [f"## {part.title}\n", *lines]
            found = [told[bar.table][0].results if bar.table in told else {} for bar in part.bars]
            bars += [bar_line(*pair, part.name) for pair in zip(part.bars, found, strict=True)]
            for key, measured in told.items():
                old, new = before(part, key, measured), rows_of(part, key, measured[0])
                agreed += [agree(new[row], old[row]) for row in new if comparable(row, new, old)]
    table = ["| what | measured | bar | |", "| --- | --- | --- | --- |", *bars]
    top = "\n".join([SUMMARY[0], *table, SUMMARY[1]])
    if agreed:
        top += f"\n\nTwo runs agree on {sum(agreed)} of the {len(agreed)} rows that both measured."
    return write_text(folder / "RESULTS.md", "\n".join([HEAD, top, "", *sections]))


def table_lines(part: Part, key: str, measured: Sequence[Run], folder: Path) -> Iterator[str]:
    """One table: its run, its rows and its figure."""
    table, run = part.tables[key], measured[0]
    found, facts = rows_of(part, key, run), run.machine
    yield f"### {table.title}\n"
    if table.about:
        yield f"{table.about}\n"
    yield (
        f"Run {facts['started']} ({run.mode}{'' if run.finished else ', unfinished'}); "
        f"{facts['processor']}, {facts['cores']} cores, Python {facts['python']}, "
        f"load {facts['load at the start']} at the start"
        f"{', ' + facts['rows'] if part.spreads and 'rows' in facts else ''}.\n"
    )
    if table.growth:
        yield from growth_lines(table, found)
    else:
        yield from value_lines(table, found, before(part, key, measured))
    name = re.sub(r"\W+", "-", f"{part.name}-{key}").lower()
    if picture := draw(table, found, folder / "figures" / f"{name}.png"):
        yield f"\n![{table.title}](figures/{picture.name})\n"


def before(part: Part, key: str, measured: Sequence[Run]) -> dict[str, Found]:
    """The rows of the other run to compare with: as long, on the same kind of machine."""
    alike = ("processor", "cores")
    for run in measured[1:]:
        same = all(run.machine.get(name) == measured[0].machine.get(name) for name in alike)
        if same and run.mode == measured[0].mode:
            return {row: f for row, f in rows_of(part, key, run).items() if "values" in f}
    return {}


def comparable(row: str, *runs: dict[str, Found]) -> bool:
    """Whether both runs have values enough of a row to have a spread."""
    return all(len(run.get(row, {}).get("values", ())) > 1 for run in runs)


def agree(one: Found, other: Found) -> bool:
    """Whether two runs' values of a row overlap, from the smallest to the largest."""
    (_, low, high), (_, least, most) = summary(one["values"]), summary(other["values"])
    return low <= most and least <= high


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
        past = number(summary(old[name]["values"])[0]) if name in old else ""
        if comparable(name, found, old) and not agree(figures, old[name]):
            past = f"**{past}**"
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
    times = " times" if bar.over and not bar.scale else ""
    if value is None:
        return f"| {bar.text} | not measured | {wanted(bar)}{times} | |"
    verdict = "reached" if bar.at_least <= value <= bar.at_most else "**not reached**"
    return f"| {bar.text} | {number(value)}{times} | {wanted(bar)}{times} | {verdict} |"


def wanted(bar: Bar) -> str:
    """5 -> "5.00"; at most 25 -> "≤ 25.0"; between both -> "0.900 to 1.10" """
    if bar.at_most == inf:
        return number(bar.at_least)
    most = number(bar.at_most)
    return f"≤ {most}" if bar.at_least == -inf else f"{number(bar.at_least)} to {most}"


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
    """Fold the summary of RESULTS.md between the README's markers; False where it has none."""
    text = readme.read_text(encoding="utf-8") if readme.exists() else ""
    start, end = (text.find(mark) for mark in README)
    if min(start, end) < 0 or end < start:
        return False
    table = results.read_text(encoding="utf-8").partition(SUMMARY[0])[2].partition(SUMMARY[1])[0]
    good, bars = table.count("| reached |"), max(0, table.count("\n|") - 2)
    folded = f"<details><summary>{good} of {bars} bars reached</summary>\n{table}\n</details>"
    write_text(readme, f"{text[: start + len(README[0])]}\n{folded}\n{text[end:]}")
    return True
