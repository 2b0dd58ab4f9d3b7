"""Keys of JSON records that version 0.1 wrote, with their current names. Old records are still read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

QUESTION = {"knobs": "params"}
SCORE = {"film": "video"}
METRICS = {"told_share": "readable_squares_share"}
INTENT = {"asked": "input_digest", "alike": "request_digest"}


def rename_old_keys(record: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the record with its old keys renamed, in the same order. A current key wins over an old one."""
    return {
        names.get(key, key): value
        for key, value in record.items()
        if names.get(key, key) == key or names[key] not in record
    }
