"""Copied work is found, other work is not, and the page runs nothing."""

from pathlib import Path

import pytest
from small_class import lesson91, write

from lib.grading.classroom_run import Run, Settings
from lib.grading.similar import alike, report

pytest.importorskip("copydetect", reason="an optional extra: pip install -e .[similarity]")

LOOP = """
def squares(numbers):
    total = 0.0
    for number in numbers:
        total = total + number * number
    return total

def halve(values):
    for index in range(len(values)):
        values[index] = values[index] / 2
"""
RENAMED = LOOP.replace("total", "acc").replace("number", "x").replace("index", "i")
OTHER = """
import numpy as np
squares = lambda v: float(np.dot(np.asarray(v), np.asarray(v)))
class Guesser:
    def guess(self, low, high):
        '<script>alert(1)</script>'
        return low + (high - low) // 2
"""


def test_what_is_compared_is_what_students_wrote(tmp_path: Path) -> None:
    """Answers that are the course's own, to the letter, too: two who have them are worth a look."""
    from books import released, solved

    with lesson91():
        folder = write(tmp_path, ada=solved(), eve=released())
        where = (folder / "submissions", folder / "grades", 91)
        code = Run(Settings(*where, solutions=folder / "solutions")).code()[91]
    assert code["eve"] == "" and "import" not in code["ada"] and "check(" not in code["ada"]
    assert code["ada"].count("def ") == 4


def test_a_copy_with_other_names_is_found(tmp_path: Path) -> None:
    pairs = alike({"ada": LOOP, "<b>eve": RENAMED, "bob": OTHER, "zoe": ""})
    assert [sorted(pair[1:3]) for pair in pairs] == [["<b>eve", "ada"]]
    told = report({91: {"ada": LOOP, "<b>eve": RENAMED, "bob": OTHER}, 92: {}}, tmp_path)
    assert "Lesson 91: 1 pair of" in told and "Lesson 92: 0 pairs of" in told
    page = (tmp_path / "lesson91.html").read_text()
    assert "<b>eve" not in page and "<script" not in page and "https://" not in page
