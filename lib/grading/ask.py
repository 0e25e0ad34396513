"""How a check asks an answer: in the same process, or through a pipe to a worker.

ask("q_update", table, state, 3)              -> plain data
ask.outcome("loss", Tensor(x, grad=True), grad=True).grads
agent = ask.new("QAgent"); agent.call("get_best_move", Make("R2Droid", 4, 4, (2, 0), 5), 0)
ask("episode", Callback(opponent), Rng(1))    -> the answer calls back to the referee
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lib.grading import wire
from lib.grading.session import Session

NOT_WRITTEN = "Not written yet."
TOO_LONG = "It did not return in time"


class AnswerError(Exception):
    """The answer gave no value: it raised, is not written, took too long, or ended its process."""

    def __init__(self, kind: str, message: str = "", **details: Any) -> None:
        self.kind = kind
        self.details = details
        super().__init__(message)

    @property
    def sentence(self) -> str:
        """What happened, for the student."""
        name, said = self.details.get("type", "error"), str(self)
        where = f" in line {self.details['line']}" if "line" in self.details else ""
        text = f": `{self.details['text']}`" if self.details.get("text") else ""
        if self.kind == "raised":
            return (
                f"It raised {name}{where}{text} ({said})"
                if said
                else f"It raised {name}{where}{text}"
            )
        if self.kind == "too long":
            return f"{TOO_LONG} ({said}); it was{where or ' running'}{text}."
        if self.kind == "unwritten":
            return NOT_WRITTEN
        if self.kind == "not plain":
            return (
                f"It returned {said}; return plain numbers, lists, tuples, sets, dicts or arrays."
            )
        return said or self.kind


class Trouble(RuntimeError):
    """The grader itself failed, not the answer: try again."""


@dataclass(frozen=True)
class Outcome:
    """What one call left behind: its value, its arguments afterwards, the gradients asked for."""

    value: Any
    args: tuple[Any, ...] = ()
    grads: list[Any] = field(default_factory=list)


class Callback:
    """A function, or an object with `methods`, that an answer may call; it stays with the referee.

    `budget` is the number of calls allowed; one more ends the answer's call with a message.
    """

    def __init__(self, target: Any, methods: Sequence[str] = (), budget: int | None = None) -> None:
        self.target = target
        self.methods = tuple(methods)
        self.budget = budget
        self.calls = 0

    def invoke(self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the target with plain data."""
        self.calls += 1
        if self.budget is not None and self.calls > self.budget:
            raise AnswerError("budget", f"It made more than the {self.budget:,} calls allowed.")
        if method and method not in self.methods:
            raise AnswerError("raised", f"there is no method {method!r} to call")
        return (getattr(self.target, method) if method else self.target)(*args, **kwargs)


class Ask:
    """The names of one namespace, asked with plain data; only `send` differs between the forms."""

    seconds = 10.0  # CPU guard of one call, unless given

    def __init__(self) -> None:
        self.callbacks: dict[int, Callback] = {}
        self.failed: BaseException | None = None
        self.calls = 0

    def send(
        self, request: dict[str, Any], message: wire.Message
    ) -> tuple[dict[str, Any], list[bytes]]:
        """Deliver a request and wait for the reply."""
        raise NotImplementedError

    def reader(self, blobs: list[bytes]) -> wire.Reader:
        """What turns a reply into plain data."""
        return wire.Reader(blobs)

    @property
    def cpu(self) -> float:
        """CPU seconds that the answer has used so far."""
        raise NotImplementedError

    def __call__(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """The value of `name(*args, **kwargs)`, as plain data."""
        return self.outcome(name, *args, keep=False, **kwargs).value

    def outcome(
        self,
        name: str,
        *args: Any,
        keep: bool = True,
        grad: bool = False,
        through: str | None = None,
        seconds: float | None = None,
        handle: int | None = None,
        **kwargs: Any,
    ) -> Outcome:
        """Value, arguments afterwards and gradients of one call."""
        request = self._call(name, handle, args, kwargs, seconds)
        request[0].update(keep=keep, grad=grad, through=through)
        reply, blobs = self.exchange(*request)
        read = self.reader(blobs).read
        return Outcome(
            read(reply["value"]),
            self.afterwards(request[0], reply, blobs),
            read(reply.get("grads", [wire.LIST])),
        )

    def afterwards(
        self, request: dict[str, Any], reply: dict[str, Any], blobs: list[bytes]
    ) -> tuple[Any, ...]:
        """The arguments as the call left them."""
        found: tuple[Any, ...] = self.reader(blobs).read(reply.get("after", [wire.TUPLE]))
        return found

    def many(
        self, name: str, calls: Sequence[Sequence[Any]], seconds: float | None = None
    ) -> list[Any]:
        """The values of many calls, in one message."""
        message, seen = self.message(), dict[int, Any]()

        def once(value: Any) -> Any:  # an array that is in every call travels once
            if id(value) not in seen:
                seen[id(value)] = message.write(value)
            return seen[id(value)]

        written = [[wire.TUPLE, *map(once, args)] for args in calls]
        request = {"op": "many", "name": name, "calls": written, "seconds": seconds or self.seconds}
        reply, blobs = self.exchange(request, message)
        read = self.reader(blobs).read
        return [read(value) for value in reply["value"]]

    def repeat(self, name: str, times: int, *args: Any, seconds: float | None = None) -> list[Any]:
        """The values of the same call again and again: fresh inputs, but dice that roll on."""
        request, message = self._call(name, None, args, {}, seconds)
        reply, blobs = self.exchange({**request, "op": "repeat", "times": times}, message)
        read = self.reader(blobs).read
        return [read(value) for value in reply["value"]]

    def new(
        self,
        name: str,
        *args: Any,
        seconds: float | None = None,
        handle: int | None = None,
        **kwargs: Any,
    ) -> "Handle":
        """Call `name` and leave the result where it is: `ask.new("QAgent")`."""
        request, message = self._call(name, handle, args, kwargs, seconds)
        request["store"] = True
        reply, _ = self.exchange(request, message)
        return Handle(self, int(reply["handle"]), str(reply["type"]))

    def exchange(
        self, request: dict[str, Any], message: wire.Message
    ) -> tuple[dict[str, Any], list[bytes]]:
        """Send, and raise AnswerError if no value came back."""
        self.calls += 1
        self.failed = None
        reply, blobs = self.send(request, message)
        if isinstance(self.failed, AnswerError):
            raise self.failed
        if self.failed is not None:  # a function of ours refused what it was called with
            kind = type(self.failed).__name__
            raise AnswerError("raised", str(self.failed)[:600], type=kind) from self.failed
        if "error" in reply:
            error = dict(reply["error"])
            raise AnswerError(
                str(error.pop("kind", "raised")), str(error.pop("message", "")), **error
            )
        return reply, blobs

    def called_back(
        self, number: int, method: str, value: Any, blobs: list[bytes]
    ) -> tuple[Any, wire.Message]:
        """The reply to an answer that calls one of our functions; AnswerError ends its call."""
        args, kwargs = self.reader(blobs).read(value)
        message = self.message()
        try:
            return message.write(self.callbacks[number].invoke(method, args, kwargs)), message
        except Exception as error:
            self.failed = error
            raise

    def _call(
        self,
        name: str,
        handle: int | None,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        seconds: float | None,
    ) -> tuple[dict[str, Any], wire.Message]:
        message = self.message()
        request: dict[str, Any] = {"op": "call", "name": name, "seconds": seconds or self.seconds}
        if handle is not None:
            request["handle"] = handle
        request["args"] = message.write(args)
        request["kwargs"] = message.write(kwargs)
        return request, message

    def message(self) -> wire.Message:
        """A message in which handles and callbacks are written as references."""
        return wire.Message(refer=self._refer)

    def _refer(self, value: Any) -> Any:
        if isinstance(value, Handle):
            return wire.HandleRef(value.number)
        if isinstance(value, Callback):
            number = id(value)
            self.callbacks[number] = value
            return wire.CallbackRef(number, value.methods)
        return value


class Handle:
    """An object that lives with the answer: call its methods, read and set its fields."""

    def __init__(self, ask: Ask, number: int, kind: str) -> None:
        self.ask = ask
        self.number = number
        self.kind = kind  # the name of its class, as it says

    def call(self, method: str, *args: Any, **options: Any) -> Any:
        """The value of a method; `""` calls the object itself."""
        return self.ask.outcome(method, *args, keep=False, handle=self.number, **options).value

    def outcome(self, method: str, *args: Any, **options: Any) -> Outcome:
        """As `call`, with the arguments afterwards and gradients."""
        return self.ask.outcome(method, *args, handle=self.number, **options)

    def new(self, method: str, *args: Any, **options: Any) -> "Handle":
        """The result of a method, left where it is."""
        return self.ask.new(method, *args, handle=self.number, **options)

    def attr(self, name: str) -> Any:
        """A field, as plain data."""
        request = {"op": "attr", "handle": self.number, "name": name, "seconds": self.ask.seconds}
        reply, blobs = self.ask.exchange(request, wire.Message())
        return self.ask.reader(blobs).read(reply["value"])

    def set(self, name: str, value: Any) -> None:
        """Set a field."""
        message = wire.Message()
        request = {"op": "set", "handle": self.number, "name": name, "to": message.write(value)}
        self.ask.exchange(request, message)

    def drop(self) -> None:
        """Forget the object."""
        self.ask.exchange({"op": "drop", "handle": self.number}, wire.Message())


class LocalAsk(Ask):
    """Asks live objects of this process, with fresh copies of all inputs."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        super().__init__()
        self.session = Session(namespace, self._direct, interruptible=True)
        self.used = 0.0

    def send(
        self, request: dict[str, Any], message: wire.Message
    ) -> tuple[dict[str, Any], list[bytes]]:
        before = time.process_time()
        reply, answer = self.session.request(request, message.blobs)
        self.used += time.process_time() - before
        return reply, answer.blobs

    @property
    def cpu(self) -> float:
        return self.used

    def _direct(
        self, number: int, method: str, message: wire.Message, value: Any
    ) -> tuple[Any, list[bytes]]:
        reply, answer = self.called_back(number, method, value, message.blobs)
        return reply, answer.blobs
