"""Names to things, where an unknown name gets the nearest known one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

from vmevalkit.core.errors import UnknownName

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """A mapping filled once, on first use, by ``find``: looking is cheap until something is asked for."""

    def __init__(self, kind: str, find: Callable[[], Mapping[str, T]]) -> None:
        self._kind = kind
        self._find = find
        self._found: dict[str, T] | None = None

    def _all(self) -> dict[str, T]:
        if self._found is None:
            self._found = dict(self._find())
        return self._found

    def __getitem__(self, name: str) -> T:
        try:
            return self._all()[name]
        except KeyError:
            raise UnknownName(self._kind, name, self._all()) from None

    def __contains__(self, name: object) -> bool:
        return name in self._all()

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())
