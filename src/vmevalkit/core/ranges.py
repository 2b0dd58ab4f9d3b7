"""Ranges of numbers that a record declares with its fields: ``rows: Annotated[int, Range(2, 4)]``.

``from_json`` checks them, so that a damaged or hostile file is refused before anything is computed from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

MAX_DEPTH = 32
MAX_VALUES = 100_000
MAX_TEXT = 100_000


@dataclass(frozen=True, slots=True)
class Range:
    """The smallest and the largest allowed number, or length of a list."""

    least: float
    most: float

    def check(self, value: Any) -> None:
        """Raise ValueError where a number, or the length of a list, is outside."""
        number = value if isinstance(value, int | float) else len(value)
        if not self.least <= number <= self.most:
            what = "" if number is value else "a length of "
            raise ValueError(f"{what}{number!r} is not within {self.least:g} to {self.most:g}")


def check_plain_data(data: Any) -> None:
    """Raise ValueError where JSON data is nested too deeply, has too many or too long values, or numbers that are not
    finite. It takes time and memory in proportion to the data, whatever that is."""
    waiting, seen = [(data, 0)], 0
    while waiting:
        value, depth = waiting.pop()
        seen += 1
        if depth > MAX_DEPTH:
            raise ValueError(f"it is nested more than {MAX_DEPTH} levels deep")
        if seen + len(waiting) > MAX_VALUES:
            raise ValueError(f"it has more than {MAX_VALUES:,} values")
        if isinstance(value, float) and not isfinite(value):
            raise ValueError(f"{value!r} is not a number")
        if isinstance(value, int) and value.bit_length() > 256:
            raise ValueError("a number has more than 256 bits")
        if isinstance(value, str) and len(value) > MAX_TEXT:
            raise ValueError(f"a text has more than {MAX_TEXT:,} characters")
        if isinstance(value, dict):
            waiting.extend((item, depth + 1) for item in value.values())
        elif isinstance(value, list | tuple):
            waiting.extend((item, depth + 1) for item in value)
