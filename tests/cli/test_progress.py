from __future__ import annotations

import os
import signal
import sys
import threading

import pytest

from vmevalkit.cli.progress import progress


class Swallows:
    """Whatever is raised in its last moment is lost: Python only complains."""

    def __del__(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        list(range(10))


def test_an_interrupt_that_python_would_lose_still_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    lost: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: lost.append(args.exc_type))
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), progress("things") as tell:
        tell(1, 3)
        Swallows()
        assert lost == []  # not even a complaint on stderr
        tell(2, 3)
    assert signal.getsignal(signal.SIGINT) is before


def test_progress_can_be_told_from_another_thread() -> None:
    told = []

    def work() -> None:
        with progress("things") as tell:
            tell(1, 1)
            told.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert told == [True]
