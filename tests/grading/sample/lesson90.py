"""A lesson of two exercises, for the tests: the mean, and a counter that is a class."""

from collections.abc import Iterable, Iterator

import numpy as np

from lib.grading.ask import Ask
from lib.grading.check import Case, Exercise, Lesson, Mistake, Verdict
from lib.grading.judge import attempt


def mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


class Counter:
    def __init__(self) -> None:
        self.count = 0

    def add(self, n: int) -> int:
        self.count += n
        return self.count


def mean_cases(rng: np.random.Generator) -> Iterable[Case]:
    yield Case("two numbers", ([1.0, 2.0],), open=True)
    yield Case("an empty list", ([],), open=True)
    for _ in range(3):
        yield Case("random lists", (rng.normal(size=5).tolist(),))


def run_counter(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    steps = rng.integers(1, 9, size=4).tolist()

    def adds() -> str:
        counter = ask.new("Counter")
        got = [counter.call("add", n) for n in steps]
        return "" if got == np.cumsum(steps).tolist() else "The counts don't add up."

    def starts_anew() -> str:
        ask.new("Counter").call("add", 3)
        return "" if ask.new("Counter").call("add", 1) == 1 else "Two counters share a count."

    yield attempt("adds", adds)
    yield attempt("each counts for itself", starts_anew)


LESSON = Lesson(
    number=90,
    title="A sample",
    notebook="90_sample",
    exercises=[
        Exercise(
            "mean",
            6,
            "The mean",
            mean,
            cases=mean_cases,
            mistakes=[
                Mistake("This is the sum: divide by how many there are.", wrong=sum),
                Mistake("Think of a list without numbers.", raises="ZeroDivisionError"),
            ],
        ),
        Exercise("Counter", 4, "A counter", Counter, run=run_counter),
    ],
)
