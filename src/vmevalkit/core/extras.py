"""The optional dependencies of this package: the command that installs one of its extras."""

from __future__ import annotations


def make_install_command(extra: str) -> str:
    """Return the shell command that installs an extra of this package, such as ``openai``."""
    return f'pip install "vmevalkit[{extra}]"'
