"""What the start page and the arcade show of a student: the map of the course, the own agents."""

import copy
import html
import importlib.metadata
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lib.cli import ROOT
from lib.cli.doctor import pins
from lib.game import Agent
from lib.grading.entries import handed_in
from lib.grading.progress import LessonProgress, progress

ENTRY, MINE = ROOT / "work" / "07_tournament.ipynb", "my entry"
HOURS = {0: "10 min", 1: "90 min", 2: "90 min", 3: "2 h", 4: "2 h", 5: "2 h", 7: "1 h"}
ABOUT = {
    0: ("TapnSwap", "a first check"),
    1: ("TapnSwap", "tabular Q-learning"),
    2: ("chopsticks", "Monte Carlo tree search"),
    3: ("droid battle", "minimax against Q-learning"),
    4: ("2048", "DQN in PyTorch"),
    5: ("peg solitaire", "A3C in PyTorch"),
    7: ("all five", "an agent of your own"),
}


@dataclass(frozen=True)
class CourseMap:
    """Every lesson with its time, its points and yours; a table on a page."""

    lessons: tuple[LessonProgress, ...]

    def __repr__(self) -> str:
        rows = [f"{n.number} {n.title}: {n.points:g} of {n.out_of:g} points" for n in self.lessons]
        return "\n".join([*rows, f"together: {self.points:g} of {self.out_of:g} points"])

    @property
    def points(self) -> float:
        """All points so far."""
        return sum(lesson.points for lesson in self.lessons)

    @property
    def out_of(self) -> float:
        """All points of the course."""
        return sum(lesson.out_of for lesson in self.lessons)

    def _repr_html_(self) -> str:
        head = "".join(
            f"<th style='text-align:left'>{name}</th>"
            for name in ("lesson", "game", "what you build", "time", "your points", "")
        )
        rows = "".join(f"<tr>{self._row(lesson)}</tr>" for lesson in self.lessons)
        points = f"<b>{self.points:g} of {self.out_of:g}</b>"
        left = "style='text-align:left'"
        total = (
            f"<tr><td {left} colspan='4'><b>together</b></td><td {left}>{points}</td><td></td></tr>"
        )
        return f"<table><tr>{head}</tr>{rows}{total}</table>"

    def _row(self, lesson: LessonProgress) -> str:
        game, algorithm = ABOUT.get(lesson.number, ("", ""))
        link = (
            f"<a href='{lesson.notebook}.ipynb'>{lesson.number} · {html.escape(lesson.title)}</a>"
        )
        done = len(lesson.passed)
        bar = "●" * done + "○" * len(lesson.open)
        words = f"{done} of {done + len(lesson.open)} exercises passed"
        cells = [link, game, algorithm, HOURS.get(lesson.number, "")]
        cells.append(f"{lesson.points:g} of {lesson.out_of:g}")
        cells.append(f"<span role='img' aria-label='{words}' title='{words}'>{bar}</span>")
        wraps = ("normal",) * 3 + ("nowrap",) * 3
        return "".join(
            f"<td style='text-align:left;white-space:{wrap}'>{cell}</td>"
            for cell, wrap in zip(cells, wraps, strict=True)
        )


def course_map() -> CourseMap:
    """The lessons, and how far the student is in each."""
    return CourseMap(tuple(progress()))


def own_entry(notebook: Path = ENTRY) -> dict[str, dict[str, Callable[[], Agent]]]:
    """What you wrote in the tournament, for the arcade, from a worker; {} if nothing plays yet."""
    try:
        entry = handed_in(notebook)
        entry.name = MINE
        return {entry.plays(): {MINE: lambda: copy.copy(entry)}}
    except ValueError:
        return {}


@dataclass(frozen=True)
class Installation:
    """What is installed beside what the course was tested with."""

    found: dict[str, tuple[str, str | None]]  # package -> (tested, installed)

    @property
    def missing(self) -> list[str]:
        """Packages that are not there, or in another version."""
        return [
            f"{name} {there or 'is missing'} (the course was tested with {tested})"
            for name, (tested, there) in self.found.items()
            if (there or "").partition("+")[0] != tested
        ]

    def __repr__(self) -> str:
        if not self.missing:
            python = ".".join(map(str, sys.version_info[:3]))
            return f"Everything is here: {len(self.found)} packages on Python {python}."
        listed = "\n".join(f"- {line}" for line in self.missing)
        return f"{listed}\nClose JupyterLab and run `python3 course.py lab`: it installs them."


def installation() -> Installation:
    """Look at every package of requirements.txt."""
    pinned = pins((ROOT / "requirements.txt").read_text(encoding="utf8"))
    return Installation({name: (tested, _version(name)) for name, tested in pinned.items()})


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
