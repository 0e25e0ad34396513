"""Independent work on a Ray cluster; `lib.parallel.run(..., ray=ADDRESS)` is the way in.

Ray schedules, retries what a dead node or process had, and brings results back. Added here: nodes
that lack this very version of the course (or what the caller needs) are named and not used.
"""

import contextlib
import hashlib
import socket
import sys
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import cloudpickle

from lib.parallel import RETRIES, Lost, attempt, opened

NODE = "ray.io/node-id"  # the label by which Ray names a node


def course_version() -> str:
    """A fingerprint of every file of `lib`: nodes with another one could give other results."""
    return fingerprint(Path(__file__).parent, "*")


def fingerprint(folder: Path, *patterns: str) -> str:
    """Of all such files below a folder: of their names and what is in them."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in patterns for path in folder.rglob(pattern)):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def on_ray(
    tasks: Sequence[Any],
    function: Callable[[Any], Any],
    address: str,
    fit: Callable[[], str] | None = None,
) -> Generator[tuple[int, Any], None, None]:
    """Yield (index, function(task)) as results come from the cluster at `address`."""
    _module()  # missing, it is named at once and not at the first result
    return _results(tasks, function, address, fit)


@contextlib.contextmanager
def joined(address: str) -> Iterator[Any]:
    """Ray, connected to the cluster at `address`; a connection that was there before stays."""
    ray = _module()
    ours = not ray.is_initialized()
    if ours:
        _connect(ray, address)
    try:
        yield ray
    finally:
        if ours:
            ray.shutdown()


def _module() -> Any:
    """Ray itself, or how to get it."""
    try:
        import ray
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"Ray is not installed: `{sys.executable} -m pip install -e '.[cluster]'` in the "
            "course's folder adds it; --jobs N (jobs=N) takes several processes of this machine"
        ) from error
    return ray


def _results(
    tasks: Sequence[Any],
    function: Callable[[Any], Any],
    address: str,
    fit: Callable[[], str] | None,
) -> Generator[tuple[int, Any], None, None]:
    """Keep a few tasks per processor under way on usable nodes, and pass on what they return."""
    under_way: dict[Any, int] = {}
    with joined(address) as ray:
        try:
            nodes = usable_nodes(ray, fit)
            remote = ray.remote(attempt).options(**on_nodes(nodes), max_retries=RETRIES)
            code = ray.put(cloudpickle.dumps(function))
            waiting = deque(range(len(tasks)))
            while waiting or under_way:
                while waiting and len(under_way) < 3 * ray.cluster_resources().get("CPU", 1):
                    index = waiting.popleft()
                    under_way[remote.remote(code, cloudpickle.dumps(tasks[index]))] = index
                ready, _ = ray.wait(list(under_way), timeout=10)
                if not ready:
                    _check_alive(ray, nodes)
                for reference in ready:
                    answer = _fetch(ray, reference, under_way[reference])
                    yield under_way.pop(reference), opened(answer)
        finally:
            for reference in under_way:
                ray.cancel(reference, force=True)


def _connect(ray: Any, address: str) -> None:
    """Join the cluster, or say how to start one."""
    host, _, port = address.rpartition(":")
    try:
        if port.isdigit() and "/" not in host:  # where nobody answers, Ray would try for minutes
            socket.create_connection((host, int(port)), 10).close()
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (OSError, ValueError, RuntimeError) as error:
        raise ValueError(
            f"no Ray cluster answers at {address!r}: start one with `ray start --head` (and "
            f"`ray start --address=HOST:6379` on further machines), then use ray='auto': {error}"
        ) from error


def on_nodes(nodes: list[str]) -> dict[str, Any]:
    """The options of a Ray task that may run on these nodes only, a processor each."""
    return {"num_cpus": 1, "label_selector": {NODE: f"in({','.join(nodes)})"}}


def usable_nodes(ray: Any, fit: Callable[[], str] | None = None) -> list[str]:
    """The nodes that have our version of the course and are `fit`; a warning names the others."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy as OnNode

    probe = ray.remote(_probe(course_version(), fit))
    alive = [node for node in ray.nodes() if node["Alive"]]
    asked = [
        probe.options(
            num_cpus=0, max_retries=0, scheduling_strategy=OnNode(node["NodeID"], soft=False)
        ).remote()
        for node in alive
    ]
    usable = []
    for node, reference in zip(alive, asked, strict=True):
        try:
            reason = ray.get(reference, timeout=120)
        except Exception as error:  # whatever it is, this node can't be used
            reason = f"it did not answer: {error}"
        if reason:
            name = f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})"
            warnings.warn(f"node {name} is not used: {reason}", stacklevel=2)
        else:
            usable.append(node["NodeID"])
    if not usable:
        raise Lost("no node of the Ray cluster can be used; the warnings above say why")
    return usable


def _probe(version: str, fit: Callable[[], str] | None) -> Callable[[], str]:
    """A function, sent by value, that says why the node it runs on can't be used ("" if it can)."""
    needed = cloudpickle.dumps(fit)

    def reason() -> str:
        try:
            from lib.parallel_ray import course_version
        except ImportError as error:
            return f"the course is not installed there ({error})"
        if course_version() != version:
            return "it has another version of the course"
        asked = cloudpickle.loads(needed)
        return asked() if asked else ""

    return reason


def _fetch(ray: Any, reference: Any, index: int) -> bytes:
    """A task's answer; `Lost` when every process that tried it died."""
    try:
        return ray.get(reference)
    except ray.exceptions.RayError as error:
        raise Lost(f"task {index} was lost after {RETRIES + 1} tries: {error}") from error


def _check_alive(ray: Any, nodes: list[str]) -> None:
    """`Lost` when all the nodes we may use have gone."""
    alive = {node["NodeID"] for node in ray.nodes() if node["Alive"]}
    if alive.isdisjoint(nodes):
        raise Lost("every usable node of the Ray cluster has gone: start nodes and run again")
