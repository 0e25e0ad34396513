"""Every exercise of a lesson: right answers get full points, wrong ones a message that helps.

test_answersN.py takes these tests for its lesson, so that lessons are tested side by side.
Answers are data: `ANSWERS` in answersN.py, run on what `SETUP` of the same file imports, with the
course's own answers to the other exercises, on secret seeds. Where points are a share of games won,
`ENOUGH = {"match": 19}` says what counts as full points.
"""

import functools
import importlib
import sys
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
import pytest

from lib.grading import worker
from lib.grading.ask import LocalAsk
from lib.grading.check import Exercise, Result
from lib.grading.judge import PUBLIC_SEED, mark
from lib.grading.lessons import lesson
from lib.grading.notebook import bind, quiet, reason

FEW, SEEDS, TRAINING_SEEDS = 1, 20, 3  # the quick tests take few seeds, the slow ones the rest
RIGHT, WRONG, TRAINING_WRONG = 3, 5, 2  # answers that every exercise has at least


@functools.cache
def answers(number: int) -> Any:
    """The module with the answers of a lesson."""
    if "torch" in lesson(number).imports:
        importlib.import_module("torch._dynamo")  # the first optimizer would, within its time guard
    return importlib.import_module(f"answers{number}")


@functools.cache
def hurried(number: int, exercise: str) -> Exercise:
    """The exercise with a shorter guard, for answers that never return."""
    asked = lesson(number)[exercise]
    return asked if asked.trains else replace(asked, seconds=min(asked.seconds, 1.0))


def marked(number: int, exercise: Exercise, source: str, seed: int) -> Result:
    """What an answer cell earns, on top of the course's answers to everything else."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(answers(number).SETUP, "<setup>", "exec"), namespace)
    for other in lesson(number).exercises:
        bind(namespace, other.references)
    bits = sys.modules["numpy.random.bit_generator"]
    with quiet(), mock.patch.object(bits, "randbits"):
        worker.roll(seed)  # dice that an answer did not seed itself, as in the grader
        exec(compile(source, "<answer>", "exec"), namespace)
        bind(namespace, {name: namespace[name] for name in exercise.names if name in namespace})
        return mark(exercise, LocalAsk(namespace), seed)


def seeds(exercise: Exercise, all_of_them: bool) -> list[int]:
    """Few, or those that remain; the first is the open one."""
    count = TRAINING_SEEDS if exercise.trains else SEEDS
    secret = np.random.default_rng(7).integers(2**31, size=count - 1).tolist()
    every = [PUBLIC_SEED, *secret]
    if exercise.trains:
        return every
    return every[FEW:] if all_of_them else every[:FEW]


def enough(number: int, exercise: str) -> float:
    """The points that a right answer gets."""
    said: dict[str, float] = getattr(answers(number), "ENOUGH", {})
    asked = lesson(number)[exercise]
    return said.get(exercise, asked.enough * asked.points)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give each test the answers of the lesson that its module names, on few and on all seeds."""
    number = metafunc.module.NUMBER
    if "name" not in metafunc.fixturenames:
        metafunc.parametrize("number", [number])
        return
    kind = next((kind for kind in ("right", "wrong") if kind in metafunc.function.__name__), "")
    rows = []
    for exercise in lesson(number).exercises:
        given = answers(number).ANSWERS.get(exercise.name, {})
        for name in given.get(kind, {}) if kind else [""]:
            where = f"{exercise.name}-{name}".replace(" ", "_").strip("-")
            row = number, exercise.name, name
            if not exercise.trains:
                rows.append(pytest.param(*row, False, id=where))
            rows.append(pytest.param(*row, True, id=f"{where}-all", marks=pytest.mark.slow))
    metafunc.parametrize("number, exercise, name, full", rows)


def test_every_exercise_has_answers_enough(number: int) -> None:
    given = answers(number).ANSWERS
    assert set(given) == {exercise.name for exercise in lesson(number).exercises}
    for exercise in lesson(number).exercises:
        wrong = TRAINING_WRONG if exercise.trains else WRONG
        assert len(set(given[exercise.name]["right"].values())) >= RIGHT, exercise.name
        assert len({source for source, _ in given[exercise.name]["wrong"].values()}) >= wrong, (
            exercise.name
        )


def test_right_answers_get_full_points(number: int, exercise: str, name: str, full: bool) -> None:
    asked = lesson(number)[exercise]
    source = answers(number).ANSWERS[exercise]["right"][name]
    for seed in seeds(asked, full):
        result = marked(number, asked, source, seed)
        assert result.points >= enough(number, exercise), f"seed {seed}: {reason(result)}"


def test_wrong_answers_lose_points_and_are_told_why(
    number: int, exercise: str, name: str, full: bool
) -> None:
    asked = hurried(number, exercise)
    source, words = answers(number).ANSWERS[exercise]["wrong"][name]
    for seed in seeds(asked, full):
        result = marked(number, asked, source, seed)
        assert result.points < enough(number, exercise), (
            f"seed {seed}: it got all {asked.points:g} points"
        )
        said = " ".join(v.message for v in result.verdicts if not v.right)
        assert words in f"{reason(result)} {said}", f"seed {seed}: {reason(result)}"


def test_the_courses_own_answer_gets_full_points(
    number: int, exercise: str, name: str, full: bool
) -> None:
    asked = lesson(number)[exercise]
    for seed in seeds(asked, full):
        result = marked(number, asked, "", seed)
        assert result.points >= enough(number, exercise), f"seed {seed}: {reason(result)}"
