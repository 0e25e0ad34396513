"""What a notebook of the course looks like: the roles and ids of its cells, read and written whole.

Every cell of the course says its role under our own key: {"role": "answer", "exercise": "shoot"}.
A cell without one is the student's own. Ids of answers and checks follow their exercise, so that
they stay the same in every release; those of other cells follow what the cell says.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from lib.files import write_text

KEY = "rl_five_games"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


def read(path: str | Path) -> NotebookNode:
    """The notebook in a file; ValueError if it is none."""
    try:
        return parse(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        said = str(error).partition("\n")[0][:200]
        raise ValueError(
            f"{path} is not a whole notebook ({said}): restore or re-copy it"
        ) from None


def parse(text: str) -> NotebookNode:
    """The notebook that `text` is, in the newest format; ValueError if it is none."""
    raw = json.loads(text)
    if not isinstance(raw, dict) or not isinstance(raw.get("cells", raw.get("worksheets")), list):
        raise ValueError("there are no cells in it")
    try:
        return nbformat.reads(text, as_version=4)
    except Exception as error:  # nbformat raises what it happens to meet
        raise ValueError(f"{type(error).__name__}: {error}") from None


def write(path: str | Path, notebook: NotebookNode) -> Path:
    """Write the notebook, whole or not at all; the same notebook gives the same bytes."""
    return write_text(path, as_text(notebook))


def as_text(notebook: NotebookNode) -> str:
    """The notebook as it stands in its file."""
    return nbformat.writes(notebook, version=4).rstrip("\n") + "\n"


def ours(cell: NotebookNode) -> dict[str, Any]:
    """What the course noted in a cell; {} in a cell of the student's own."""
    noted = cell.metadata.get(KEY)
    return noted if isinstance(noted, dict) else {}


def role(cell: NotebookNode) -> str:
    """ "answer", "check", "text" or "code"; "" for a cell of the student's own."""
    return str(ours(cell).get("role", ""))


def exercise_of(cell: NotebookNode) -> str:
    """The exercise that an answer or check cell belongs to, else ""."""
    return str(ours(cell).get("exercise", ""))


def by_role(notebook: NotebookNode, wanted: str) -> dict[str, NotebookNode]:
    """The answer (or check) cells by exercise; of several the first."""
    found: dict[str, NotebookNode] = {}
    for cell in notebook.cells:
        if role(cell) == wanted:
            found.setdefault(exercise_of(cell), cell)
    return found


def lesson_number(notebook: NotebookNode) -> int | None:
    """The lesson that a notebook is; None if it has no exercises."""
    noted = notebook.metadata.get(KEY)
    number = noted.get("lesson") if isinstance(noted, dict) else None
    return number if type(number) is int else None


def number_in(name: str) -> int:
    """1 of "01_q_learning_tapnswap"."""
    digits = name.partition("_")[0]
    if not digits.isdigit():
        raise ValueError(f"{name!r} does not begin with its number: name it like 01_q_learning")
    return int(digits)


def checksum(cell: NotebookNode) -> str:
    """nbgrader's checksum of a graded or answer cell: it says whether someone changed the cell."""
    noted = cell.metadata["nbgrader"]
    parts = [cell.source, cell.cell_type]
    parts += [str(noted["grade"]), str(noted["solution"]), str(noted["locked"]), noted["grade_id"]]
    if noted["grade"]:
        parts.append(str(float(noted["points"])))
    return hashlib.md5("".join(parts).encode("utf-8"), usedforsecurity=False).hexdigest()


def is_changed(cell: NotebookNode) -> bool:
    """Whether a cell of the course is no longer as it was released."""
    if role(cell) in ("answer", "check"):
        noted = cell.metadata.get("nbgrader", {})
        return "checksum" not in noted or noted["checksum"] != checksum(cell)
    return not str(cell.get("id", "")).startswith(content_id(cell))


def content_id(cell: NotebookNode) -> str:
    """An id that follows what a cell says: "text-3f2a9c01d4"."""
    kind = "code" if cell.cell_type == "code" else "text"
    digest = hashlib.sha256(cell.source.encode("utf-8")).hexdigest()[:10]
    return f"{kind}-{digest}"


def set_ids(notebook: NotebookNode) -> None:
    """Give every cell its id: "answer-q-update", or what it says and, if said before, a number."""
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        name = exercise_of(cell)
        wanted = f"{role(cell)}-{name.replace('_', '-')}" if name else content_id(cell)
        seen[wanted] = seen.get(wanted, 0) + 1
        cell["id"] = wanted if seen[wanted] == 1 else f"{wanted}-{seen[wanted]}"
