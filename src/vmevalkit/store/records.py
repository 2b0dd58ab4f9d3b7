"""JSON records on the disk: read with a clear complaint, written so that a person can read them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from vmevalkit.core.errors import StoreError

_encode_anything = json.JSONEncoder(ensure_ascii=False).encode


def read_record(path: Path) -> dict[str, Any] | None:
    """The JSON object in a file; None where there is no file."""
    try:
        record = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise StoreError(f"{path} is not JSON ({error}); mend it or remove its folder") from error
    if not isinstance(record, dict):
        raise StoreError(f"{path} holds no JSON object; mend it or remove its folder")
    return record


def _encode(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:  # such as a seed of more than 64 bits
        return _encode_anything(value).encode()


@lru_cache(maxsize=1024)
def _head(key: str) -> bytes:
    return b"  " + _encode(key) + b": "


def record_bytes(record: Mapping[str, Any]) -> bytes:
    """A key a line: readable, and ten times as fast to write as with every value on a line of its own."""
    return b"{\n" + b",\n".join([_head(key) + _encode(value) for key, value in record.items()]) + b"\n}\n"


def record_text(record: Mapping[str, Any]) -> str:
    """The same, to be looked through before it is written."""
    return record_bytes(record).decode()


def dataset_bytes(dataset: Mapping[str, Any]) -> bytes:
    """A dataset, which ends in ``pairs``, with a pair a line."""
    head = {key: value for key, value in dataset.items() if key != "pairs"}
    pairs = b",\n    ".join([_encode(pair) for pair in dataset["pairs"]])
    return record_bytes({**head, "pairs": []}).removesuffix(b"[]\n}\n") + b"[\n    " + pairs + b"\n  ]\n}\n"
