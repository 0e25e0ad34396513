"""An answer that always says the same earns nothing, whatever the exercise."""

import inspect

import numpy as np
import pytest

from lib.grading.ask import LocalAsk
from lib.grading.check import Exercise, Lesson
from lib.grading.judge import mark
from lib.grading.lessons import lesson, lesson_numbers

CONSTANTS = (None, 0, 1, True, 0.5, [], {}, "", np.zeros(4))
PLAIN = [
    (course, exercise)
    for course in map(lesson, lesson_numbers())
    for exercise in course.exercises
    if not any("." in name for name in exercise.names)  # methods need their class
    and not any(inspect.isclass(answer) for answer in exercise.references.values())
]


@pytest.mark.parametrize(
    ("course", "exercise"), PLAIN, ids=[f"{c.number}-{e.name}" for c, e in PLAIN]
)
def test_constants_earn_nothing(course: Lesson, exercise: Exercise) -> None:
    others = {name: answer for e in course.exercises for name, answer in e.references.items()}
    for constant in CONSTANTS:
        answers = dict.fromkeys(exercise.names, lambda *args, c=constant, **options: c)
        result = mark(exercise, LocalAsk({**others, **answers}), seed=1)
        assert result.points == 0, f"{constant!r} earned {result.points}: {result.verdicts}"
