"""A lesson of four small exercises, for the hostile submissions: a value, a value on top of another
exercise, an array changed in place, and a player that the referee asks for moves.

Its time limit is half a CPU-second a call, so that answers that never return are soon ended.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from lib.grading.ask import Ask
from lib.grading.check import Case, Exercise, Lesson, Mistake, Verdict
from lib.grading.judge import attempt

SECONDS = 0.5


def squares(numbers: list[float]) -> float:
    """The sum of the squares."""
    return sum(x * x for x in numbers)


def mean_square(numbers: list[float]) -> float:
    """The mean of the squares; 0 of none."""
    return squares(numbers) / len(numbers) if numbers else 0.0


def halve(values: np.ndarray) -> None:
    """Halve an array in place."""
    values /= 2


class Guesser:
    """Finds a number between two bounds by halving."""

    def guess(self, low: int, high: int) -> int:
        return (low + high) // 2


def square_cases(rng: np.random.Generator) -> Iterable[Case]:
    yield Case("an example", ([1.0, 2.0],), open=True)
    yield Case("no numbers", ([],), open=True)
    for _ in range(4):
        yield Case("any numbers", (rng.normal(size=6).round(3).tolist(),))


def halve_cases(rng: np.random.Generator) -> Iterable[Case]:
    for _ in range(3):
        yield Case("any array", (rng.normal(size=5),))


def run_guesser(ask: Ask, rng: np.random.Generator) -> Iterator[Verdict]:
    """Ten games: a number below 1,000 in ten guesses."""

    def play() -> str:
        player = ask.new("Guesser")
        for secret in rng.integers(0, 1000, size=10).tolist():
            low, high = 0, 999
            for _ in range(10):
                guess = player.call("guess", low, high)
                if type(guess) is not int or guess == secret:
                    break
                low, high = (guess + 1, high) if guess < secret else (low, guess - 1)
            if guess != secret:
                return "Ten guesses were not enough to find a number below 1,000."
        return ""

    yield attempt("ten games", play)


LESSON = Lesson(
    number=91,
    title="Four small things",
    notebook="91_small_things",
    memory=256,
    exercises=[
        Exercise(
            "squares",
            4,
            "The sum of squares",
            squares,
            cases=square_cases,
            mistakes=[Mistake("This is the sum: square each number first.", wrong=sum)],
            seconds=SECONDS,
            formerly=("sum_of_squares",),
        ),
        Exercise(
            "mean_square",
            2,
            "The mean square",
            mean_square,
            cases=square_cases,
            seconds=SECONDS,
        ),
        Exercise(
            "halve", 2, "Halve in place", halve, cases=halve_cases, inplace=(0,), seconds=SECONDS
        ),
        Exercise("Guesser", 2, "Guess a number", Guesser, run=run_guesser, seconds=SECONDS),
    ],
)
