"""JSON records on the disk: read with a clear complaint, written so that a person can read them."""

from __future__ import annotations

import json
from collections.abc import Mapping
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


def _encode(value: Any) -> str:
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    except TypeError:  # such as a seed of more than 64 bits
        return _encode_anything(value)


def record_text(record: Mapping[str, Any]) -> str:
    """A key a line: readable, and ten times as fast to write as with every value on a line of its own."""
    lines = [f"  {_encode(key)}: {_encode(value)}" for key, value in record.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def dataset_text(dataset: Mapping[str, Any]) -> str:
    """A dataset, which ends in ``pairs``, with a pair a line."""
    head = {key: value for key, value in dataset.items() if key != "pairs"}
    pairs = ",\n    ".join(_encode(pair) for pair in dataset["pairs"])
    return record_text({**head, "pairs": []}).removesuffix("[]\n}\n") + f"[\n    {pairs}\n  ]\n}}\n"
