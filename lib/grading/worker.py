"""A worker: runs one answer and does what the referee asks of it. Nothing is judged here.

Stands alone, with `wire`, `packing`, `session` and the other `worker_` files. It may read its
whole process: there is no reference of what is asked, no expected value and no seed of the
referee's in it.
"""

import contextlib
import os
import random
import signal
import socket
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.random  # numpy loads it late: every fork would

try:  # staged alone in a sandbox, or as part of the course
    import session
    import wire
    import worker_cells
except ImportError:
    from lib.grading import session, wire, worker_cells

Frame = tuple[dict[str, Any], list[bytes]]


def serve(connection: socket.socket, protections: list[str]) -> None:
    """Run the cells that the referee sends, say what became of them, then answer until EOF."""
    line = Line(connection)
    if hasattr(os, "register_at_fork"):  # a copy that an answer makes of itself must not answer too
        os.register_at_fork(after_in_child=connection.close)
    line.send({"protections": protections}, wire.Message())
    program, _ = line.receive()
    roll(program["dice"])
    namespace, report = worker_cells.run(program)
    line.send(report, wire.Message())
    runner = session.Session(namespace, line.call_back)
    with contextlib.suppress(EOFError):
        while True:
            request, blobs = line.receive()
            reply, message = runner.request(request, blobs)
            try:
                line.send({"reply": reply}, message)
            except wire.NotPlain as error:
                line.send({"reply": {"error": session.explain(error)}}, wire.Message())


def refuse(connection: socket.socket, why: str) -> None:
    """Tell the referee that no answer can run here."""
    Line(connection).send({"trouble": why}, wire.Message())


def roll(seed: int) -> None:
    """Fix all dice that an answer did not seed itself, so that grading again gives the same."""
    dice = random.Random(seed)
    random.seed(dice.getrandbits(64))
    np.random.seed(dice.getrandbits(32))  # noqa: NPY002  (the answer may use it)
    bits = sys.modules.get("numpy.random.bit_generator")
    if bits is not None:  # where default_rng() without a seed takes its entropy
        bits.randbits = dice.getrandbits  # type: ignore[attr-defined]
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(dice.getrandbits(63))


class Line:
    """Frames over a socket."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.buffer = bytearray()  # what has come and was not read yet

    def send(self, head: dict[str, Any], message: wire.Message) -> None:
        """Send one frame, whole."""
        frame = wire.pack(head, message)
        with uninterrupted():
            self.connection.sendall(frame)

    def receive(self) -> Frame:
        """The next frame; EOFError when the referee has gone."""
        with uninterrupted():
            text, body = wire.HEAD.unpack(self._exactly(wire.HEAD.size))
            return wire.unpack(self._exactly(text), self._exactly(body))

    def _exactly(self, size: int) -> bytes:
        while len(self.buffer) < size:
            part = self.connection.recv(min(max(size - len(self.buffer), 1 << 16), 1 << 20))
            if not part:
                raise EOFError
            self.buffer += part
        found = bytes(self.buffer[:size])
        del self.buffer[:size]
        return found

    def call_back(
        self, number: int, method: str, message: wire.Message, value: Any
    ) -> tuple[Any, list[bytes]]:
        """Ask a function of the referee's; Stop when the referee has had enough."""
        self.send({"callback": number, "method": method, "value": value}, message)
        reply, blobs = self.receive()
        if "stop" in reply:
            raise session.Stop(reply["stop"])
        return reply["value"], blobs


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Keep the time guard from cutting a frame in two; it strikes right afterwards."""
    guards = (signal.SIGPROF, signal.SIGALRM)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, guards)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
