"""A guard outlives its workers: none of them reaches it, or finds what another left behind."""

import select
import signal
import time
from collections.abc import Iterator
from typing import Any

import pytest

from lib.grading import sandbox, sandbox_warm
from lib.grading.ask import AnswerError, Trouble
from lib.grading.check import Case, Exercise, Lesson
from lib.grading.referee import Referee
from lib.grading.referee_pipe import PipeAsk

LOOP = "def slow(x):\n    n = 0\n    while x:\n        n += 1\n        n -= 1\n"
SOURCE = f"""%%time
import ctypes, os, time
def echo(x): return x
def rename():
    ctypes.CDLL(None).prctl(15, b"\\xff) \\xfe", 0, 0, 0)
def spread(megabytes):
    for _ in range(5):
        if os.fork() == 0:
            block = b"x" * (megabytes << 20)
            time.sleep(60)
def rest(): time.sleep(0.6)
def leave(path): open(path, "w").close()
def copies():
    for _ in range(64): os.fork()
def address(): raise ValueError(object())
def deaf():
    os.closerange(3, 128)
    while True: pass
{LOOP}
def steps(x):
    for _ in range(3):
        slow(x)
"""
NAMES = ["echo", "copies", "rename", "spread", "rest", "leave", "address", "deaf", "slow", "steps"]
PROGRAM = {"cells": [{"kind": "answer", "source": SOURCE}], "names": NAMES, "others": [], "dice": 5}
EXERCISE = Exercise("echo", 2, "Echo", lambda x: x, lambda rng: [Case("one", (1,))], seconds=0.5)
COURSE = Lesson(99, "Echo", "99_echo", [EXERCISE])
LIMITS = sandbox.limits_for(0.5, 256)
boxed = pytest.mark.skipif(bool(sandbox.why_not_boxed()), reason="needs bubblewrap")


@pytest.fixture(scope="module")
def referee() -> Iterator[Referee]:
    with Referee() as made:
        yield made


@pytest.fixture
def worker(referee: Referee) -> Iterator[PipeAsk]:
    ask = PipeAsk(referee.warm(COURSE, EXERCISE), LIMITS)
    assert ask.start(PROGRAM)["missing"] == []
    yield ask
    ask.close()


def said(ask: PipeAsk, name: str, *args: Any) -> str:
    """What a student is told about this call."""
    with pytest.raises(AnswerError) as error:
        ask(name, *args)
    return error.value.sentence


@boxed
def test_a_guard_outlives_a_process_with_any_name(referee: Referee, worker: PipeAsk) -> None:
    worker("rename")
    worker("rest")  # until the guard looks
    report = worker.close()
    assert report["status"] == 0 and (worker.guard in worker.warm.idle) == report["again"]
    second = PipeAsk(referee.warm(COURSE, EXERCISE), LIMITS)
    assert (second.guard is worker.guard) == report["again"]
    assert second.start(PROGRAM)["missing"] == []
    second.close()


@boxed
def test_memory_is_looked_at_however_often_the_referee_asks(worker: PipeAsk) -> None:
    worker("spread", 100)
    end = time.monotonic() + 20
    while not worker.report and time.monotonic() < end:
        assert worker.cpu >= 0  # which asks the guard
        time.sleep(0.05)
    assert worker.close()["reason"] == "memory"


@boxed
def test_nothing_can_be_left_behind_by_who_owns_the_room(
    referee: Referee, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for an ordinary user, whose own the empty folders of the room are."""
    start = sandbox_warm.Guard.start
    kept = lambda self, job, cells: start(self, {**job, "nobody": False}, cells)  # noqa: E731
    monkeypatch.setattr(sandbox_warm.Guard, "start", kept)
    ask = PipeAsk(referee.warm(COURSE, EXERCISE), LIMITS)
    assert ask.start(PROGRAM)["missing"] == []
    for folder in ("", "/dev", str(sandbox.LIB.parent)):
        assert "Read-only" in said(ask, "leave", f"{folder}/mark.py")
    ask.close()


def test_a_guard_that_has_gone_is_no_fault_of_the_answer(worker: PipeAsk) -> None:
    worker.guard.line.shutdown(2)
    with pytest.raises(Trouble):
        for _ in range(1000):
            worker("rest")


def test_whatever_keeps_a_warm_parent_from_starting_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started = sandbox_warm.Warm.__init__
    fails = [OSError("no more processes"), BrokenPipeError(), None]

    def start(self: sandbox_warm.Warm, *args: Any) -> None:
        if (error := fails.pop(0)) is not None:
            raise error
        started(self, *args)

    monkeypatch.setattr(sandbox_warm.Warm, "__init__", start)
    with Referee() as referee:
        result = referee.judge(COURSE, EXERCISE, {**PROGRAM, "names": ["echo"]}, 1)
    assert result.points == 2 and not fails, result


def test_who_closes_the_line_and_goes_on_is_told_so(worker: PipeAsk) -> None:
    assert "closed the line" in said(worker, "deaf")


@boxed
def test_a_worker_that_ended_between_two_questions_is_told_as_what_it_was(worker: PipeAsk) -> None:
    worker("spread", 100)
    assert select.select([worker.connection], [], [], 60)[0], "meanwhile the guard has looked"
    assert "more than 256 MB" in said(worker, "echo", 1)
    assert "more than 256 MB" in said(worker, "echo", 1), "and so at every later question"


def test_what_takes_too_long_is_told_in_the_same_words_every_time(worker: PipeAsk) -> None:
    line = SOURCE[: SOURCE.index("    while x")].count("\n") + 1
    wanted = f"It did not return in time (more than 0.5 s); it was in line {line}: `while x:`."
    assert {said(worker, "slow", 1) for _ in range(3)} == {wanted}
    assert "`for _ in range(3):`" in said(worker, "steps", 1)


@boxed
def test_copies_of_a_worker_do_not_answer(worker: PipeAsk) -> None:
    """Else it would be chance who reads a question, and which of many answers comes first."""
    assert {said(worker, "copies").partition(" in line")[0] for _ in range(3)} == {
        "It raised BlockingIOError"
    }
    assert [worker("echo", n) for n in range(20)] == list(range(20))


def test_addresses_are_not_told(worker: PipeAsk) -> None:
    assert "(<object object>)" in said(worker, "address")


def killed(number: int, reason: str = "", cpu: float = 0.0) -> str:
    """The obituary of a worker that a signal ended."""
    return sandbox_warm.obituary(reason, {"status": number, "cpu": cpu}, LIMITS)


def test_obituaries_name_what_the_student_can_change() -> None:
    assert "too much memory" in killed(signal.SIGKILL)
    assert "closed the line" in killed(signal.SIGKILL, sandbox_warm.UNWANTED)
    assert "not return in time" in killed(signal.SIGKILL, cpu=LIMITS.total + 1)
    assert "not return in time" in killed(signal.SIGKILL, "cpu", cpu=LIMITS.seconds + 1)
    assert "s of computing together" in killed(signal.SIGKILL, "cpu", cpu=LIMITS.total + 1)
    assert "Segmentation" in killed(signal.SIGSEGV, sandbox_warm.UNWANTED)
    assert "exit code 3" in killed(3 << 8)
