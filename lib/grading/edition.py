"""The student edition: the course to hand out, without solutions and the grader's own half.

Checks run on the student's machine and lessons go on with the course's answer, so the answers must
be there in some form. They are packed in one archive: out of sight of an editor and of a search,
not out of reach of someone who unpacks it. The agents in lib/agents stay readable; they are what
the course teaches. The grader's secrets are its seeds, which no edition holds.
"""

import fnmatch
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from lib.grading import ARCHIVE

HANDED_OUT = (
    "course.py",
    "requirements.txt",
    "requirements-dev.txt",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "benchmarks/RESULTS.md",
    "benchmarks/figures",
    "benchmarks/results",
    "binder",
    "docs",
    "lib",
    "notebooks",
)
KEPT_BACK = (  # what only maintainers and instructors use
    "lib/cli/author.py",
    "lib/cli/bench.py",
    "lib/cli/export.py",
    "lib/cli/gallery.py",
    "lib/cli/release.py",
    "lib/cli/sample.py",
    "lib/cli/test.py",
    "lib/cli/tournament.py",
    "lib/grading/author.py",
    "lib/grading/classroom*.py",
    "lib/grading/edition.py",
    "lib/grading/export*.py",
    "lib/grading/feedback*.py",
    "lib/grading/gradebook*.py",
    "lib/grading/release.py",
    "lib/grading/sample*.py",
    "lib/grading/similar*.py",
    "*/__pycache__/*",
    "*/.*",
)
PACKED = "lib/grading/lesson[0-9]*.py"


def write_edition(root: Path, target: Path) -> int:
    """Write the edition to a new folder, whole or not at all; the number of its files."""
    target = target.resolve()
    if target.exists() and any(target.iterdir()):
        raise ValueError(f"{target} is not empty: name a folder that is not there yet")
    if target == root or any(root / name in (target, *target.parents) for name in HANDED_OUT):
        raise ValueError(f"{target} is part of the course: name a folder beside it")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as place:
        made = Path(place) / target.name
        for name in handed_out(root):
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, made / name)
        _pack(root, made / "lib" / "grading" / ARCHIVE)
        count = sum(path.is_file() for path in made.rglob("*"))
        if target.exists():
            target.rmdir()
        os.replace(made, target)
    return count


def handed_out(root: Path) -> Iterator[str]:
    """The files of the edition, relative to the course, but for the archive."""
    for name in HANDED_OUT:
        top = root / name
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            inside = path.relative_to(root).as_posix()
            if path.is_file() and not any(fnmatch.fnmatch(inside, p) for p in (*KEPT_BACK, PACKED)):
                yield inside


def _pack(root: Path, archive: Path) -> None:
    """The checks and their answers as one archive that Python imports from."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in sorted(root.glob(PACKED)):
            # A fixed date, so that the same course gives the same bytes.
            packed.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_DEFLATED)
