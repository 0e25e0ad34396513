"""The student tier as one call: run a notebook under nbval with the course's plugin."""

import json
import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lib.cli import ROOT
from lib.grading import cells
from lib.grading.progress import read_progress


def command(path: Path, points: Path, timeout: float) -> list[str]:
    """pytest on one notebook, alone with the course's settings."""
    settings = ["-c", str(ROOT / "pyproject.toml"), "--noconftest", "-p", "no:cacheprovider"]
    settings += ["-o", "addopts=", "-o", "filterwarnings="]
    settings += ["-p", "nbval.plugin", "-p", "lib.grading.plugin"]  # and no other: they take time
    shown = ["-q", "-rN", "--tb=no", "--no-header"]
    nbval = ["--nbval-lax", "--nbval-current-env", "--nbval-cell-timeout", f"{timeout:g}"]
    ours = ["--points", str(points), str(path)]
    return [sys.executable, "-m", "pytest", *settings, *shown, *nbval, *ours]


def grade_notebook(path: Path, timeout: float = 600, quiet: bool = False) -> dict[str, Any]:
    """The score of a notebook (see `scores.score`); ValueError if it is not one of a lesson."""
    notebook = cells.read(path)
    if cells.lesson_number(notebook) is None:
        raise ValueError(f"{path} has no exercises: name the notebook of a lesson")
    with tempfile.TemporaryDirectory() as place:
        told = Path(place) / "points.json"
        output = subprocess.DEVNULL if quiet else None
        environment = {"OMP_NUM_THREADS": "1", **os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        called = command(path.resolve(), told, timeout)
        subprocess.run(called, cwd=path.resolve().parent, stdout=output, env=environment)
        try:
            found: list[dict[str, Any]] = json.loads(told.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            raise ValueError(f"{path} could not be run: see what pytest says above") from None
    if not found:
        raise ValueError(f"{path} has no code cells that ran")
    return found[0]


def unsaved(path: Path, found: dict[str, Any]) -> str:
    """What earned more on the page since the file was saved last, in words; "" if nothing did."""
    saved, known = datetime.fromtimestamp(path.stat().st_mtime, UTC), read_progress()
    titles = [
        row["title"]
        for row in found["exercises"]
        if (mine := known.get(row["exercise"]))
        and mine["points"] > row["points"]
        and datetime.fromisoformat(mine["when"]) > saved
    ]
    if not titles:
        return ""
    remedy = "Save the notebook in JupyterLab (Ctrl+S) and run this again."
    return f"Not in the file yet, though it earned more on the page: {', '.join(titles)}. {remedy}"
