"""Lesson 3: its right and wrong answers, and what earns nothing."""

import pytest
from answer_tests import *  # noqa: F403
from answer_tests import marked
from answers3 import method

from lib.grading.lessons import lesson

NUMBER = 3


@pytest.mark.parametrize(
    ("exercise", "line"),
    [
        ("copy", "return None"),
        ("copy", "return self.location, self.shots"),
        ("move_location", "pass"),
        ("shoot", "return False"),
        ("shoot", "return True"),
        ("available_actions", "return set()"),
    ],
)
def test_doing_nothing_earns_nothing(number: int, exercise: str, line: str) -> None:
    assert marked(number, lesson(number)[exercise], method(exercise, line), 1).points == 0
