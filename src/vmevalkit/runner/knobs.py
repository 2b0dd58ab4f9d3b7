"""Knobs from outside: a preset, and single values turned away from it."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.core.jsonable import from_json, to_json
from vmevalkit.tasks.task import AnyTask


def turned(task: AnyTask, difficulty: str | None = None, values: Mapping[str, Any] | None = None) -> Any:
    """The knobs of a preset with ``values`` in place of some. Values are as JSON has them: lists for tuples."""
    preset = task.preset(difficulty)
    if not values:
        return preset
    names = [field.name for field in fields(task.knobs_type)]
    hints = get_type_hints(task.knobs_type)
    for name, value in values.items():
        if name not in names:
            raise UnknownName(f"knob of {task.name}", name, names)
        if not _fits(hints[name], value):
            raise UsageError(f"{task.name}: {name}={value!r} is not of the kind {_words(hints[name])}")
    return from_json(task.knobs_type, {**to_json(preset), **values})


def _fits(kind: Any, value: Any) -> bool:
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return any(_fits(arm, value) for arm in args)
    if origin is Literal:
        return value in args
    if origin in (tuple, list, frozenset, set):
        if not isinstance(value, list | tuple):
            return False
        if origin is tuple and args[-1] is not Ellipsis:
            return len(args) == len(value) and all(_fits(arg, item) for arg, item in zip(args, value, strict=True))
        return all(_fits(args[0], item) for item in value)
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind is type(None):
        return value is None
    return not isinstance(kind, type) or isinstance(value, kind)


def _words(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind)
