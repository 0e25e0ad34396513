"""A training in the terminal: a bar with the current strength, Ctrl-C between two steps, saves."""

import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

SAVE_EVERY = 300.0  # seconds; what a crash or a power cut can cost
TELL_EVERY = 30.0  # seconds between two lines where there is no terminal for a bar


class Stop:
    """Becomes true at the first Ctrl-C; the second one interrupts at once."""

    def __init__(self) -> None:
        self.asked = False

    def __bool__(self) -> bool:
        return self.asked

    def ask(self, *_: Any) -> None:
        """What a signal calls."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        print("\nStopping after this step (Ctrl-C once more: at once) ...", file=sys.stderr)


@contextmanager
def stoppable() -> Iterator[Stop]:
    """While this lasts, Ctrl-C asks instead of interrupting."""
    stop = Stop()
    before = signal.signal(signal.SIGINT, stop.ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def follow(progress: Iterator[Any], save: Callable[[], object], stop: Stop) -> dict[str, float]:
    """Run a training to its end or to `stop` and save it, also now and then; its last figures."""
    from tqdm import tqdm

    metrics: dict[str, float] = {}
    saved = said = time.monotonic()
    with tqdm(total=None, dynamic_ncols=True, disable=quiet()) as bar:
        for told in progress:
            bar.total, bar.unit, metrics = told.total, f" {told.unit}", told.metrics
            bar.set_postfix_str(figures(metrics), refresh=False)
            bar.update(told.done - bar.n)
            if stop:
                break
            now = time.monotonic()
            if bar.disable and now - said > TELL_EVERY:
                print(line(told), flush=True)
                said = now
            if now - saved > SAVE_EVERY:
                save()
                saved = now
    save()
    return metrics


def line(told: Any) -> str:
    """One report of a training: "2,000 of 10,000 games: won 0.5"."""
    return f"{told.done:,} of {told.total:,} {told.unit}: {figures(told.metrics)}"


def figures(metrics: dict[str, float]) -> str:
    """{"won": 0.5, "games": 2000.0} -> "won 0.5, games 2,000"."""
    return ", ".join(f"{name} {number(value)}" for name, value in metrics.items())


def number(value: float) -> str:
    """A figure short enough for a table: 0.12345 -> 0.1235, 12345.6 -> 12,346; nan is "-"."""
    if math.isnan(value):
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.4g}"


def quiet() -> bool:
    """No bar where nobody looks, unless it is wanted."""
    return not sys.stderr.isatty() and not os.environ.get("COURSE_BAR")
