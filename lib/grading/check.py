"""Exercises: cases from a seed, a reference, known mistakes, and a judgement with a reason.

One `Exercise` serves the notebook and the grader. Its plain form is a list of cases on which the
answer is compared with the reference; its free form is `run(ask, rng)`, a generator of verdicts,
for matches, training and classes. Points are given by label: all cases of a label right, its share.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lib.grading.ask import Ask, Outcome


@dataclass(frozen=True)
class Case:
    """One call: `Case("an end state", (table, state, 2), open=True)`."""

    label: str  # cases of one label earn their share of the points together
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    name: str = ""  # which of the exercise's names; the first unless given
    open: bool = False  # a literal example: the right value may be shown to everyone


@dataclass(frozen=True)
class Mistake:
    """A known wrong answer, and the next step for who made it.

    It is recognised because `wrong(*args)` does the same, because `sign(case, got, expected)` is
    true of the outcome, or because the answer raises an exception of the type named by `raises`.
    """

    says: str
    wrong: Callable[..., Any] | None = None
    sign: Callable[[Case, Outcome, Outcome], bool] | None = None
    raises: str = ""


@dataclass(frozen=True)
class Verdict:
    """What became of one label: a share of its points and, if not all, why."""

    label: str
    share: float = 1.0
    message: str = ""  # what is wrong and the next step, or how a match went
    asked: str = ""  # the call that went wrong
    got: str = ""
    expected: str = ""  # shown in a notebook; in feedback only if `open`
    open: bool = False
    weight: float = 1.0
    easy: bool = False  # right by chance too: earns nothing where nothing else is right

    @property
    def right(self) -> bool:
        return self.share >= 1.0


def failed(label: str, message: str, **details: Any) -> Verdict:
    """A verdict of no points: `failed("the match", "It won 12 of 100 games; 98 are needed.")`."""
    return Verdict(label, 0.0, message, **details)


@dataclass(frozen=True)
class Result:
    """What an exercise earned, verdict by verdict."""

    exercise: str
    title: str
    points: float
    out_of: float
    verdicts: tuple[Verdict, ...] = ()
    status: str = "checked"  # checked, unwritten, missing, reference
    enough: float = 1.0  # share of the points from which it counts as right

    @property
    def right(self) -> bool:
        return self.points >= self.enough * self.out_of

    @property
    def message(self) -> str:
        """The first thing that is wrong, in words; "" if all is right."""
        if self.status == "unwritten":
            return f"{self.title}: not written yet."
        wrong = next((v for v in self.verdicts if not v.right), None)
        return "" if wrong is None else describe(wrong)


def describe(verdict: Verdict, hidden: bool = False) -> str:
    """A verdict as text; with `hidden`, without the right value unless the case is an open one."""
    lines = [f"{verdict.label}: {verdict.message}".strip()]
    expected = verdict.expected if verdict.open or not hidden else ""
    said = {"asked": verdict.asked, "got": verdict.got, "expected": expected}
    below = "\n" + " " * 12  # the rows of an array stand below each other
    lines += [f"  {name:10}{text.replace(chr(10), below)}" for name, text in said.items() if text]
    return "\n".join(lines)


Judge = Callable[[Case, Outcome, Outcome], str | Verdict | None]
Run = Callable[[Ask, np.random.Generator], Iterable[Verdict]]


@dataclass(frozen=True)
class Exercise:
    """What is asked, how it is judged, and what it is worth."""

    name: str
    points: float
    title: str
    reference: Any  # the right function or class, or a dict of several by name
    cases: Callable[[np.random.Generator], Iterable[Case]] | None = None
    run: Run | None = None
    judge: Judge | None = None  # None or "" if right, else why not; default: equal to the reference
    mistakes: Sequence[Mistake] = ()
    inplace: Sequence[int] = ()  # arguments that the answer is asked to change
    ordered: bool = True  # False: the order of a returned list does not matter
    tol: float = 1e-5
    grad: bool = False  # compare the gradients of Tensor(..., grad=True) inputs too
    through: str | None = None  # a name applied to the value before it is compared
    seconds: float = 10.0  # CPU guard of one call: several times what the reference needs
    hides: Sequence[str] = ()  # modules of lib that give the answer away, beyond the lesson's
    trains: bool = False  # takes long: tested on few seeds
    enough: float = 1.0  # share of the points from which it counts as right: a match is rarely all
    manual: float = 0.0  # of the points, those an instructor may overrule by hand
    formerly: Sequence[str] = ()  # names of its cell in older releases

    @property
    def references(self) -> dict[str, Any]:
        """The right answers by name; "R2Droid.shoot" is a method to be put on a class."""
        return self.reference if isinstance(self.reference, dict) else {self.name: self.reference}

    @property
    def names(self) -> tuple[str, ...]:
        """What the answer cell must define."""
        return tuple(self.references)


@dataclass(frozen=True)
class Lesson:
    """A notebook's exercises, and what a worker needs to run their answers."""

    number: int
    title: str
    notebook: str  # "01_q_learning_tapnswap"
    exercises: Sequence[Exercise]
    imports: Sequence[str] = ("numpy",)  # packages the warm parent has ready: add "torch" if used
    modules: Sequence[str] = ()  # of lib, what answers may import: "lib.games.tapnswap"
    memory: int = 1024  # MB beyond what the imports take
    settings: dict[str, float] = field(default_factory=dict)  # an instructor's, which change points

    @property
    def points(self) -> float:
        return sum(exercise.points for exercise in self.exercises)

    def __getitem__(self, name: str) -> Exercise:
        for exercise in self.exercises:
            if exercise.name == name:
                return exercise
        known = ", ".join(exercise.name for exercise in self.exercises)
        raise ValueError(f"lesson {self.number} has no exercise {name!r}: choose one of {known}")
