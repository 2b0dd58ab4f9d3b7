"""The rules that every verdict keeps, from any scorer and any program."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from vmevalkit.core.records import SUCCESS

_FLAGS = ("solved", "passed", "ever_solved")
_SHARES = ("outcome", "process")


def find_missing_origin(about: Mapping[str, Any], result: Mapping[str, Any]) -> str | None:
    """Return why a verdict is of no known video; None where its record names a run, or the digest of a video.

    Files in the form of the reference implementation have neither."""
    is_named = about.get("run_id") is not None or about.get("video_digest") is not None
    if is_named or result.get("value") is None:
        return None
    return "it has no run_id and no video_digest, so that nobody knows which video was judged"


def find_contradiction(result: Mapping[str, Any]) -> str | None:
    """Return what is wrong with a verdict in itself; None where nothing is. Its fields are those of a Score."""
    value = result.get("value")
    if value is None:
        return None
    if isinstance(value, bool) or value not in (1, 2, 3, 4, 5):
        return f"the value is {value!r}, not a whole number from 1 to 5"
    for name in _FLAGS:
        if not isinstance(result.get(name), bool | None):
            return f"{name} is {result[name]!r}, not true or false"
    for name in _SHARES:
        share = result.get(name)
        if share is not None and (isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1):
            return f"{name} is {share!r}, not a number from 0 to 1"
    if result.get("passed") is not None and result["passed"] != (value >= SUCCESS):
        return f"the value is {value} and passed is {str(result['passed']).lower()}"
    if result.get("passed") and result.get("solved") is False:
        return "passed is true and solved is false"
    for name, number in dict(result.get("metrics") or {}).items():
        is_number = isinstance(number, int | float) and not isinstance(number, bool)
        if not is_number or abs(number) > 1e300 or not isfinite(number):
            return f"the metric {name} is {number!r}, not a finite number"
    return None
