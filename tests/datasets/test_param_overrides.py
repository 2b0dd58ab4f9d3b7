from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

import pytest

from dot_task import DotTask
from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.datasets.param_overrides import override_params, parse_overrides


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


class ManyParamsTask(DotTask):
    params_type = Many
    difficulties: ClassVar = {"easy": Many(), "hard": Many(size=9)}


TASK: Any = ManyParamsTask()


def test_values_override_single_params_of_a_preset() -> None:
    assert override_params(TASK) == Many()
    assert override_params(TASK, "hard", {}) == Many(size=9)
    values = {"share": 1, "pair": [4, 20], "names": ["b", "c"], "kind": "tree", "limit": 5, "loud": True}
    assert override_params(TASK, "hard", values) == Many(9, 1.0, (4, 20), ("b", "c"), "tree", 5, True)
    assert override_params(TASK, "hard", {"limit": None}).limit is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("size", "3"), ("size", 3.5), ("size", True), ("share", "half"), ("pair", [1]), ("pair", [1, "2"]),
        ("names", "abc"), ("names", [1]), ("kind", "bush"), ("limit", "x"), ("loud", 1),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"dot: {name}=.* is not of the type"):
        override_params(TASK, None, {name: value})


def test_unknown_params_and_impossible_values_are_refused() -> None:
    with pytest.raises(UnknownName, match="no param of dot 'sise'; did you mean 'size'"):
        override_params(TASK, None, {"sise": 3})
    with pytest.raises(UsageError, match="at least 1"):
        override_params(TASK, None, {"size": 0})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("size=5", 5), ("share=0.25", 0.25), ("share=1", 1), ("pair=(5, 8)", (5, 8)), ("pair=5,8", (5, 8)),
        ("pair=[5, 8]", [5, 8]), ("names=L1", ["L1"]), ("names=a, b", ["a", "b"]), ("names=('a', 'b')", ("a", "b")),
        ('names=["a"]', ["a"]), ("kind=tree", "tree"), ("kind='tree'", "tree"), ("limit=None", None),
        ("limit=null", None),
        ("limit=7", 7), ("loud=False", False), ("loud=true", True),
    ],
)  # fmt: skip
def test_text_is_read_by_the_type_of_the_param(text: str, value: Any) -> None:
    name = text.partition("=")[0]
    assert parse_overrides(TASK, [text]) == {name: value}
    override_params(TASK, None, parse_overrides(TASK, [text]))


def test_what_a_preset_prints_can_be_set() -> None:
    preset = Many(4, 0.75, (1, 2), ("x", "y"), "tree", 3, True)
    texts = [f"{field.name}={getattr(preset, field.name)}" for field in fields(Many)]
    assert override_params(TASK, None, parse_overrides(TASK, texts)) == preset


@pytest.mark.parametrize("text", ["size", "=3", ""])
def test_text_without_a_name_and_a_value_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not of the form NAME=VALUE"):
        parse_overrides(TASK, [text])


def test_text_that_does_not_fit_is_refused_with_the_type() -> None:
    with pytest.raises(UsageError, match=r"pair='5' is not of the type tuple\[int, int\]"):
        override_params(TASK, None, parse_overrides(TASK, ["pair=5"]))
