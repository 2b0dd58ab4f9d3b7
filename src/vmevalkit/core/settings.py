"""Settings from the environment and from one ``.env`` file, read once."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path


@cache
def _dotenv() -> dict[str, str]:
    path = Path.cwd() / ".env"
    if not path.is_file():
        return {}
    from dotenv import dotenv_values

    return {key: value for key, value in dotenv_values(path).items() if value is not None}


def setting(name: str, default: str | None = None) -> str | None:
    """The value of ``name``: the environment wins over ``.env`` of the working directory."""
    return os.environ.get(name) or _dotenv().get(name) or default


def all_settings() -> dict[str, str]:
    """Every setting by its name."""
    return {**_dotenv(), **os.environ}
