"""The lessons by number: each is `LESSON` in `lib/grading/lesson<number>.py`."""

import functools
import importlib
import importlib.util
import pkgutil

import lib.grading
from lib.grading.check import Exercise, Lesson


@functools.cache
def lesson(number: int) -> Lesson:
    """The lesson of that number; ValueError if there is none."""
    try:
        module = importlib.import_module(f"lib.grading.lesson{number}")
    except ModuleNotFoundError as error:
        if error.name != f"lib.grading.lesson{number}":
            raise
        known = ", ".join(map(str, lesson_numbers()))
        raise ValueError(f"there is no lesson {number} to grade: choose one of {known}") from None
    found: Lesson = module.LESSON
    return found


def lesson_numbers() -> list[int]:
    """The numbers of the lessons that have exercises."""
    names = [info.name for info in pkgutil.iter_modules(lib.grading.__path__)]
    return sorted(int(n[6:]) for n in names if n.startswith("lesson") and n[6:].isdigit())


def find_exercise(name: str) -> tuple[Lesson, Exercise]:
    """The exercise of that name and its lesson; "3.shoot" names one of lesson 3."""
    number, dot, rest = name.partition(".")
    if dot and number.isdigit():
        return lesson(int(number)), lesson(int(number))[rest]
    for candidate in map(lesson, sorted(lesson_numbers(), key=lambda n: not _mentions(n, name))):
        for exercise in candidate.exercises:
            if exercise.name == name:
                return candidate, exercise
    raise ValueError(f"there is no exercise {name!r}: look at the check below it for the name")


def _mentions(number: int, name: str) -> bool:
    """Whether that lesson's source has the name in it: looking is cheaper than importing."""
    found = importlib.util.find_spec(f"lib.grading.lesson{number}")
    source = getattr(found.loader, "get_source", None) if found else None
    return source is not None and f'"{name}"' in (source(f"lib.grading.lesson{number}") or "")
