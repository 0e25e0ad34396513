"""A3C on a real Ray cluster: the same weights as on one machine, and a node that goes."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import pytest
import torch

from benchmarks.cluster import cluster_here
from lib.agents.a3c import A3C, WorkerDied, worker_step
from lib.agents.actor_critic import Settings

pytest.importorskip("ray", reason="Ray is an optional extra: pip install -e .[cluster]")
pytestmark = pytest.mark.slow
cloudpickle.register_pickle_by_value(sys.modules[__name__])
SMALL = Settings(width=16, games=8, steps=4)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with cluster_here() as made:
        yield made


def test_one_worker_learns_what_it_learns_on_one_machine(cluster: Any, tmp_path: Path) -> None:
    from lib.agents.a3c_ray import ClusterA3C

    here = A3C(SMALL, seed=3, workers=1, start="fork")
    there = ClusterA3C(SMALL, seed=3, workers=1, address=cluster.address)
    list(here.train(updates=40, report=0.2))
    told = list(there.train(updates=40, report=0.2))
    assert told[-1].done == 40 and there.updates == here.updates == 40 and there.seconds > 0
    assert all(map(torch.equal, here.network.parameters(), there.network.parameters()))
    for ours, theirs in zip(here.optimizer.tensors(), there.optimizer.tensors(), strict=True):
        assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    path = there.save(tmp_path / "a3c.pt")
    again = ClusterA3C.load(path, address=cluster.address)
    list(again.train(updates=50))
    assert again.updates >= 50 and float(again.optimizer.tensors()[0]["step"]) == again.updates


def test_a_node_that_goes_costs_time_and_no_update(cluster: Any) -> None:
    from lib.agents.a3c_ray import ClusterA3C

    extra = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    learner = ClusterA3C(SMALL, workers=2, address=cluster.address)
    gone = False
    for progress in learner.train(updates=4_000, report=0.2):
        if not gone and progress.metrics["working"] == 2:
            cluster.remove_node(extra, allow_graceful=False)
            gone = True
    assert gone and 4_000 <= learner.updates <= 4_001
    assert float(learner.optimizer.tensors()[0]["step"]) == learner.updates, "each counted once"


def test_what_a_worker_raises_is_said_and_the_weights_are_saved(
    cluster: Any, tmp_path: Path
) -> None:
    from lib.agents.a3c_ray import ClusterA3C

    calls: list[int] = []

    def broken(*args: Any) -> Any:
        calls.append(1)
        if len(calls) > 5:
            raise ZeroDivisionError("a student's mistake")
        return worker_step(*args)

    learner = ClusterA3C(SMALL, workers=1, step=broken, address=cluster.address)
    with pytest.raises(WorkerDied, match=r"ZeroDivisionError: a student's.*after 5 updates"):
        list(learner.train(seconds=600, save_to=tmp_path / "saved.pt"))
    assert A3C.load(tmp_path / "saved.pt").updates == 5
