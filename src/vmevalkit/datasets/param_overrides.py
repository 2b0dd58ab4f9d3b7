"""Params of a dataset: a preset with single values replaced, as Python values or as text from a command line."""

from __future__ import annotations

import ast
import json
import types
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from vmevalkit.core.errors import UnknownName, UsageError
from vmevalkit.core.jsonable import from_json, to_json
from vmevalkit.tasks.task import AnyTask

_SEQUENCES = (tuple, list, frozenset, set)


def override_params(task: AnyTask, difficulty: str | None = None, values: Mapping[str, Any] | None = None) -> Any:
    """Return the params of a preset with ``values`` in place of some. Lists stand for tuples, as in JSON."""
    preset = task.preset(difficulty)
    if not values:
        return preset
    hints = _hints(task, values)
    for name, value in values.items():
        if not _fits(hints[name], value):
            raise UsageError(f"{task.name}: {name}={value!r} is not of the type {_describe(hints[name])}")
    return from_json(task.params_type, {**to_json(preset), **values})


def parse_overrides(task: AnyTask, texts: Iterable[str]) -> dict[str, Any]:
    """Return the values of texts like ``grid_n=5``.

    A value may be written as JSON, as ``vmevalkit tasks`` prints it (``(5, 8)``, ``False``), or plainly (``5,8``,
    ``L1``): the type of the param decides.
    """
    pairs = [split_override(text) for text in texts]
    hints = _hints(task, [name for name, _ in pairs])
    return {name: _parse(hints[name], text) for name, text in pairs}


def split_override(text: str) -> tuple[str, str]:
    """Split ``NAME=VALUE``. Raises UsageError where it is not of that form."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UsageError(f"--set {text!r} is not of the form NAME=VALUE, such as grid_n=5")
    return name.strip(), value.strip()


def _hints(task: AnyTask, names: Iterable[str]) -> dict[str, Any]:
    known = [field.name for field in fields(task.params_type)]
    for name in names:
        if name not in known:
            raise UnknownName(f"param of {task.name}", name, known)
    return get_type_hints(task.params_type)


def _parse(kind: Any, text: str) -> Any:
    """Return the first reading of the text that fits the type; the text itself where none does."""
    for candidate in _candidates(kind, text):
        if _fits(kind, candidate):
            return candidate
    return text


def _candidates(kind: Any, text: str) -> Iterable[Any]:
    for parse in (json.loads, ast.literal_eval):
        try:
            yield parse(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    yield text
    if get_origin(kind) in _SEQUENCES:
        parts = [part.strip().strip("'\"") for part in text.strip("()[]").split(",")]
        item = get_args(kind)[0]
        yield [_parse(item, part) for part in parts if part]


def _fits(kind: Any, value: Any) -> bool:
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return any(_fits(arm, value) for arm in args)
    if origin is Literal:
        return value in args
    if origin in _SEQUENCES:
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


def _describe(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind).replace("typing.", "")
