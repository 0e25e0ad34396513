"""What grading costs, and what it survives, beside the tools that courses use.

    .venv/bin/python benchmarks/grading.py speed --lesson 1     CPU-seconds a submission
    .venv/bin/python benchmarks/grading.py kills                300 of lesson 2, killed three times
    .venv/bin/python benchmarks/grading.py growth               from 10 to 1,000 submissions

Each writes its part of benchmarks/results/grading.json. `speed` leaves training exercises out, and
subtracts from every tool what the answers themselves take.
"""

import argparse
import ast
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from lib.cli import ROOT
from lib.files import write_text
from lib.grading.ask import LocalAsk
from lib.grading.check import Lesson
from lib.grading.judge import mark, reference_names
from lib.grading.lessons import lesson

RESULTS = Path(__file__).parent / "results" / "grading.json"
HOSTILE = ROOT / "tests" / "hostile"
HERE = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # nbgrader calls alembic
ONE = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "PATH": HERE}


def children() -> float:
    """CPU seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def bare(course: Lesson) -> dict[str, Any]:
    """The solved notebook with its first cell, its answers and checks, and what these need."""
    book = json.loads((ROOT / "solutions" / f"{course.notebook}.ipynb").read_text())
    names = {exercise.name for exercise in course.exercises if not exercise.trains}
    first, *cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    answers = [cell for cell in cells if _exercise(cell) in names]
    read = {name for cell in answers for name in _names(cell, ast.Load)}
    kept = [first]
    for cell in cells:
        if cell in answers:
            kept.append(cell)
        elif not _exercise(cell) and (lines := _constants(cell, read)):
            kept.append({**cell, "source": lines})
    return {**book, "cells": [{**cell, "outputs": [], "execution_count": None} for cell in kept]}


def _exercise(cell: dict[str, Any]) -> str:
    """The exercise that a cell belongs to; "" for the course's own."""
    return str(cell["metadata"].get("rl_five_games", {}).get("exercise", ""))


def _names(cell: dict[str, Any], how: type) -> set[str]:
    """The names that a cell reads or binds."""
    tree = ast.walk(ast.parse("".join(cell["source"])))
    return {node.id for node in tree if isinstance(node, ast.Name) and isinstance(node.ctx, how)}


def _constants(cell: dict[str, Any], read: set[str]) -> str:
    """Those lines of a cell that give a number to a name that answers read: `SOLVED = 1 << 16`."""
    lines = []
    for node in ast.parse("".join(cell["source"])).body:
        if isinstance(node, ast.Assign) and not _names({"source": ast.unparse(node)}, ast.Load):
            bound = _names({"source": ast.unparse(node)}, ast.Store)
            lines += [ast.unparse(node)] if bound & read else []
    return "\n".join(lines)


def answers_alone(course: Lesson) -> float:
    """CPU seconds that right answers take in all checks, on one thread as in a worker."""
    if "torch" in course.imports:
        import torch

        torch.set_num_threads(1)  # else waiting threads count, and too much is subtracted
    total = 0.0
    for exercise in course.exercises:
        if not exercise.trains:
            ask = LocalAsk(reference_names(exercise))
            mark(exercise, ask, 7)
            ask.used = 0.0
            mark(exercise, ask, 7)
            total += ask.used
    return total


def ours(course: Lesson, book: dict[str, Any], copies: int) -> float:
    """CPU seconds a copy: of the referee, the warm parent, the guards and the workers."""
    from lib.grading import referee_pipe
    from lib.grading.referee import Referee
    from lib.grading.submission import parse, pristine, program

    spent: list[float] = []
    close = referee_pipe.PipeAsk.close

    def closing(ask: referee_pipe.PipeAsk) -> dict[str, Any]:
        fresh = not ask.report
        report = close(ask)
        spent.append(report["cpu"] + report["guard"] if fresh else 0.0)
        return report

    referee_pipe.PipeAsk.close = closing  # type: ignore
    notebook, around = parse(json.dumps(book).encode()), pristine(course, ROOT / "solutions")
    exercises = [exercise for exercise in course.exercises if not exercise.trains]
    before = children()
    with Referee() as referee:

        def judge() -> None:
            for exercise in exercises:
                code = program(course, exercise, around, notebook)
                result = referee.judge(course, exercise, code, 7)
                assert result.right, result

        judge()  # warm parents, and what a class shares
        spent.clear()
        start = time.process_time()
        for _ in range(copies):
            judge()
        own = time.process_time() - start
    referee_pipe.PipeAsk.close = close  # type: ignore
    parents = children() - before  # the forks, and their own imports: an upper bound
    return (own + sum(spent)) / copies + parents / max(copies, 50)


def nbval(book: dict[str, Any], place: Path, copies: int) -> float:
    """CPU seconds a copy under pytest --nbval-lax, with the course's plugin."""
    from lib.grading.selfcheck import grade_notebook

    path = place / "book.ipynb"
    path.write_text(json.dumps(book))
    before = children()
    for _ in range(copies):
        score = grade_notebook(path, quiet=True)
        missing = [row for row in score["exercises"] if row["points"] < row["out_of"]]
        assert len(missing) == len([e for e in lesson(score["lesson"]).exercises if e.trains])
    return (children() - before) / copies


def nbgrader(book: dict[str, Any], place: Path, copies: int) -> float:
    """CPU seconds a copy under nbgrader autograde, for a class of `copies`."""
    root = place / "nbgrader"
    (root / "source" / "lesson").mkdir(parents=True)
    (root / "source" / "lesson" / "book.ipynb").write_text(json.dumps(book))
    (root / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'x'")
    line = [sys.executable, "-m", "nbgrader"]
    shown = {"cwd": root, "env": ONE, "capture_output": True, "check": True}
    subprocess.run([*line, "generate_assignment", "lesson", "--create"], **shown)  # type: ignore[call-overload]
    for number in range(copies):
        target = root / "submitted" / f"s{number}" / "lesson"
        target.mkdir(parents=True)
        (target / "book.ipynb").write_text(json.dumps(book))
    before = children()
    subprocess.run([*line, "autograde", "lesson", "--create"], **shown)  # type: ignore[call-overload]
    return (children() - before) / copies


def speed(args: argparse.Namespace) -> dict[str, Any]:
    """Our referee beside nbval and nbgrader on the same exercises."""
    course = lesson(args.lesson)
    book, alone = bare(course), answers_alone(course)
    with tempfile.TemporaryDirectory() as name:
        found = {"referee": ours(course, book, 5 * args.copies)}
        found["nbval"] = nbval(book, Path(name), args.copies)
        found["nbgrader"] = nbgrader(book, Path(name), args.copies)
    beyond = {tool: round(max(1e-4, used - alone), 4) for tool, used in found.items()}
    best = min(value for tool, value in beyond.items() if tool != "referee")
    return {
        "answers alone, CPU-s": round(alone, 4),
        "beyond the answers, CPU-s a copy": beyond,
        "times less than the best of the others": round(best / beyond["referee"], 1),
    }


def write_class(place: Path, number: int, count: int) -> Path:
    """A class of lesson `number`: solved, unwritten, with single mistakes, a tenth hostile."""
    sys.path.insert(0, str(HOSTILE))
    from books import with_answers

    course = lesson(number)
    book = bare(course)
    hostile = [
        "import os\nos._exit(0)",
        "import ctypes\nctypes.string_at(0)",
        "x = []\nwhile True: x.append(bytearray(1 << 24))",
        "import sys\nsys.exit(0)",
        "import os\nos.kill(os.getppid(), 9)\nos.kill(-1, 9)",
        "import os\nwhile True:\n    if os.fork() == 0: os._exit(0)",
        "return type('Equal', (float,), {'__eq__': lambda a, b: True})(1)",
        "import os\nfor fd in range(3, 20): os.write(fd, b'forged')",
        "import lib.truth",
        "import signal\nsignal.pthread_sigmask(0, range(1, 65))\nwhile True: pass",
    ]
    easy = [exercise for exercise in course.exercises if not exercise.trains]
    for at in range(count):
        chosen, kind = easy[at % len(easy)], at % 10
        answer = f"def {chosen.names[0].partition('.')[0]}(*args, **kwargs):\n"
        if kind == 9:
            body = hostile[at // 10 % len(hostile)]
        else:
            body = f"return {at}" if kind % 2 else "raise NotImplementedError"
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        made = book if kind < 4 else with_answers(book, **{chosen.name: answer + lines})
        target = place / "submissions" / f"s{at:04}"
        target.mkdir(parents=True)
        (target / f"{course.notebook}.ipynb").write_text(json.dumps(made))
    return place


def grade_line(place: Path, number: int, out: str, jobs: int) -> list[str]:
    """The command that grades the class."""
    line = [sys.executable, str(ROOT / "course.py"), "grade", str(place / "submissions")]
    line += ["--out", str(place / out), "--lesson", str(number), "--seed", "5"]
    return [*line, "--jobs", str(jobs)]


def outcome(place: Path, out: str) -> list[Any]:
    """What must be the same in every run."""
    rows = json.loads((place / out / "results.json").read_text())["results"]
    return [(row["student"], row["points"], row["exercises"]) for row in rows]


def kills(args: argparse.Namespace) -> dict[str, Any]:
    """The class undisturbed, and killed hard three times on the way."""
    with tempfile.TemporaryDirectory() as name:
        place = write_class(Path(name), args.lesson, args.submissions)
        start = time.monotonic()
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": ONE}
        subprocess.run(grade_line(place, args.lesson, "calm", args.jobs), check=True, **quiet)  # type: ignore[call-overload]
        seconds = time.monotonic() - start
        kept = place / "killed" / "results" / f"lesson{args.lesson}"
        for share in (0.2, 0.5, 0.8):
            line = grade_line(place, args.lesson, "killed", args.jobs)
            process = subprocess.Popen(line, start_new_session=True, **quiet)  # type: ignore[call-overload]
            while process.poll() is None:
                if kept.is_dir() and len(list(kept.glob("*.json"))) >= share * args.submissions:
                    os.kill(process.pid, signal.SIGKILL)
                time.sleep(0.05)
        subprocess.run(grade_line(place, args.lesson, "killed", args.jobs), check=True, **quiet)  # type: ignore[call-overload]
        calm, killed = outcome(place, "calm"), outcome(place, "killed")
    points = sorted(row[1] for row in calm)
    return {
        "submissions": args.submissions,
        "results": len(killed),
        "the same points": [row[:2] for row in calm] == [row[:2] for row in killed],
        "the same in every word": calm == killed,
        "seconds undisturbed": round(seconds, 1),
        "points, lowest and highest": [points[0], points[-1]],
    }


def growth(args: argparse.Namespace) -> dict[str, Any]:
    """Seconds by the number of submissions, and the slope on a log-log plot past start-up."""
    import numpy as np

    counts, seconds = [10, 30, 100, 300, 1000][: args.steps], []
    for count in counts:
        with tempfile.TemporaryDirectory() as name:
            place = write_class(Path(name), args.lesson, count)
            before = children()
            line = grade_line(place, args.lesson, "out", 1)
            subprocess.run(line, check=True, env=ONE, capture_output=True)
            seconds.append(children() - before)
    slope = np.polyfit(np.log(counts[1:]), np.log(seconds[1:]), 1)[0]
    told = dict(zip(map(str, counts), [round(s, 2) for s in seconds], strict=True))
    return {"driver's CPU-seconds": told, "slope": round(float(slope), 3)}


def main() -> None:
    """One measurement, added to the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("speed", "kills", "growth"))
    parser.add_argument("--lesson", type=int, default=2)
    parser.add_argument("--copies", type=int, default=5)
    parser.add_argument("--submissions", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--steps", type=int, default=4)
    args = parser.parse_args()
    shutil.which("bwrap") or sys.exit("bubblewrap is not installed: its cost belongs to the result")
    found = {"speed": speed, "kills": kills, "growth": growth}[args.what](args)
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    results[f"{args.what}, lesson {args.lesson}"] = found
    write_text(RESULTS, json.dumps(results, indent=2) + "\n")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
