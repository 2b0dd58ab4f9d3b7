"""Resume codes: they open an annotator's name in another browser. Only salted digests of them are kept."""

from __future__ import annotations

import secrets
from hashlib import sha256

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that looks like another one
_GROUPS, _GROUP = 4, 5


def make_resume_code() -> str:
    """Return a code of 99 random bits, in groups that can be copied from paper."""
    groups = ("".join(secrets.choice(_LETTERS) for _ in range(_GROUP)) for _ in range(_GROUPS))
    return "-".join(groups)


def protect_code(code: str) -> str:
    """Return what is kept of a code: a salt and a digest."""
    salt = secrets.token_hex(16)
    return f"{salt}${_digest(salt, code)}"


def is_code(given: str, protected: str) -> bool:
    """Whether this is the code. Files of earlier versions have digests without a salt."""
    salt, separator, digest = protected.rpartition("$")
    expected = _digest(salt, given) if separator else sha256(f"vmevalkit annotation {given}".encode()).hexdigest()
    return secrets.compare_digest(expected.encode(), digest.encode())


def _digest(salt: str, code: str) -> str:
    letters = "".join(letter for letter in code.lower() if letter.isalnum())
    return sha256(f"{salt} {letters}".encode()).hexdigest()
