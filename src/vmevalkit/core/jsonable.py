"""Frozen dataclasses to JSON values and back, by their type hints."""

from __future__ import annotations

import dataclasses
import json
import types
from functools import lru_cache
from hashlib import sha256
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

_PLAIN = frozenset({int, float, str, bool, type(None)})


def to_json(value: Any) -> Any:
    """Plain dicts, lists and scalars; tuples become lists."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, tuple | list):
        return [item if type(item) in _PLAIN else to_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): to_json(item) for key, item in value.items()}
    if (names := _field_names(kind)) is not None:
        return {
            name: item if type(item) in _PLAIN else to_json(item) for name in names for item in (getattr(value, name),)
        }
    if isinstance(value, frozenset | set):
        return [to_json(item) for item in sorted(value)]
    return value


@lru_cache(maxsize=512)
def _field_names(kind: type) -> tuple[str, ...] | None:
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None


def from_json(kind: type[T], data: Any) -> T:
    """The record that ``to_json`` was given. Raises TypeError, ValueError or KeyError where the data do not fit."""
    record: T = _revive(kind, data)
    return record


def dumps(value: Any) -> str:
    """The JSON text of a record, with a fixed order of keys: two equal records have equal texts."""
    return json.dumps(to_json(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(value: Any) -> str:
    """A short name for the content of a record."""
    return sha256(dumps(value).encode()).hexdigest()[:16]


@lru_cache(maxsize=256)
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _revive(kind: Any, data: Any) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        if data is None:
            return None
        arms = [arm for arm in get_args(kind) if arm is not type(None)]
        return _revive(arms[0], data) if len(arms) == 1 else data
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = _hints(kind)
        fields = {f.name: f for f in dataclasses.fields(kind) if f.init}
        unknown = set(data) - set(fields)
        if unknown:
            raise ValueError(f"{kind.__name__} has no field {sorted(unknown)[0]!r}")
        return kind(**{name: _revive(hints[name], data[name]) for name in fields if name in data})
    if origin in (tuple, list, frozenset, set):
        args = get_args(kind)
        if origin is tuple and args and args[-1] is not Ellipsis:
            if len(args) != len(data):
                raise ValueError(f"expected {len(args)} items, got {len(data)}")
            return tuple(_revive(arg, item) for arg, item in zip(args, data, strict=True))
        items = (_revive(args[0], item) for item in data)
        return origin(items)
    if origin is dict:
        key_kind, item_kind = get_args(kind)
        return {key_kind(key): _revive(item_kind, item) for key, item in data.items()}
    if kind is float:
        return float(data)
    return data
