"""The fork server: an interrupt does not break its start."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from vmevalkit.jobs.forkserver import _defer_interrupt


def test_an_interrupt_waits_until_a_process_has_been_started() -> None:
    """Also an interrupt that reaches another thread, which happens while the main thread blocks it."""
    is_over, is_complete = threading.Event(), False
    other = threading.Thread(target=is_over.wait)
    other.start()
    handler = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(KeyboardInterrupt), _defer_interrupt():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
            is_complete = True
    finally:
        is_over.set()
        other.join()
    assert is_complete
    assert signal.getsignal(signal.SIGINT) is handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
