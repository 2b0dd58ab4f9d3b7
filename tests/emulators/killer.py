"""Kills a process that calls an emulator, after an exact number of its requests."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable


class Killer:
    """An emulator calls it for each request, once the request has taken effect and before it is answered."""

    def __init__(self) -> None:
        self._left, self._process = 0, None
        self._lock = threading.Lock()

    def aim(self, start: Callable[[], subprocess.Popen[str]], requests: int) -> subprocess.Popen[str]:
        """Start a process that is killed at this request of its own; 0 spares it.

        The emulator is idle before: else requests of an earlier process would be counted."""
        with self._lock:  # where the process is faster than this thread, its first request waits here
            process = start()
            self._left, self._process = requests, process  # type: ignore[assignment]
        return process

    def __call__(self, *_request: object) -> None:
        with self._lock:
            self._left -= 1
            if self._left == 0 and self._process is not None:
                self._process.kill()
