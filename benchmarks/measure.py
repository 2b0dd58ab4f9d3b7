"""Measuring and telling: CPU seconds, claims that hold or not."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory


@dataclass(frozen=True, slots=True)
class Claim:
    """One line of a benchmark: what was measured, and whether it is as good as wanted."""

    what: str
    measured: float
    wanted: float
    unit: str = ""
    at_least: bool = True
    """Whether more is better."""

    @property
    def holds(self) -> bool:
        return self.measured >= self.wanted if self.at_least else self.measured <= self.wanted

    def __str__(self) -> str:
        sign = ">=" if self.at_least else "<="
        mark = "ok  " if self.holds else "MISS"
        return f"{mark} {self.what:<64} {self.measured:9.2f} {self.unit:<14} wanted {sign} {self.wanted:g}"


MEMORY = Path("/dev/shm")


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder in memory where there is such a place: what a disk's file system charges for a new file, in system time,
    differs by ten times from one moment to the next, and hides all else."""
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        yield Path(folder)


def cpu_seconds(function: Callable[[], object]) -> float:
    """CPU time of one call in this process, which does not clear away what the calls before it have left."""
    gc.collect()
    begin = time.process_time()
    function()
    return time.process_time() - begin


def interleaved(
    functions: dict[str, Callable[[], object]], rounds: int = 5, between: Callable[[], object] = lambda: None
) -> dict[str, float]:
    """The least CPU time of each, called in turn: a busy machine only ever makes a call slower. ``between`` is called
    after each, and not counted."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            times[name].append(cpu_seconds(function))
            between()
    return {name: min(each) for name, each in times.items()}


def report(title: str, claims: list[Claim]) -> bool:
    """Print the claims; whether all hold."""
    print(f"\n{title}")
    for claim in claims:
        print("  " + str(claim))
    return all(claim.holds for claim in claims)
