"""Lesson 7: its right and wrong answers."""

from answer_tests import *  # noqa: F403

NUMBER = 7
