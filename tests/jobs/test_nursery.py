"""Where workers come from: a start that nothing cuts in two."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from vmevalkit.jobs.nursery import _no_interrupt


def test_an_interrupt_waits_until_a_process_has_been_started() -> None:
    """Also one that reaches another thread, as it does where the main one blocks it."""
    over, whole = threading.Event(), False
    other = threading.Thread(target=over.wait)
    other.start()
    handler = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(KeyboardInterrupt), _no_interrupt():
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.05)
            whole = True
    finally:
        over.set()
        other.join()
    assert whole
    assert signal.getsignal(signal.SIGINT) is handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
