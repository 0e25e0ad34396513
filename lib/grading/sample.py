"""A class that can be made up: to try grading, to teach it, and to measure it."""

from pathlib import Path

import numpy as np

from lib.cli import ROOT
from lib.files import write_text
from lib.games import GAMES
from lib.grading import cells
from lib.grading.entries import TOURNAMENT
from lib.grading.lessons import lesson

NAMES = (
    "Ada",
    "Alan",
    "Barbara",
    "Bertha",
    "Dorothy",
    "Edsger",
    "Emmy",
    "Frances",
    "Grace",
    "Hedy",
)
WRONG = "return None  # to be mended"
ENTRY = """class MyAgent(Agent):
    plays = "{game}"

    def act(self, game, state, player):
        actions = self.rng.permutation(game.legal(state, player)).tolist()
        {choice}
"""
CHOICES = (  # any move, or the one after which it stands best
    "return actions[0]",
    """if len(game.movers(state)) > 1:
            return actions[0]
        def worth(action):
            after = game.play(state, (action,))
            return game.outcome(after)[player], game.score(after)[player]
        return max(actions, key=worth)""",
)


def sample_class(
    folder: Path,
    number: int = 1,
    students: int = 30,
    seed: int = 0,
    solutions: Path = ROOT / "solutions",
    notebooks: Path = ROOT / "notebooks",
) -> Path:
    """Write so many submissions of a lesson, and a roster: each solves some of the exercises.

    Of the others about half are left out, and half are written wrong.
    """
    if students < 1:
        raise ValueError(f"students={students}: a class has at least one")
    rng = np.random.default_rng(seed)
    course = lesson(number)
    solved = cells.by_role(cells.read(solutions / f"{course.notebook}.ipynb"), "answer")
    rows = ["id,name"]
    for at in range(students):
        name = NAMES[at % len(NAMES)] + (f" {at // len(NAMES) + 1}" if at >= len(NAMES) else "")
        student = f"s{at + 1:04d}"
        rows.append(f"{student},{name}")
        notebook = cells.read(notebooks / f"{course.notebook}.ipynb")
        skill = rng.uniform(0.3, 1.0)
        for exercise, cell in cells.by_role(notebook, "answer").items():
            if rng.random() < skill:
                cell.source = entry(rng) if number == TOURNAMENT else solved[exercise].source
            elif rng.random() < 0.5:
                cell.source = cell.source.replace("raise NotImplementedError()", WRONG)
        cells.write(folder / student / f"{course.notebook}.ipynb", notebook)
    write_text(folder / "roster.csv", "\n".join(rows) + "\n")
    return folder


def entry(rng: np.random.Generator) -> str:
    """An entry of the tournament, for any of the games."""
    choice = CHOICES[rng.integers(len(CHOICES))]
    return ENTRY.format(game=rng.choice(list(GAMES)), choice=choice)
