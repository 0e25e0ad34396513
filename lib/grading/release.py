"""From solved notebooks to what students get: no answers, no outputs, the same bytes always."""

import copy
import hashlib
import re
from pathlib import Path

from nbformat import NotebookNode

from lib.files import write_text
from lib.grading import cells
from lib.grading.author import BEGIN, END

STUB = ("# YOUR CODE HERE", "raise NotImplementedError()")


def released(solved: NotebookNode) -> NotebookNode:
    """What a student gets of a solved notebook; it is an nbgrader assignment too."""
    notebook = copy.deepcopy(solved)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = without_solution(cell.source)
            cell.outputs, cell.execution_count = [], None
        if "nbgrader" in cell.metadata:
            _lock(cell)
    cells.set_ids(notebook)
    noted = notebook.metadata.setdefault(cells.KEY, {})
    noted["release"] = fingerprint(notebook)
    return notebook


def _lock(cell: NotebookNode) -> None:
    """Mark an answer or check as nbgrader does: not to be deleted, a check not to be edited."""
    noted = cell.metadata.nbgrader
    noted |= {"cell_type": cell.cell_type, "checksum": cells.checksum(cell)}
    cell.metadata["deletable"] = False
    if noted["locked"]:
        cell.metadata["editable"] = False


def without_solution(source: str) -> str:
    """`source` with each solution region replaced by "write it here", as nbgrader does it."""
    lines: list[str] = []
    inside = False
    for line in source.split("\n"):
        if line.strip() == BEGIN:
            if inside:
                raise ValueError(f"a second {BEGIN} before {END}:\n{source}")
            inside = True
            indent = re.match(r"\s*", line)[0]  # type: ignore[index]
            lines += [indent + part for part in STUB]
        elif line.strip() == END:
            if not inside:
                raise ValueError(f"{END} without {BEGIN}:\n{source}")
            inside = False
        elif not inside:
            lines.append(line)
    if inside:
        raise ValueError(f"{BEGIN} without {END}:\n{source}")
    return "\n".join(lines)


def fingerprint(notebook: NotebookNode) -> str:
    """Twelve digits that change when any cell of a release does."""
    told = "\0".join(f"{cell['id']}\0{cell.source}" for cell in notebook.cells)
    return hashlib.sha256(told.encode("utf-8")).hexdigest()[:12]


def release_all(solutions: Path) -> dict[str, str]:
    """The text of every released notebook by its file name."""
    found = sorted(solutions.glob("*.ipynb"))
    return {path.name: cells.as_text(released(cells.read(path))) for path in found}


def differences(solutions: Path, notebooks: Path) -> list[str]:
    """What `write_release` would change, in words; [] if the two folders are in step."""
    wanted = release_all(solutions)
    there = {path.name: path.read_text(encoding="utf-8") for path in notebooks.glob("*.ipynb")}
    said = [f"{name} is missing" for name in wanted if name not in there]
    said += [f"{name} has no solution" for name in sorted(there) if name not in wanted]
    both = [name for name in wanted if name in there]
    return said + [
        f"{name} is not what its solution gives" for name in both if there[name] != wanted[name]
    ]


def write_release(solutions: Path, notebooks: Path) -> list[str]:
    """Bring `notebooks` in step with `solutions`; what was done, in words."""
    done = []
    wanted = release_all(solutions)
    for name, text in wanted.items():
        path = notebooks / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            write_text(path, text)
            done.append(f"wrote {name}")
    for path in sorted(notebooks.glob("*.ipynb")):
        if path.name not in wanted:
            path.unlink()
            done.append(f"removed {path.name}, which has no solution")
    return done
