"""The warm parent: imports what a lesson's answers need, then forks a worker for each answer.

Started by exec with nothing of the course around it but a staged copy of what answers may import;
it stays single-threaded, holds no secret and never reads an answer: each worker gets its own
socket from the referee. Between the two stands a guard, which ends the worker in time.

    python warm.py '{"path": [...], "imports": ["numpy"], "modules": ["lib.games.tapnswap"]}'
"""

import contextlib
import gc
import importlib
import json
import os
import resource
import select
import signal
import socket
import sys
import time
import traceback
from typing import Any, NoReturn

import sandbox_inside

POLL = 0.25  # seconds between two looks at what a worker uses
# The system keeps each process to the memory allowed; the guard looks at all of them together. With
# some to spare, so that it is always the system that says no to one process, in the same words.
SPARE = 1.25
GRACE = 1.0  # seconds for a worker to end by itself when the referee has gone
UNWANTED = "no longer wanted"


def main(config: dict[str, Any]) -> None:
    """Import, say so, and fork a worker for each pair of sockets that arrives."""
    control = socket.socket(fileno=os.dup(0))
    _silence()
    try:
        _prepare(config)
    except BaseException:
        control.sendall(b"!" + traceback.format_exc()[-4000:].encode())
        return
    control.sendall(b"+")
    while True:
        word, handles, _, _ = socket.recv_fds(control, 1, 2)
        if not word or len(handles) != 2:
            return
        if os.fork() == 0:
            control.close()
            _guard(_socket(handles[0]), _socket(handles[1]), config)
        for handle in handles:
            os.close(handle)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:  # so that what they used counts as this one's
                pass


def _silence() -> None:
    """No input, no output: whatever an answer prints goes nowhere and costs nothing."""
    null = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2):
        os.dup2(null, handle)
    os.close(null)


def _prepare(config: dict[str, Any]) -> None:
    sys.path[:] = config["path"] + sys.path
    import worker  # noqa: F401  (every fork needs it)
    import worker_standins

    worker_standins.install()
    if "numba" in config["imports"]:
        worker_standins.numba_reads_only()
    for name in config["imports"]:
        importlib.import_module(name)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
        importlib.import_module("torch._dynamo")  # the first optimizer would: a second in each fork
    for name in config["modules"]:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # else the first collection in each fork would copy all of this


def _socket(handle: int) -> socket.socket:
    return socket.socket(fileno=handle)


def _guard(status: socket.socket, answer: socket.socket, config: dict[str, Any]) -> NoReturn:
    """Fork the worker, wait for its end, or bring it about; then tell the referee how it ended."""
    try:
        limits = json.loads(status.makefile("rb").readline())
        sandbox_inside.adopt_orphans()
        apart = sandbox_inside.own_processes(network=not config["boxed"])
        watch = Watch(status, limits)
        worker = os.fork()
        if worker == 0:
            status.close()
            watch.close()
            _work(answer, limits, config["boxed"], apart)
        answer.close()
        report = watch.until_end(worker)
        own = resource.getrusage(resource.RUSAGE_SELF)
        report["guard"] = own.ru_utime + own.ru_stime
        with contextlib.suppress(OSError):
            status.sendall(json.dumps(report).encode() + b"\n")
    finally:
        os._exit(0)


def _work(answer: socket.socket, limits: dict[str, Any], boxed: bool, apart: bool) -> NoReturn:
    """The worker: give up all rights, then run the answer for the referee."""
    code = sandbox_inside.CUT_OFF
    import worker

    try:
        os.setsid()
        try:
            done = sandbox_inside.enter(limits, boxed, apart)
        except OSError as error:
            worker.refuse(answer, f"a worker could not be shut in: {error}")
        else:
            worker.serve(answer, done)
            code = 0
    finally:
        os._exit(code)


class Watch:
    """Looks at a worker and all its descendants from outside, and ends them when it must."""

    def __init__(self, status: socket.socket, limits: dict[str, Any]) -> None:
        self.status = status
        self.limits = limits
        self.reason = ""
        self.cap: float | None = None  # CPU seconds at which the present call is ended
        self.usual = _resident("self")  # what any fork of the warm parent seems to use
        self.wake, wake = socket.socketpair()
        for end in (self.wake, wake):
            end.setblocking(False)
        self._wake = wake
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)

    def close(self) -> None:
        """Forget all that, in the worker."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self.wake.close()
        self._wake.close()

    def until_end(self, worker: int) -> dict[str, Any]:
        """Wait; then the exit status, why it was ended if it was, and what it used."""
        start, peak = time.monotonic(), 0.0
        while True:
            found, status, usage = os.wait4(worker, os.WNOHANG)
            if found:
                break
            ready, _, _ = select.select([self.wake, self.status], [], [], POLL)
            if self.wake in ready:
                with contextlib.suppress(OSError):
                    self.wake.recv(4096)
            if self.status in ready:
                self._hear()
            if not ready:
                peak = max(peak, self._look(time.monotonic() - start))
            if self.reason:
                if self.reason == UNWANTED:  # it may be ending: how, is said by its own status
                    select.select([self.wake], [], [], GRACE)
                os.kill(worker, signal.SIGKILL)
                _, status, usage = os.wait4(worker, 0)
                break
        self._sweep()
        cpu = usage.ru_utime + usage.ru_stime
        return {"status": status, "reason": self.reason, "cpu": cpu, "memory": peak}

    def _hear(self) -> None:
        """The referee caps the present call, lifts the cap, asks what was used, or has gone."""
        data = self.status.recv(4096)
        if not data:
            self.reason = UNWANTED
        for line in data.splitlines():
            word = json.loads(line)
            used = usage_of(os.getpid(), 0)[0]
            if "used" in word:
                self.status.sendall(json.dumps({"used": used}).encode() + b"\n")
            else:
                self.cap = None if word["cpu"] is None else word["cpu"] + used

    def _look(self, elapsed: float) -> float:
        """Compare what is used with the limits; the memory used, in MB."""
        cpu, memory = usage_of(os.getpid(), self.usual)
        if memory > SPARE * self.limits["memory"]:
            self.reason = "memory"
        elif len(_descendants(os.getpid())) > self.limits["processes"]:
            self.reason = "processes"
        elif elapsed > self.limits["wall"]:
            self.reason = "wall"
        elif cpu > self.limits["total"] or (self.cap is not None and cpu > self.cap):
            self.reason = "cpu"
        return memory

    def _sweep(self) -> None:
        """End what the worker left behind; with processes of its own, nothing can be left."""
        for _ in range(100):
            left = _descendants(os.getpid())
            if not left:
                return
            for pid in left:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            time.sleep(0.01)


def usage_of(parent: int, usual: float) -> tuple[float, float]:
    """CPU seconds and MB that all descendants of a process use, MB beyond the usual of each."""
    tick = os.sysconf("SC_CLK_TCK")
    cpu = memory = 0.0
    for fields in _descendants(parent).values():
        cpu += sum(map(int, fields[11:15])) / tick
        memory += max(0.0, int(fields[21]) * resource.getpagesize() / 2**20 - usual)
    return cpu, memory


def _descendants(parent: int) -> dict[int, list[str]]:
    """/proc/PID/stat, after the name, of every living descendant; {} where there is no /proc."""
    stats: dict[int, list[str]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat") as file:
                stats[int(name)] = file.read().rpartition(")")[2].split()
    family, grown = {parent}, True
    while grown:
        more = {pid for pid, fields in stats.items() if int(fields[1]) in family} - family
        family |= more
        grown = bool(more)
    return {pid: stats[pid] for pid in family - {parent} if stats[pid][0] != "Z"}


def _resident(pid: str) -> float:
    """MB in memory of a process; 0 where there is no /proc."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20
    return 0.0


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
