"""A real two-node Ray cluster on this machine; only where the optional extra is installed."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

from benchmarks.cluster import cluster_here
from lib import parallel
from lib.grading import sandbox
from lib.parallel_ray import course_version, usable_nodes

pytest.importorskip("ray", reason="Ray is an optional extra: pip install -e .[cluster]")
pytestmark = pytest.mark.slow
cloudpickle.register_pickle_by_value(sys.modules[__name__])


def slow_square(number: int) -> int:
    time.sleep(0.05)
    return number * number


def refuse(number: int) -> int:
    raise ValueError(f"{number} is refused")


def only_the_head() -> str:
    import ray

    resources = ray.nodes()
    mine = ray.get_runtime_context().get_node_id()
    head = next(n for n in resources if "node:__internal_head__" in n["Resources"])
    return "" if head["NodeID"] == mine else "it is not the head"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with cluster_here() as made:
        yield made


def test_a_node_that_goes_costs_no_result(cluster: Any) -> None:
    extra = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    results = []
    for pair in parallel.run(range(60), slow_square, ray=cluster.address):
        results.append(pair)
        if len(results) == 15:
            cluster.remove_node(extra, allow_graceful=False)
    assert sorted(results) == [(n, n * n) for n in range(60)]


def test_what_a_task_raises_is_raised_here(cluster: Any) -> None:
    with pytest.raises(ValueError, match="4 is refused"):
        parallel.gather([4], refuse, ray=cluster.address)


def test_unfit_nodes_are_named_and_not_used(cluster: Any) -> None:
    import ray

    extra = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    try:
        with pytest.warns(UserWarning, match="is not used: it is not the head"):
            nodes = usable_nodes(ray, only_the_head)
        assert len(nodes) == 1
        assert len(usable_nodes(ray)) == 2
        used = lambda _: ray.get_runtime_context().get_node_id()  # noqa: E731
        with pytest.warns(UserWarning, match="is not the head"):
            seen = parallel.gather(range(8), used, ray=cluster.address, fit=only_the_head)
        assert set(seen) == set(nodes)
    finally:
        cluster.remove_node(extra)


def test_a_node_without_bubblewrap_is_named_and_not_used(cluster: Any, tmp_path: Path) -> None:
    import ray

    extra = cluster.add_node(num_cpus=1, env_vars={"PATH": str(tmp_path)})
    cluster.wait_for_nodes()
    try:
        with pytest.warns(UserWarning, match="can.t be shut in there: bubblewrap"):
            nodes = usable_nodes(ray, sandbox.fit)
        assert extra.node_id not in nodes
    finally:
        cluster.remove_node(extra)


def test_nodes_with_another_version_are_named_and_not_used(
    cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lib.parallel_ray.course_version", lambda: "a newer one")
    with (
        pytest.warns(UserWarning, match="is not used: it has another version of the course"),
        pytest.raises(parallel.Lost, match="no node of the Ray cluster can be used"),
    ):
        parallel.gather([4], slow_square, ray=cluster.address)


def test_the_version_changes_with_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lib import parallel_ray

    here = course_version()
    (tmp_path / "game.py").write_text("x = 1")
    monkeypatch.setattr(parallel_ray, "__file__", str(tmp_path / "parallel_ray.py"))
    other = course_version()
    (tmp_path / "game.py").write_text("x = 2")
    assert len({here, other, course_version()}) == 3


def test_benchmarks_run_there_too(cluster: Any, tmp_path: Path) -> None:
    from benchmarks import runs
    from benchmarks.parts import Part, Row, Table

    row = Row("a", lambda effort: {"values": [float(os.getpid())]})
    part = Part("made", "Made up", {"t": Table("A table", "u", (row,))}, spreads=True)
    run = runs.open_run("quick", list(part.tasks("quick")), tmp_path)
    list(runs.measure(run, [part], ray=cluster.address))
    assert run.finished and run.results["made/t/a"]["values"] != [os.getpid()]
