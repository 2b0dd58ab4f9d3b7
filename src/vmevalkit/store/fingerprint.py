"""Fingerprints of datasets: the same questions have the same fingerprint, everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

_puzzle_text = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
_row_text = json.JSONEncoder(ensure_ascii=False).encode


def fingerprint(pairs: Iterable[Mapping[str, Any]]) -> str:
    """Return a digest of ids, puzzles and prompts in order. It is the same on every platform."""
    return _digest_rows([pair["id"], _puzzle_text(pair["puzzle"]), pair["prompt"]] for pair in pairs)


def compute_fingerprints(pairs: Iterable[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the fingerprint and the pixel fingerprint in one pass, for pairs that are read from the disk.

    The pixel fingerprint is a digest of all pixels. It is the same on one platform with the pinned versions."""
    questions, pixels = sha256(), sha256()
    for pair in pairs:
        questions.update(_encode_row([pair["id"], _puzzle_text(pair["puzzle"]), pair["prompt"]]))
        pixels.update(_encode_row([pair["id"], *sorted(pair["pixel_digests"].items())]))
    return questions.hexdigest(), pixels.hexdigest()


def _digest_rows(rows: Iterable[Any]) -> str:
    whole = sha256()
    for row in rows:
        whole.update(_encode_row(row))
    return whole.hexdigest()


def _encode_row(row: Any) -> bytes:
    return _row_text(row).encode() + b"\n"
