"""A real Ray cluster on this machine, for the tests: one node, to which others can be added."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def cluster_here(tries: int = 4) -> Iterator[Any]:
    """A connected cluster; Ray gives a node 30 seconds to start, too few on a busy machine."""
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
