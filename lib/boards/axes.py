"""Curves in the drawing language of the boards: axes, lines of reference, lines and bands."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lib.boards.shapes import Drawing, Shape, breadth, circle, line, poly, rect, text

WIDTH, HEIGHT = 640, 340
LEFT, RIGHT, TOP, BOTTOM = 66, 28, 58, 52
DASHES = (None, "8 4", "2 4", "10 4 2 4", "5 3", "1 5")  # series differ by dash and colour
MOST = 150  # points of a line that are drawn

Point = tuple[float, float]
Curve = tuple[np.ndarray, ...]  # its points, and the edges of its band


@dataclass(frozen=True)
class Line:
    """A named curve; `low` and `high`, if given, bound the band around it."""

    name: str
    points: Sequence[Point]
    low: Sequence[Point] = ()
    high: Sequence[Point] = ()


@dataclass(frozen=True)
class Level:
    """A named value to compare with, across the whole plot."""

    name: str
    y: float
    best: bool = False


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from low to high: ticks(0, 0.93) -> [0, 0.2, 0.4, 0.6, 0.8]."""
    if not high > low:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * n for n in (1, 2, 2.5, 5, 10) if power * n >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(i * step, 12) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def number(value: float) -> str:
    """0.25 -> "0.25", 12000 -> "12,000", 3e6 -> "3M"."""
    if abs(value) >= 1e6:
        return f"{value / 1e6:g}M"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def thinned(points: Sequence[Point], most: int = MOST) -> np.ndarray:
    """At most `most` of the points, evenly, the last one always; only finite ones."""
    step = max(1, -(-len(points) // most))
    few = list(points[::step])
    if points and few[-1] != points[-1]:
        few.append(points[-1])
    array = np.array(few, dtype=float).reshape(-1, 2)
    return array[np.isfinite(array).all(axis=1)]


@dataclass(frozen=True)
class Scale:
    """From values to places in the drawing."""

    x: tuple[float, float]
    y: tuple[float, float]

    def at(self, points: Any) -> np.ndarray:
        """Where points are drawn; works on one (x, y) and on many."""
        low, high = np.array([self.x, self.y], dtype=float).T
        share = (np.asarray(points, dtype=float) - low) / np.where(high > low, high - low, 1.0)
        wide, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
        return np.array([LEFT, HEIGHT - BOTTOM]) + share * np.array([wide, -tall])


def scale(lines: Sequence[Curve], levels: Sequence[Level], x_to: float | None = None) -> Scale:
    """The scale that shows everything, with a little air above and below."""
    parts = [part for one in lines for part in one if len(part)]
    seen = np.concatenate(parts) if parts else np.array([[0.0, 0.0], [1.0, 1.0]])
    ys = [*seen[:, 1], *(level.y for level in levels)]
    low, high = min(ys), max(ys)
    air = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
    floor = 0.0 if 0 <= low <= 0.3 * high else low - air
    x_low, x_high = min(0.0, seen[:, 0].min()), max(seen[:, 0].max(), x_to or 0.0)
    return Scale((x_low, x_high), (floor, high + air))


def plot(
    title: str,
    xlabel: str,
    ylabel: str,
    lines: Sequence[Line],
    levels: Sequence[Level] = (),
    x_to: float | None = None,
) -> Drawing:
    """The curves as a drawing."""
    curves = [tuple(map(thinned, (one.points, one.low, one.high))) for one in lines]
    frame = scale(curves, levels, x_to)
    shapes = [rect(0, 0, WIDTH, HEIGHT, radius=12, fill="panel")]
    shapes += [text(LEFT, 20, title, size=16, anchor="start", bold=True)]
    shapes += _grid(frame, xlabel, ylabel)
    for place, (_, low, high) in enumerate(curves):
        if len(low):
            edge = np.concatenate([frame.at(low), frame.at(high)[::-1]])
            shapes.append(poly(edge, fill=_role(place), opacity=0.22))
    drawn = [frame.at(points) for points, _, _ in curves if len(points)]
    for level in levels:
        shapes += [_level(frame, level), *_level_name(frame, level, drawn)]
    for place, (points, _, _) in enumerate(curves):
        shapes += _line(frame, points, place)
    shapes += _legend(lines, LEFT + breadth(ylabel, 13) + 16)
    return Drawing(WIDTH, HEIGHT, shapes, _spoken(title, xlabel, ylabel, lines))


def _grid(frame: Scale, xlabel: str, ylabel: str) -> list[Shape]:
    shapes, bottom = [], HEIGHT - BOTTOM
    for y in ticks(*frame.y, most=5):
        place = float(frame.at((0, y))[1])
        shapes.append(line(LEFT, place, WIDTH - RIGHT, place, stroke="cell2"))
        shapes.append(text(LEFT - 8, place, number(y), size=12, anchor="end", fill="muted"))
    for x in ticks(*frame.x):
        place = float(frame.at((x, 0))[0])
        shapes.append(line(place, bottom, place, bottom + 5, stroke="muted"))
        shapes.append(text(place, bottom + 16, number(x), size=12, fill="muted"))
    shapes.append(line(LEFT, bottom, WIDTH - RIGHT, bottom, stroke="muted"))
    shapes.append(text(WIDTH - RIGHT, HEIGHT - 12, xlabel, size=13, anchor="end"))
    return [*shapes, text(LEFT, 42, ylabel, size=13, anchor="start", fill="muted")]


def _level(frame: Scale, level: Level) -> Shape:
    y = float(frame.at((0, level.y))[1])
    style = {"stroke": "good", "thick": 2} if level.best else {"stroke": "muted", "dash": "3 4"}
    return line(LEFT, y, WIDTH - RIGHT, y, **style)


def _level_name(frame: Scale, level: Level, drawn: Sequence[np.ndarray]) -> list[Shape]:
    """A level's name and value above it: on the left, unless a curve runs there."""
    words, role = f"{level.name} {number(level.y)}", "good" if level.best else "muted"
    y, wide = float(frame.at((0, level.y))[1]) - 10, breadth(words, 12) + 8
    sides = (LEFT + 6.0, WIDTH - RIGHT - 6 - wide)
    x = next((side for side in sides if not _crossed(drawn, side, side + wide, y)), sides[0])
    return [
        rect(x, y - 8, wide, 16, radius=4, fill="panel", opacity=0.8),
        text(x + 4, y, words, size=12, anchor="start", fill=role),
    ]


def _crossed(drawn: Sequence[np.ndarray], left: float, right: float, y: float) -> bool:
    """Does a curve run through the words between left and right around y?"""
    xs = np.linspace(left, right, 12)
    heights = [np.interp(xs, places[:, 0], places[:, 1], np.nan, np.nan) for places in drawn]
    return any(bool((np.abs(ys - y) < 11).any()) for ys in heights)


def _role(place: int) -> str:
    return f"s{place % 6}"


def _line(frame: Scale, points: np.ndarray, place: int) -> list[Shape]:
    if not len(points):
        return []
    style = {"stroke": _role(place), "thick": 2.5, "dash": DASHES[place % 6]}
    places = frame.at(points)
    x, y = places[-1].round(2).tolist()
    last = circle(x, y, 4, fill=_role(place))
    return [poly(places, closed=False, **style), last] if len(places) > 1 else [last]


def _legend(lines: Sequence[Line], left: float) -> list[Shape]:
    """The names of the lines with a piece of each, right of `left`, above the plot."""
    named = [(place, one.name) for place, one in enumerate(lines) if one.name]
    dash, gap, words = 26, 14, sum(breadth(name, 13) for _, name in named)
    room = WIDTH - RIGHT - left - len(named) * (dash + gap + 6)
    size = min(13.0, 13 * room / (words or 1))
    x, shapes = WIDTH - RIGHT + gap - len(named) * (dash + gap + 6) - words * size / 13, []
    for place, name in named:
        style = {"stroke": _role(place), "thick": 3, "dash": DASHES[place % 6]}
        shapes.append(line(x, 42, x + dash, 42, **style))
        shapes.append(text(x + dash + 6, 42, name, size=size, anchor="start"))
        x += dash + 6 + breadth(name, size) + gap
    return shapes


def _spoken(title: str, xlabel: str, ylabel: str, lines: Sequence[Line]) -> str:
    ends = [
        f"{one.name or ylabel} {number(one.points[-1][1])} at {number(one.points[-1][0])} {xlabel}"
        for one in lines
        if one.points
    ]
    return f"{title}: {'; '.join(ends) or 'nothing yet'}"
