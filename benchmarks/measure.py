"""The one way in which everything here is measured: CPU seconds, a warm-up, repeats, their spread.

Needs the standard library alone, so that a peer's script in an environment of its own can use it.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Effort:
    """How long to measure."""

    mode: str = "normal"  # quick, normal or full
    seconds: float = 0.4  # CPU-seconds of one repeat, at least
    repeats: int = 2  # in a turn
    turns: int = 5  # minutes apart, as a machine is not always as fast


EFFORTS = {
    "quick": Effort("quick", 0.1, 3, turns=1),
    "normal": Effort(),
    "full": Effort("full", 1.0, 3),
}


def rates(work: Callable[[], int], effort: Effort) -> list[float]:
    """How much a CPU-second does, once a repeat; `work()` does some and returns how much."""
    work()  # compiles, fills caches
    return [_rate(work, effort.seconds) for _ in range(effort.repeats)]


def _rate(work: Callable[[], int], seconds: float) -> float:
    done, spent, begun = 0, 0.0, time.process_time()
    while spent < seconds or not spent:
        done += work()
        spent = time.process_time() - begun
    return done / spent


def costs(work: Callable[[], object], repeats: int) -> list[float]:
    """CPU-seconds of one call, once a repeat, after one that does not count."""
    work()
    found = []
    for _ in range(repeats):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return found


def summary(values: Sequence[float]) -> tuple[float, float, float]:
    """Median, smallest and largest: [3.0, 1.0, 2.0] -> (2.0, 1.0, 3.0)"""
    return statistics.median(values), min(values), max(values)


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Of the straight line through log y against log x: ([1, 10], [3, 30]) -> 1.0"""
    from math import log

    return statistics.linear_regression([log(v) for v in x], [log(v) for v in y]).slope


def tell(**found: Any) -> None:
    """A peer's last line: its figures, for `peers.ask`."""
    print(json.dumps(found))


def told_effort() -> Effort:
    """The effort that `peers.ask` gave as this script's first argument."""
    return Effort(**json.loads(sys.argv[1]))


def as_argument(effort: Effort) -> str:
    """The effort as text that `told_effort` reads."""
    return json.dumps(asdict(effort))
