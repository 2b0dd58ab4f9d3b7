"""Network addresses on which a page may be served."""

from __future__ import annotations

import ipaddress


def is_this_machine(host: str) -> bool:
    """Return whether only this machine reaches an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
