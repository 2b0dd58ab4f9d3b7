"""Removal of secrets from everything that is written or printed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from vmevalkit.core.settings import all_settings

HIDDEN = "(hidden)"

_SECRET_NAME = re.compile(r"(^|_)(KEY|SECRET|TOKEN|PASSWORD|CREDENTIALS?)(_|$)", re.IGNORECASE)
_MIN_LENGTH = 8  # a shorter value is a switch or a number, and would match everywhere


def find_secrets() -> tuple[str, ...]:
    """Return the values of all settings named like secrets: plain, JSON-escaped and URL-quoted; the longest first."""
    values = {
        form
        for name, value in all_settings().items()
        if _SECRET_NAME.search(name)
        for form in (value, value.strip())  # as it is set, and as it is sent
        if len(form) >= _MIN_LENGTH
    }
    forms = {form for value in values for form in (value, json.dumps(value)[1:-1], quote(value, safe=""))}
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


def redact(text: str, secrets: Iterable[str] | None = None) -> str:
    """Return the text without secrets. ``secrets`` saves looking them up for every text."""
    for secret in find_secrets() if secrets is None else secrets:
        if secret in text:
            text = text.replace(secret, HIDDEN)
    return text


def redact_values(value: Any, secrets: Iterable[str]) -> Any:
    """Return a JSON value whose texts have no secrets. Names of fields stay: a setting may be called like one."""
    if isinstance(value, str):
        return redact(value, secrets)
    if isinstance(value, Mapping):
        return {name: redact_values(item, secrets) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [redact_values(item, secrets) for item in value]
    return value if value is None or isinstance(value, bool | int | float) else redact(str(value), secrets)
