"""What comes back from a job."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

I = TypeVar("I")  # noqa: E741  - an item, as V is a value
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a job gave no value."""

    kinds: tuple[str, ...]
    """Names of the exception's class and of the classes it derives from."""
    message: str
    trace: str = ""

    @property
    def kind(self) -> str:
        return self.kinds[0]

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        kinds = tuple(kind.__name__ for kind in type(error).__mro__ if kind is not object)
        return cls(kinds, str(error) or type(error).__name__, "".join(traceback.format_exception(error)))

    @classmethod
    def killed(cls, exit_code: int | None) -> Failure:
        how = ""
        if exit_code is not None:
            how = f" by signal {-exit_code}" if exit_code < 0 else f" with exit code {exit_code}"
        return cls(("Killed",), f"the worker process died{how}; it may have run out of memory")

    def is_a(self, kind: type[BaseException]) -> bool:
        return kind.__name__ in self.kinds

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


@dataclass(frozen=True, slots=True)
class Done(Generic[I, V]):
    """A finished job: a value, or an error."""

    item: I
    value: V | None = None
    error: Failure | None = None

    @property
    def ok(self) -> bool:
        return self.error is None


def attempt(function: Callable[[I], V], item: I) -> Done[I, V]:
    """Run one job. Whatever it raises becomes a record, but an interrupt, which is meant for all of them."""
    try:
        return Done(item, value=function(item))
    except Exception as error:  # noqa: BLE001  - the job's edge: here, and only here, a failure becomes a record
        return Done(item, error=Failure.of(error))
