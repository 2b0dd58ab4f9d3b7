from __future__ import annotations

import io
import os
import signal
import sys
import threading
import weakref
from collections.abc import Callable

import pytest
import typer
from rich.console import Console

from vmevalkit.cli import command
from vmevalkit.cli import progress as progress_module
from vmevalkit.cli.progress import PlainProgress, describe_pauses, jobs_table, make_table, progress
from vmevalkit.jobs.budget import Budget
from vmevalkit.jobs.progress import Progress
from vmevalkit.models.catalogue import MODELS


def send_interrupt(_: object = None) -> None:
    os.kill(os.getpid(), signal.SIGINT)
    list(range(10))


class InterruptedInDel:
    """An exception in its ``__del__`` is lost: Python only prints it."""

    def __del__(self) -> None:
        send_interrupt()


def drop_with_callback() -> None:
    """Call ``send_interrupt`` as Python's import system calls its callbacks: as that of a weak reference."""
    target = type("Referenced", (), {})()
    reference = weakref.ref(target, send_interrupt)
    del target
    assert reference() is None


@pytest.mark.parametrize("interrupt", [InterruptedInDel, drop_with_callback])
def test_an_interrupt_that_python_would_lose_still_counts(
    monkeypatch: pytest.MonkeyPatch, interrupt: Callable[[], object]
) -> None:
    lost: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: lost.append(args.exc_type))
    before, hook = signal.getsignal(signal.SIGINT), sys.unraisablehook
    with pytest.raises(KeyboardInterrupt), progress("items") as update:
        update(1, 3)
        interrupt()
        assert lost == []  # nothing is printed on stderr
        update(2, 3)
    assert signal.getsignal(signal.SIGINT) is before
    assert sys.unraisablehook is hook


def test_progress_can_be_used_in_another_thread() -> None:
    finished = []

    def work() -> None:
        with progress("items") as update:
            update(1, 1)
            finished.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert finished == [True]


class FakeClock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_pipe_gets_a_line_every_30_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    clock = FakeClock()
    plain = PlainProgress("scores", clock)
    for second in range(61):
        clock.now = 1000.0 + second
        plain.update(second * 2, 200)
    assert capsys.readouterr().err.splitlines() == [
        "scores: 60 of 200, about 70 s left",
        "scores: 120 of 200, about 40 s left",
    ]


def test_items_of_an_earlier_call_do_not_count_in_the_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    clock = FakeClock()
    plain = PlainProgress("questions", clock)
    plain.update(100, 220)
    clock.now += 60
    plain.update(100, 220)
    clock.now += 60
    plain.update(110, 220)
    assert capsys.readouterr().err.splitlines() == [
        "questions: 100 of 220, time left unknown",
        "questions: 110 of 220, about 22 min left",
    ]


def test_quiet_silences_the_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "_quiet", True)
    clock = FakeClock()
    plain = PlainProgress("scores", clock)
    clock.now += 100
    plain.update(1, 2)
    assert capsys.readouterr().err == ""


def test_a_run_in_a_pipe_prints_lines_while_no_job_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A video may take longer than 30 seconds."""
    lines: list[str] = []
    printed = threading.Event()

    def record(line: str, err: bool) -> None:
        lines.append(line)
        printed.set()

    monkeypatch.setattr(progress_module, "LINE_EVERY_S", 0.0)
    monkeypatch.setattr(progress_module, "_POLL_S", 0.001)
    monkeypatch.setattr(typer, "echo", record)
    jobs = Progress()
    jobs.of("plain-1").generating = 3
    with jobs_table(jobs):
        assert printed.wait(30)
    assert lines[0] == "videos: 0 of 3, time left unknown"


def render(jobs: Progress, elapsed_s: float, width: int = 80) -> list[str]:
    console = Console(width=width, record=True, quiet=False, file=io.StringIO())
    console.print(make_table(jobs, elapsed_s, width))
    return [line.rstrip() for line in console.export_text().splitlines()]


def make_jobs(*models: str) -> Progress:
    jobs = Progress(budget=Budget(5.0, 1.25))
    for name in models:
        model = jobs.of(name)
        model.waiting, model.submitting, model.generating, model.downloading = 70, 1, 3, 2
        model.kept, model.success, model.failed, model.refused, model.uncertain = 10, 20, 12, 3, 1
    return jobs


def test_the_run_table_has_counts_a_bar_and_the_time_left() -> None:
    title, header, row, *_ = render(make_jobs("plain-1"), elapsed_s=360.0, width=120)
    # 36 of 122 ended in this call, in 6 minutes; 76 remain
    assert title.strip() == "46 of 122 videos, about 13 min left, $1.25 of $5.00 spent"
    assert header.split() == ["model", "done", "running", "waiting", "problems"]
    name, bar, *counts = row.split(maxsplit=5)
    assert (name, counts) == ("plain-1", ["30/122", "6", "70", "12 failed, 3 refused, 1 uncertain"])
    assert bar == "\u2501" * 11  # 46 of 122 on 30 columns; without colours only this part is drawn


def test_a_pause_that_the_provider_asked_for_is_shown() -> None:
    jobs = Progress()
    jobs.of("sora").get_pause_s = lambda: 119.6
    console = Console(file=io.StringIO(), width=80)
    console.print(make_table(jobs, 10.0))
    assert "paused 120 s by its provider" in " ".join(console.file.getvalue().split())  # type: ignore[attr-defined]
    assert describe_pauses(jobs) == "; sora is paused 120 s by its provider"


def test_the_run_table_fits_in_80_columns_with_every_model_name_in_full() -> None:
    names = [*MODELS, "oracle+letterbox_grey"]
    lines = render(make_jobs(*names), elapsed_s=10.0)
    assert max(map(len, lines)) <= 80
    assert not any("\u2026" in line for line in lines)
    words = [line.split()[0] for line in lines if line and line[0] != " "]
    assert [word for word in words if word != "model"] == names
    text = " ".join(" ".join(lines).split())
    assert "running waiting problems" in text
    assert text.count(" 12 failed ") == text.count(" 3 refused ") == len(names)
    assert len([line for line in lines if line.endswith(" 1 uncertain")]) == len(names)


def test_the_run_table_has_a_bar_at_80_columns() -> None:
    lines = render(make_jobs("veo-3.1-fast-generate", "oracle"), elapsed_s=10.0)
    assert [line.count("\u2501") > 5 for line in lines if "30/122" in line] == [True, True]
