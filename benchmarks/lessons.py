"""Lessons: what the course's own answers earn where an exercise trains, or plays a match.

Each seed is a grader's: it draws the opponent's dice. `--full` takes more of them.
"""

import sys
from collections.abc import Callable
from unittest import mock

from benchmarks.measure import Effort
from benchmarks.parts import Bar, Found, Part, Row, Table
from lib.grading import worker
from lib.grading.ask import LocalAsk
from lib.grading.check import Exercise
from lib.grading.judge import mark, reference_names
from lib.grading.lessons import lesson

SEEDS = {"quick": 1, "normal": 5, "full": 20}
LONGER = ("normal", "full")  # lesson 3's Q agent trains for two minutes a seed


def points(number: int, name: str) -> Callable[[Effort], Found]:
    """The `run` of a row: the points of an exercise, one value a seed."""

    def run(effort: Effort) -> Found:
        if "torch" in lesson(number).imports:
            import torch

            torch.set_num_threads(1)
        exercise = lesson(number)[name]
        return {"values": [earned(exercise, seed) for seed in range(SEEDS[effort.mode])]}

    return run


def earned(exercise: Exercise, seed: int) -> float:
    """The points of the course's own answer; dice that it does not seed are a grader's, too."""
    with mock.patch.object(sys.modules["numpy.random.bit_generator"], "randbits"):
        worker.roll(seed)
        return mark(exercise, LocalAsk(reference_names(exercise)), seed).points


def rows(number: int, *names: str) -> tuple[Row, ...]:
    """Some exercises of a lesson."""
    return tuple(Row(name, points(number, name), modes=LONGER) for name in names)


TABLES = {
    "lesson 1": Table(
        "Lesson 1: points of 5 and 10, one value a seed", "points", rows(1, "train", "self_play")
    ),
    "lesson 3": Table(
        "Lesson 3: points of 20 each, one value a seed", "points", rows(3, "QAgent", "MinimaxAgent")
    ),
    "lesson 4": Table(
        "Lesson 4: points of 10, one value a seed", "points", rows(4, "train_network")
    ),
    "lesson 5": Table("Lesson 5: points of 10, one value a seed", "points", rows(5, "train_pegs")),
}
BARS = (
    Bar("Lesson 1, training: points of 5", "lesson 1", "train", 5, take="worst"),
    Bar("Lesson 1, self-play: points of 10", "lesson 1", "self_play", 10, take="worst"),
    Bar("Lesson 3, Q agent: points of 20", "lesson 3", "QAgent", 19, take="worst"),
    Bar("Lesson 3, minimax: points of 20, mean", "lesson 3", "MinimaxAgent", 16, take="mean"),
    Bar("Lesson 3, minimax: points of 20, worst", "lesson 3", "MinimaxAgent", 14, take="worst"),
    Bar("Lesson 4, training: points of 10", "lesson 4", "train_network", 10, take="worst"),
    Bar("Lesson 5, training: points of 10", "lesson 5", "train_pegs", 10, take="worst"),
)
PART = Part("lessons", "Lessons", TABLES, BARS, spreads=True)
