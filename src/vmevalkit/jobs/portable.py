"""Jobs that run where the data folder does not exist: their files travel with them, and come back with the result.

On the other machine a job finds its files below a temporary folder, at the paths that they have here: data/x becomes
FOLDER/data/x. So relative paths between files stay what they are, and the function needs no other code than here.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Generic, TypeVar

from vmevalkit.jobs.result import JobResult, run_item
from vmevalkit.store.atomic import new_folder, write_file

I = TypeVar("I")  # noqa: E741
V = TypeVar("V")
Move = Callable[[Path], Path]
"""Gives a path its place on the other machine, or takes it back."""
Files = dict[str, bytes]
"""Contents of files by path: absolute for inputs, relative to the folder for the content of a folder. The path of a
folder ends with a slash."""


class PortableJob(ABC, Generic[I, V]):
    """A job function that says which files it reads and writes. In this process it is an ordinary function."""

    @abstractmethod
    def __call__(self, item: I) -> V:
        """Run the job, with files at the paths that the item has."""

    @abstractmethod
    def list_inputs(self, item: I) -> Iterable[Path]:
        """Return the files that the job reads."""

    @abstractmethod
    def move_item(self, item: I, to: Move) -> I:
        """Return the item with other paths."""

    def move_function(self, to: Move) -> PortableJob[I, V]:
        """Return the function with other paths, where it contains some."""
        return self

    @abstractmethod
    def move_value(self, value: V, to: Move) -> V:
        """Return the value with other paths."""

    @abstractmethod
    def list_outputs(self, item: I, value: V) -> Sequence[Path]:
        """Return the files and folders that the job has written; what makes them count comes last."""

    def prepare(self, item: I) -> I:
        """Return the item as it is sent: for what must be decided by the process that writes the data folder."""
        return item

    def find_value(self, item: I) -> V | None:
        """Return the value of a job that need not run, since its files exist; None for all others."""
        return None

    def publish(self, item: I, outputs: Sequence[Output]) -> None:
        """Write what the job has written, at its place here."""
        for output in outputs:
            output.write()


@dataclass(frozen=True, slots=True)
class Output:
    """A file or a folder that a job has written elsewhere."""

    path: Path
    """Its place on the machine that has the data folder."""
    content: bytes | Files
    """Of a file its bytes, of a folder those of its files."""

    def write(self, *, replace: bool = True, durable: bool = False) -> None:
        """Write it: at any moment it is there as a whole, or not at all."""
        if isinstance(self.content, bytes):
            write_file(self.path, self.content, durable=durable)
            return
        with new_folder(self.path, replace=replace, durable=durable) as aside:
            for name, content in self.content.items():
                _write(f"{aside}/{name}", content)


@dataclass(frozen=True, slots=True)
class Parcel(Generic[I]):
    """An item and its input files, as they are sent."""

    item: I
    files: Files

    @property
    def size(self) -> int:
        return sum(map(len, self.files.values()))


def pack(job: PortableJob[I, V], item: I) -> Parcel[I]:
    """Read the input files of an item. A file that cannot be read raises OSError."""
    return Parcel(item, {str(path.absolute()): path.read_bytes() for path in job.list_inputs(item)})


def run_parcel(job: PortableJob[I, V], parcel: Parcel[I]) -> tuple[JobResult[I, V], list[Output]]:
    """Run a job in a temporary folder. Returns its result and what it has written, with the paths of the sender."""
    with TemporaryDirectory(prefix="vmevalkit-job-") as folder:
        root = Path(folder)
        for name, content in parcel.files.items():
            _write(f"{root}{name}", content)
        to = partial(_below, root)
        item = job.move_item(parcel.item, to)
        moved = job.move_function(to)
        result = run_item(moved, item)
        if result.error is not None:
            return JobResult(parcel.item, error=result.error), []
        value: V = result.value  # type: ignore[assignment]  # without an error there is a value
        outputs = [Output(_above(root, path), _read(path)) for path in moved.list_outputs(item, value)]
        return JobResult(parcel.item, job.move_value(value, partial(_above, root))), outputs


def _below(root: Path, path: Path) -> Path:
    return root / path.absolute().relative_to("/")


def _above(root: Path, path: Path) -> Path:
    return Path("/") / path.relative_to(root)


def _read(path: Path) -> bytes | Files:
    if not path.is_dir():
        return path.read_bytes()
    files: Files = {}
    for each in sorted(path.rglob("*")):
        name = each.relative_to(path).as_posix()
        files |= {f"{name}/": b""} if each.is_dir() else {name: each.read_bytes()}
    return files


def _write(path: str, content: bytes) -> None:
    if path.endswith("/"):
        os.makedirs(path, exist_ok=True)  # noqa: PTH103  - strings cost a third of paths
        return
    try:
        file = open(path, "wb")  # noqa: PTH123, SIM115
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        file = open(path, "wb")  # noqa: PTH123, SIM115
    with file:
        file.write(content)
