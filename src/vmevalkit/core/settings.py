"""Settings from the environment and from one ``.env`` file, read once."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

DEBUG = "VMEVALKIT_DEBUG"
"""The setting that adds tracebacks to failures; the option --debug sets it."""


@cache
def _read_dotenv() -> dict[str, str]:
    path = Path.cwd() / ".env"
    if not path.is_file():
        return {}
    from dotenv import dotenv_values

    return {key: value for key, value in dotenv_values(path).items() if value is not None}


def setting(name: str, default: str | None = None) -> str | None:
    """Return the value of ``name``, without white space around it: a pasted key often ends with a newline.

    The environment takes precedence over ``.env`` in the working directory."""
    return os.environ.get(name, "").strip() or _read_dotenv().get(name, "").strip() or default


def all_settings() -> dict[str, str]:
    """Return every setting by its name."""
    return {**_read_dotenv(), **os.environ}
