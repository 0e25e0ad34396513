"""An autograder for Gradescope: one archive that judges a lesson there as it is judged here.

Gradescope runs setup.sh once and run_autograder for each submission, which leaves
/autograder/results/results.json: always, whatever a submission does.
https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

import json
import secrets
import sys
import time
import traceback
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lib.files import write_text, write_whole

SETUP = """\
#!/usr/bin/env bash
# Run once by Gradescope, as root: Python 3.11 or newer, bubblewrap, and what the course needs.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -qy --no-install-recommends bubblewrap python3 python3-venv
newest=""
for name in python3.14 python3.13 python3.12 python3.11 python3; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        newest="$name"
        break
    fi
done
if [ -z "$newest" ]; then
    apt-get install -qy --no-install-recommends python3.11 python3.11-venv
    newest=python3.11
fi
"$newest" -m venv /autograder/venv
cd /autograder/source/course
/autograder/venv/bin/python -m pip install -q -r requirements.txt
chmod -R go-rwx /autograder/source
"""

RUN = """\
#!/usr/bin/env bash
# Run by Gradescope for each submission; leaves results.json in any case.
results=/autograder/results/results.json
cd /autograder/source/course
timeout {seconds} /autograder/venv/bin/python -m lib.grading.export {lesson} \\
    /autograder/submission "$results" seed.txt
if [ ! -s "$results" ]; then
    said="The grader ended before it was done: tell your instructor."
    echo '{{"score": 0, "output": "'"$said"'"}}' > "$results"
fi
exit 0
"""
LEFT_OUT = ("__pycache__", ".ipynb_checkpoints")


def gradescope(
    number: int, out: Path, root: Path, seed: int | None = None, seconds: int = 1100
) -> Path:
    """Write the autograder of a lesson; the archive."""
    from lib.grading.lessons import lesson

    solution = root / "solutions" / f"{lesson(number).notebook}.ipynb"
    if not solution.is_file():
        raise ValueError(f"{solution} is missing: graders need the solved notebook of the lesson")

    def write(file: Any) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            _script(archive, "setup.sh", SETUP)
            _script(archive, "run_autograder", RUN.format(lesson=number, seconds=seconds))
            archive.writestr("course/seed.txt", str(secrets.randbits(62) if seed is None else seed))
            for path in [*_course(root), solution]:
                archive.write(path, f"course/{path.relative_to(root).as_posix()}")

    return write_whole(out, write)


def _script(archive: zipfile.ZipFile, name: str, text: str) -> None:
    info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
    info.external_attr = 0o755 << 16
    archive.writestr(info, text)


def _course(root: Path) -> Iterator[Path]:
    """The files of the course that a grader needs."""
    yield from (root / name for name in ("course.py", "pyproject.toml", "requirements.txt"))
    yield from (path for path in (root / "README.md", root / "LICENSE") if path.is_file())
    for path in sorted((root / "lib").rglob("*")):
        if path.is_file() and not set(LEFT_OUT) & set(path.parts):
            yield path


def results(number: int, folder: Path, solutions: Path, seed: int) -> dict[str, Any]:
    """What Gradescope reads, for the submission in a folder."""
    from lib.grading import sandbox
    from lib.grading.classroom_run import close_referee, grade_task, newest, task_of
    from lib.grading.lessons import lesson
    from lib.grading.submission import pristine

    begun = time.monotonic()
    work = newest(folder, number)
    try:
        rows = grade_task(task_of(work, pristine(lesson(number), solutions), seed))
    finally:
        close_referee()
    note = f"{work.file}: {work.problem}" if work.problem else f"{work.file} was graded."
    return {
        "score": round(sum(row["points"] for row in rows), 2),
        "output": note,
        "execution_time": round(time.monotonic() - begun, 1),
        "stdout_visibility": "hidden",
        "tests": [_test(at, row) for at, row in enumerate(rows, start=1)],
        "extra_data": {"protections": sandbox.protections()},
    }


def _test(at: int, row: dict[str, Any]) -> dict[str, Any]:
    """An exercise as Gradescope shows it."""
    return {
        "name": row["title"],
        "number": str(at),
        "score": row["points"],
        "max_score": row["out_of"],
        "status": "passed" if row["points"] >= row["enough"] * row["out_of"] else "failed",
        "output": "\n".join(_said(row)),
        "visibility": "visible",
    }


def _said(row: dict[str, Any]) -> Iterator[str]:
    if row["status"] == "unwritten":
        yield "Not written yet."
    for verdict in row["verdicts"]:
        right = verdict["share"] >= 1
        yield f"✓ {verdict['label']}" if right else f"✗ {verdict['label']}: {verdict['message']}"
        for key in ("asked", "got", "expected"):
            if verdict[key] and not right and (key != "expected" or verdict["open"]):
                yield f"    {key:<9} {verdict[key]}"


def main(arguments: Sequence[str]) -> int:
    """`python -m lib.grading.export LESSON SUBMISSION RESULTS SEED_FILE`, inside Gradescope."""
    number, folder, target, seed = arguments
    try:
        place = Path(__file__).parents[2] / "solutions"
        found = results(int(number), Path(folder), place, int(Path(seed).read_text()))
    except BaseException:
        found = {"score": 0, "output": "The grader itself failed: tell your instructor."}
        found["extra_data"] = {"traceback": traceback.format_exc()[-4000:]}
    write_text(target, json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
