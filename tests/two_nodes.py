"""A Ray cluster of two machines, both on this one: two raylets of one core each. The second can be killed."""

from contextlib import contextmanager

import pytest

QUIET = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
"""Ray opens sockets and files of its own and warns of its own plans."""


class TwoNodes:
    """Two nodes, the first with the head."""

    def __init__(self):
        from ray.cluster_utils import Cluster

        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        self.second = self.cluster.add_node(num_cpus=1)
        self.cluster.wait_for_nodes()
        self.address = self.cluster.address

    def kill_second(self):
        """As if its plug were pulled; only once."""
        if self.second is not None:
            second, self.second = self.second, None
            self.cluster.remove_node(second, allow_graceful=False)


@contextmanager
def two_nodes():
    """A cluster for the block."""
    nodes = TwoNodes()
    try:
        yield nodes
    finally:
        import ray

        ray.shutdown()
        nodes.cluster.shutdown()
