"""Where independent work runs: in this process, in several processes, or on a Ray cluster.

    for index, result in run(tasks, function, jobs=4):
        results[index] = result

`function(task)` must depend on nothing but its task; then results are the same wherever they ran.
A process or a cluster node that dies costs time, not results: its task runs again elsewhere, and
each result is delivered once. Functions and tasks travel by value (cloudpickle), so that they may
be defined in a notebook. What a task raises is raised here.
"""

import contextlib
import functools
import json
import multiprocessing
import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TypeVar

import cloudpickle

Task = TypeVar("Task")
Result = TypeVar("Result")
Report = Callable[[int, int], object]  # called with how many tasks are done, and of how many

RETRIES = 3  # how often a task may lose its process before we give up on it


class Lost(RuntimeError):
    """A task that ended every process it ran in, or a cluster without a usable node."""


def run(
    tasks: Sequence[Task],
    function: Callable[[Task], Result],
    jobs: int = 1,
    ray: str | None = None,
    progress: Report | str | None = None,
    *,
    fit: Callable[[], str] | None = None,
) -> Generator[tuple[int, Result], None, None]:
    """Yield (index, function(task)) as results come: run([3, 4], f) -> (0, f(3)), (1, f(4)).

    `jobs` processes on this machine (0: one per core), or the Ray cluster at `ray` ("auto" or an
    address). `progress` is called with (done, total), or names the unit of a bar: "games". On a
    cluster `fit()` says, on each node, why that node can't be used ("" if it can).
    """
    if jobs < 0:
        raise ValueError(f"jobs={jobs}: give 1 or more processes, or 0 for one per core")
    tasks = list(tasks)
    if ray is not None:
        from lib.parallel_ray import on_ray

        results = on_ray(tasks, function, ray, fit)
    elif jobs == 1:
        results = ((index, function(task)) for index, task in enumerate(tasks))
    else:
        results = _in_processes(tasks, function, min(jobs or os.cpu_count() or 1, len(tasks)))
    return _reported(results, len(tasks), progress)


def gather(tasks: Sequence[Task], function: Callable[[Task], Result], **where: Any) -> list[Result]:
    """The results in the order of the tasks: gather([3, 4], f, jobs=2) -> [f(3), f(4)]."""
    return [result for _, result in sorted(run(tasks, function, **where), key=lambda pair: pair[0])]


def kept(
    path: str | Path,
    key: str,
    tasks: Sequence[Task],
    function: Callable[[Task], Result],
    **where: Any,
) -> Generator[tuple[int, Result], None, None]:
    """`run`, with each result (plain data) written to `path`: a second call only does the rest.

    `key` says what the tasks are; lines of another key in the file are left alone.
    """
    path = Path(path)
    done = _read_kept(path, key)
    yield from done.items()
    left = [index for index in range(len(tasks)) if index not in done]
    if not left:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for position, result in run([tasks[index] for index in left], function, **where):
            plain = json.dumps(result)
            entry = f'{{"key": {json.dumps(key)}, "index": {left[position]}, "result": {plain}}}'
            file.write(f"\n{entry}\n")  # an unfinished line before us stays a line of its own
            file.flush()
            yield left[position], json.loads(plain)


def _read_kept(path: Path, key: str) -> dict[int, Any]:
    """The results of `key` in the file, by index; a line cut short by an interrupt is skipped."""
    done: dict[int, Any] = {}
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            entry = json.loads(line)
            if entry["key"] == key:
                done.setdefault(entry["index"], entry["result"])
    return done


def _reported(
    results: Generator[tuple[int, Result], None, None], total: int, progress: Report | str | None
) -> Generator[tuple[int, Result], None, None]:
    """Pass results on, telling `progress` after each."""
    with contextlib.closing(results), reporting(total, progress) as report:
        for done, pair in enumerate(results, start=1):
            report(done, total)
            yield pair


@contextlib.contextmanager
def reporting(total: int, progress: Report | str | None) -> Iterator[Report]:
    """`progress` as a function of (done, total); a string becomes a bar with the time left."""
    if isinstance(progress, str):
        from tqdm.auto import tqdm

        with tqdm(total=total, unit=f" {progress}") as bar:
            yield lambda done, _: bar.update(done - bar.n)
    else:
        yield progress or (lambda done, total: None)


def attempt(function: bytes, task: bytes) -> bytes:
    """Run a pickled task; its pickled result as (True, result), or (False, what it raised)."""
    try:
        return cloudpickle.dumps((True, _loaded(function)(cloudpickle.loads(task))))
    except Exception as error:
        error.add_note("where the task ran:\n" + traceback.format_exc())
        try:
            answer = cloudpickle.dumps((False, error))
            cloudpickle.loads(answer)
        except Exception:  # an exception that can't travel: its text can
            answer = cloudpickle.dumps((False, RuntimeError("\n".join(error.__notes__))))
        return answer


@functools.lru_cache(maxsize=1)
def _loaded(function: bytes) -> Callable[[Any], Any]:
    """The unpickled function, unpickled once per process."""
    return cloudpickle.loads(function)


def opened(answer: bytes) -> Any:
    """The result in an answer of `attempt`; what the task raised is raised."""
    fine, result = cloudpickle.loads(answer)
    if not fine:
        raise result
    return result


def _serve(connection: Connection) -> None:
    """The life of a worker process: the function first, then task after task until EOF."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
    for threads in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(threads, "1")
    # Daemonic, so that we go when the parent goes, yet with processes of our own where needed.
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
    with contextlib.suppress(EOFError, OSError):
        function = connection.recv_bytes()
        while True:
            connection.send_bytes(attempt(function, connection.recv_bytes()))


@dataclass
class _Worker:
    """A process of ours and the task it has, if any."""

    process: Any
    connection: Connection
    task: int | None = None


def _hire(function: bytes) -> _Worker:
    """A fresh process that knows the function; spawned, since forking after threads may hang."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    theirs.close()  # so that its death is the end of the file here
    with contextlib.suppress(OSError):  # if it is dead already, the first task will find out
        ours.send_bytes(function)
    return _Worker(process, ours)


def _dismiss(worker: _Worker) -> int | None:
    """End a process, whatever it is doing; its exit code."""
    worker.connection.close()
    if worker.task is None:  # it has nothing to do, and may tidy up
        worker.process.join(5)
    worker.process.terminate()
    worker.process.join(5)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()
    code = worker.process.exitcode
    worker.process.close()
    return code


def _in_processes(
    tasks: Sequence[Any], function: Callable[[Any], Any], jobs: int
) -> Generator[tuple[int, Any], None, None]:
    """Hand each idle process one task at a time; a task whose process died goes to a new one."""
    code = cloudpickle.dumps(function)
    waiting = deque(range(len(tasks)))
    losses = [0] * len(tasks)
    crew: list[_Worker] = []
    try:
        while waiting or any(worker.task is not None for worker in crew):
            idle = [worker for worker in crew if worker.task is None]
            while waiting and (idle or len(crew) < jobs):
                if not idle:
                    crew.append(_hire(code))
                    idle.append(crew[-1])
                _give(idle.pop(), waiting.popleft(), tasks)
            for worker in _ready(crew):
                index = worker.task
                assert index is not None
                worker.task = None
                answer = _answer(worker)
                if answer is None:
                    crew.remove(worker)
                    _count_loss(losses, index, _dismiss(worker))
                    waiting.appendleft(index)
                else:
                    yield index, opened(answer)
    finally:
        for worker in crew:
            _dismiss(worker)


def _give(worker: _Worker, index: int, tasks: Sequence[Any]) -> None:
    """Send a task; a process that is already dead is found by `_ready`."""
    worker.task = index
    with contextlib.suppress(OSError):
        worker.connection.send_bytes(cloudpickle.dumps(tasks[index]))


def _ready(crew: list[_Worker]) -> list[_Worker]:
    """Those of the busy workers that answered or died; waits for the first."""
    busy = [worker for worker in crew if worker.task is not None]
    ends = wait([end for w in busy for end in (w.connection, w.process.sentinel)])
    return [w for w in busy if w.connection in ends or w.process.sentinel in ends]


def _answer(worker: _Worker) -> bytes | None:
    """What a ready worker sent; None if it died (also when a child of its keeps the pipe open)."""
    with contextlib.suppress(EOFError, OSError):
        if worker.connection.poll():
            return worker.connection.recv_bytes()
    return None


def _count_loss(losses: list[int], index: int, exit_code: int | None) -> None:
    """Note that a task lost its process; `Lost` when that happened too often."""
    losses[index] += 1
    if losses[index] > RETRIES:
        raise Lost(
            f"task {index} ended its process {losses[index]} times (last exit code {exit_code}; "
            "-9 is often a lack of memory): run it with jobs=1 to see why"
        )
