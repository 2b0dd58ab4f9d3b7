"""The memory of a process that fuzzes is measured in campaigns, where it does nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fuzzing import IS_CAMPAIGN, MOST_MB


@pytest.fixture(autouse=True)
def bounded_memory(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    if IS_CAMPAIGN and "fuzzed" in request.node.name:
        peak = int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) // 1024
        print(f"at most {peak} MB so far")
        assert peak <= MOST_MB, f"{peak} MB; the limit is {MOST_MB}"
