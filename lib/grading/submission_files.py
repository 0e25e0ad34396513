"""Who handed in what: a folder of folders or of files, a roster, and the names that systems give.

submissions/ada/01_q_learning_tapnswap.ipynb         a folder per student (as nbgrader has it)
submissions/lovelaceada_4711_9_01_q_learning.ipynb   flat files (as Canvas downloads them)
submissions/Ada Lovelace_4711_assignsubmission_file_/work.ipynb   (as Moodle does)
"""

import csv
import io
import os
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lib.grading.submission import Unreadable, read_bytes

SKIPPED = re.compile(r"^(\.ipynb_checkpoints|__MACOSX|\.git|\._.*)$")
ID_COLUMNS = ("id", "student id", "student_id", "id number", "sis user id", "username", "login")
MAIL_COLUMNS = ("email", "email address", "sis login id", "mail")
NAME_COLUMNS = ("name", "student", "full name", "student name")
MOODLE = re.compile(r"^(.*?)_(\d+)_assignsubmission.*$")
COPY = re.compile(r"(\s*\(\d+\)|-\d+|-copy\d*| copy)$", re.IGNORECASE)


@dataclass(frozen=True)
class Student:
    """One line of the roster, or what a file's name says."""

    id: str
    name: str = ""
    email: str = ""
    row: dict[str, str] = field(default_factory=dict, hash=False)
    listed: bool = True  # on the roster, if there is one


@dataclass(frozen=True)
class Handed:
    """A file that was handed in; `member` is its name inside a .zip."""

    student: str
    path: Path
    member: str = ""
    when: float = 0.0

    @property
    def name(self) -> str:
        """The file's name, in characters that can be shown."""
        return shown(Path(self.member).name if self.member else self.path.name)

    def data(self) -> bytes:
        """What is in it; Unreadable, in words, if it can't be read."""
        content = read_bytes(self.path)
        if not self.member:
            return content
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                if archive.getinfo(self.member).file_size > 64 << 20:
                    raise Unreadable("The notebook in the archive is too large.")
                return archive.read(self.member)
        except (zipfile.BadZipFile, KeyError, OSError, RuntimeError, NotImplementedError):
            raise Unreadable("The archive is damaged: pack it again.") from None


def shown(text: str) -> str:
    """A name from outside as text that can be written anywhere: no odd bytes, no line breaks."""
    plain = os.fsencode(text).decode("utf-8", "replace") if isinstance(text, str) else text
    return "".join(c if c.isprintable() else "�" for c in plain)


def read_roster(path: Path) -> list[Student]:
    """The students of a CSV with a column of ids, and of names if there is one."""
    text = path.read_text(encoding="utf-8-sig")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))
    if not rows:
        raise ValueError(f"{path} is empty: give a CSV with a column `id`, and `name` if you like")
    heads = [cell.strip().lower() for cell in rows[0]]
    id_at = _column(heads, (*ID_COLUMNS, *MAIL_COLUMNS))
    if id_at is None:
        raise ValueError(
            f"{path} has no column of ids: name one of {', '.join(rows[0])} `id` in its first line"
        )
    students = [_student(rows[0], heads, row, id_at) for row in rows[1:]]
    found = [student for student in students if student is not None]
    ids = [student.id for student in found]
    if twice := sorted({i for i in ids if ids.count(i) > 1}):
        raise ValueError(f"{path} has the id {twice[0]!r} more than once: give each student one")
    return found


def _column(heads: Sequence[str], names: Sequence[str]) -> int | None:
    return next((heads.index(name) for name in names if name in heads), None)


def _student(
    titles: Sequence[str], heads: Sequence[str], row: Sequence[str], id_at: int
) -> Student | None:
    cells = [*(cell.strip() for cell in row), *[""] * len(heads)]
    if not cells[id_at] or cells[id_at].lower().startswith("points possible"):
        return None
    name_at, mail_at = _column(heads, NAME_COLUMNS), _column(heads, MAIL_COLUMNS)
    first, last = _column(heads, ("first name",)), _column(heads, ("last name", "surname"))
    name = cells[name_at] if name_at is not None else ""
    if not name and first is not None and last is not None:
        name = f"{cells[first]} {cells[last]}".strip()
    mail = cells[mail_at] if mail_at is not None else ""
    return Student(cells[id_at], name, mail, dict(zip(titles, cells, strict=False)))


def find(folder: Path, roster: Sequence[Student], lessons: Sequence[str] = ()) -> list[Handed]:
    """Every notebook in the folder and whose it is; `lessons` are the names of the course's own."""
    found = []
    for path in _files(folder):
        parts = path.relative_to(folder).parts
        student = _whose(parts[0] if len(parts) > 1 else "", path.name, roster, lessons)
        when = path.lstat().st_mtime
        if path.suffix.lower() == ".zip":
            found += [Handed(student, path, member, when) for member in _members(path)]
        else:
            found.append(Handed(student, path, "", when))
    return found


def _files(folder: Path) -> Iterator[Path]:
    """Notebooks and archives below a folder; links are seen, and not followed."""
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not SKIPPED.match(name))
        for name in sorted(names):
            if name.lower().endswith((".ipynb", ".zip")) and not SKIPPED.match(name):
                yield Path(base) / name


def _members(path: Path) -> list[str]:
    """The notebooks in an archive; of one that can't be read, itself."""
    try:
        with zipfile.ZipFile(io.BytesIO(read_bytes(path))) as archive:
            names = [n for n in archive.namelist() if n.lower().endswith(".ipynb")]
    except (Unreadable, zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return [""]
    return [n for n in names if not any(SKIPPED.match(part) for part in Path(n).parts)][:20] or [""]


def _whose(folder: str, name: str, roster: Sequence[Student], lessons: Sequence[str]) -> str:
    """The id of the student: from the roster if it names one, else what the path says."""
    for text in (folder, name) if folder else (name,):
        if student := _listed(text, roster):
            return student.id
    if folder:
        moodle = MOODLE.match(folder)
        return shown(moodle[1] if moodle else folder)
    stem = COPY.sub("", Path(name).stem)
    for title in lessons:
        stem = stem.replace(title, "")
    return shown(stem.strip("_- .") or Path(name).stem)


def _listed(text: str, roster: Sequence[Student]) -> Student | None:
    """The student of the roster whose id (or address, or name) a path holds; the longest wins."""
    whole = text.lower()
    exact = [s for s in roster if whole == s.id.lower()]
    if exact:
        return exact[0]
    words = set(re.split(r"[^0-9a-z@.+-]+", whole)) | set(re.split(r"[^0-9a-z]+", whole))
    hits = [s for s in roster if s.id.lower() in words or (s.email and s.email.lower() in words)]
    if not hits:
        hits = [s for s in roster if s.name and _letters(s.name) & (words | {_joined(whole)})]
    return max(hits, key=lambda s: len(s.id), default=None)


def _letters(name: str) -> set[str]:
    """A name as systems write it in file names: "Ada Lovelace" -> adalovelace, lovelaceada."""
    words = re.findall(r"\w+", name.lower())
    return {"".join(words), "".join(words[-1:] + words[:-1])}


def _joined(text: str) -> str:
    moodle = MOODLE.match(text)
    return "".join(re.findall(r"\w+", (moodle[1] if moodle else text).lower()))
