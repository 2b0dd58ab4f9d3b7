"""Keys and addresses of providers, validated before the first order.

An SDK would raise for a malformed one while it sends the order, when it is no longer certain that nothing was ordered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from vmevalkit.core.errors import SetupError
from vmevalkit.core.settings import setting
from vmevalkit.models.model import ModelSpec

_KEY_NAME = re.compile(r"(^|_)(KEY|SECRET|TOKEN)(_|$)")
_NOT_IN_KEYS = re.compile(r"[^\x21-\x7e]")


def list_invalid_settings(spec: ModelSpec) -> Iterator[str]:
    """Yield what is wrong with the keys and the address of a model, each with its remedy. No message contains a key."""
    names = [name for alternatives in spec.keys for name in alternatives.split("|")]
    for name in names:
        value = setting(name)
        wrong = _NOT_IN_KEYS.search(value) if value and _KEY_NAME.search(name) else None
        if wrong is not None:
            yield (
                f"{name} has a character at position {wrong.start() + 1} that no key contains (a space, a control "
                "character or one outside ASCII); copy the key again"
            )
    if spec.endpoint and (problem := _find_url_problem(spec.endpoint)):
        yield problem


def require_valid_url(name: str) -> str | None:
    """Return the address in a setting; None where it is not set. Raises SetupError where it is not a web address."""
    problem = _find_url_problem(name)
    if problem:
        raise SetupError(problem)
    return setting(name)


def _find_url_problem(name: str) -> str | None:
    value = setting(name)
    if value is None:
        return None
    try:
        url = urlsplit(value)
        is_valid = url.scheme in ("http", "https") and bool(url.hostname) and (url.port is None or url.port > 0)
    except ValueError:  # a port or an IPv6 address that is not one
        is_valid = False
    if is_valid and not re.search(r"[\x00-\x20\x7f]", value):
        return None
    return f"{name} is {value!r}, which is not a web address; write it as https://HOST or https://HOST:PORT/PATH"
