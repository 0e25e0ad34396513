"""The live curve: training that draws itself while it runs.

    curve = LiveCurve("Q-learning", "games", "won", baselines={"random": 0.5}, best=1.0)
    for progress in curve.follow(learner.train(10_000), y="won"):
        pass

Stop ends the loop after the current report, and so does interrupting the kernel; a second interrupt
breaks off at once. What was learned stays, and a still picture of the curve stays in the notebook.
"""

import signal
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from lib.agents.progress import Progress
from lib.boards.axes import Level, Line, Point, plot
from lib.boards.controls import button
from lib.boards.shapes import Drawing
from lib.boards.widget import Sheet

EVERY = 0.1  # seconds between two drawings
GRID = 80  # points of a band


class LiveCurve(Sheet):
    """Curves by name; a name with several seeds is drawn as their mean and a band."""

    def __init__(
        self,
        title: str = "",
        xlabel: str = "games",
        ylabel: str = "",
        baselines: Mapping[str, float] | None = None,
        best: float | None = None,
        every: float = EVERY,
    ) -> None:
        super().__init__()
        self.title, self.xlabel, self.ylabel, self.every = title, xlabel, ylabel, every
        self.levels = [Level(name, value) for name, value in (baselines or {}).items()]
        if best is not None:
            self.levels.append(Level("best possible", best, best=True))
        self.points: dict[str, dict[Any, list[Point]]] = {}  # series -> seed -> points
        self.stopped = self.closed = False
        self.said = ""
        self.x_to: float | None = None  # where the x axis will end, if that is known
        self._lines: dict[str, tuple[int, Line]] = {}
        self._sent = -np.inf
        self.refresh()

    def add(self, x: float, y: float, series: str = "", seed: Any = None) -> None:
        """One more point; the page is told at most every `every` seconds."""
        self.show()
        with self.lock:
            self.points.setdefault(series, {}).setdefault(seed, []).append((float(x), float(y)))
            self.closed = False
            if time.monotonic() - self._sent >= self.every:
                self.refresh()

    def follow(
        self,
        progress: Iterable[Progress],
        y: str | Callable[[Progress], float] = "won",
        x: str = "done",
        series: str = "",
        seed: Any = None,
    ) -> Generator[Progress, None, None]:
        """Pass on what a learner reports and draw it, until it ends or is stopped.

        `y` is the name of a metric, or a function of the report that measures one; `x` is "done",
        "seconds", or the name of a metric.
        """
        self.show()
        began, reports, drawn = time.monotonic(), iter(progress), 0
        with self._interruptible():
            while not self.stopped and (report := self._next(reports)) is not None:
                seconds = time.monotonic() - began
                place = {"done": report.done, "seconds": seconds, **report.metrics}[x]
                value = y(report) if callable(y) else report.metrics.get(y)
                self.x_to = report.total if x == "done" else None
                self.said = status(report, seconds)
                if value is not None:
                    drawn += 1
                    self.add(place, value, series, seed)
                yield report
                if drawn == 0 and report.done >= report.total:
                    known = ", ".join(report.metrics) or "none"
                    raise ValueError(f"no report has a metric {y!r}: there are {known}")

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """An interrupt means Stop; when all is over, close the curve.

        The page's Stop interrupts the kernel too: the messages of a widget that a running cell has
        updated wait until the cell ends (ipykernel answers where the last update came from).
        """

        def stop(number: int, frame: Any) -> None:
            if self.stopped:
                raise KeyboardInterrupt
            self.stopped = True

        at_home = threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGINT, stop) if at_home else None
        try:
            yield
        finally:
            if at_home:
                signal.signal(signal.SIGINT, before)
            self.close()

    def _next(self, reports: Any) -> Progress | None:
        try:
            return next(reports, None)
        except KeyboardInterrupt:  # the kernel was interrupted while it trained
            self.stopped = True
            return None

    def lines(self) -> list[Line]:
        """What there is to draw: a line for each name; one that has not grown is kept."""
        for name, seeds in self.points.items():
            size = sum(map(len, seeds.values()))
            if name not in self._lines or self._lines[name][0] != size:
                self._lines[name] = size, banded(name, list(seeds.values()))
        return [self._lines[name][1] for name in self.points]

    def drawing(self) -> Drawing:
        """The curves so far."""
        x_to = None if self.closed else self.x_to
        return plot(self.title, self.xlabel, self.ylabel, self.lines(), self.levels, x_to)

    def page(self) -> dict[str, Any]:
        """The words and the Stop button around the drawing."""
        drawing_ends = self.closed or self.stopped
        stop = {**button("stop", "Stop"), "interrupts": True}
        count = sum(len(points) for seeds in self.points.values() for points in seeds.values())
        return {
            "game": "curve",
            "state": str(count),
            "over": self.closed,
            "alive": False,
            "say": self._words(),
            "quiet": not drawing_ends,  # a screen reader is told the end, not every update
            "controls": [] if drawing_ends or not count else [stop],
            "ms": 0,
        }

    def _words(self) -> str:
        if self.closed:
            return f"{'Stopped' if self.stopped else 'Done'}: {self.said}" if self.said else ""
        return f"Stopping: {self.said}" if self.stopped else self.said

    def refresh(self) -> None:
        """Send the page the curves so far."""
        super().refresh()
        self._sent = time.monotonic()

    def heard(self, message: dict[str, Any]) -> None:
        """Stop was pressed; one that arrives after the end means nothing."""
        if message.get("name") == "stop" and not self.closed:
            self.stopped = True
            self.refresh()

    def close(self) -> None:
        """Draw the last points and leave a still picture; `add` opens the curve again."""
        with self.lock:
            self.closed = True
            self.said = self.said.partition(" · about")[0]
            self.refresh()
            self.keep()

    def __repr__(self) -> str:
        return self.drawing().title


def status(report: Progress, seconds: float) -> str:
    """How far it is, in words: "3,000 of 10,000 games · 2 s · about 5 s left"."""
    words = f"{report.done:,} of {report.total:,} {report.unit} · {span(seconds)}"
    if 0 < report.done < report.total:
        left = seconds / report.done * (report.total - report.done)
        words += f" · about {span(max(left, 1))} left"
    return words


def span(seconds: float) -> str:
    """4.2 -> "4 s", 130 -> "2 min 10 s", 0.3 -> "less than 1 s"."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes:
        return f"{minutes} min {rest} s"
    return f"{rest} s" if rest else "less than 1 s"


def banded(name: str, seeds: list[list[Point]]) -> Line:
    """One line through the points of one seed; of several, their mean between lowest and highest.

    The mean is taken where all seeds that have begun are known.
    """
    if len(seeds) == 1:
        return Line(name, list(seeds[0]))
    arrays = [np.array(sorted(points)) for points in seeds]
    grid = np.unique(np.concatenate([array[:, 0] for array in arrays]))
    if len(grid) > GRID:
        grid = np.linspace(grid[0], grid[-1], GRID)
    known = np.array([np.interp(grid, a[:, 0], a[:, 1], np.nan, np.nan) for a in arrays])
    counts = (~np.isnan(known)).sum(axis=0)
    grid, known = grid[counts > 0], known[:, counts > 0]
    mean, low, high = np.nanmean(known, 0), np.nanmin(known, 0), np.nanmax(known, 0)
    label = f"{name}{' · ' if name else ''}{len(seeds)} seeds"
    parts = [list(zip(grid.tolist(), ys.tolist(), strict=True)) for ys in (mean, low, high)]
    return Line(label, *parts)
