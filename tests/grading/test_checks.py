"""Checks: any right answer passes; a wrong one is told what it did, and never breaks the check."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
import torch

from lib.grading.ask import AnswerError, Callback, LocalAsk
from lib.grading.check import Case, Exercise, Mistake, Result, Verdict, describe
from lib.grading.compare import difference, same, show
from lib.grading.judge import expectations, mark
from lib.grading.wire import Make, Member, Rng, Tensor


def scale(values: np.ndarray, factor: float) -> np.ndarray:
    """The reference: values times factor, as a new array."""
    return np.asarray(values) * factor


def cases(rng: np.random.Generator) -> Iterable[Case]:
    yield Case("by two", (np.array([1.0, 2.0]), 2.0), open=True)
    yield Case("by zero", (np.array([3.0]), 0.0), open=True)
    yield Case("random", (rng.normal(size=4), float(rng.normal())))


SCALE = Exercise(
    "scale",
    6,
    "Scale",
    scale,
    cases=cases,
    seconds=0.3,
    mistakes=[
        Mistake("That adds the factor: multiply.", wrong=lambda values, factor: values + factor),
        Mistake("The input may be a list.", raises="TypeError"),
        Mistake("All zero.", sign=lambda case, got, expected: not np.any(got.value + 0)),
    ],
)


def marked(answer: Callable[..., Any], exercise: Exercise = SCALE, seed: int = 5) -> Result:
    """What an answer earns."""
    return mark(exercise, LocalAsk({exercise.name: answer, "np": np}), seed)


@pytest.mark.parametrize(
    "answer",
    [
        scale,
        lambda values, factor: [v * factor for v in values],
        lambda values, factor: tuple((values * factor).tolist()),
        lambda values, factor: (values * factor).astype(np.float32),
        lambda values, factor: torch.tensor(values) * factor,
        lambda values, factor: torch.nn.Parameter(torch.tensor(values) * factor),
    ],
)
def test_any_right_answer_passes(answer: Callable[..., Any]) -> None:
    result = marked(answer)
    assert result.points == 6 and result.message == "" and result.right


def changes_its_input(values: np.ndarray, factor: float) -> np.ndarray:
    values *= factor
    return values


def never_returns(values: np.ndarray, factor: float) -> None:
    while True:
        try:
            while True:
                pass
        except Exception:
            pass


class Everything:
    """Equal to all there is."""

    def __eq__(self, other: object) -> bool:
        return True


class Lying(float):
    """A number that says it is another."""

    def __eq__(self, other: object) -> bool:
        return True


@pytest.mark.parametrize(
    "answer, points, words",
    [
        (lambda values, factor: values + factor, 0, "That adds the factor"),
        (lambda values, factor: values * 0, 2, "All zero."),
        (lambda values, factor: None, 0, "It returned None: is there a `return`?"),
        (lambda values, factor: 3.0, 0, "It returned a number; a sequence is expected."),
        (lambda values, factor: (values * factor)[:-1], 0, "shape (1,); (2,) is expected"),
        (lambda values, factor: values * np.nan, 0, "There is a NaN in it"),
        (lambda values, factor: values * factor + 1, 0, "The value is not right."),
        (changes_its_input, 0, "It changed its input `values`: work on a copy."),
        (never_returns, 0, "It did not return in time (more than 0.3 s)"),
        (lambda values, factor: Everything(), 0, "It returned an object of type Everything"),
        (lambda values, factor: [Lying(1), Lying(2)], 0, "an object of type Lying"),
        (lambda values, factor: values.no_such, 0, "It raised AttributeError"),
        (lambda values, factor: len(factor), 0, "The input may be a list."),
        (lambda values: values, 0, "It raised TypeError"),
        (lambda values, factor: 1 / 0 if factor == 0 else values * factor, 4, "ZeroDivisionError"),
        (lambda values, factor: exit(), 0, "It raised SystemExit"),
    ],
)
def test_a_wrong_answer_is_told_what_is_wrong(
    answer: Callable[..., Any], points: float, words: str
) -> None:
    result = marked(answer)
    assert result.points == points
    assert words in result.message or any(words in v.message for v in result.verdicts)


def test_who_takes_all_memory_is_not_asked_again_and_again() -> None:
    """Each call may take half a second: else it would depend on the machine how many there are."""
    asked = []

    def greedy(values: np.ndarray, factor: float) -> None:
        asked.append(factor)
        raise MemoryError

    said = [verdict.message for verdict in marked(greedy).verdicts]
    assert len(asked) == 2 and "MemoryError" in said[1]
    assert set(said[2:]) == {"Not asked, after calls that took all memory."}


def test_a_failing_case_shows_the_call_and_both_values() -> None:
    wrong = next(v for v in marked(lambda values, factor: values).verdicts if not v.right)
    said = describe(wrong)
    assert "asked     scale([1., 2.], 2)" in said
    assert "got       [1., 2.]" in said and "expected  [2., 4.]" in said
    hidden = marked(lambda values, factor: values).verdicts[-1]
    assert "expected" in describe(hidden) and "expected  " not in describe(hidden, hidden=True)


def test_the_rows_of_an_array_stand_below_each_other() -> None:
    said = describe(Verdict("a row", 0.0, "No.", got=show(np.eye(2, dtype=int)))).splitlines()
    assert said[1:] == ["  got       [[1, 0],", "             [0, 1]]"]


def test_unwritten_is_said_so_and_a_missing_part_is_only_wrong() -> None:
    namespace: dict[str, Any] = {}
    exec(
        compile("def scale(values, factor):\n    raise NotImplementedError()", "<a>", "exec"),
        namespace,
    )
    assert marked(namespace["scale"]).status == "unwritten"
    part = "def scale(values, factor):\n    if not factor:\n        raise NotImplementedError()\n"
    exec(compile(part + "    return values * factor", "<a>", "exec"), namespace)
    result = marked(namespace["scale"])
    assert result.status == "checked" and result.points == 4
    torch_raises = marked(lambda values, factor: torch.nn.Module()(values))
    assert torch_raises.status == "checked" and "NotImplementedError" in torch_raises.message


def test_after_two_calls_that_hang_the_others_are_not_asked() -> None:
    many = Exercise(
        "f", 5, "F", lambda n: n, seconds=0.1,
        cases=lambda rng: [Case(f"case {n}", (n,)) for n in range(9)],
    )  # fmt: skip
    ask = LocalAsk({"f": lambda n: never_returns(n, n) if n else n})
    result = mark(many, ask)
    assert ask.calls == 3 and result.points == pytest.approx(5 / 9, abs=0.01)


def test_the_same_seed_asks_the_same_and_another_does_not() -> None:
    def drawn(seed: int) -> list[float]:
        return expectations(SCALE, seed)[-1][0].args[0].tolist()

    assert drawn(3) == drawn(3) != drawn(4)


def loss(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return ((x - y.detach()) ** 2).mean()


LOSS = Exercise(
    "loss",
    4,
    "Loss",
    loss,
    grad=True,
    cases=lambda rng: [
        Case("a", (Tensor(rng.normal(size=3), grad=True), Tensor(rng.normal(size=3), grad=True)))
    ],
)


@pytest.mark.parametrize(
    "answer, words",
    [
        (loss, ""),
        (lambda x, y: (x**2 - 2 * x * y.detach() + y.detach() ** 2).sum() / 3, ""),
        (lambda x, y: ((x - y) ** 2).mean(), "A gradient flows into tensor 2"),
        (lambda x, y: ((x.detach() - y.detach()) ** 2).mean(), "No gradient flows into tensor 1"),
        (lambda x, y: ((x - y.detach()) ** 2).mean().item(), "No gradient flows into tensor 1"),
    ],
)
def test_gradients_are_judged(answer: Callable[..., Any], words: str) -> None:
    result = marked(answer, LOSS)
    assert result.right == (words == "") and words in result.message


def test_a_right_value_with_a_wrong_gradient_is_not_compared() -> None:
    said = marked(lambda x, y: ((x - y) ** 2).mean(), LOSS).message
    assert "asked" in said and "expected" not in said


def test_arguments_to_be_changed_are_compared_afterwards() -> None:
    def push(stack: list[int], n: int) -> None:
        stack.append(n)

    exercise = Exercise(
        "push", 2, "Push", push, inplace=(0,), cases=lambda rng: [Case("a", ([1], 2), open=True)]
    )
    assert marked(push, exercise).right
    left = marked(lambda stack, n: None, exercise)
    assert "`stack` is not what it should be afterwards." in left.message
    assert "expected  [1, 2]" in left.message


def test_answers_call_back_within_a_budget_and_objects_stay_where_they_are() -> None:
    class Count:
        def __init__(self, start: int) -> None:
            self.n = start

        def up(self, by: int = 1) -> int:
            self.n += by
            return self.n

    ask = LocalAsk(
        {"Count": Count, "twice": lambda f: f(1) + f(2), "often": lambda f: [*map(f, range(99))]}
    )
    count = ask.new("Count", 3)
    assert count.call("up", 4) == 7 and count.attr("n") == 7 and count.kind == "Count"
    count.set("n", 0)
    assert count.call("up") == 1
    assert ask("twice", Callback(lambda n: 10 * n)) == 30
    with pytest.raises(AnswerError, match="more than the 5 calls allowed"):
        ask("often", Callback(lambda n: n, budget=5))
    assert ask.many("twice", [(Make.name("math.fabs"),)] * 2) == [3, 3]


def test_inputs_are_made_on_the_spot() -> None:
    ask = LocalAsk({"draw": lambda rng: rng.integers(1000), "kind": lambda x: type(x).__name__})
    assert ask("draw", Rng(3)) == np.random.default_rng(3).integers(1000)
    assert ask("kind", Tensor(np.zeros(2))) == "Tensor"
    assert ask("kind", Make("fractions.Fraction", 1, 2)) == "Fraction"


@pytest.mark.parametrize(
    "expected, got, equal",
    [
        (1, 1.0, True), (1, True, True), (1, np.array(1.0), True), (1, "1", False),
        ([1, 2], (1, 2), True), ([1, 2], np.array([1, 2]), True), ([1, 2], {1, 2}, False),
        ({1, 2}, [2, 1], True), ({1, 2}, [1, 1], False), ({(1, 2)}, {(1, 2)}, True),
        ({"a": 1}, {"a": 1.0}, True), ({"a": 1}, {"a": 1, "b": 2}, False), (None, None, True),
        (None, 0, False), ([[1], [2]], [[1], [3]], False), ("x", "x", True),
        (float("nan"), float("nan"), True), (1e300, 10**400, False), ([], {}, False),
        (np.zeros((2, 3)), np.zeros((3, 2)), False), (Member("A", "UP"), Member("A", "UP"), True),
        (np.array(0.1 + 0.2), np.array(0.3), True), (np.array(2.5), 2.5, True),
        (0.1 + 0.2, 0.3, True), (np.array([1, 2]), np.array([1.0, 2.0]), True),
    ],
)  # fmt: skip
def test_what_counts_as_the_same(expected: Any, got: Any, equal: bool) -> None:
    assert same(expected, got) is equal


def test_order_matters_only_where_it_is_asked_for() -> None:
    assert not same([1, 2, 2], [2, 1, 2])
    assert same([1, 2, 2], [2, 1, 2], ordered=False)
    assert not same([1, 2, 2], [2, 1, 1], ordered=False)


def test_differences_in_words() -> None:
    assert difference([1, 2], [1]) == "It has 1 items; 2 are expected."
    assert difference({1}, 3) == "It returned a number; a set is expected."
    assert difference(True, "x") == "It returned a string; True or False is expected."
    assert show(np.array([0.5, -0.25, 0, 10])) == "[0.5, -0.25, 0., 10.]"
    assert show({"b", "c", "a"}) == show({"c", "a", "b"}) == "{'a', 'b', 'c'}"
    assert show(list(range(500))).endswith(" …") and len(show(list(range(500)))) <= 240
