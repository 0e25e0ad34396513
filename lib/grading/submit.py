"""What a student hands in: the notebook and what its own check said, in one file."""

import json
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

from lib.files import write_whole
from lib.grading.lessons import lesson, lesson_numbers


def find_notebook(named: str, work: Path) -> Path:
    """The notebook that `named` means: a path, or the number of a lesson in work/."""
    if not named.isdigit():
        if not Path(named).is_file():
            raise ValueError(f"there is no {named}: name a notebook, or the number of a lesson")
        return Path(named)
    if int(named) not in lesson_numbers():
        raise ValueError(f"there is no lesson {named}: choose one of {lesson_numbers()}")
    path = work / f"{lesson(int(named)).notebook}.ipynb"
    if not path.is_file():
        raise ValueError(f"{path} is not there: `python3 course.py lab` copies the lessons")
    return path


def pack(notebook: Path, score: dict[str, Any], target: Path | None = None) -> Path:
    """Write a zip of the notebook and its self-check beside it; the path of the zip."""
    name = f"{lesson(score['lesson']).notebook}.ipynb"
    told = {key: score[key] for key in ("lesson", "points", "out_of", "exercises", "notes")}
    told["when"] = datetime.now().astimezone().isoformat(timespec="seconds")
    target = target or notebook.with_name(f"{Path(name).stem}.submission.zip")

    def write(file: Any) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(name, notebook.read_bytes())
            packed.writestr("self-check.json", json.dumps(told, indent=1))

    return write_whole(target, write)
