"""Numbers and lists in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite


def percent(share: float | None, digits: int = 0) -> str:
    """Return a share as a percentage, such as ``68%``; a dash where there is none."""
    return "-" if share is None or not isfinite(share) else f"{100 * share:.{digits}f}%"


def points(difference: float | None, digits: int = 1) -> str:
    """Return a difference of shares in percentage points, with its sign, such as ``+12.0``."""
    if difference is None or not isfinite(difference):
        return "-"
    text = f"{100 * difference:+.{digits}f}"
    return text.lstrip("+-") if float(text) == 0 else text


def p_value(p: float | None) -> str:
    """Return a p-value, such as ``p = 0.031``."""
    if p is None:
        return "no p-value"
    return "p < 0.001" if p < 0.001 else f"p = {min(p, 1.0):.3f}"


def count(number: int, singular: str, plural: str | None = None) -> str:
    """Return a number with its noun: ``1 question``, ``2 questions``."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def join_names(names: Sequence[str]) -> str:
    """Return names as a list in words: ``a``, ``a and b``, ``a, b and c``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def end_sentence(text: str) -> str:
    """Return a remark as a sentence: with a capital letter and a full stop."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."
