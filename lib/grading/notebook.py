"""`check` as a student meets it: a small table, progress kept, and the lesson goes on."""

import contextlib
import enum
import html
import io
import json
import os
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lib.grading.ask import NOT_WRITTEN, LocalAsk
from lib.grading.check import Exercise, Result, Verdict, describe
from lib.grading.judge import mark
from lib.grading.lessons import find_exercise
from lib.grading.progress import remember

UNWRITTEN = f"{NOT_WRITTEN} The lesson goes on with the course's own answer."
BORROWED = "This is the course's answer. Run your own cell again, then this one."

LENT = "__lent_by_the_course__"


def check(name: str, *answers: Any) -> Any:
    """Check an exercise and return what the lesson goes on with: the answer if right, else ours.

    `q_update = check("q_update", q_update)`. Under nbval or nbgrader a wrong answer raises.
    """
    namespace = sys._getframe(1).f_globals
    lesson, exercise = find_exercise(name)
    given = _given(exercise, answers, namespace)
    result, printed = judge_here(exercise, given, namespace)
    _report(result)
    chosen = given if result.right else exercise.references
    bind(namespace, chosen)
    if raising():
        if not result.right:
            raise AssertionError(f"{result.points:g}/{result.out_of:g} points. {reason(result)}")
    elif result.status != "reference":
        remember(lesson.number, result)
    _display(Table(result, printed))
    values = tuple(namespace.get(name, answer) for name, answer in chosen.items())
    return values[0] if len(values) == 1 else values


def reset(name: str) -> str:
    """Put one exercise of your copy back to its stub, and say so: `reset("q_update")`."""
    from lib.grading import reset as resetting  # it reads notebooks, which takes a second to import

    return resetting.reset(name)


def raising() -> bool:
    """Whether a check is run by a grading tool, and so must raise."""
    return bool(os.environ.get("RL_FIVE_GAMES_RAISE") or os.environ.get("NBGRADER_EXECUTION"))


def judge_here(
    exercise: Exercise, given: dict[str, Any], namespace: dict[str, Any]
) -> tuple[Result, str]:
    """The result of live answers, and what they printed meanwhile."""
    blank = Result(exercise.name, exercise.title, 0.0, exercise.points, (), "unwritten")
    if any(answer is None for answer in given.values()):
        return blank, ""
    if any(is_lent(answer, exercise.references[name]) for name, answer in given.items()):
        said = Verdict("the answer", 0.0, BORROWED)
        return Result(exercise.name, exercise.title, 0.0, exercise.points, (said,), "reference"), ""
    bind(namespace, given)
    plain = {name: answer for name, answer in given.items() if "." not in name}
    with quiet() as printed:
        result = mark(exercise, LocalAsk({**namespace, **plain}))
    return result, printed.getvalue()


def _given(
    exercise: Exercise, answers: tuple[Any, ...], namespace: dict[str, Any]
) -> dict[str, Any]:
    """The answers by name: those given, else those of that name in the notebook."""
    given = dict(zip(exercise.names, answers, strict=False))
    for name in exercise.names[len(answers) :]:
        found: Any = namespace
        for part in name.split("."):
            found = found.get(part) if isinstance(found, dict) else getattr(found, part, None)
        given[name] = found
    return given


def bind(namespace: dict[str, Any], chosen: dict[str, Any]) -> None:
    """Put answers under their names; "R2Droid.shoot" goes onto the class, but not the course's."""
    for name, answer in chosen.items():
        owner, dot, attribute = name.rpartition(".")
        if not dot:
            namespace[name] = lent(answer)
        elif owner in namespace:
            namespace[owner] = lent(namespace[owner])
            setattr(namespace[owner], attribute, answer)


def lent(answer: Any) -> Any:
    """An answer that may be changed: of a class of the course, a subclass instead of the class."""
    is_class = isinstance(answer, type) and not isinstance(answer, enum.EnumMeta)
    if not is_class or not answer.__module__.startswith("lib."):
        return answer
    kept = {"__module__": "__main__", "__doc__": answer.__doc__, LENT: answer}
    return type(answer)(answer.__name__, (answer,), kept)


def is_lent(answer: Any, reference: Any) -> bool:
    """Whether an answer is only the course's own, perhaps as `lent` made it."""
    mine = vars(answer) if isinstance(answer, type) else {}
    return answer is reference or mine.get(LENT) is reference


class Printed(io.StringIO):
    """What an answer printed, at most 4,000 characters of it."""

    def write(self, text: str) -> int:
        if self.tell() < 4000:
            super().write(text[:4000])
        return len(text)


@contextlib.contextmanager
def quiet() -> Iterator[Printed]:
    """Nothing that an answer prints or warns reaches the page: nbgrader gives 0 for a warning."""
    printed = Printed()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(Printed()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield printed


def _report(result: Result) -> None:
    """Tell the pytest plugin, if it asked to be told."""
    target = os.environ.get("RL_FIVE_GAMES_RESULTS")
    if target:
        row = {"exercise": result.exercise, "title": result.title, "points": result.points}
        row |= {"out_of": result.out_of, "right": result.right, "message": reason(result)}
        with open(target, "a", encoding="utf8") as file:
            file.write(json.dumps(row) + "\n")


def reason(result: Result) -> str:
    """Why not all points, in words; "" if all is right."""
    return NOT_WRITTEN if result.status == "unwritten" else result.message


def _display(table: "Table") -> None:
    from IPython.display import display

    display(table)


@dataclass(frozen=True)
class Table:
    """A result as a small table: as HTML on a page, as text elsewhere."""

    result: Result
    printed: str = ""

    def _rows(self) -> list[tuple[str, str, str]]:
        if self.result.status == "unwritten":
            return [("–", "", UNWRITTEN)]
        passed = self.result.right  # also with less than all: 98 games won of 100
        return [
            (
                "✓" if v.right or passed else "✗",
                v.label,
                describe(v).partition(": ")[2],
            )
            for v in self.result.verdicts
        ]

    def __repr__(self) -> str:
        head = f"{self.result.title}: {self.result.points:g}/{self.result.out_of:g} points"
        rows = [
            f"  {mark} {label}{': ' if text else ''}{text}" for mark, label, text in self._rows()
        ]
        said = [f"  It printed: {self.printed.strip()[:600]}"] if self.printed.strip() else []
        return "\n".join([head, *rows, *said])

    def _repr_html_(self) -> str:
        colour = "#2e7d32" if self.result.right else "#b26a00"
        head = (
            f"<b>{html.escape(self.result.title)}</b> "
            f"<b style='color:{colour}'>{self.result.points:g}/{self.result.out_of:g} points</b>"
        )
        cell = "style='text-align:left;vertical-align:top'"
        wrap = "white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere"  # not within a word
        block = f"style='margin:0;background:none;{wrap}'"
        rows = "".join(
            f"<tr><td {cell}>{mark}</td><td {cell}>{html.escape(label)}</td>"
            f"<td {cell}><pre {block}>{html.escape(text)}</pre></td></tr>"
            for mark, label, text in self._rows()
        )
        said = html.escape(self.printed.strip()[:600])
        tail = f"<details><summary>It printed</summary><pre>{said}</pre></details>" if said else ""
        return f"<div>{head}<table>{rows}</table>{tail}</div>"
