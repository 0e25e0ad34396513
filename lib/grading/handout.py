"""A student's own copies of the lessons: made once, never overwritten, updated with their answers.

After an update of the course a copy is made anew from the new release, with everything that the
student wrote: answers and cells that are still the same are found by their ids, cells of the
student's own stay where they stood. The file as it was is kept beside it.
"""

import copy
import re
import shutil
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from nbformat import NotebookNode

from lib.files import write_whole
from lib.grading import cells
from lib.grading.lessons import lesson

OURS = re.compile(r"(text|code)-[0-9a-f]{10}(-\d+)?")  # ids that `cells.set_ids` gives
START = ""  # what a student's cell follows at the very top


def hand_out(notebooks: Path, work: Path) -> list[str]:
    """Bring `work` up to date with the released `notebooks`; what was done, in words."""
    done = []
    for path in sorted(notebooks.glob("*.ipynb")):
        mine = work / path.name
        if not mine.exists():
            write_whole(mine, lambda file, path=path: file.write(path.read_bytes()))  # type: ignore[misc]
            done.append(f"new: {mine.name}")
        else:
            done += _update(path, mine)
    return done


def _update(path: Path, mine: Path) -> list[str]:
    """Make `mine` anew if the release at `path` is another one than it was copied from."""
    try:
        new, old = cells.read(path), cells.read(mine)
    except ValueError as error:
        return [f"left as it is: {error}"]
    if release_of(old) == release_of(new):
        return []
    if not is_touched(old):
        cells.write(mine, new)
        return [f"updated: {mine.name}"]
    kept = keep(mine)
    carried = carry_over(old, new)
    cells.write(mine, carried)
    return [f"updated, with your answers: {mine.name} (as it was: {kept.name})"]


def release_of(notebook: NotebookNode) -> str:
    """The fingerprint of the release that a copy was made from."""
    noted = notebook.metadata.get(cells.KEY)
    return str(noted.get("release", "")) if isinstance(noted, dict) else ""


def is_touched(notebook: NotebookNode) -> bool:
    """Whether a student wrote anything into a copy."""
    return any(not cells.role(cell) or cells.is_changed(cell) for cell in notebook.cells)


def keep(path: Path) -> Path:
    """Copy a file beside itself under a name not taken yet: `01_name.old-2026-11-18.ipynb`."""
    day = datetime.now().strftime("%Y-%m-%d")
    names = [
        f"{path.stem}.old-{day}{more}.ipynb" for more in ("", *(f"-{n}" for n in range(2, 999)))
    ]
    kept = next(path.with_name(name) for name in names if not path.with_name(name).exists())
    shutil.copy2(path, kept)
    return kept


def carry_over(old: NotebookNode, new: NotebookNode) -> NotebookNode:
    """The new release with what a student wrote into the old one."""
    made = copy.deepcopy(new)
    ours = _ours(old, {cell["id"] for cell in new.cells})
    changed = {_key(cell): cell for cell in ours if cells.is_changed(cell)}
    for cell in made.cells:
        found = next((changed[key] for key in _keys(cell, made) if key in changed), None)
        if found is not None and cells.role(cell) != "check":
            cell.source = found.source
    _insert_own(old, [id(cell) for cell in ours], made)
    return made


def _ours(old: NotebookNode, new_ids: set[str]) -> list[NotebookNode]:
    """The cells of the course, without a student's own and a student's copies of ours."""
    ids = {str(cell.get("id", "")) for cell in old.cells}
    ours: dict[str, NotebookNode] = {}
    for cell in old.cells:
        key, mine = _key(cell), str(cell.get("id", ""))
        if cells.exercise_of(cell):
            lost = key.replace("_", "-") not in ids  # an editor gave all cells new ids
            if (lost or mine == key.replace("_", "-")) and key not in ours:
                ours[key] = cell
        elif cells.role(cell) and (OURS.fullmatch(mine) or cells.content_id(cell) in new_ids):
            ours[mine] = cell
    return list(ours.values())


def _key(cell: NotebookNode) -> str:
    """What stays the same of a cell from release to release."""
    name = cells.exercise_of(cell)
    return f"{cells.role(cell)}-{name}" if name else str(cell.get("id", ""))


def _keys(cell: NotebookNode, notebook: NotebookNode) -> Sequence[str]:
    """The key of a cell, and those that it had in older releases."""
    number = cells.lesson_number(notebook)
    name = cells.exercise_of(cell)
    if not name or number is None:
        return [_key(cell)]
    formerly = lesson(number)[name].formerly
    return [_key(cell), *(f"{cells.role(cell)}-{old}" for old in formerly)]


def _insert_own(old: NotebookNode, ours: list[int], made: NotebookNode) -> None:
    """Put own cells behind the cell that they followed or, if it is gone, before the next."""
    places = {_key(cell) for cell in made.cells}
    behind: dict[str, list[NotebookNode]] = {}
    before: dict[str, list[NotebookNode]] = {}
    followed, waiting = START, list[NotebookNode]()
    for cell in old.cells:
        if id(cell) not in ours:
            group = behind.setdefault(followed, []) if followed in {START, *places} else waiting
            group.append(cell)
            continue
        followed = _key(cell)
        if followed in places:
            before[followed], waiting = waiting, []
    taken = {cell["id"] for cell in made.cells}
    ordered = _fresh(behind.get(START, []), taken)
    for cell in made.cells:
        key = _key(cell)
        ordered += _fresh(before.get(key, []), taken)
        ordered += [cell, *_fresh(behind.get(key, []), taken)]
    made.cells = ordered + _fresh(waiting, taken)


def _fresh(group: list[NotebookNode], taken: set[str]) -> list[NotebookNode]:
    """Copies of cells, each with an id that no other cell has, and no mark of the course."""
    made = []
    for cell in map(copy.deepcopy, group):
        for mark in (cells.KEY, "nbgrader", "deletable", "editable"):
            cell.metadata.pop(mark, None)
        wanted = str(cell.get("id", "")) or cells.content_id(cell)
        numbered = [wanted, *(f"{wanted[:55]}-{n}" for n in range(2, 1000))]
        cell["id"] = next(name for name in numbered if name not in taken)
        taken.add(cell["id"])
        made.append(cell)
    return made
