"""Measuring CPU seconds, and claims about what was measured."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

NEAR = 0.2
"""A miss by less than this share is printed as ``near`` and does not fail."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One line of a benchmark: what was measured, and what is wanted."""

    what: str
    measured: float
    wanted: float
    unit: str = ""
    at_least: bool = True
    """Whether more is better."""

    @property
    def holds(self) -> bool:
        return self.measured >= self.wanted if self.at_least else self.measured <= self.wanted

    @property
    def is_near(self) -> bool:
        """Whether it holds, or misses by less than a fifth: a busy machine is that noisy."""
        if self.at_least:
            return self.measured >= (1 - NEAR) * self.wanted
        return self.measured <= (1 + NEAR) * self.wanted

    def __str__(self) -> str:
        sign = ">=" if self.at_least else "<="
        mark = "ok  " if self.holds else "near" if self.is_near else "MISS"
        return f"{mark} {self.what:<64} {self.measured:9.2f} {self.unit:<14} wanted {sign} {self.wanted:g}"


MEMORY = Path("/dev/shm")


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield a folder in memory where there is one: on a disk the system time for a new file varies by a factor of ten
    from one moment to the next, which would hide everything else."""
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        yield Path(folder)


def cpu_seconds(function: Callable[[], object]) -> float:
    """Return the CPU time of one call. Garbage of earlier calls is collected before it."""
    gc.collect()
    begin = time.process_time()
    function()
    return time.process_time() - begin


def interleaved(
    functions: dict[str, Callable[[], object]], rounds: int = 5, between: Callable[[], object] = lambda: None
) -> dict[str, float]:
    """Return the least CPU time of each function, called in turn: a busy machine only makes a call slower. ``between``
    is called after each and not counted."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            times[name].append(cpu_seconds(function))
            between()
    return {name: min(each) for name, each in times.items()}


def report(title: str, claims: list[Claim]) -> bool:
    """Print the claims. Returns whether none misses by a fifth or more."""
    print(f"\n{title}")
    for claim in claims:
        print("  " + str(claim))
    return all(claim.is_near for claim in claims)
