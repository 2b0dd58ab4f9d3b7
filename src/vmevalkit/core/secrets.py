"""Keys stay where they are: what is written, or shown, is cleaned of every secret that this process was given."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from urllib.parse import quote

from vmevalkit.core.settings import all_settings

HIDDEN = "(hidden)"

_NAMES = re.compile(r"(^|_)(KEY|SECRET|TOKEN|PASSWORD|CREDENTIALS?)(_|$)", re.IGNORECASE)
_SHORTEST = 8  # a shorter value is a switch or a number, and would be found everywhere


def secrets() -> tuple[str, ...]:
    """The values of all settings that are named like keys, in each way of writing them; the longest first."""
    values = {value for name, value in all_settings().items() if _NAMES.search(name) and len(value) >= _SHORTEST}
    written = {form for value in values for form in (value, json.dumps(value)[1:-1], quote(value, safe=""))}
    return tuple(sorted(written, key=lambda form: (-len(form), form)))


def redacted(text: str, known: Iterable[str] | None = None) -> str:
    """The text without secrets. ``known`` saves looking them up for every text."""
    for secret in secrets() if known is None else known:
        if secret in text:
            text = text.replace(secret, HIDDEN)
    return text
