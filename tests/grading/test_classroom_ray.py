"""A class on a real two-node Ray cluster, one node removed in the middle: the same grades."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_class import grade, lesson91
from test_classroom import many, plain

from lib.grading import sandbox
from lib.grading.classroom_run import Run, Settings

pytest.importorskip("ray", reason="Ray is an optional extra: pip install -e .[cluster]")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(sandbox.why_not_boxed()), reason="nodes need bubblewrap"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    import ray
    from ray.cluster_utils import Cluster

    with lesson91():
        made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        ray.init(address=made.address, logging_level="ERROR", log_to_driver=False)
        yield made
        ray.shutdown()
        made.shutdown()


def test_a_node_that_goes_changes_no_grade(cluster: Any, tmp_path: Path) -> None:
    folder = many(tmp_path, 30)
    here = plain(grade(folder, out="here"))
    extra = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    places = (folder / "submissions", folder / "there", 91)
    run = Run(Settings(*places, seed=7, solutions=folder / "solutions"))

    def gone(done: int, total: int) -> None:
        if done == 10:
            cluster.remove_node(extra, allow_graceful=False)

    results = run.grade(ray=cluster.address, progress=gone)
    points = [sum(e["points"] for e in row["exercises"]) for row in results]
    assert [(r["student"], p, r["exercises"]) for r, p in zip(results, points, strict=True)] == here
