"""Plain data between a referee and an answer: JSON with arrays as bytes, decided by exact type.

Only what is listed here crosses: numbers, strings, lists, tuples, sets, dicts, arrays, tensors and
enum members. An object of a class of its own, even one that derives from `float`, does not, so
nothing that an answer returns can run code, or claim to be equal, where it is judged.
This file, `packing.py`, `explain.py` and `session.py` stand alone: a worker holds them without the
package.
"""

import collections
import enum
import json
import math
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MAX_FRAME = 64 << 20  # bytes of one message
MAX_DEPTH = 60
HEAD = struct.Struct("<II")
LIST, TUPLE, SET, FROZEN, DICT, ARRAY, TENSOR, ENUM, BYTES, FLOAT, OPAQUE, SAME, TABLE = range(13)
RNG, HANDLE, MAKE, CALLBACK, PACKED = range(20, 25)
SEQUENCES: dict[type, int] = {list: LIST, tuple: TUPLE, set: SET, frozenset: FROZEN}
BUILDERS = {LIST: list, TUPLE: tuple, SET: set, FROZEN: frozenset}
DICTS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
KINDS = "biuf"  # of arrays that may cross: booleans, integers, floats


class NotPlain(TypeError):
    """A value that may not cross: an object of some other class, or too much of it."""


@dataclass(frozen=True)
class Tensor:
    """An input that arrives as a torch tensor; with `grad`, its gradient can be asked for."""

    array: Any
    grad: bool = False


@dataclass(frozen=True)
class Rng:
    """An input that arrives as `np.random.default_rng(seed)`."""

    seed: int


@dataclass(frozen=True)
class Member:
    """A member of an enum, by name: Member("Action", "SHOOT")."""

    kind: str
    name: str


@dataclass(frozen=True, init=False)
class Make:
    """An input that is made on the spot by calling a name there: Make("R2Droid", 4, 4, (0, 0), 5).

    Dotted names are looked up in the notebook first, then imported; `Make.name("Net")` passes the
    named object itself.
    """

    what: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(hash=False)
    call: bool

    def __init__(self, what: str, *args: Any, **kwargs: Any) -> None:
        for key, value in (("what", what), ("args", args), ("kwargs", kwargs), ("call", True)):
            object.__setattr__(self, key, value)

    @classmethod
    def name(cls, what: str) -> "Make":
        """The object of that name itself, not called."""
        made = cls(what)
        object.__setattr__(made, "call", False)
        return made


@dataclass(frozen=True)
class HandleRef:
    """An object that stays where the answer runs, known by its number."""

    number: int


@dataclass(frozen=True)
class CallbackRef:
    """A function, or an object with methods, that stays with the referee."""

    number: int
    methods: tuple[str, ...] = ()


@dataclass
class Message:
    """A value being written: what JSON holds, and the arrays beside it."""

    blobs: list[bytes] = field(default_factory=list)
    lenient: bool = False  # write what may not cross as "opaque" instead of raising
    refer: Callable[[Any], Any] | None = None  # gives a marker for what stays with its owner

    def blob(self, data: bytes) -> int:
        """The number under which `data` travels."""
        self.blobs.append(data)
        return len(self.blobs) - 1

    def write(self, value: Any, depth: int = 0) -> Any:
        """`value` as JSON, by its exact type; NotPlain if it may not cross."""
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            if value.bit_length() > 4096:
                raise NotPlain("an integer of more than 1,200 digits")
            return value
        if kind is float:
            return value if math.isfinite(value) else [FLOAT, repr(value)]
        if depth > MAX_DEPTH:
            raise NotPlain("a structure nested more than 60 deep")
        if kind in SEQUENCES:
            return [SEQUENCES[kind], *[self.write(item, depth + 1) for item in value]]
        if kind in DICTS:
            if is_table(value):
                return [*self.rows(value), self.write(list(dict.keys(value)), depth + 1)]
            pairs = [part for pair in dict.items(value) for part in pair]
            return [DICT, *[self.write(part, depth + 1) for part in pairs]]
        return self._write_other(value, kind, depth)

    def _write_other(self, value: Any, kind: type, depth: int) -> Any:
        if kind is np.ndarray:
            return self._array(ARRAY, value)
        if kind in MARKERS:
            return self._marker(value, depth)
        if issubclass(kind, np.generic) and kind.__module__ == "numpy":
            if value.dtype.kind not in KINDS:
                raise NotPlain(f"a numpy {kind.__name__}")
            return self.write(value.item(), depth)
        torch = sys.modules.get("torch")
        if torch is not None and kind in (torch.Tensor, torch.nn.Parameter):
            return self._tensor(torch, value)
        if issubclass(kind, enum.Enum):
            return [ENUM, str(kind.__name__), str(value._name_)]
        if kind is bytes:
            return [BYTES, self.blob(value)]
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return [TUPLE, *[self.write(item, depth + 1) for item in tuple.__iter__(value)]]
        if self.refer and (marker := self.refer(value)) is not value:
            return self._marker(marker, depth)
        if self.lenient:
            return [OPAQUE, kind.__name__]
        raise NotPlain(f"an object of type {kind.__name__}")

    def rows(self, value: dict[Any, Any]) -> list[Any]:
        """A table without its keys."""
        return self._array(TABLE, np.stack(list(dict.values(value))))

    def _array(self, tag: int, value: np.ndarray) -> list[Any]:
        if value.dtype.kind not in KINDS:
            raise NotPlain(f"an array of {value.dtype}")
        name = value.dtype.str
        if name[0] == ">":
            value = value.astype(name := "<" + name[1:])
        return [tag, name, list(value.shape), self.blob(value.tobytes())]

    def _tensor(self, torch: Any, value: Any) -> list[Any]:
        data = value.detach().cpu()
        if data.dtype in (torch.bfloat16, torch.float16):
            data = data.float()
        return [*self._array(TENSOR, data.resolve_conj().numpy()), bool(value.requires_grad)]

    def _marker(self, value: Any, depth: int) -> list[Any]:
        if type(value) is Tensor:
            return [*self._array(TENSOR, np.asarray(value.array)), value.grad]
        if type(value) is Rng:
            return [RNG, int(value.seed)]
        if type(value) is Member:
            return [ENUM, value.kind, value.name]
        if type(value) is HandleRef:
            return [HANDLE, value.number]
        if type(value) is CallbackRef:
            return [CALLBACK, value.number, list(value.methods)]
        args, kwargs = self.write(value.args, depth + 1), self.write(value.kwargs, depth + 1)
        return [MAKE, value.what, args, kwargs, value.call]


def is_table(value: Any) -> bool:
    """Whether a dict holds arrays alone, all of one shape and kind, which travel as one."""
    arrays = list(dict.values(value)) if type(value) in DICTS else []
    if set(map(type, arrays)) != {np.ndarray} or not arrays[0].ndim:
        return False
    return len({(array.shape, array.dtype) for array in arrays}) == 1


MARKERS = (Tensor, Rng, Member, Make, HandleRef, CallbackRef)


class Reader:
    """Turns what `Message.write` wrote into plain data: arrays for tensors, Member for enums."""

    def __init__(self, blobs: list[bytes]) -> None:
        self.blobs = blobs

    def read(self, value: Any) -> Any:
        """The value itself."""
        if type(value) is not list:
            return value
        tag = value[0]
        if tag in BUILDERS:
            return BUILDERS[tag]([self.read(item) for item in value[1:]])
        if tag == DICT:
            items = [self.read(item) for item in value[1:]]
            return dict(zip(items[::2], items[1::2], strict=True))
        if tag == FLOAT:
            return float(value[1])
        if tag == BYTES:
            return self.blobs[value[1]]
        if tag == OPAQUE:
            return Member("opaque", str(value[1]))
        if tag == ARRAY:
            return self.array(value)
        if tag == TABLE:
            return dict(zip(self.read(value[4]), map(np.copy, self.array(value)), strict=True))
        return self.special(tag, value)

    def array(self, value: list[Any]) -> np.ndarray:
        """The array under its number, as a writable copy."""
        data = np.frombuffer(self.blobs[value[3]], dtype=value[1])
        return data.reshape(value[2]).copy()

    def special(self, tag: int, value: list[Any]) -> Any:
        """What is plain for a referee; a session makes live objects of it."""
        if tag == TENSOR:
            return self.array(value)
        if tag == ENUM:
            return Member(str(value[1]), str(value[2]))
        raise NotPlain(f"unknown tag {tag!r}")


def pack(head: dict[str, Any], message: Message) -> bytes:
    """One frame: lengths, JSON, arrays."""
    sizes = [len(blob) for blob in message.blobs]
    text = json.dumps([head, sizes], separators=(",", ":"), check_circular=False).encode()
    if len(text) + sum(sizes) > MAX_FRAME:
        raise NotPlain("more than 64 MB of data")
    return b"".join([HEAD.pack(len(text), sum(sizes)), text, *message.blobs])


def unpack(text: bytes, body: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """The head and the arrays of one frame."""
    head, sizes = json.loads(text)
    blobs, at = [], 0
    for size in sizes:
        blobs.append(body[at : at + size])
        at += size
    return head, blobs
