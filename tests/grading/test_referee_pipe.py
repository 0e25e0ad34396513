"""The two forms of asking agree, and whatever a worker says is read as data or refused."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from small_class import lesson91

from lib.grading import sandbox, wire
from lib.grading.ask import AnswerError, Ask, Callback, LocalAsk
from lib.grading.check import Exercise, Lesson
from lib.grading.referee import Referee
from lib.grading.referee_pipe import PipeAsk, StrictReader

SOURCE = """
import numpy as np
class Counter:
    def __init__(self, start=0): self.count = start
    def add(self, n):
        self.count += n
        return self.count
def echo(*args, **kwargs): return [args, kwargs]
def double(values): values *= 2
def ask_twice(f, x): return f(x) + f(x + 1)
def use(thing): return thing.add(5)
def draw(rng): return rng.integers(1000)
def bad(x): return 1 / x
def stubborn(f):
    for _ in range(10):
        try: f(1)
        except Exception: pass
    return 'done'
def spin():
    import time
    time.process_time, start = (lambda: 0.0), time.process_time()
    clock = time.thread_time
    while clock() < start + 0.2: pass
    return 1
def unseeded(): return [float(np.random.default_rng().random()), float(np.random.random())]
"""
NAMES = [
    "Counter",
    "echo",
    "double",
    "ask_twice",
    "use",
    "draw",
    "bad",
    "stubborn",
    "unseeded",
    "spin",
]
PROGRAM = {"cells": [{"kind": "answer", "source": SOURCE}], "names": NAMES, "others": [], "dice": 5}
EXERCISE = Exercise("echo", 1, "Echo", len, seconds=2.0)
COURSE = Lesson(99, "Echo", "99_echo", [EXERCISE])
LIMITS = sandbox.limits_for(2.0, 256)


@pytest.fixture(scope="module")
def referee() -> Iterator[Referee]:
    with Referee() as made:
        yield made


@pytest.fixture
def worker(referee: Referee) -> Iterator[PipeAsk]:
    ask = PipeAsk(referee.warm(COURSE, EXERCISE), LIMITS)
    assert ask.start(PROGRAM) == {"missing": [], "error": None}
    yield ask
    ask.close()


def local() -> LocalAsk:
    space: dict[str, Any] = {}
    exec(SOURCE, space)
    return LocalAsk(space)


VALUES = [
    (1, -2.5, "ü", None, True, float("inf")),
    ([1, (2, 3)], {"a": {4}, (1, 2): b"x"}),
    (np.arange(6).reshape(2, 3), np.array([True, False]), np.float32(1.5)),
    (np.zeros((0, 3)), np.array(7)),
]


@pytest.mark.parametrize("values", VALUES)
def test_values_cross_in_the_same_way(worker: PipeAsk, values: tuple[Any, ...]) -> None:
    for ask in (worker, local()):
        got, kwargs = ask("echo", *values, key=values)
        assert repr(got) == repr(LocalAsk({"echo": lambda *a: a})("echo", *values))
        assert repr(kwargs["key"]) == repr(got)


def test_everything_an_ask_can_do(worker: PipeAsk) -> None:
    def both(step: Any) -> None:
        assert step(worker) == step(local())

    both(lambda ask: ask.new("Counter", 3).call("add", 4))
    both(lambda ask: ask("ask_twice", Callback(lambda x: x * 10), 1))
    both(lambda ask: ask("use", ask.new("Counter", 1)))
    both(lambda ask: ask("draw", wire.Rng(4)))
    both(lambda ask: ask.many("bad", [(1,), (2,), (4,)]))
    both(lambda ask: ask.outcome("double", np.arange(3.0)).args[0].tolist())

    def counted(ask: Ask) -> Any:
        counter = ask.new("Counter")
        counter.set("count", 9)
        return counter.attr("count"), counter.kind

    both(counted)


def test_errors_are_told_in_the_same_words(worker: PipeAsk) -> None:
    sentences = []
    for ask in (worker, local()):
        with pytest.raises(AnswerError) as error:
            ask("bad", 0)
        sentences.append(error.value.sentence.partition(" in line")[0])
        with pytest.raises(AnswerError) as error:
            ask("stubborn", Callback(lambda x: x, budget=3))
        sentences.append(error.value.sentence)
        with pytest.raises(AnswerError) as error:
            ask("stubborn", Callback({}.__getitem__))
        sentences.append(error.value.sentence)
    assert sentences[:3] == sentences[3:]
    assert sentences[0] == "It raised ZeroDivisionError"
    assert worker("echo", 1)[0] == (1,), "a failed call leaves the line in order"


def test_time_is_counted_outside_of_the_worker(worker: PipeAsk) -> None:
    before = worker.cpu
    assert worker("spin") > 0
    spent = worker.cpu - before
    assert 0.1 < spent < 1.5
    assert worker.close()["cpu"] >= before + spent
    assert worker.cpu == worker.report["cpu"]


def test_dice_that_nobody_seeded_fall_the_same_again(referee: Referee) -> None:
    drawn = []
    for dice in (5, 5, 6):
        ask = PipeAsk(referee.warm(COURSE, EXERCISE), LIMITS)
        ask.start({**PROGRAM, "dice": dice})
        drawn.append(ask("unseeded"))
        ask.close()
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize(
    "value",
    [
        [wire.ARRAY, "O", [1], 0],
        [wire.ARRAY, "<f8", [10**12], 0],
        [wire.ARRAY, ["<f8"], [1], 0],
        [wire.ARRAY, "<f8", [1], 7],
        [wire.DICT, [wire.LIST], 1],
        [wire.DICT, 1],
        [wire.FLOAT, "1_0x"],
        [],
        [99, 1],
        [wire.MAKE, "os.system", [wire.TUPLE, "ls"], [wire.DICT], True],
    ],
)
def test_malformed_values_are_refused(value: Any) -> None:
    with pytest.raises(AnswerError):
        StrictReader([bytes(8)]).read(value)


def test_limits_follow_the_exercise() -> None:
    limits = sandbox.limits_for(3.0, 128)
    assert limits.seconds == 3.0 and limits.total == 30.0 and limits.memory == 128


def test_a_warm_parent_that_was_killed_is_started_again(referee: Referee) -> None:
    from lib.grading.check import Case

    exercise = Exercise("echo", 2, "Echo", lambda x: [(x,), {}], lambda rng: [Case("one", (1,))])
    referee.warm(COURSE, exercise).process.kill()
    result = referee.judge(COURSE, exercise, {**PROGRAM, "names": ["echo"]}, 1)
    assert result.points == 2, result


def test_lesson91_is_found() -> None:
    with lesson91():
        from lib.grading.lessons import lesson

        assert lesson(91).points == 10
