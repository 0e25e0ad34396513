"""A warm parent, seen from the referee: started once for a lesson, it forks a worker when asked."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess

from lib.grading import sandbox, sandbox_stage

COMPILING = 30.0  # CPU seconds more for a call where numba has nothing compiled yet


class Trouble(RuntimeError):
    """The grader itself failed, not the answer: try again."""


class Warm:
    """A warm parent, and the sockets to it."""

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

    def fork(self, limits: sandbox.Limits) -> tuple[socket.socket, socket.socket]:
        """A new worker: the socket to its guard, and the socket to itself."""
        nobody = self.boxed or sandbox.nobody_can_read()
        status, their_status = socket.socketpair()
        answer, their_answer = socket.socketpair()
        with their_status, their_answer:
            try:
                handles = [their_status.fileno(), their_answer.fileno()]
                socket.send_fds(self.control, [b"f"], handles)
                status.sendall(json.dumps({**limits.as_dict(), "nobody": nobody}).encode() + b"\n")
            except OSError as error:  # it may also end between the two
                status.close()
                answer.close()
                raise Trouble(f"the warm parent has gone: {error}") from error
        return status, answer

    def close(self) -> None:
        """End it and all its workers."""
        self.control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(2)
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        shutil.rmtree(self.stage, ignore_errors=True)
