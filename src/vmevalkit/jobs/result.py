"""The result of one job: a value, or the reason why it has none."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

I = TypeVar("I")  # noqa: E741  - an item, as V is a value
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class JobFailure:
    """The reason why a job has no value. Unlike an exception, it can always be sent to another process."""

    type_names: tuple[str, ...]
    """Names of the exception's class and of its base classes."""
    message: str
    traceback_text: str = ""

    @property
    def type_name(self) -> str:
        return self.type_names[0]

    @classmethod
    def from_exception(cls, error: BaseException) -> JobFailure:
        names = tuple(base.__name__ for base in type(error).__mro__ if base is not object)
        return cls(names, str(error) or type(error).__name__, "".join(traceback.format_exception(error)))

    @classmethod
    def from_exit_code(cls, exit_code: int | None) -> JobFailure:
        """Return the failure of a job whose process died; None where its exit code is unknown."""
        how = ""
        if exit_code is not None:
            how = f" by signal {-exit_code}" if exit_code < 0 else f" with exit code {exit_code}"
        return cls(("Killed",), f"the worker process died{how}; it may have run out of memory")

    def is_a(self, error_type: type[BaseException]) -> bool:
        """Whether the exception was of this type, by name."""
        return error_type.__name__ in self.type_names

    def __str__(self) -> str:
        return f"{self.type_name}: {self.message}"


@dataclass(frozen=True, slots=True)
class JobResult(Generic[I, V]):
    """A finished job: its item, with a value or an error."""

    item: I
    value: V | None = None
    error: JobFailure | None = None

    @property
    def ok(self) -> bool:
        return self.error is None


def run_item(function: Callable[[I], V], item: I) -> JobResult[I, V]:
    """Run one job. Any exception becomes a record, except an interrupt, which ends the whole batch."""
    try:
        return JobResult(item, value=function(item))
    except Exception as error:  # noqa: BLE001  - the job's edge: here, and only here, a failure becomes a record
        return JobResult(item, error=JobFailure.from_exception(error))
