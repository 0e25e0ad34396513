"""A pytest plugin on nbval's cells: checks raise, their points are added up and shown as a table.

pytest finds it by itself once the course is installed: `pytest --nbval-lax notebooks/01_….ipynb`.
It imports little, because every pytest in this environment loads it.
"""

import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from queue import Empty
from typing import Any

import pytest

FACT = "rl_five_games"  # the name of what a cell's report carries: also from xdist's workers
RAISE, RESULTS = "RL_FIVE_GAMES_RAISE", "RL_FIVE_GAMES_RESULTS"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("rl-in-five-games", "points of the course's notebooks")
    group.addoption("--points", metavar="FILE", help="also write the points to a JSON file")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("nbval", False) or config.getoption("nbval_lax", False):
        if config.getoption("dist", "no") == "load":  # xdist: a notebook's cells need each other
            config.option.dist = "loadfile"
        config.pluginmanager.register(Points(config), "rl-in-five-games-points")


class KernelEnded(Exception):
    """The kernel is gone: os._exit, a crash, or no memory."""


class Points:
    """What the checks of one pytest run told, by notebook."""

    def __init__(self, config: pytest.Config) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="points-"))
        self.target = config.getoption("points", None)
        self.before = {name: os.environ.get(name) for name in (RAISE, RESULTS)}
        os.environ.update({RAISE: "1", RESULTS: str(self.folder / "results")})
        self.seen = 0  # bytes of the results read so far
        self.notebooks: dict[str, list[dict[str, Any]]] = {}

    def pytest_unconfigure(self) -> None:
        for name, value in self.before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        shutil.rmtree(self.folder, ignore_errors=True)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, None]:
        number = lesson_number(item)
        if number is None:
            yield
            return
        watch(item.parent.kernel)  # type: ignore[union-attr]
        outcome = yield
        noted = item.cell.metadata.get(FACT, {})  # type: ignore[attr-defined]
        fact = {"notebook": str(item.path), "lesson": number, "rows": self._told()}
        fact |= {"exercise": noted.get("exercise", ""), "note": ""}
        if outcome.excinfo is not None:
            fact["note"] = f"{item.name}: {brief(outcome.excinfo[1])}"
        item.user_properties.append((FACT, fact))

    def _told(self) -> list[dict[str, Any]]:
        """What checks wrote since the last time."""
        path = self.folder / "results"
        if not path.exists():
            return []
        with path.open("rb") as file:
            file.seek(self.seen)
            lines = file.read()
        self.seen += len(lines)
        return [json.loads(line) for line in lines.splitlines()]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            for name, fact in report.user_properties:
                if name == FACT and isinstance(fact, dict):
                    self.notebooks.setdefault(fact["notebook"], []).append(fact)

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        from lib.grading.scores import score, table

        scores = []
        for path, facts in self.notebooks.items():
            terminalreporter.section(f"points of {Path(path).name}")
            try:
                scores.append(score(Path(path), facts))
            except ValueError as error:  # a lesson that this edition does not have
                terminalreporter.write_line(str(error))
                continue
            for line in table(scores[-1]):
                terminalreporter.write_line(line)
        if self.target:
            Path(self.target).write_text(json.dumps(scores, indent=1), encoding="utf-8")


def lesson_number(item: pytest.Item) -> int | None:
    """The lesson that a cell of nbval's belongs to; None for anything else."""
    noted = getattr(getattr(item.parent, "nb", None), "metadata", {}).get(FACT, {})
    number = noted.get("lesson") if isinstance(noted, dict) else None
    return number if type(number) is int and hasattr(item, "cell") else None


def brief(error: BaseException) -> str:
    """The last line of what a cell raised."""
    told = getattr(error, "inner_traceback", None) or str(error)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(told))
    lines = [line for line in plain.strip().splitlines() if line.strip()]
    return lines[-1].strip()[:300] if lines else type(error).__name__


def watch(kernel: Any) -> None:
    """Let nbval notice a kernel that ended: it would wait for its whole time limit."""
    if hasattr(kernel, "watched"):
        return
    receive = kernel.get_message

    def get_message(stream: str, timeout: float | None = None) -> Any:
        end = float("inf") if timeout is None else time.monotonic() + timeout
        while True:
            try:
                return receive(stream, timeout=max(0.0, min(1.0, end - time.monotonic())))
            except Empty:
                if not kernel.is_alive():
                    raise KernelEnded("the kernel ended here; what follows was not run") from None
                if time.monotonic() >= end:
                    raise

    kernel.get_message, kernel.watched = get_message, True
