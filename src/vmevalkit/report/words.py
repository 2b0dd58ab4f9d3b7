"""Numbers as the report writes them."""

from __future__ import annotations

from math import isfinite

from vmevalkit.results.words import percent, points

NARROW = 0.05
"""Intervals narrower than this are shown with one more digit."""


def format_interval(low: float | None, high: float | None) -> str:
    """Return an interval of shares, such as ``57% to 77%``; a dash where there is none."""
    if low is None or high is None:
        return "–"
    digits = 1 if high - low < NARROW else 0
    return f"{percent(low, digits)} to {percent(high, digits)}"


def format_short_interval(low: float | None, high: float | None) -> str:
    """Return an interval of shares for a narrow column, such as ``57–77%``."""
    return "–" if low is None or high is None else f"{100 * low:.0f}–{percent(high)}"


def format_points(low: float | None, high: float | None) -> str:
    """Return an interval of differences in percentage points; a dash where there is none."""
    return "–" if low is None or high is None else f"{points(low)} to {points(high)}"


def format_number(value: float | None, digits: int) -> str:
    """Return a number with a fixed number of digits; a dash where there is none."""
    return "–" if value is None or not isfinite(value) else f"{value:,.{digits}f}"


def format_bytes(size: int) -> str:
    """Return a size such as ``1.4 GB``."""
    number = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            break
        number /= 1000
    return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"
