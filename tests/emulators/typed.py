"""Check a body against the TypedDicts of a provider's SDK, as strictly as the provider's own schema."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Mapping
from typing import Any

import typing_extensions

from emulators.server import ApiError


def check(kind: Any, body: Any, place: str = "body") -> None:
    """Raise ApiError (400) where a field is missing, unknown, or of another type or value."""
    if not isinstance(body, Mapping):
        raise ApiError(400, f"{place} must be an object.", place)
    hints = typing_extensions.get_type_hints(kind, include_extras=True)
    names = {_alias(hint) or name: hint for name, hint in hints.items()}
    for name in body:
        if name not in names:
            raise ApiError(400, f"Unknown parameter: '{name}'.", name)
    for name, hint in names.items():
        if name in body:
            if not _fits(hint, body[name], name):
                raise ApiError(400, f"Invalid value for '{name}': {str(body[name])[:80]!r}.", name)
        elif _required(kind, hint):
            raise ApiError(400, f"Missing required parameter: '{name}'.", name)


def _alias(hint: Any) -> str | None:
    for part in _layers(hint):
        for note in getattr(part, "__metadata__", ()):
            if getattr(note, "alias", None):
                return str(note.alias)
    return None


def _layers(hint: Any) -> Iterable[Any]:
    """Yield the hint, and the hints inside Required and Annotated."""
    yield hint
    while typing_extensions.get_origin(hint) in (
        typing_extensions.Required, typing_extensions.NotRequired, typing_extensions.Annotated,
    ):  # fmt: skip
        hint = hint.__args__[0] if not hasattr(hint, "__metadata__") else hint.__origin__
        yield hint


def _required(kind: Any, hint: Any) -> bool:
    marks = {typing_extensions.get_origin(layer) for layer in _layers(hint)}
    if typing_extensions.NotRequired in marks:
        return False
    return typing_extensions.Required in marks or kind.__total__


def _fits(hint: Any, value: Any, place: str) -> bool:
    *_, hint = _layers(hint)
    if isinstance(hint, typing_extensions.TypeAliasType):
        hint = hint.__value__
    origin, parts = typing_extensions.get_origin(hint), typing_extensions.get_args(hint)
    if origin is typing_extensions.Literal:
        return value in parts
    if origin in (typing.Union, types.UnionType):
        # A union of literals and str accepts only the literals here.
        words = [part for part in parts if typing_extensions.get_origin(part) is typing_extensions.Literal]
        if isinstance(value, str) and words:
            return any(_fits(part, value, place) for part in words)
        return any(_fits_or_wrong(part, value, place) for part in parts)
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, Mapping)
    if origin is not None and issubclass(origin, Iterable):
        return isinstance(value, list) and all(_fits(parts[0], part, place) for part in value)
    if typing_extensions.is_typeddict(hint):
        check(hint, value, place)
        return True
    if hint is Any or hint is object:
        return True
    if hint in (int, float):
        return isinstance(value, int if hint is int else int | float) and not isinstance(value, bool)
    return isinstance(value, hint)


def _fits_or_wrong(hint: Any, value: Any, place: str) -> bool:
    try:
        return _fits(hint, value, place)
    except ApiError:
        return False
