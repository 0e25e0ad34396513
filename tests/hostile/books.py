"""Notebooks of lesson 91 as plain data: solved, released, and with cells put in or replaced."""

import copy
import json
from pathlib import Path
from typing import Any

Book = dict[str, Any]
KERNEL = {"name": "python3", "language": "python", "display_name": "Python 3"}

IMPORTS = "import numpy as np\nfrom lib.boards import Board\nfrom lib.grading.notebook import check"
ANSWERS = {
    "squares": (
        "def squares(numbers: list[float]) -> float:\n"
        '    """The sum of the squares."""\n'
        "    ### BEGIN SOLUTION\n    return sum(x * x for x in numbers)\n    ### END SOLUTION"
    ),
    "mean_square": (
        "def mean_square(numbers: list[float]) -> float:\n"
        '    """The mean of the squares; 0 of none."""\n'
        "    ### BEGIN SOLUTION\n"
        "    return squares(numbers) / len(numbers) if numbers else 0.0\n    ### END SOLUTION"
    ),
    "halve": (
        "def halve(values: np.ndarray) -> None:\n"
        '    """Halve an array in place."""\n'
        "    ### BEGIN SOLUTION\n    values /= 2\n    ### END SOLUTION"
    ),
    "Guesser": (
        "class Guesser:\n"
        "    def guess(self, low: int, high: int) -> int:\n"
        '        """A number to try."""\n'
        "        ### BEGIN SOLUTION\n        return (low + high) // 2\n        ### END SOLUTION"
    ),
}


def code(source: str, **metadata: Any) -> dict[str, Any]:
    """A code cell."""
    cell = {"cell_type": "code", "source": source, "metadata": metadata, "outputs": []}
    return {**cell, "execution_count": None}


def answer_cell(name: str, source: str) -> dict[str, Any]:
    """The answer cell of an exercise."""
    noted = {"grade_id": name, "grade": False, "solution": True, "locked": False}
    noted |= {"schema_version": 3, "task": False}
    return code(source, nbgrader=noted, rl_five_games={"role": "answer", "exercise": name})


def check_cell(name: str) -> dict[str, Any]:
    """The check cell of an exercise."""
    noted = {"grade_id": f"check_{name}", "grade": True, "solution": False, "locked": True}
    noted |= {"schema_version": 3, "task": False, "points": 2}
    ours = {"role": "check", "exercise": name}
    return code(f'{name} = check("{name}", {name})', nbgrader=noted, rl_five_games=ours)


def solved() -> Book:
    """The solved lesson."""
    cells = [{"cell_type": "markdown", "source": "# Four small things", "metadata": {}}]
    cells += [code(IMPORTS), code("board = Board('tapnswap')\nSCALE = 2.0")]
    for name, source in ANSWERS.items():
        cells += [answer_cell(name, source), check_cell(name), code(f"print({name})")]
    return {
        "cells": cells,
        "metadata": {"kernelspec": KERNEL, "rl_five_games": {"lesson": 91}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def released() -> Book:
    """The lesson as students get it."""
    from lib.grading.release import without_solution

    book = solved()
    for cell in book["cells"]:
        cell["source"] = without_solution(cell["source"])
    return book


def with_answers(book: Book, **answers: str) -> Book:
    """A copy with other answers."""
    book = copy.deepcopy(book)
    for cell in book["cells"]:
        noted = cell["metadata"].get("rl_five_games", {})
        if noted.get("role") == "answer" and noted["exercise"] in answers:
            cell["source"] = answers[noted["exercise"]]
    return book


def with_cells(book: Book, *sources: str, at: int = 0) -> Book:
    """A copy with more code cells."""
    book = copy.deepcopy(book)
    book["cells"][at:at] = [code(source) for source in sources]
    return book


def cells_of(book: Book, role: str) -> list[dict[str, Any]]:
    """The answer or check cells of a book."""
    return [c for c in book["cells"] if c["metadata"].get("rl_five_games", {}).get("role") == role]


def save(book: Book, path: Path) -> None:
    """Write a notebook."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(book), encoding="utf-8")
