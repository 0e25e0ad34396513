"""What went wrong where an answer runs, in plain words and with the student's own line.

Stands alone, with `wire`: a worker holds it without the package.
"""

import ast
import contextlib
import linecache
import re
import sys
import traceback
from typing import Any

try:  # as part of the course, or alone in a worker
    from lib.grading import wire
except ImportError:
    import wire  # type: ignore[no-redef]


class Stop(BaseException):
    """The referee has ended this call: a budget is used up, or the answer took too long."""


class TooLong(Stop):
    """The time guard of one call."""


def explain(error: BaseException, here: bool = False) -> dict[str, Any]:
    """What went wrong, with the student's own line: kind, type, message, line, text.

    Where an answer took too long, `here` it is the line that was running; to who grades it is the
    loop around it: that is the same in every run.
    """
    kind = "raised"
    if isinstance(error, TooLong):
        kind = "too long"
    elif isinstance(error, Stop):
        kind = "stopped"
    elif isinstance(error, wire.NotPlain):
        kind = "not plain"
    elif isinstance(error, NotImplementedError) and raised_in_cell(error):
        kind = "unwritten"
    try:
        said = str(error)[:600]
    except BaseException:
        said = ""
    said = re.sub(r" at 0x[0-9a-f]+", "", said)  # an address, another one in every run
    found: dict[str, Any] = {"kind": kind, "type": type(error).__name__[:80], "message": said}
    line = own_loop(error) if kind == "too long" and not here else own_line(error)
    if line is not None:
        found["line"], found["text"] = line
    return found


def own_line(error: BaseException) -> tuple[int, str] | None:
    """Line number and text of the innermost frame that is the student's own."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return error.lineno, (error.text or "").strip()[:200]
    return next((line_of(frame) for frame in reversed(own_frames(error))), None)


def own_loop(error: BaseException) -> tuple[int, str] | None:
    """Line number and text of the first loop of the student's own that was running."""
    frames = own_frames(error)
    for frame in frames:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError):
            source = "".join(linecache.getlines(frame.filename))
            tree = ast.parse(re.sub(r"(?m)^([ \t]*)[%!].*$", r"\1pass", source))  # no magics
            for part in ast.walk(tree):  # from the outside to the inside
                if isinstance(part, ast.For | ast.While) and _holds(part, frame.lineno):
                    return line_of(frame, part.lineno)
    return line_of(frames[0]) if frames else None


def _holds(part: ast.stmt, line: int | None) -> bool:
    """Whether a statement stretches over a line."""
    return part.lineno <= (line or 0) <= (part.end_lineno or 0)


def own_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The student's own frames of a traceback."""
    return [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if is_cell(frame.filename)
        and "site-packages" not in frame.filename
        and not frame.filename.startswith((sys.prefix, "<frozen"))
    ]


def line_of(frame: traceback.FrameSummary, number: int | None = None) -> tuple[int, str]:
    """A line of a frame's file, its own unless given: number and text."""
    number = number or frame.lineno or 0
    return number, linecache.getline(frame.filename, number).strip()[:200]


def raised_in_cell(error: BaseException) -> bool:
    """Whether the student's own code raised it: torch raises NotImplementedError too."""
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and is_cell(frames[-1].filename)


def is_cell(filename: str) -> bool:
    """Whether code of that name comes from a notebook cell or an answer, not from the course."""
    return filename.startswith("<") or "ipykernel" in filename or filename.endswith("answer.py")
