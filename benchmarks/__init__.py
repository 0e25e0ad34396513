"""Side by side: this course and what one would pick instead, measured by `course.py bench`."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.parts import Part


def load(name: str) -> "Part":
    """The part called so."""
    return import_module(f"benchmarks.{name}").PART
