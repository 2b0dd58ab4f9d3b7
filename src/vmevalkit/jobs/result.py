"""The result of one job: a value, or the reason why it has none."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from sysconfig import get_paths
from typing import Generic, TypeVar

from vmevalkit.core.errors import VMEvalKitError
from vmevalkit.core.settings import DEBUG, setting

I = TypeVar("I")  # noqa: E741  - an item, as V is a value
V = TypeVar("V")

_PACKAGE = str(Path(__file__).parents[1])
_LIBRARIES = tuple({get_paths()[name] for name in ("stdlib", "purelib", "platlib")})


@dataclass(frozen=True, slots=True)
class JobFailure:
    """The reason why a job has no value. Unlike an exception, it can always be sent to another process."""

    type_names: tuple[str, ...]
    """Names of the exception's class and of its base classes."""
    message: str
    traceback_text: str = ""
    place: str = ""
    """File and line where an unexpected exception was raised, in the user's own code if it went through any."""

    @property
    def type_name(self) -> str:
        return self.type_names[0]

    @classmethod
    def from_exception(cls, error: BaseException) -> JobFailure:
        names = tuple(base.__name__ for base in type(error).__mro__ if base is not object)
        text = "".join(traceback.format_exception(error))
        return cls(names, str(error) or type(error).__name__, text, _find_place(error))

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

    def describe(self) -> str:
        """Return the failure with its place, and with the traceback where the setting VMEVALKIT_DEBUG asks for it."""
        text = f"{self} ({self.place})" if self.place else str(self)
        return f"{text}\n{self.traceback_text.rstrip()}" if self.traceback_text and setting(DEBUG) else text


def _find_place(error: BaseException) -> str:
    """Return file and line of an unexpected exception: the last line of the user's own code, else the last of all.

    The errors of this package and of the operating system say themselves what is wrong."""
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, VMEvalKitError | OSError | MemoryError) or not frames:
        return ""
    own = [frame for frame in frames if not _is_of_package(frame.filename)]
    frame = (own or frames)[-1]
    file, here = Path(frame.filename), Path.cwd()
    # Records are shared: they name no folders of this machine outside of the project.
    return f"{file.relative_to(here) if file.is_relative_to(here) else file.name}, line {frame.lineno}"


def _is_of_package(file: str) -> bool:
    return file.startswith((_PACKAGE, *_LIBRARIES, "<"))


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
