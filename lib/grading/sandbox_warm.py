"""A warm parent, seen from the referee: started once for a lesson, it has guards fork workers."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterable, Sequence
from typing import Any

from lib.grading import sandbox, sandbox_stage
from lib.grading.ask import Trouble
from lib.grading.sandbox_inside import CUT_OFF, UNWANTED

COMPILING = 30.0  # CPU seconds more for a call where numba has nothing compiled yet


class Guard:
    """A guard, seen from the referee: each word between them is a line of JSON."""

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self.line.settimeout(30)
        self.said = line.makefile("rb")
        self.read: set[str] = set()  # cells of the course that it knows

    def start(self, limits: dict[str, Any], cells: Iterable[str]) -> socket.socket:
        """Have it read these cells and fork a worker; the socket to that worker."""
        new = [cell for cell in dict.fromkeys(cells) if cell not in self.read]
        word = json.dumps({**limits, "cells": new}).encode() + b"\n"
        self.read.update(new)
        answer, theirs = socket.socketpair()
        with theirs:
            try:
                sent = socket.send_fds(self.line, [word], [theirs.fileno()])
                self.line.sendall(word[sent:])
            except OSError:
                answer.close()
                raise
        return answer

    def tell(self, **word: Any) -> None:
        """Say one word about the present worker; a guard that has ended has said its last."""
        with contextlib.suppress(OSError):
            self.line.sendall(json.dumps(word).encode() + b"\n")

    def hear(self) -> dict[str, Any]:
        """What it says next; {} if it says nothing more."""
        line = self.said.readline()
        return json.loads(line) if line.endswith(b"\n") else {}

    def close(self) -> None:
        """It ends when the line does, and with it a worker that it may have."""
        self.said.close()
        self.line.close()


class Warm:
    """A warm parent, the socket to it, and its guards that have nothing to do."""

    def __init__(self, imports: tuple[str, ...], modules: tuple[str, ...], hidden: tuple[str, ...]):
        sandbox.refuse_root()
        self.boxed = not sandbox.why_not_boxed()
        self.stage = sandbox_stage.stage(modules, hidden, self.boxed)
        names = sorted(sandbox_stage.allowed(modules, hidden))
        compiled = sandbox_stage.compiled(names)
        extra = ("numba",) if compiled else ()
        self.allowance = COMPILING if any(not files for files in compiled.values()) else 0.0
        config = {"path": sandbox.search_path(self.stage, self.boxed), "boxed": self.boxed}
        config |= {"imports": [*imports, *extra], "modules": names}
        line, environment = sandbox.command(self.stage, config)
        self.idle: list[Guard] = []
        self.control, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [*line, json.dumps(config)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                cwd=self.stage,
                start_new_session=True,  # Ctrl-C is for us
            )
        self._wait()

    def _wait(self) -> None:
        self.control.settimeout(300)
        said = self.control.recv(8192)
        if said != b"+":
            self.close()
            raise Trouble(f"the warm parent did not start: {said[1:].decode(errors='replace')}")
        for part in ("lib", "worker"):  # all is loaded
            shutil.rmtree(self.stage / part, ignore_errors=True)

    def worker(
        self, limits: sandbox.Limits, cells: Sequence[str] = ()
    ) -> tuple[Guard, socket.socket]:
        """A new worker: its guard, to be given back with `release`, and the socket to itself.

        It finds these cells of the course read and compiled.
        """
        nobody = self.boxed or sandbox.nobody_can_read()
        job = {**limits.as_dict(), "nobody": nobody}
        while self.idle:
            guard = self.idle.pop()
            with contextlib.suppress(OSError):  # it was ended while it waited: take another one
                return guard, guard.start(job, cells)
            guard.close()
        line, theirs = socket.socketpair()
        guard = Guard(line)
        with theirs:
            try:
                socket.send_fds(self.control, [b"g"], [theirs.fileno()])
                return guard, guard.start(job, cells)
            except OSError as error:
                guard.close()
                raise Trouble(f"the warm parent has gone: {error}") from error

    def release(self, guard: Guard, report: dict[str, Any]) -> None:
        """Keep a guard for the next worker, if it says that it can have one."""
        if report.get("again"):
            self.idle.append(guard)
        else:
            guard.close()

    def close(self) -> None:
        """End it, its guards and all their workers."""
        while self.idle:
            self.idle.pop().close()
        self.control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(2)
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        shutil.rmtree(self.stage, ignore_errors=True)


def obituary(reason: str, report: dict[str, Any], limits: sandbox.Limits) -> str:
    """Why a worker ended, for the student."""
    status = int(report["status"])
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    if reason == "memory":
        return f"It used more than {limits.memory:,} MB of memory and was ended."
    if reason == "processes":
        return f"It started more than {limits.processes} processes and was ended."
    spent = float(report["cpu"]) > limits.total
    if reason == "cpu" and spent:
        return f"Its calls took more than {limits.total:g} s of computing together; it was ended."
    if reason in ("cpu", "wall") or spent:
        return (
            f"It did not return in time (more than {limits.seconds:g} s), did not stop when told "
            "to, and was ended."
        )
    closed = reason == UNWANTED and number == signal.SIGKILL  # it went on without the line
    if closed or (os.WIFEXITED(status) and os.WEXITSTATUS(status) == CUT_OFF):
        return "It closed the line on which it answers: leave files that you did not open alone."
    if number == signal.SIGKILL:
        return "Its process was ended by the system: most likely it used too much memory."
    if number:
        name = signal.strsignal(number)
        return f"It crashed its process ({name}): look for endless recursion or unsafe calls."
    code = os.WEXITSTATUS(status)
    return f"It ended its own process (exit code {code}): an answer returns, it does not exit."
