"""A Ray cluster of two nodes on this machine, whose second node can be killed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parent.parent
"""Processes of the cluster import what tests define."""
NODE = {"object_store_memory": 100 << 20, "include_dashboard": False}


class TwoNodes:
    """A head with one processor, and a node with two."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        os.environ["PYTHONPATH"] = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
        self._cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **NODE})
        self.second: Any = None
        self.add_second()

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def add_second(self) -> None:
        """Add the second node, unless it is there. Its GPUs exist on paper only."""
        if self.second is None:
            self.second = self._cluster.add_node(num_cpus=2, num_gpus=2, **NODE)
            self._cluster.wait_for_nodes()

    def kill_second(self) -> None:
        """Kill the second node with everything that runs on it."""
        self._cluster.remove_node(self.second, allow_graceful=False)
        self.second = None

    def shutdown(self) -> None:
        self._cluster.shutdown()


@pytest.fixture(scope="session")
def two_nodes() -> Iterator[TwoNodes]:
    nodes = TwoNodes()
    yield nodes
    nodes.shutdown()


@pytest.fixture
def cluster(two_nodes: TwoNodes) -> TwoNodes:
    two_nodes.add_second()
    return two_nodes
