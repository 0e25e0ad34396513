"""Marking one exercise: ask the answer, compare with the reference, name the mistake, add up."""

import inspect
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from lib.grading import compare
from lib.grading.ask import NOT_WRITTEN, TOO_LONG, AnswerError, Ask, LocalAsk, Outcome, Trouble
from lib.grading.check import Case, Exercise, Judge, Mistake, Result, Verdict, failed

PUBLIC_SEED = 2048  # of the checks in a notebook; a grader draws its own
PATIENCE = 2  # calls that may take too long, or all memory, before the others are not asked
NO_MEMORY = "It raised MemoryError"


def mark(exercise: Exercise, ask: Ask, seed: int = PUBLIC_SEED) -> Result:
    """Ask the answer and add up its points; whatever it does, there is a result."""
    ask.seconds = exercise.seconds
    verdicts: list[Verdict] = []
    try:
        for verdict in _verdicts(exercise, ask, seed):
            verdicts.append(verdict)
    except AnswerError as error:
        verdicts.append(failed("the run", error.sentence))
        if not _unwritten(verdicts):
            return _total(exercise, verdicts, cut=True)
    except Trouble:
        raise
    except Exception as error:  # an answer may return anything, and a check look where nothing is
        kind = type(error).__name__
        said = f"What it returned can't be judged ({kind}: {error}): is it of the right kind?"
        return _total(exercise, [*verdicts, failed("the run", said)], cut=True)
    if _unwritten(verdicts):
        return Result(exercise.name, exercise.title, 0.0, exercise.points, (), "unwritten")
    return _total(exercise, verdicts)


def _unwritten(verdicts: list[Verdict]) -> bool:
    """Whether nothing is written yet; a part that is unwritten is only wrong."""
    earned = any(v.share > 0 for v in verdicts)
    return bool(verdicts) and verdicts[0].message == NOT_WRITTEN and not earned


def dice(exercise: Exercise, seed: int) -> np.random.Generator:
    """Dice that depend on the seed and the exercise alone."""
    return np.random.default_rng([seed, zlib.crc32(exercise.name.encode())])


def _verdicts(exercise: Exercise, ask: Ask, seed: int) -> Iterator[Verdict]:
    if exercise.run is not None:
        yield from exercise.run(ask, dice(exercise, seed))
    if exercise.cases is not None:
        yield from _judge_cases(exercise, ask, expectations(exercise, seed))


def attempt(label: str, step: Callable[[], Verdict | str | None], *, easy: bool = False) -> Verdict:
    """One verdict of a `run`: what `step()` says, or why the answer failed in it."""
    try:
        said = step()
    except AnswerError as error:
        if error.kind == "gone":
            raise
        return failed(label, error.sentence)
    if isinstance(said, Verdict):
        return said
    return failed(label, said) if said else Verdict(label, easy=easy)


_expected: dict[tuple[int, int], tuple[Exercise, list[tuple[Case, Outcome]]]] = {}


def expectations(exercise: Exercise, seed: int) -> list[tuple[Case, Outcome]]:
    """The cases of a seed with what the reference makes of them; made once for a whole class."""
    key = (id(exercise), seed)
    if key not in _expected:
        if len(_expected) > 200:
            _expected.clear()
        assert exercise.cases is not None
        cases = list(exercise.cases(dice(exercise, seed)))
        ask = LocalAsk(reference_names(exercise))
        ask.seconds = 600.0
        _expected[key] = exercise, [(case, call(exercise, ask, case)) for case in cases]
    return _expected[key][1]


def reference_names(exercise: Exercise) -> dict[str, Any]:
    """The names that a reference sees: those of its module, and the references themselves."""
    first = next(iter(exercise.references.values()))
    module = sys.modules.get(getattr(first, "__module__", ""), None)
    return {**(vars(module) if module else {}), **exercise.references}


def call(exercise: Exercise, ask: Ask, case: Case) -> Outcome:
    """Ask one case."""
    name = case.name or exercise.names[0]
    return ask.outcome(
        name, *case.args, grad=exercise.grad, through=exercise.through, **case.kwargs
    )


def _judge_cases(
    exercise: Exercise, ask: Ask, expected: list[tuple[Case, Outcome]]
) -> Iterator[Verdict]:
    """One verdict per label: right, or its first failing case."""
    labels: dict[str, Verdict] = {}
    answers: list[Any] = []
    for case, wanted in expected:
        if case.label in labels and not labels[case.label].right:
            continue
        if _used_up(labels.values(), TOO_LONG):
            labels[case.label] = failed(case.label, "Not asked, after calls that did not return.")
            continue
        if _used_up(labels.values(), NO_MEMORY):
            labels[case.label] = failed(case.label, "Not asked, after calls that took all memory.")
            continue
        labels[case.label] = _judge_case(exercise, ask, case, wanted, answers)
    yield from _unless_constant(exercise, labels, answers, expected)


def _used_up(verdicts: Iterable[Verdict], reason: str) -> bool:
    """Whether an answer failed for this reason as often as we are patient."""
    return sum(verdict.message.startswith(reason) for verdict in verdicts) >= PATIENCE


def _unless_constant(
    exercise: Exercise,
    labels: dict[str, Verdict],
    answers: list[Any],
    expected: list[tuple[Case, Outcome]],
) -> list[Verdict]:
    """The verdicts; none is right where the answer is always the same, and wrong somewhere."""
    if not any(verdict.got for verdict in labels.values()):
        return list(labels.values())
    told = set(map(compare.show, answers))
    wanted = {compare.show(_shown(exercise, outcome)) for _, outcome in expected}
    if len(told) != 1 or len(wanted) == 1:
        return list(labels.values())
    always = f"It always answers {told.pop()}: that is right now and then by chance."
    return [failed(label, always) if v.right else v for label, v in labels.items()]


def _judge_case(
    exercise: Exercise, ask: Ask, case: Case, wanted: Outcome, answers: list[Any]
) -> Verdict:
    """The verdict of one case; what came out is added to `answers`."""
    try:
        got = call(exercise, ask, case)
        answers.append(_shown(exercise, got))
    except AnswerError as error:
        if error.kind == "gone":
            raise
        if error.kind == "unwritten":
            return failed(case.label, error.sentence)
        known = next(
            (m.says for m in exercise.mistakes if m.raises and m.raises == name_of(error)), ""
        )
        said = f"{error.sentence} {known}".strip()
        return failed(case.label, said, asked=spell(exercise, case), open=case.open)
    judge = exercise.judge or default_judge(exercise)
    try:
        judged = judge(case, got, wanted)
    except Exception:  # an answer may return anything
        judged = f"It returned {compare.show(got.value, 80)}, which is not what is asked for."
    if isinstance(judged, Verdict):
        return judged
    if not judged:
        return Verdict(case.label)
    known = next(
        (m.says for m in exercise.mistakes if _recognised(exercise, m, case, got, wanted)), ""
    )
    came, right = (compare.show(_shown(exercise, outcome)) for outcome in (got, wanted))
    if came == right:  # it is not the value that is wrong
        came = right = ""
    return failed(
        case.label,
        known or judged,
        asked=spell(exercise, case),
        got=came,
        expected=right,
        open=case.open,
    )


def default_judge(exercise: Exercise) -> Judge:
    """Equal to the reference: value, arguments changed or left alone, gradients."""

    def judge(case: Case, got: Outcome, wanted: Outcome) -> str:
        for i, (before, after) in enumerate(zip(wanted.args, got.args, strict=False)):
            if not compare.same(before, after, tol=exercise.tol):
                name = parameters(exercise, case)[i]
                if i in exercise.inplace:
                    return f"`{name}` is not what it should be afterwards."
                return f"It changed its input `{name}`: work on a copy."
        if not compare.same(wanted.value, got.value, tol=exercise.tol, ordered=exercise.ordered):
            return compare.difference(wanted.value, got.value) or "The value is not right."
        return _gradients(exercise, got, wanted)

    return judge


def parameters(exercise: Exercise, case: Case) -> list[str]:
    """The names of the arguments of a case, from the reference's signature."""
    target = exercise.references[case.name or exercise.names[0]]
    try:
        names = [p.name for p in inspect.signature(target).parameters.values() if p.kind <= 1]
    except (TypeError, ValueError):
        names = []
    return [*names, *(f"argument {i + 1}" for i in range(len(names), len(case.args)))]


def name_of(error: AnswerError) -> str:
    """The type of exception that an answer raised."""
    return str(error.details.get("type", ""))


def _gradients(exercise: Exercise, got: Outcome, wanted: Outcome) -> str:
    for i, (g, w) in enumerate(zip(got.grads, wanted.grads, strict=False)):
        flows, should = _flows(g), _flows(w)
        if flows and not should:
            return f"A gradient flows into tensor {i + 1}, and none should: detach it."
        if should and not flows:
            return f"No gradient flows into tensor {i + 1}: was it detached, or made with .item()?"
        if should and not compare.same(w, g, tol=max(exercise.tol, 1e-4)):
            return f"The gradient of tensor {i + 1} is not right."
    return ""


def _flows(gradient: Any) -> bool:
    return gradient is not None and bool(np.any(np.asarray(gradient) != 0))


def _shown(exercise: Exercise, outcome: Outcome) -> Any:
    """What to show of an outcome: the value, or the arguments that were to be changed."""
    if not exercise.inplace or outcome.value is not None:
        return outcome.value
    changed = [outcome.args[i] for i in exercise.inplace if i < len(outcome.args)]
    return changed[0] if len(changed) == 1 else changed


def _recognised(
    exercise: Exercise, mistake: Mistake, case: Case, got: Outcome, wanted: Outcome
) -> bool:
    """Whether the outcome is what this mistake would make, and not what is right."""
    if mistake.sign is not None:
        try:
            return bool(mistake.sign(case, got, wanted))
        except Exception:  # an answer may return anything: what can't be looked at is not this one
            return False
    if mistake.wrong is None:
        return False
    name = case.name or exercise.names[0]
    try:
        made = call(exercise, LocalAsk({**reference_names(exercise), name: mistake.wrong}), case)
    except AnswerError:
        return False
    judge = default_judge(exercise)
    return not judge(case, got, made) and bool(judge(case, made, wanted))


def spell(exercise: Exercise, case: Case) -> str:
    """The call as a student would write it."""
    inside = [compare.show(arg) for arg in case.args]
    inside += [f"{key}={compare.show(value)}" for key, value in case.kwargs.items()]
    return f"{case.name or exercise.names[0]}({', '.join(inside)})"


def _total(exercise: Exercise, verdicts: list[Verdict], cut: bool = False) -> Result:
    """Points by the weighted share of the labels; a run that was cut short earns nothing."""
    weight = sum(v.weight for v in verdicts)
    earned = any(v.share and not v.easy for v in verdicts)
    share = (
        0.0
        if cut or not weight or not earned
        else sum(v.share * v.weight for v in verdicts) / weight
    )
    points = int(round(100 * exercise.points * share, 6)) / 100
    return Result(
        exercise.name, exercise.title, points, exercise.points, tuple(verdicts),
        enough=exercise.enough,
    )  # fmt: skip
