"""Damaged values and bytes for tests that fuzz: every example replaces one value in a valid record, or bytes of a file.

``make nightly`` sets FUZZ_EXAMPLES, the number of inputs of each test, and a seed: then other inputs are tried each
time, an input that takes longer than a minute fails, and so does a process that needs more than 700 MB."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from vmevalkit.core.errors import Uncertified, VMEvalKitError
from vmevalkit.core.jsonable import to_json
from vmevalkit.media.image import encode_png
from vmevalkit.tasks import TASKS

IS_CAMPAIGN = "FUZZ_EXAMPLES" in os.environ
MOST_MB = 700
FUZZ = settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "30")),
    deadline=timedelta(minutes=1) if IS_CAMPAIGN else None,
    derandomize=not IS_CAMPAIGN,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
PICTURE = encode_png(np.full((32, 48, 3), 200, np.uint8))
ODD = [None, True, -1, 0, 7, 10**400, 1e308, math.nan, math.inf, -0.0, "", "x", "..", "../../x", "\0", "a" * 300,
       "\ud800", [], {}, [[]], [None], {"a": 1}, [1, 2, 3], {"": {}}, "2026-01-01", "NaN",
       [[[[[[[[]]]]]]]]]  # fmt: skip


def damage(data: st.DataObject, value: Any) -> Any:
    """Return the JSON value with one value in it replaced, removed or added."""
    value = json.loads(json.dumps(value))
    if not isinstance(value, dict | list) or not value or data.draw(st.integers(0, 9)) == 0:
        return data.draw(st.sampled_from(ODD))
    key = data.draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
    if isinstance(value, dict) and data.draw(st.integers(0, 9)) == 0:
        del value[key]
    else:
        value[key] = damage(data, value[key])
    return value


def damage_bytes(data: st.DataObject, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(data.draw(st.integers(0, 8))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    return bytes(changed[: data.draw(st.integers(0, len(changed)))]) if data.draw(st.booleans()) else bytes(changed)


@cache
def make_puzzle(name: str) -> tuple[Any, Any]:
    task = TASKS[name]
    rng = Random(1)
    while True:
        with suppress(Uncertified):
            return task, to_json(task.sample(rng, task.preset()))


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "replace"))
    return path


def write_lines(path: Path, records: Any) -> Path:
    lines = records if isinstance(records, list) else [records]
    return write(path, "".join(json.dumps(line) + "\n" for line in lines))


def read_quietly(*reads: Callable[[], object]) -> None:
    for read in reads:
        with suppress(VMEvalKitError):
            read()
