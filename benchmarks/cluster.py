"""Cluster: what Ray adds to the grading of a class, beside several processes of one machine."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.graders import tree
from benchmarks.measure import Effort
from benchmarks.parts import Bar, Found, Part, Row, Table

STUDENTS = {"normal": 40, "full": 200}
LONGER = ("normal", "full")  # a cluster alone takes some 20 seconds to start


def graded(students: int, **where: Any) -> float:
    """CPU-seconds a submission of lesson 2, past start-up: from the first quarter of a class on."""
    from lib.grading.classroom_run import Run, Settings
    from lib.grading.sample import sample_class

    marks: dict[int, float] = {}

    def note(done: int, total: int) -> None:
        if done in (total // 4, total):
            marks[done] = tree(os.getpid())

    with tempfile.TemporaryDirectory() as name:
        folder = sample_class(Path(name) / "submissions", 2, students)
        Run(Settings(folder, Path(name) / "grades", 2, seed=7)).grade(progress=note, **where)
    (first, begun), (last, ended) = sorted(marks.items())
    return (ended - begun) / (last - first)


def here(effort: Effort) -> Found:
    """Two processes of this machine."""
    return {"values": [graded(STUDENTS[effort.mode], jobs=2)]}


def on_ray(effort: Effort) -> Found:
    """Two nodes of a processor each, on this machine; Ray's own processes count."""
    with cluster_here() as cluster:
        cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        return {"values": [graded(STUDENTS[effort.mode], ray=cluster.address)]}


@contextmanager
def cluster_here(tries: int = 4) -> Iterator[Any]:
    """A connected cluster of one node, to which others can be added; the tests use it too.

    Ray gives a node 30 seconds to start: too few on a busy machine.
    """
    import ray
    from ray.cluster_utils import Cluster

    for left in reversed(range(tries)):
        try:
            made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
            break
        except Exception as error:
            if not left or "timed out during startup" not in str(error):
                raise
    ray.init(address=made.address, logging_level="ERROR", log_to_driver=False)
    try:
        yield made
    finally:
        ray.shutdown()
        made.shutdown()


def rows(*named: tuple[str, Callable[[Effort], Found]]) -> tuple[Row, ...]:
    """Rows of the longer kinds of run."""
    return tuple(Row(name, run, modes=LONGER) for name, run in named)


TABLES = {
    "grading": Table(
        "Grading a class of lesson 2 past one machine",
        "CPU-seconds a submission past start-up, all processes",
        rows(("--jobs 2", here), ("--ray, two nodes", on_ray)),
        in_turns=True,
    )
}
BARS = (
    Bar(
        "Grading on Ray: cost beside --jobs",
        "grading",
        "--ray, two nodes",
        over="--jobs 2",
        at_most=1.3,
    ),
)
PART = Part("cluster", "Cluster", TABLES, BARS)
