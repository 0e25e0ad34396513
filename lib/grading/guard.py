"""A guard: between the referee and a worker, it forks the worker, watches it and ends it in time.

It outlives its workers, one after the other: each is a fork with processes of its own, and leaves
nothing behind. Of a notebook it reads only what the course itself wrote, never an answer. Stands
alone: a warm parent holds it.
"""

import contextlib
import gc
import json
import os
import resource
import select
import signal
import socket
import time
from typing import Any, NoReturn

import sandbox_inside
from sandbox_inside import UNWANTED

POLL = 0.25  # seconds between two looks at what a worker uses
# The system keeps each process to the memory allowed; the guard looks at all of them together. With
# some to spare, so that it is always the system that says no to one process, in the same words.
SPARE = 1.25
GRACE = 1.0  # seconds for a worker to end by itself when it is no longer wanted


def serve(line: socket.socket, boxed: bool) -> NoReturn:
    """A worker for each job that comes, and a word on how it ended; until the referee has gone."""
    try:
        sandbox_inside.adopt_orphans()
        home, watch, again = sandbox_inside.process_table(), Watch(line), True
        while again and (job := _next(line)):
            limits, answer = job
            _prepare(limits["cells"])
            apart = sandbox_inside.own_processes(network=not boxed)
            pid = os.fork()
            if pid == 0:
                line.close()
                watch.close()
                sandbox_inside.forget(home)
                _work(answer, limits, boxed, apart)
            answer.close()
            try:
                report = watch.until_end(pid, limits, apart)
            except BaseException:  # without a guard there is no worker
                os.kill(pid, signal.SIGKILL)
                raise
            again = apart and sandbox_inside.back_to(home)  # else something might be left behind
            with contextlib.suppress(OSError):
                line.sendall(json.dumps({**report, "again": again}).encode() + b"\n")
    finally:
        os._exit(0)


def _prepare(cells: list[str]) -> None:
    """Read those cells of the course that this guard has not read yet."""
    if cells:
        import worker_cells

        worker_cells.prepare(cells)
        gc.freeze()  # else the first collection in each fork would copy all of this


def _next(line: socket.socket) -> tuple[dict[str, Any], socket.socket] | None:
    """A worker's limits and the socket it answers on; None when the referee has gone."""
    data, handles = b"", list[int]()
    while not handles or not data.endswith(b"\n"):
        part, more, _, _ = socket.recv_fds(line, 4096, 1)
        if not part:
            return None
        data, handles = data + part, handles + more
    # before it may stand a question about the last worker, which had ended meanwhile
    return json.loads(data.splitlines()[-1]), socket.socket(fileno=handles[0])


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

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self.limits: dict[str, Any] = {}
        self.reason = ""
        self.cap: float | None = None  # CPU seconds at which the present call is ended
        self.usual = _resident("self")  # what any fork of the warm parent seems to use
        self.own = 0.0  # CPU seconds of the guard itself, up to the last worker's end
        self.wake, self._wake = socket.socketpair()
        for end in (self.wake, self._wake):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)

    def close(self) -> None:
        """Forget all that, in the worker."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self.wake.close()
        self._wake.close()

    def until_end(self, pid: int, limits: dict[str, Any], apart: bool) -> dict[str, Any]:
        """Wait; then the exit status, why it was ended if it was, and what it used."""
        self.limits, self.reason, self.cap = limits, "", None
        start, peak = time.monotonic(), 0.0
        due = start + POLL
        while not (ended := _ended(pid)):
            if self.reason:
                if self.reason == UNWANTED and (ended := self._patience(pid)):
                    self.reason = ""
                else:
                    os.kill(pid, signal.SIGKILL)
                    ended = os.wait4(pid, 0)
                break
            ready = self._wait([self.wake, self.line], due - time.monotonic())
            if (now := time.monotonic()) >= due:  # however often something is said meanwhile
                due, peak = now + POLL, max(peak, self._look(now - start))
            if self.line in ready:
                self._hear()
        if not apart:
            self._sweep()
        _, status, usage = ended
        cpu, before, self.own = usage.ru_utime + usage.ru_stime, self.own, time.process_time()
        found = {"status": status, "reason": self.reason, "cpu": cpu, "memory": peak}
        return {**found, "guard": self.own - before}

    def _patience(self, pid: int) -> Any:
        """How it ended, if it does so by itself: it may be about to."""
        end = time.monotonic() + GRACE
        while not (ended := _ended(pid)) and time.monotonic() < end:
            self._wait([self.wake], end - time.monotonic())
        return ended

    def _wait(self, ends: list[socket.socket], seconds: float) -> list[socket.socket]:
        """Those that have something to say, after so long at most."""
        ready, _, _ = select.select(ends, [], [], max(0.0, seconds))
        if self.wake in ready:
            with contextlib.suppress(OSError):
                self.wake.recv(4096)
        return ready

    def _hear(self) -> None:
        """The referee caps the call, lifts the cap, asks what was used, has enough, or has gone."""
        data = self.line.recv(4096)
        if not data:
            self.reason = UNWANTED
        for line in data.splitlines():
            word = json.loads(line)
            if "end" in word:
                self.reason = UNWANTED
            elif "used" in word:
                used = usage_of(os.getpid(), 0)[0]
                self.line.sendall(json.dumps({"used": used}).encode() + b"\n")
            elif word["cpu"] is None:
                self.cap = None
            else:
                self.cap = word["cpu"] + usage_of(os.getpid(), 0)[0]

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
        """End what a worker without processes of its own left behind."""
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


def _ended(pid: int) -> Any:
    """How a worker ended, as wait4 says it; None while it runs."""
    found = os.wait4(pid, os.WNOHANG)
    return found if found[0] else None


def usage_of(parent: int, usual: float) -> tuple[float, float]:
    """CPU seconds and MB that all descendants of a process use, MB beyond the usual of each."""
    tick = os.sysconf("SC_CLK_TCK")
    cpu = memory = 0.0
    for fields in _descendants(parent).values():
        cpu += sum(map(int, fields[11:15])) / tick
        memory += max(0.0, int(fields[21]) * resource.getpagesize() / 2**20 - usual)
    return cpu, memory


def _descendants(parent: int) -> dict[int, list[bytes]]:
    """/proc/PID/stat, after the name, of every living descendant; {} where there is no /proc."""
    stats: dict[int, list[bytes]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                # before the bracket stands a name, which may be any bytes
                stats[int(name)] = file.read().rpartition(b")")[2].split()
    family, grown = {parent}, True
    while grown:
        more = {pid for pid, fields in stats.items() if int(fields[1]) in family} - family
        family |= more
        grown = bool(more)
    return {pid: stats[pid] for pid in family - {parent} if stats[pid][0] != b"Z"}


def _resident(pid: str) -> float:
    """MB in memory of a process; 0 where there is no /proc."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20
    return 0.0
