"""A Ray cluster that is lost in the middle of the work. Ray itself is not needed: its calls are replaced."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from vmevalkit.core.errors import SetupError
from vmevalkit.jobs.ray_executor import RayExecutor


class RayError(Exception):
    """The base of Ray's errors."""


def lose(*_: Any, **__: Any) -> Any:
    raise RayError("the raylet has died\nand more lines")


@pytest.mark.parametrize("lost", ["put", "cluster_resources", "wait"])
def test_a_lost_cluster_is_one_error_that_says_how_to_go_on(lost: str) -> None:
    remote = SimpleNamespace(remote=lambda *_: object())
    calls: dict[str, Any] = {
        "put": lambda value: value, "cluster_resources": lambda: {"CPU": 2.0}, "wait": lose,
        "remote": lambda **_: lambda _function: remote, "cancel": lose, "shutdown": lose,
        "is_initialized": lambda: True, "exceptions": SimpleNamespace(RayError=RayError, RayTaskError=KeyError),
    }  # fmt: skip
    executor = RayExecutor()
    executor._ray = SimpleNamespace(**{**calls, lost: lose})  # type: ignore[assignment]
    executor._is_owner = True
    with pytest.raises(SetupError, match=r"lost \(RayError: the raylet has died\).*it resumes"):
        executor.map(str, [1, 2, 3], lambda *_: None)
    executor.__exit__(None, None, None)
