"""The referee: judges what answers say that run in workers.

The secret seed, the expected values, the opponents and the dice stay in this process; each
exercise has a worker of its own, on top of the course's answers to the others.
"""

import contextlib
import functools
import hashlib
import time
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from lib.grading import lessons, sandbox, sandbox_stage
from lib.grading.ask import AnswerError, LocalAsk, Trouble
from lib.grading.check import Exercise, Lesson, Result, failed
from lib.grading.judge import expectations, mark, reference_names
from lib.grading.referee_pipe import Key, PipeAsk, Written
from lib.grading.sandbox_warm import Warm


class Referee:
    """Judges answers of any lesson; keeps the warm parents it needs."""

    KEEP = 4  # warm parents at a time

    def __init__(self) -> None:
        self.parents: dict[tuple[Any, ...], Warm] = {}
        weakref.finalize(self, _close, self.parents)  # also when this process ends

    def warm(self, lesson: Lesson, exercise: Exercise) -> Warm:
        """The warm parent for an exercise: those that hide the same share one."""
        key = (tuple(lesson.imports), tuple(lesson.modules), tuple(exercise.hides))
        if key in self.parents and self.parents[key].process.poll() is not None:
            self.parents.pop(key).close()
        if key not in self.parents:
            while len(self.parents) >= self.KEEP:
                self.parents.pop(next(iter(self.parents))).close()
            rehearse(lesson)
            self.parents[key] = Warm(*key)
        return self.parents[key]

    def judge(
        self, lesson: Lesson, exercise: Exercise, program: dict[str, Any], seed: int
    ) -> Result:
        """What an answer earns; whatever it does, there is a result."""
        ours = [cell["source"] for cell in program["cells"] if cell["kind"] == "course"]
        for attempt in range(3):
            try:
                with self.worker(lesson, exercise, ours) as ask:
                    return _judged(exercise, ask, program, seed)
            except Trouble as trouble:
                said = str(trouble)
                self.close()
                time.sleep(attempt)
        verdict = failed("the grader", f"Could not be graded, please grade by hand: {said}")
        return Result(exercise.name, exercise.title, 0.0, exercise.points, (verdict,), "trouble")

    @contextlib.contextmanager
    def worker(
        self, lesson: Lesson, exercise: Exercise, cells: Sequence[str] = ()
    ) -> Iterator[PipeAsk]:
        """A fresh worker for an exercise, until the block ends; it will run these cells of ours."""
        limits = sandbox.limits_for(exercise.seconds, lesson.memory)
        try:
            ask = PipeAsk(self.warm(lesson, exercise), limits, cells)
        except (AnswerError, OSError) as error:
            raise Trouble(f"no worker: {error}") from error
        try:
            yield ask
        finally:
            ask.close()

    def close(self) -> None:
        """End all warm parents."""
        _close(self.parents)

    def __enter__(self) -> "Referee":
        return self

    def __exit__(self, *args: object) -> None:
        self.close()


def _close(parents: dict[tuple[Any, ...], Warm]) -> None:
    while parents:
        parents.popitem()[1].close()


@functools.cache
def _rehearsed(number: int) -> None:
    """Let the course's own answers have numba compile what answers will need, once."""
    for exercise in lessons.lesson(number).exercises:
        if not exercise.trains:
            with contextlib.suppress(Exception):
                mark(exercise, LocalAsk(reference_names(exercise)), 0)


def rehearse(lesson: Lesson) -> None:
    """Compile here what would else be compiled in every worker."""
    found = sandbox_stage.compiled(sandbox_stage.allowed(lesson.modules))
    if any(not files for files in found.values()):
        _rehearsed(lesson.number)


def _judged(exercise: Exercise, ask: PipeAsk, program: dict[str, Any], seed: int) -> Result:
    """The result of one answer in its worker; an error in a check is the answer's doing."""
    dice = hashlib.sha256(f"{seed} {exercise.name}".encode()).digest()
    try:
        report = ask.start({**program, "dice": int.from_bytes(dice[:6], "little")})
        if report["missing"]:
            return missing(exercise, {**report, "answered": program.get("answered")})
        ask.constant = _constant(exercise, seed)
        return mark(exercise, ask, seed)
    except AnswerError as error:
        verdict = failed("the cell", error.sentence)
    except Trouble:
        raise
    except Exception as error:
        kind = type(error).__name__
        verdict = failed("the check", f"What it returned can't be judged ({kind}: {error}).")
    return Result(exercise.name, exercise.title, 0.0, exercise.points, (verdict,))


_written: dict[tuple[str, int], tuple[list[Any], dict[Key, Written | None]]] = {}


def _constant(exercise: Exercise, seed: int) -> dict[Key, Written | None]:
    """Where the arguments of an exercise's cases are kept as they travel, for a whole class."""
    if exercise.cases is None:
        return {}
    cases, key = expectations(exercise, seed), (exercise.name, seed)
    if key not in _written or _written[key][0] is not cases:  # which also keeps the cases alive
        if len(_written) > 100:
            _written.clear()
        _written[key] = cases, dict.fromkeys(tuple(map(id, case.args)) for case, _ in cases)
    return _written[key][1]


def missing(exercise: Exercise, report: dict[str, Any]) -> Result:
    """The result where a name is not defined: no cell, or a cell with an error in it."""
    names = " and ".join(f"`{name}`" for name in exercise.names)
    error = report.get("error")
    if type(error) is dict and type(error.get("kind")) is str:
        known = {key: value for key, value in error.items() if type(value) in (str, int)}
        kind, text = str(known.pop("kind")), str(known.pop("message", ""))
        sentence = AnswerError(kind, text, **known).sentence
        return nothing(exercise, f"The cell does not define {names}. {sentence}", "checked")
    if report.get("answered"):
        return nothing(exercise, f"The cell does not define {names}.", "checked")
    return nothing(exercise, f"No cell defines {names}: was the answer cell deleted?")


def nothing(exercise: Exercise, why: str, status: str = "missing") -> Result:
    """A result without points."""
    verdict = failed("the cell" if status == "checked" else "the file", why)
    return Result(exercise.name, exercise.title, 0.0, exercise.points, (verdict,), status)
