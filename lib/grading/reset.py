"""Put one exercise back to its stub, in the student's own copy; the old answer is kept."""

import os
from pathlib import Path

from lib.files import write_text
from lib.grading import cells
from lib.grading.lessons import find_exercise, lesson

COURSE = Path(__file__).parents[2]
RELOAD = "If the notebook is open, choose File > Reload Notebook from Disk; don't save it before."


def reset_in(path: Path, exercise: str, notebooks: Path | None = None) -> str:
    """Write the notebook with that exercise as it was released; what was done, in words."""
    notebook = cells.read(path)
    number = cells.lesson_number(notebook)
    if number is None:
        raise ValueError(f"{path} has no exercises")
    asked = lesson(number)[exercise]
    given = (notebooks or COURSE / "notebooks") / f"{lesson(number).notebook}.ipynb"
    pristine = cells.by_role(cells.read(given), "answer")
    mine = cells.by_role(notebook, "answer").get(exercise)
    if mine is None:
        raise ValueError(
            f"{path} has no answer cell of {exercise!r} any more: copy it from notebooks/"
        )
    stub = pristine[exercise].source
    if mine.source == stub:
        return f"{asked.title}: it is as it was given already."
    kept = _keep(path, exercise, mine.source)
    mine.source, mine.outputs, mine.execution_count = stub, [], None
    cells.write(path, notebook)
    return f"{asked.title}: back to the start. Your answer is kept in {kept.name}. {RELOAD}"


def _keep(path: Path, exercise: str, source: str) -> Path:
    """Write an answer beside its notebook, under a name that is not taken yet."""
    names = (path.with_name(f"{path.stem}.{exercise}-{n}.py") for n in range(1, 10_000))
    return write_text(next(name for name in names if not name.exists()), source + "\n")


def reset(name: str) -> str:
    """Put an exercise back to its stub, in the open notebook or the copy in work/."""
    course, exercise = find_exercise(name)
    opened = Path(os.environ.get("JPY_SESSION_NAME", ""))  # Jupyter's name for what is open
    path = COURSE / "work" / f"{course.notebook}.ipynb"
    if opened.suffix == ".ipynb" and opened.is_file():
        path = opened
    if not path.is_file():
        raise ValueError(f"there is no {path.name} in work/: `python3 course.py lab` copies it")
    return reset_in(path, exercise.name)
