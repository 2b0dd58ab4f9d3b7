"""Conversion of frozen dataclasses to JSON values and back, by their type hints."""

from __future__ import annotations

import dataclasses
import json
import re
import types
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from vmevalkit.core.ranges import Range

T = TypeVar("T")

_STRICT = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
_PLAIN = frozenset({int, float, str, bool, type(None)})
_HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: bytes | str) -> Any:
    """Return the value of a JSON text that a file or another program gave. Raises ValueError for anything else.

    That includes what the json module lets through: lists nested too deeply, and halves of a character (a lone
    surrogate), which no file could be written with."""
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8-sig")
        value = json.loads(decoded)
        if _HALF_CHARACTER.search(decoded):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("a text in it has half a character (a lone surrogate)") from None
    return value


def to_json(value: Any) -> Any:
    """Return the value as plain dicts, lists and scalars; tuples become lists."""
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
    """Return the record that ``to_json`` was given. Raises TypeError, ValueError or KeyError for other data."""
    record: T = _decode(kind, data)
    return record


def dumps(value: Any) -> str:
    """Return the JSON text of a record with sorted keys: two equal records have equal texts."""
    return json.dumps(to_json(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(value: Any) -> str:
    """Return a short hash of a record's content."""
    return sha256(dumps(value).encode()).hexdigest()[:16]


@lru_cache(maxsize=256)
def _type_hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _decode(kind: Any, data: Any) -> Any:
    origin = get_origin(kind)
    if origin is Annotated:
        plain, *notes = get_args(kind)
        value = _decode(plain, data)
        for note in notes:
            if isinstance(note, Range):
                note.check(value)
        return value
    if origin in (Union, types.UnionType):
        if data is None:
            return None
        members = [member for member in get_args(kind) if member is not type(None)]
        return _decode(members[0], data) if len(members) == 1 else data
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        if not isinstance(data, Mapping):
            raise TypeError(f"{data!r} is not an object")
        hints = _type_hints(kind)
        fields = {f.name: f for f in dataclasses.fields(kind) if f.init}
        unknown = set(data) - set(fields)
        if unknown:
            raise ValueError(f"{kind.__name__} has no field {sorted(unknown)[0]!r}")
        return kind(**{name: _decode_field(hints, name, data[name]) for name in fields if name in data})
    if origin in (tuple, list, frozenset, set):
        args = get_args(kind)
        if not isinstance(data, list | tuple | set | frozenset):
            raise TypeError(f"{data!r} is not a list")
        if origin is tuple and args and args[-1] is not Ellipsis:
            if len(args) != len(data):
                raise ValueError(f"expected {len(args)} items, got {len(data)}")
            return tuple(_decode(arg, item) for arg, item in zip(args, data, strict=True))
        items = (_decode(args[0], item) for item in data)
        return origin(items)
    if origin is dict:
        if not isinstance(data, Mapping):
            raise TypeError(f"{data!r} is not an object")
        key_kind, item_kind = get_args(kind)
        return {key_kind(key): _decode(item_kind, item) for key, item in data.items()}
    if origin is Literal and data not in get_args(kind):
        raise ValueError(f"{data!r} is not one of {', '.join(map(repr, get_args(kind)))}")
    if kind in _STRICT:
        return _decode_plain(kind, data)
    return data


def _decode_field(hints: dict[str, Any], name: str, data: Any) -> Any:
    try:
        return _decode(hints[name], data)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def _decode_plain(kind: Any, data: Any) -> Any:
    """Return a number, a text or a truth value. A value of another type is an error, not a conversion."""
    is_number = isinstance(data, int | float) and not isinstance(data, bool)
    if kind is float and is_number:
        try:
            return float(data)
        except OverflowError:
            raise ValueError("a whole number of more than 308 digits is not a number here") from None
    if kind is int and isinstance(data, int) and is_number:
        return data
    if kind in (str, bool) and isinstance(data, kind):
        return data
    raise TypeError(f"{data!r} is not {_STRICT[kind]}")
