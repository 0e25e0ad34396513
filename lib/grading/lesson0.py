"""The one exercise of the start page: how checks work, on something that everyone can write."""

from collections.abc import Iterator

import numpy as np

from lib.grading.check import Case, Exercise, Lesson, Mistake


def fingers_left(hands: tuple[int, int]) -> int:
    """How many fingers are raised on both hands together."""
    return hands[0] + hands[1]


def cases(rng: np.random.Generator) -> Iterator[Case]:
    """Two examples, and hands of any kind."""
    yield Case("two hands", ((3, 4),), open=True)
    yield Case("the hands exchanged", ((4, 3),), open=True)  # no two mistakes come to the same here
    for _ in range(10):
        yield Case("any hands", (tuple(rng.integers(0, 5, 2).tolist()),))


LESSON = Lesson(
    number=0,
    title="Start here",
    notebook="00_start_here",
    exercises=[
        Exercise(
            "fingers_left",
            1,
            "Count the fingers",
            fingers_left,
            cases,
            mistakes=(
                Mistake("Both hands count: add the second one.", lambda hands: hands[0]),
                Mistake("Both hands count: add the first one.", lambda hands: hands[1]),
                Mistake("Add the hands instead of multiplying them.", lambda h: h[0] * h[1]),
                Mistake("Count the fingers, not the hands.", lambda hands: len(hands)),
            ),
        )
    ],
)
