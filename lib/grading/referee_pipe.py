"""The referee's end of the line to a worker: every wait has an end, and anything may come back.

A worker is sent inputs and sends plain data. Its process belongs to the student: what it sends is
read as data, checked for its form, and believed in nothing else.
"""

import contextlib
import functools
import re
import select
import time
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from lib.grading import packing, sandbox, wire
from lib.grading.ask import AnswerError, Ask, Callback, Outcome, Trouble
from lib.grading.sandbox_warm import Warm, obituary

GRACE = 5.0  # seconds by the clock beyond a worker's own time guard
LOOK = 0.1  # seconds between two counts: a guard reads /proc for each
SLOW = 1.0  # seconds after which the guard is told to count a call's CPU time
MAX_TEXT = 16 << 20  # bytes of JSON in one message from a worker
DTYPE = re.compile(r"[<|][biuf]\d{1,2}")
Key = tuple[int, ...]  # the identities of a case's arguments
Written = tuple[Any, list[bytes], list[Callback], dict[int, Any]]
UNREADABLE = "Its process sent something that is not an answer."


class PlainReader(wire.Reader):
    """Reads arrays of plain numbers only."""

    def array(self, value: list[Any]) -> np.ndarray:
        if type(value[1]) is not str or not _numbers(value[1]):
            raise ValueError(value[1])
        return super().array(value)


@functools.lru_cache(maxsize=1000)
def _numbers(dtype: str) -> bool:
    return DTYPE.fullmatch(dtype) is not None


class StrictReader(wire.Reader):
    """Reads what a worker says; anything malformed is an AnswerError."""

    def read(self, value: Any) -> Any:
        try:
            return PlainReader(self.blobs).read(value)
        except Exception:
            raise AnswerError("gone", UNREADABLE) from None


class PipeAsk(Ask):
    """Asks an answer in a worker; every wait has an end."""

    def __init__(self, warm: Warm, limits: sandbox.Limits, cells: Sequence[str] = ()) -> None:
        super().__init__()
        self.limits = limits
        self.seconds = limits.seconds
        self.constant: dict[Key, Written | None] = {}  # arguments that are the same for everyone
        self.known: dict[int, Any] = {}  # those of the present call that travel packed
        self.buffer = bytearray()  # what has come and was not read yet
        self.allowance = warm.allowance
        self.warm = warm
        self.guard, self.connection = warm.worker(limits, cells)
        self.report: dict[str, Any] = {}
        self.armed = False
        self.used, self.looked = 0.0, -LOOK  # CPU seconds, and when the guard last counted them
        hello, _ = self._receive(time.monotonic() + 60)
        if "protections" not in hello:
            raise Trouble(str(hello.get("trouble", "the worker did not start")))
        self.protections = list(hello["protections"])

    def start(self, program: dict[str, Any]) -> dict[str, Any]:
        """Run the cells; which names are missing then, and why."""
        self._send(wire.pack({**program, "seconds": self.seconds}, wire.Message()))
        report, _ = self._receive(self._deadline(self.seconds), self.seconds)
        if type(report.get("missing")) is not list:
            raise AnswerError("gone", UNREADABLE)
        return report

    def reader(self, blobs: list[bytes]) -> wire.Reader:
        return StrictReader(blobs)

    def outcome(self, name: str, *args: Any, **options: Any) -> Outcome:
        """As for any answer; but who leaves out what is to be judged has not answered."""
        outcome = super().outcome(name, *args, **options)
        leaves = sum(map(_leaves, args)) if options.get("grad") else 0
        kept = len(args) if options.get("keep", True) else 0
        if type(outcome.args) is not tuple or len(outcome.args) != kept:
            raise AnswerError("gone", UNREADABLE)
        if type(outcome.grads) is not list or len(outcome.grads) != leaves:
            raise AnswerError("gone", UNREADABLE)
        return outcome

    def _call(
        self,
        name: str,
        handle: int | None,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        *more: Any,
    ) -> tuple[dict[str, Any], wire.Message]:
        """As for any answer; arguments of cases are written once for a whole class."""
        key, self.known = tuple(map(id, args)), {}
        if kwargs or key not in self.constant:
            return super()._call(name, handle, args, kwargs, *more)
        known = self.constant[key]
        if known is None:
            request, message = super()._call(name, handle, args, kwargs, *more)
            called = [arg for arg in args if isinstance(arg, Callback)]
            written, plain = packing.pack(request["args"], message)
            self.constant[key] = known = written, message.blobs, called, plain
        request, message = super()._call(name, handle, (), {}, *more)
        request["args"], message.blobs, called, self.known = known
        self.callbacks.update({id(arg): arg for arg in called})
        return request, message

    def afterwards(
        self, request: dict[str, Any], reply: dict[str, Any], blobs: list[bytes]
    ) -> tuple[Any, ...]:
        """As for any answer; what is the same as it was sent was not sent back."""
        after, known, self.known = reply.get("after"), self.known, {}
        if not known or type(after) is not list or after[:1] != [wire.TUPLE]:
            return super().afterwards(request, reply, blobs)
        read = self.reader(blobs).read
        return tuple(
            _left(item, known[at], read) if at in known else read(item)
            for at, item in enumerate(after[1:])
        )

    def send(
        self, request: dict[str, Any], message: wire.Message
    ) -> tuple[dict[str, Any], list[bytes]]:
        allowed = min(float(request.get("seconds") or self.seconds), self.limits.total)
        seconds = allowed + self.allowance
        request = {**request, "seconds": seconds}
        deadline = self._deadline(seconds)
        self._send(wire.pack(request, message))
        while True:
            head, blobs = self._receive(deadline, seconds)
            if "callback" not in head:
                return self._reply(request, head.get("reply"), allowed), blobs
            self._send(self._call_back(head, blobs))

    def _reply(self, request: dict[str, Any], reply: Any, allowed: float) -> dict[str, Any]:
        """A reply that has what the request asks for."""
        if type(reply) is dict and type(reply.get("error")) is dict:
            error = reply["error"]
            if error.get("kind") == "too long":  # whatever it took to compile is not told
                error["message"] = f"more than {allowed:g} s"
            if error.get("kind") != "gone" and all(type(v) in (str, int) for v in error.values()):
                return reply
        wanted = {"handle": int, "type": str} if request.get("store") else {}
        wanted |= {"value": list} if request["op"] in ("many", "repeat") else {}
        if type(reply) is not dict or "error" in reply:
            raise AnswerError("gone", UNREADABLE)
        if any(type(reply.get(key)) is not kind for key, kind in wanted.items()):
            raise AnswerError("gone", UNREADABLE)
        if request["op"] == "many" and len(reply["value"]) != len(request["calls"]):
            raise AnswerError("gone", UNREADABLE)
        if request["op"] == "repeat" and len(reply["value"]) != request["times"]:
            raise AnswerError("gone", UNREADABLE)
        return {"value": None, **reply}

    def _call_back(self, head: dict[str, Any], blobs: list[bytes]) -> bytes:
        """The frame that answers an answer's question; a referee that had enough says stop."""
        try:
            number, method = int(head["callback"]), str(head["method"])
            value, message = self.called_back(number, method, head["value"], blobs)
            return wire.pack({"value": value}, message)
        except Exception as error:
            if self.failed is None:  # not our function: what it was called with
                raise AnswerError("gone", UNREADABLE) from None
            return wire.pack({"stop": str(error)[:200]}, wire.Message())

    def _deadline(self, seconds: float) -> float:
        return time.monotonic() + 4 * seconds + GRACE

    def _send(self, frame: bytes) -> None:
        try:
            self.connection.settimeout(4 * self.seconds + GRACE)
            self.connection.sendall(frame)
        except TimeoutError:
            self._gone("wall")
        except OSError:  # it ended meanwhile
            self._gone("")

    def _receive(self, deadline: float, seconds: float = 0.0) -> tuple[dict[str, Any], list[bytes]]:
        """The next frame of the worker's."""
        text, body = wire.HEAD.unpack(self._exactly(wire.HEAD.size, deadline, seconds))
        if text > MAX_TEXT or body > wire.MAX_FRAME:
            raise AnswerError("gone", "It sent more data than an answer has.")
        parts = self._exactly(text, deadline, seconds), self._exactly(body, deadline, seconds)
        try:
            head, blobs = wire.unpack(*parts)
        except Exception:
            raise AnswerError("gone", UNREADABLE) from None
        if self.armed:
            self._arm(None)
        if type(head) is not dict:
            raise AnswerError("gone", UNREADABLE)
        return head, blobs

    def _exactly(self, size: int, deadline: float, seconds: float) -> bytes:
        while len(self.buffer) < size:
            wait = min(deadline - time.monotonic(), deadline if self.armed else SLOW)
            if deadline < time.monotonic():
                self._gone("wall")
            if not select.select([self.connection], [], [], max(0.0, wait))[0]:
                if not self.armed and seconds:
                    self._arm(1.25 * seconds + 1.0)
                continue
            try:
                part = self.connection.recv(min(max(size - len(self.buffer), 1 << 16), 1 << 20))
            except OSError:
                part = b""
            if not part:
                self._gone("")
            self.buffer += part
        found = bytes(self.buffer[:size])
        del self.buffer[:size]
        return found

    def _arm(self, seconds: float | None) -> None:
        """Tell the guard how much CPU time the present call may still use."""
        self.armed = seconds is not None
        self.guard.tell(cpu=seconds)

    def _gone(self, reason: str) -> NoReturn:
        """Raise why the worker is no longer there."""
        report = self.close()
        if not report:
            raise Trouble("the guard of a worker has gone")
        raise AnswerError("gone", obituary(reason or report["reason"], report, self.limits))

    def close(self) -> dict[str, Any]:
        """End the worker, and hear from its guard how it ended and what it used."""
        if self.connection.fileno() < 0:
            return self.report
        self.connection.close()
        with contextlib.suppress(OSError):
            if not self.report:
                self.guard.tell(end=True)
            while not self.report and (said := self.guard.hear()):
                self.report = said if "status" in said else {}
        self.warm.release(self.guard, self.report)
        return self.report

    @property
    def cpu(self) -> float:
        """By the count of the guard, outside of the worker."""
        if not self.report and self.connection.fileno() >= 0:
            if time.monotonic() - self.looked < LOOK:
                return self.used
            with contextlib.suppress(OSError):
                self.guard.tell(used=None)
                said = self.guard.hear()
                if "used" in said:
                    self.used, self.looked = float(said["used"]), time.monotonic()
                    return self.used
                self.report = said
        return float(self.report.get("cpu", 0.0))


def _left(item: Any, known: Any, read: Callable[[Any], Any]) -> Any:
    """What a call left of an argument that was sent as known, or with known keys."""
    if item == [wire.SAME]:
        return known
    if type(item) is not list or item[:1] != [wire.TABLE] or item[4:] != [[wire.SAME]]:
        return read(item)
    rows = read([wire.ARRAY, *item[1:4]])
    try:
        return dict(zip(known, map(np.copy, rows), strict=True))
    except (TypeError, ValueError):
        raise AnswerError("gone", UNREADABLE) from None


def _leaves(value: Any) -> int:
    """How many gradients can be asked for in an argument."""
    if type(value) in (list, tuple, dict):
        return sum(map(_leaves, value.values() if type(value) is dict else value))
    return int(type(value) is wire.Tensor and value.grad)
