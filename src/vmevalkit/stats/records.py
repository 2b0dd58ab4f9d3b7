"""Records shared by several statistics, and the error for a package that is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


class MissingPackage(ModuleNotFoundError):
    """A statistic needs a package that is not installed. The message has the line that installs it."""

    def __init__(self, package: str, purpose: str) -> None:
        super().__init__(f'{purpose} needs {package}: pip install "vmevalkit[stats]"', name=package)


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval; it unpacks as ``low, high``."""

    low: float | None
    """Lower bound."""
    high: float | None
    """Upper bound."""
    confidence: float
    """Nominal coverage, such as 0.95."""
    reason: str | None = None
    """Why a bound is missing."""

    def __iter__(self) -> Iterator[float | None]:
        return iter((self.low, self.high))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval."""

    value: float | None
    """The estimate."""
    low: float | None
    """Lower bound of the interval."""
    high: float | None
    """Upper bound of the interval."""
    n: int
    """Number of independent units: questions where samples are grouped by question, else values."""
    method: str
    """How the interval was computed."""
    confidence: float = 0.95
    """Nominal coverage of the interval."""
    reason: str | None = None
    """Why a number is missing."""


@dataclass(frozen=True, slots=True)
class HypothesisTest:
    """A test of a null hypothesis."""

    name: str
    """Name of the test."""
    statistic: float | None
    """Test statistic."""
    df: tuple[float, ...]
    """Degrees of freedom; empty where the test has none."""
    p_value: float | None
    """Two-sided p-value."""
    n: int
    """Number of independent units."""
    reason: str | None = None
    """Why the test could not be made."""


def missing_estimate(
    reason: str, method: str, n: int = 0, confidence: float = 0.95, value: float | None = None
) -> Estimate:
    """Return an estimate without an interval, and without a value where none is given."""
    return Estimate(value, None, None, n, method, confidence, reason)


def missing_test(name: str, reason: str, n: int = 0) -> HypothesisTest:
    """Return a test that could not be made."""
    return HypothesisTest(name, None, (), None, n, reason)
