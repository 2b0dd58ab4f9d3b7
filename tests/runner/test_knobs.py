from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import pytest

from dot_task import DotTask
from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.runner.knobs import turned


@dataclass(frozen=True, slots=True)
class Many:
    size: int = 3
    share: float = 0.5
    pair: tuple[int, int] = (8, 9)
    names: tuple[str, ...] = ("a",)
    kind: Literal["snake", "tree"] = "snake"
    limit: int | None = None
    loud: bool = False

    def __post_init__(self) -> None:
        if self.size < 1:
            raise UsageError(f"size={self.size}: at least 1")


class Knobby(DotTask):
    knobs_type = Many
    difficulties: ClassVar = {"easy": Many(), "hard": Many(size=9)}


TASK: Any = Knobby()


def test_values_turn_single_knobs_of_a_preset() -> None:
    assert turned(TASK) == Many()
    assert turned(TASK, "hard", {}) == Many(size=9)
    values = {"share": 1, "pair": [4, 20], "names": ["b", "c"], "kind": "tree", "limit": 5, "loud": True}
    assert turned(TASK, "hard", values) == Many(9, 1.0, (4, 20), ("b", "c"), "tree", 5, True)
    assert turned(TASK, "hard", {"limit": None}).limit is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("size", "3"), ("size", 3.5), ("size", True), ("share", "half"), ("pair", [1]), ("pair", [1, "2"]),
        ("names", "abc"), ("names", [1]), ("kind", "bush"), ("limit", "x"), ("loud", 1),
    ],
)  # fmt: skip
def test_a_value_of_another_kind_is_refused(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"dot: {name}=.* is not of the kind"):
        turned(TASK, None, {name: value})


def test_unknown_knobs_and_impossible_values_are_refused() -> None:
    with pytest.raises(UnknownName, match="no knob of dot 'sise'; did you mean 'size'"):
        turned(TASK, None, {"sise": 3})
    with pytest.raises(UsageError, match="at least 1"):
        turned(TASK, None, {"size": 0})
