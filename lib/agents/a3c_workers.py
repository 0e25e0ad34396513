"""The processes of A3C: how they start, what they tell, and how they end.

Parent and workers talk through a `Ledger` of numbers in shared memory. Workers end when the budget
is used up, when the parent says so, and when the parent is gone or silent: whoever closes a
notebook in the middle of a training leaves no process behind.
"""

import contextlib
import multiprocessing
import signal
import time
import traceback
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any

import cloudpickle
import numpy as np
import torch
from torch import Tensor
from torch import multiprocessing as torch_processes

from lib.agents.actor_critic import Settings, between, new_games
from lib.agents.progress import WorkerDied

UPDATES, SECONDS, GAMES, SOLVED, PEGS = range(5)  # columns of the ledger, a row for each worker
STOP, BEAT = range(2)  # what the parent says
SILENCE = 20.0  # seconds without a word of the parent after which a worker ends


class Ledger:
    """What has been done so far, by whom, and how much there is to do; in shared memory."""

    def __init__(
        self,
        workers: int,
        most_updates: int | None,
        most_seconds: float | None,
        updates: int = 0,
        seconds: float = 0.0,
    ) -> None:
        self.rows = torch.zeros(workers, 5, dtype=torch.float64).share_memory_()
        self.orders = torch.zeros(2, dtype=torch.float64).share_memory_()
        self.most_updates, self.most_seconds = most_updates, most_seconds
        self.updates_before, self.seconds_before = updates, seconds

    @property
    def updates(self) -> int:
        """Of all workers, with those of earlier trainings."""
        return self.updates_before + int(self.rows[:, UPDATES].sum())

    @property
    def seconds(self) -> float:
        """CPU-seconds of all workers, with those of earlier trainings."""
        return self.seconds_before + float(self.rows[:, SECONDS].sum())

    def fraction(self) -> float:
        """How much of the training is over; from 1 on, all of it."""
        if self.most_updates is not None:
            return self.updates / max(1, self.most_updates)
        return self.seconds / max(1e-9, self.most_seconds or 0.0)

    def recent(self) -> dict[str, float]:
        """How the workers' last games from the usual start ended, as `Games.recent`."""
        rows = self.rows.numpy()
        games = rows[:, GAMES]
        if not games.sum():
            return {}
        shares = {"solved": rows[:, SOLVED], "pegs": rows[:, PEGS]}
        return {name: float(np.average(share, weights=games)) for name, share in shares.items()}

    def beat(self) -> None:
        """The parent is there."""
        self.orders[BEAT] = time.monotonic()

    def silent(self) -> bool:
        """Whether nobody has pulled at the training for long."""
        return time.monotonic() - float(self.orders[BEAT]) > SILENCE


@dataclass(frozen=True)
class Job:
    """All that a worker needs: functions by value, tensors in shared memory."""

    rank: int
    seed: tuple[int, ...]
    settings: Settings
    code: bytes
    tensors: tuple[list[Tensor], list[dict[str, Tensor]]]
    ledger: Ledger

    @classmethod
    def of(cls, rank: int, seed: tuple[int, ...], settings: Settings, code: Any, *rest: Any) -> Any:
        """The job with its functions packed; ValueError if one of them can't travel."""
        try:
            packed = cloudpickle.dumps(code)
        except Exception as error:
            raise ValueError(
                f"the network, learn, step or starts can't be sent to a worker ({error}): let them "
                "use plain functions and data only, no open files, widgets or locks"
            ) from error
        return cls(rank, seed, settings, packed, *rest)


def work(job: Job, parent: Connection) -> None:
    """The life of a worker process; what goes wrong is told through the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the Stop button is for the parent
    torch.set_num_threads(1)
    try:
        live(job)
    except BaseException as error:
        words = "".join(traceback.format_exception_only(error)).strip()
        with contextlib.suppress(OSError):
            parent.send(f"{words}\n{traceback.format_exc()}")
        raise SystemExit(1) from None


def live(job: Job) -> None:
    """Round after round until the budget is used up or nobody wants more."""
    from lib.agents.a3c import SharedAdam

    make, learn, step, starts = cloudpickle.loads(job.code)
    settings, ledger, row = job.settings, job.ledger, job.ledger.rows[job.rank].numpy()
    shared, own = make(), make()
    for parameter, tensor in zip(shared.parameters(), job.tensors[0], strict=True):
        parameter.data = tensor
    optimizer = SharedAdam(shared.parameters())
    optimizer.attach(job.tensors[1])
    games = new_games(settings, np.random.default_rng(job.seed), starts=starts)
    begun = time.process_time() - row[SECONDS]
    while (fraction := ledger.fraction()) < 1 and wanted(ledger):
        optimizer.param_groups[0]["lr"] = between(settings.alpha, settings.alpha_end, fraction)
        told = partial(learn, games=games, settings=settings, fraction=fraction)
        step(shared, own, optimizer, told)
        row[UPDATES] += 1
        row[SECONDS] = time.process_time() - begun
        if figures := games.recent():
            row[GAMES:] = len(games.pegs_left), figures["solved"], figures["pegs"]


def wanted(ledger: Ledger) -> bool:
    """Whether the parent is there and has not said stop."""
    parent = multiprocessing.parent_process()
    alive = parent is None or parent.is_alive()
    return alive and not ledger.orders[STOP] and not ledger.silent()


class Crew:
    """The worker processes of one training; they start when they are first asked for."""

    def __init__(self, jobs: list[Job], ledger: Ledger, start: str) -> None:
        self.jobs, self.ledger = jobs, ledger
        self.context: Any = torch_processes.get_context(start)
        self.members: list[tuple[Any, Connection]] = []

    def working(self, seconds: float) -> bool:
        """Wait that long; False once all the work is done. WorkerDied if a worker failed."""
        until = time.monotonic() + seconds
        self.ledger.beat()
        while self.ledger.fraction() < 1:
            if not self.members:
                self._hire()
            left = until - time.monotonic()
            ended = wait([process.sentinel for process, _ in self.members], max(0.0, left))
            self.ledger.beat()
            if ended:
                self._look_after()
            elif left <= 0:
                return True
        return False

    def _hire(self) -> None:
        for job in self.jobs:
            ours, theirs = self.context.Pipe(duplex=False)
            process = self.context.Process(target=work, args=(job, theirs), daemon=True)
            process.start()
            theirs.close()
            self.members.append((process, ours))

    def _look_after(self) -> None:
        """Raise if someone died; those who left because nobody asked for more are replaced."""
        for rank, (process, pipe) in enumerate(self.members):
            if process.exitcode:
                said = _read(pipe) or _guess(process.exitcode)
                raise WorkerDied(f"Worker {rank + 1} of {len(self.members)} died: {said}")
        if self.ledger.fraction() < 1 and all(p.exitcode == 0 for p, _ in self.members):
            self.dismiss()
            self.ledger.orders[STOP] = 0.0

    def dismiss(self) -> None:
        """End all workers, whatever they are doing."""
        self.ledger.orders[STOP] = 1.0
        for process, _ in self.members:
            process.join(2)
        for process, pipe in self.members:
            if process.is_alive():
                process.kill()
            process.join()
            process.close()
            pipe.close()
        self.members = []


def _read(pipe: Connection) -> str:
    with contextlib.suppress(EOFError, OSError):
        if pipe.poll():
            return str(pipe.recv())
    return ""


def _guess(exitcode: int) -> str:
    hint = ": often a lack of memory" if exitcode == -9 else ""
    return f"it ended with exit code {exitcode}{hint}."
