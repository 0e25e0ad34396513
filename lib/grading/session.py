"""Where an answer runs: calls it with live inputs and gives back plain data, or what went wrong.

The same session serves a notebook (called directly) and a worker (called through a pipe).
"""

import contextlib
import importlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType
from typing import Any

import numpy as np

try:  # as part of the course, or alone in a worker
    from lib.grading import packing, wire
    from lib.grading.explain import Stop as Stop
    from lib.grading.explain import TooLong, explain
except ImportError:
    import packing  # type: ignore[no-redef]
    import wire  # type: ignore[no-redef]
    from explain import Stop as Stop  # type: ignore[no-redef]
    from explain import TooLong, explain  # type: ignore[no-redef]

Request = dict[str, Any]
Answer = tuple[dict[str, Any], wire.Message]


def lookup(namespace: dict[str, Any], name: str) -> Any:
    """The object of a dotted name: from the notebook, else imported."""
    first, *rest = name.split(".")
    if first in namespace and not isinstance(namespace[first], ModuleType):
        found = namespace[first]
        for part in rest:
            found = getattr(found, part)
        return found
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:cut])
        with contextlib.suppress(ModuleNotFoundError):
            found = sys.modules.get(module) or importlib.import_module(module)
            for part in parts[cut:]:
                found = getattr(found, part)
            return found
    raise NameError(f"name {name!r} is not defined")


class Builder(wire.Reader):
    """Makes live inputs: tensors, dice, enum members, objects by name, functions of the referee."""

    def __init__(self, session: "Session", blobs: list[bytes]) -> None:
        super().__init__(blobs)
        self.session = session
        self.leaves: list[Any] = []  # tensors whose gradient may be asked for
        self.dice: dict[int, np.random.Generator] | None = None  # by seed, where they roll on

    def rolling(self, seed: int) -> np.random.Generator:
        """Dice of a seed: those in use, or new ones."""
        if self.dice is None:
            return np.random.default_rng(seed)
        if seed not in self.dice:
            self.dice[seed] = np.random.default_rng(seed)
        return self.dice[seed]

    def fresh(self, written: list[Any]) -> Callable[[], list[Any]]:
        """What reads written arguments again and again, each time as new objects."""
        parts = [self._again(item) for item in written[1:]]
        return lambda: [part() for part in parts]

    def _again(self, item: Any) -> Callable[[], Any]:
        if type(item) is list and item[0] == wire.ARRAY:
            return self.array(item).copy
        return lambda: self.read(item)

    def special(self, tag: int, value: list[Any]) -> Any:
        if tag == wire.TENSOR:
            import torch

            tensor = torch.from_numpy(self.array(value))
            if value[4]:
                self.leaves.append(tensor.requires_grad_())
            return tensor
        if tag == wire.RNG:
            return self.rolling(value[1])
        if tag == wire.ENUM:
            return lookup(self.session.namespace, value[1])[value[2]]
        if tag == wire.HANDLE:
            return self.session.objects[value[1]]
        if tag == wire.MAKE:
            made = lookup(self.session.namespace, value[1])
            args, kwargs = self.read(value[2]), self.read(value[3])
            return made(*args, **kwargs) if value[4] else made
        if tag == wire.PACKED:
            return packing.load(self.blobs[value[1]])
        if tag == wire.CALLBACK:
            return Remote(self.session, value[1], tuple(value[2]))
        return super().special(tag, value)


class Remote:
    """A function or object of the referee's: calling it asks the referee."""

    def __init__(self, session: "Session", number: int, methods: tuple[str, ...]) -> None:
        self._ask = session.ask_referee
        self._number = number
        for method in methods:
            setattr(self, method, self._bound(method))

    def _bound(self, method: str) -> Callable[..., Any]:
        return lambda *args, **kwargs: self._ask(self._number, method, args, kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._ask(self._number, "", args, kwargs)


class Session:
    """One namespace with the answer in it, and the objects that were made there."""

    def __init__(
        self,
        namespace: dict[str, Any],
        callback: Callable[[int, str, wire.Message, Any], tuple[Any, list[bytes]]],
        interruptible: bool = False,
    ) -> None:
        self.namespace = namespace
        self.callback = callback
        self.interruptible = interruptible  # a student's Stop button ends the check, not the answer
        self.objects: dict[int, Any] = {}
        self.count = 0

    def ask_referee(self, number: int, method: str, args: Any, kwargs: Any) -> Any:
        """The reply of a function that lives with the referee."""
        message = wire.Message(lenient=True)
        value, blobs = self.callback(number, method, message, message.write((args, kwargs)))
        return Builder(self, blobs).read(value)

    def request(self, request: Request, blobs: list[bytes]) -> Answer:
        """Do what was asked; the reply holds a value, or an error in plain words."""
        message = wire.Message()
        try:
            with guard(request.get("seconds")):
                return self._do(request, Builder(self, blobs), message), message
        except KeyboardInterrupt:
            if self.interruptible:
                raise
            return {"error": {"kind": "raised", "type": "KeyboardInterrupt"}}, wire.Message()
        except BaseException as error:
            return {"error": explain(error, here=self.interruptible)}, wire.Message()

    def _do(self, request: Request, builder: Builder, message: wire.Message) -> dict[str, Any]:
        op = request["op"]
        if op == "many":
            target = self._target(request)
            calls = [builder.read(call) for call in request["calls"]]
            return {"value": [message.write(target(*args)) for args in calls]}
        if op == "repeat":
            target, builder.dice = self._target(request), {}
            again = builder.fresh(request["args"])
            return {"value": [message.write(target(*again())) for _ in range(request["times"])]}
        if op == "set":
            setattr(self.objects[request["handle"]], request["name"], builder.read(request["to"]))
            return {"value": None}
        if op == "drop":
            self.objects.pop(request["handle"], None)
            return {"value": None}
        if op == "attr":
            return self._reply(request, self._target(request), message)
        args, kwargs = builder.read(request["args"]), builder.read(request["kwargs"])
        value = self._target(request)(*args, **kwargs)
        reply = self._reply(request, value, message)
        if request.get("keep"):
            reply["after"] = packing.afterwards(request["args"], args, builder.blobs, message)
        if request.get("grad"):
            reply["grads"] = message.write(gradients(value, builder.leaves))
        return reply

    def _target(self, request: Request) -> Any:
        if "handle" in request:
            target = self.objects[request["handle"]]
            for part in request["name"].split(".") if request["name"] else ():
                target = getattr(target, part)
            return target
        return lookup(self.namespace, request["name"])

    def _reply(self, request: Request, value: Any, message: wire.Message) -> dict[str, Any]:
        if request.get("store"):
            self.count += 1
            self.objects[self.count] = value
            return {"handle": self.count, "type": type(value).__name__}
        if request.get("through"):
            value = lookup(self.namespace, request["through"])(value)
        return {"value": message.write(value)}


def gradients(value: Any, leaves: list[Any]) -> list[Any]:
    """d(sum of all returned tensors) / d(each leaf); None where none flows."""
    import torch

    parts = list(value.values()) if isinstance(value, dict) else value
    parts = list(parts) if isinstance(parts, list | tuple) else [parts]
    flowing = [part for part in parts if isinstance(part, torch.Tensor) and part.requires_grad]
    if not flowing:
        return [None] * len(leaves)
    total = torch.stack([part.sum() for part in flowing]).sum()
    return list(torch.autograd.grad(total, leaves, allow_unused=True)) if leaves else []


@contextlib.contextmanager
def guard(seconds: float | None) -> Iterator[None]:
    """Raise TooLong after `seconds` of CPU time, or four times that by the clock."""
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not seconds or not usable:
        yield
        return

    def over(number: int, frame: FrameType | None) -> None:
        raise TooLong(f"more than {seconds:g} s")

    before = [signal.signal(number, over) for number in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.5)  # again, if an answer caught the first
    signal.setitimer(signal.ITIMER_REAL, 4 * seconds, 2.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in zip((signal.SIGPROF, signal.SIGALRM), before, strict=True):
            signal.signal(number, handler)
