"""A class whose grader is killed hard on the way: the same results as of an undisturbed run."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.graders import ONE
from benchmarks.measure import Effort
from benchmarks.parts import Found
from lib.cli import ROOT
from lib.grading import cells
from lib.grading.lessons import lesson
from lib.grading.sample import sample_class

LESSON, SUBMISSIONS = 2, 300
AT = (0.2, 0.5, 0.8)  # shares of the class after which the grader is killed
HOSTILE = (  # what the answers of every tenth student do when they are called
    "import os; os._exit(0)",
    "import ctypes; ctypes.string_at(0)",
    "return [bytearray(1 << 30) for _ in range(64)]",
    "raise SystemExit('full marks')",
    "import os; os.kill(os.getppid(), 9); os.kill(-1, 9)",
    "import os; [os.fork() for _ in range(64)]",
    "return type('Equal', (float,), {'__eq__': lambda a, b: True})(1)",
    "import os; [os.write(fd, b'forged') for fd in range(3, 20)]",
    "import lib.truth",
    "import os; os.closerange(0, 4096)",
)


def write_class(folder: Path, submissions: int) -> Path:
    """Solved, wrong and unwritten answers; every tenth student's are hostile."""
    sample_class(folder, LESSON, submissions)
    for at, path in enumerate(sorted(folder.glob("*/*.ipynb"))[::10]):
        book = cells.read(path)
        for exercise, cell in cells.by_role(book, "answer").items():
            name = lesson(LESSON)[exercise].names[0].partition(".")[0]
            cell.source = f"def {name}(*args, **more):\n    {HOSTILE[at % len(HOSTILE)]}\n"
        cells.write(path, book)
    return folder


def command(submissions: Path, out: Path) -> list[str]:
    """What grades the class."""
    line = [sys.executable, str(ROOT / "course.py"), "grade", str(submissions), "--out", str(out)]
    return [*line, "--lesson", str(LESSON), "--seed", "5", "--jobs", "2"]


def rows_of(out: Path) -> dict[str, Any]:
    """What must be the same in every run, by student."""
    rows = json.loads((out / "results.json").read_text())["results"]
    return {row["student"]: (row["points"], row["exercises"]) for row in rows}


def kill_after(line: list[str], kept: Path, results: float) -> None:
    """Start the grader; kill it once it has kept so many results."""
    process = subprocess.Popen(line, env=ONE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        if len(list(kept.glob("*.json"))) >= results:
            os.kill(process.pid, signal.SIGKILL)
        time.sleep(0.05)
    assert process.returncode == -signal.SIGKILL, "it ended before it was killed"


def same_results(effort: Effort) -> Found:
    """How many of the class have the same result, to the word, as in an undisturbed run."""
    with tempfile.TemporaryDirectory() as name:
        submissions = write_class(Path(name) / "submissions", SUBMISSIONS)
        calm, killed = Path(name) / "calm", Path(name) / "killed"
        quiet = {"check": True, "env": ONE, "capture_output": True}
        subprocess.run(command(submissions, calm), **quiet)  # type: ignore[call-overload]
        for share in AT:
            kept = killed / "results" / f"lesson{LESSON}"
            kill_after(command(submissions, killed), kept, share * SUBMISSIONS)
        subprocess.run(command(submissions, killed), **quiet)  # type: ignore[call-overload]
        ours, theirs = rows_of(calm), rows_of(killed)
    return {"values": [float(sum(theirs.get(name) == row for name, row in ours.items()))]}
