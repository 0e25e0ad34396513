"""Arguments that are the same for a whole class, packed: bytes that a worker reads at once.

Only what a referee sends is packed. Of what a call left as it was, the worker says just that:
who would lie about it could as well send back what came.
"""

import contextlib
import marshal
from typing import Any

try:  # as part of the course, or alone in a worker
    from lib.grading import wire
except ImportError:
    import wire  # type: ignore[no-redef]

VERSION = 2  # without references: the same values are the same bytes
PARTS = {wire.TABLE: 4, wire.MAKE: 2}  # where the keys, or the arguments, are written


def pack(args: list[Any], message: wire.Message) -> tuple[list[Any], dict[int, Any]]:
    """Written arguments with what is data without arrays packed; and that, by the argument's place.

    Of a table the keys are packed, of an object that is made there what it is made of.
    """
    written, known = list(args), {}
    for at, item in enumerate(args[1:]):
        part = PARTS.get(item[0]) if type(item) is list else None
        packed, value = _packed(item[part] if part else item, message)
        if packed and part:
            written[at + 1] = [*item[:part], packed, *item[part + 1 :]]
        elif packed:
            written[at + 1] = packed
        if packed and part != PARTS[wire.MAKE]:  # which does not come back
            known[at] = value
    return written, known


def _packed(item: Any, message: wire.Message) -> tuple[list[int], Any]:
    """A written value packed, and the value; nothing if that can't be done."""
    if type(item) is list and not _has_arrays(item):
        with contextlib.suppress(wire.NotPlain):
            value = wire.Reader([]).read(item)
            if data := _dump(value):  # not a member of an enum, which is made there
                return [wire.PACKED, message.blob(data)], value
    return [], None


def load(blob: bytes) -> Any:
    """What was packed."""
    return marshal.loads(blob)


def afterwards(
    sent: list[Any], args: tuple[Any, ...], blobs: list[bytes], message: wire.Message
) -> list[Any]:
    """The arguments as a call left them, written; `[SAME]` for what is as it was packed."""
    lenient = wire.Message(message.blobs, lenient=True)
    pairs = zip(sent[1:], args, strict=True)
    return [wire.TUPLE, *(_afterwards(item, arg, blobs, lenient) for item, arg in pairs)]


def _afterwards(item: Any, arg: Any, blobs: list[bytes], lenient: wire.Message) -> Any:
    """An argument as a call left it, written; `[SAME]` where it is as it was packed."""
    if _is(item, arg, blobs):
        return [wire.SAME]
    table = type(item) is list and item[0] == wire.TABLE and wire.is_table(arg)
    if table and _is(item[4], list(arg), blobs):
        return [*lenient.rows(arg), [wire.SAME]]
    return lenient.write(arg, 1)


def _is(item: Any, arg: Any, blobs: list[bytes]) -> bool:
    """Whether a value came packed and is unchanged."""
    return type(item) is list and item[0] == wire.PACKED and blobs[item[1]] == _dump(arg)


def _dump(value: Any) -> bytes:
    """Plain data as bytes; none if it is anything else."""
    try:
        return marshal.dumps(value, VERSION)
    except ValueError:
        return b""


def _has_arrays(item: Any) -> bool:
    """Whether a part of it travels beside the text."""
    if type(item) is not list or not item:
        return False
    beside = (wire.ARRAY, wire.TABLE, wire.TENSOR, wire.BYTES)
    return item[0] in beside or any(map(_has_arrays, item[1:]))
