"""The identity of a model's endpoint: scheme, host, port and path of its server, kept as a digest only.

Two servers may load different weights under one model name, so answers of one are never those of the other. A server
that moved is declared to be the same by the setting VMEVALKIT_MOVED_SERVERS, as ``NEW=OLD``, several separated by
spaces or commas: ``http://gpu7:8001/v1=http://gpu3:8000/v1``.
"""

from __future__ import annotations

import re
from hashlib import sha256
from urllib.parse import urlsplit

from vmevalkit.core.errors import SetupError
from vmevalkit.core.settings import setting

MOVED_SERVERS = "VMEVALKIT_MOVED_SERVERS"
_DEFAULT_PORTS = {"http": 80, "https": 443}


def digest_endpoint(url: str) -> str:
    """Return the digest of a server's address; the same for a server that was declared to have moved."""
    return sha256(_resolve(normalize_endpoint(url)).encode()).hexdigest()[:12]


def normalize_endpoint(url: str) -> str:
    """Return scheme, host, port and path of an address, without credentials and query. Raises SetupError."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port or _DEFAULT_PORTS[parts.scheme]
        host = parts.hostname
    except (ValueError, KeyError):
        host, port = None, 0
    if not host:
        raise SetupError(f"{url!r} is not the address of a server; write it as http://HOST:PORT/PATH")
    return f"{parts.scheme}://{host}:{port}{parts.path.rstrip('/')}"


def _resolve(endpoint: str) -> str:
    """Return the oldest address of a server that moved."""
    moved = _read_moved()
    seen = {endpoint}
    while (endpoint := moved.get(endpoint, endpoint)) not in seen:
        seen.add(endpoint)
    return endpoint if endpoint not in moved else min(seen)  # a circle of moves is one server


def _read_moved() -> dict[str, str]:
    moved: dict[str, str] = {}
    for pair in re.split(r"[\s,]+", setting(MOVED_SERVERS) or ""):
        if not pair:
            continue
        new, equals, old = pair.partition("=")
        if not equals:
            raise SetupError(
                f"{MOVED_SERVERS} has {pair!r}; write NEW=OLD, such as http://gpu7:8001/v1=http://gpu3:8000/v1"
            )
        moved[normalize_endpoint(new)] = normalize_endpoint(old)
    return moved
