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


def pack(args: list[Any], message: wire.Message) -> tuple[list[Any], dict[int, Any]]:
    """Written arguments with those packed that are data without arrays; and these, by place."""
    written, plain = list(args), {}
    for at, item in enumerate(args[1:]):
        if type(item) is list and not _has_arrays(item):
            with contextlib.suppress(wire.NotPlain):
                value = wire.Reader([]).read(item)
                if packed := _dump(value):  # not a member of an enum, which is made there
                    plain[at] = value
                    written[at + 1] = [wire.PACKED, message.blob(packed)]
    return written, plain


def load(blob: bytes) -> Any:
    """What was packed."""
    return marshal.loads(blob)


def afterwards(
    sent: list[Any], args: tuple[Any, ...], blobs: list[bytes], message: wire.Message
) -> list[Any]:
    """The arguments as a call left them, written; `[SAME]` for what is as it was packed."""
    lenient = wire.Message(message.blobs, lenient=True)
    return [
        wire.TUPLE,
        *(
            [wire.SAME] if _is(item, arg, blobs) else lenient.write(arg, 1)
            for item, arg in zip(sent[1:], args, strict=True)
        ),
    ]


def _is(item: Any, arg: Any, blobs: list[bytes]) -> bool:
    """Whether an argument came packed and is unchanged."""
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
