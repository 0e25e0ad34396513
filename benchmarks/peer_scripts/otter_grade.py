"""otter-grader on a bare lesson: `otter_grade.py EFFORT NOTEBOOK COPIES SITE`; CPU-seconds a copy.

The lesson's checks become otter's tests. SITE is where the course's packages are: they come after
otter's own, so that the kernel can import what the lesson needs.
"""

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from otter.execute import grade_notebook

from benchmarks.measure import tell

BOOK, COPIES, SITE = Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
TEST = """OK_FORMAT = True
test = {{"name": {name!r}, "points": 1, "suites": [{{"cases": [
    {{"code": {code!r}, "hidden": False, "locked": False}}],
    "scored": True, "setup": "", "teardown": "", "type": "doctest"}}]}}
"""
QUIET = (
    ">>> import contextlib, io\n>>> with contextlib.redirect_stdout(io.StringIO()):\n...     {}\n"
)


def code(source: str) -> dict[str, Any]:
    """A code cell."""
    return {
        "cell_type": "code",
        "id": os.urandom(4).hex(),
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": source,
    }


def as_otter(book: dict[str, Any], folder: Path) -> Path:
    """The lesson as otter wants it: `grader.check` in the notebook, the checks in test files."""
    first = f"import sys\nsys.path.append({SITE!r})\nimport otter\ngrader = otter.Notebook()"
    cells = [code(first)]
    for cell in book["cells"]:
        source, role = "".join(cell["source"]), cell["metadata"]["rl_five_games"]
        if role["role"] == "check":
            name = role["exercise"]
            text = TEST.format(name=name, code=QUIET.format(source.strip()))
            (folder / f"{name}.py").write_text(text)
            source = f'grader.check("{name}")'
        cells.append(code(source))
    path = folder / "book.ipynb"
    path.write_text(json.dumps({**book, "cells": cells}))
    return path


def cpu() -> float:
    """CPU-seconds of this process and of all that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + used.ru_utime + used.ru_stime


def main() -> None:
    """Grade the copies, one after another; every one must get all its points."""
    os.environ["NBGRADER_EXECUTION"] = "autograde"  # the checks raise
    values = []
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)  # otter leaves a log where it is
        path = as_otter(json.loads(BOOK.read_text()), Path(name))
        tests = sorted(str(test) for test in Path(name).glob("*.py"))
        for _ in range(COPIES):
            begun = cpu()
            results = grade_notebook(str(path), tests_glob=tests, cwd=name, test_dir=name)
            values.append(cpu() - begun)
            assert results.total == results.possible == len(tests), results.to_report_str()
    tell(values=values)


main()
