"""Arrays in memory that processes share: an array is copied once, where pickling sends it through a pipe in pieces.

The memory is a file without a name where the system has those (Linux), so none is left behind when a process is killed.
Elsewhere it is a temporary file, removed by ``close``.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections import OrderedDict
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.errors import MediaError

Place = tuple[str, str]
"""Path of a piece of memory, and a name that no other piece has: paths are used again."""

_MOST_OPEN = 8
"""Pieces that another process keeps open: opening one costs as much as copying an array."""
_POPULATE = getattr(mmap, "MAP_POPULATE", 0)
_names = count()
_opened: OrderedDict[str, mmap.mmap] = OrderedDict()


class SharedArray:
    """An array that is copied to shared memory when it is sent to another process, and not otherwise."""

    def __init__(self, array: NDArray[Any], memory: SharedMemory) -> None:
        self.array = array
        self._memory = memory

    def __reduce__(self) -> tuple[Callable[..., ReceivedArray], tuple[Place, tuple[int, ...], str]]:
        return ReceivedArray.open, (self._memory.place(self), self.array.shape, self.array.dtype.str)

    def release(self) -> None:
        """Let other arrays use the memory: nobody reads this one any more."""
        self._memory.release(self)


class ReceivedArray:
    """The same array in another process: a view of the shared memory, until the sender releases it."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array

    @classmethod
    def open(cls, place: Place, shape: tuple[int, ...], dtype: str) -> ReceivedArray:
        path, name = place
        if name not in _opened:
            with Path(path).open("r+b") as file:
                _opened[name] = mmap.mmap(file.fileno(), 0)
            while len(_opened) > _MOST_OPEN:
                _opened.popitem(last=False)  # it is unmapped once no array uses it
        _opened.move_to_end(name)
        return cls(np.ndarray(shape, np.dtype(dtype), _opened[name]))

    def release(self) -> None:
        """Do nothing: the sender releases the memory."""


class SharedMemory:
    """Pieces of memory for the arrays that are on their way to other processes. Pieces are used again."""

    def __init__(self) -> None:
        self._free: list[_Piece] = []
        self._used: dict[int, _Piece] = {}

    def wrap(self, array: NDArray[Any]) -> SharedArray:
        """Return the array in the form in which it can be sent."""
        return SharedArray(array, self)

    def place(self, shared: SharedArray) -> Place:
        """Copy an array to a piece of memory, once, and return where that is."""
        if id(shared) not in self._used:
            piece = self._take_piece(shared.array.nbytes)
            self._used[id(shared)] = piece
            np.copyto(np.ndarray(shared.array.shape, shared.array.dtype, piece.memory), shared.array)
        return self._used[id(shared)].place

    def release(self, shared: SharedArray) -> None:
        """Free the piece of an array; one that was never sent has none."""
        piece = self._used.pop(id(shared), None)
        if piece is not None:
            self._free.append(piece)

    def close(self) -> None:
        """Give the memory back to the system."""
        for piece in [*self._free, *self._used.values()]:
            piece.close()
        self._free, self._used = [], {}

    def _take_piece(self, size: int) -> _Piece:
        fitting = [piece for piece in self._free if piece.size >= size]
        if fitting:
            piece = min(fitting, key=lambda piece: piece.size)
            self._free.remove(piece)
            return piece
        for piece in self._free:  # too small for what comes now
            piece.close()
        self._free = []
        return _Piece(max(size, 1))


class _Piece:
    """A file in memory, and its mapping."""

    def __init__(self, size: int) -> None:
        _check_memory(size)
        self.size = size
        self._path: Path | None = None
        if hasattr(os, "memfd_create"):
            self._file = os.memfd_create("vmevalkit")
            path = f"/proc/{os.getpid()}/fd/{self._file}"
        else:
            self._file, path = tempfile.mkstemp(prefix="vmevalkit-")
            self._path = Path(path)
        try:
            os.ftruncate(self._file, size)
            self.memory = mmap.mmap(self._file, size, flags=mmap.MAP_SHARED | _POPULATE)
        except OSError as error:
            self._remove_file()
            raise MediaError(f"there is no memory for {size / 1e6:.0f} MB to share with workers: {error}") from error
        self.place: Place = path, f"{os.getpid()}-{next(_names)}"

    def close(self) -> None:
        self.memory.close()
        self._remove_file()

    def _remove_file(self) -> None:
        os.close(self._file)
        if self._path is not None:
            self._path.unlink(missing_ok=True)


def _check_memory(size: int) -> None:
    """Raise MediaError where the machine has less memory: the system ends processes when it runs out of it."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:  # not Linux
        return
    available = next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), None)
    if available is not None and size > available:
        raise MediaError(
            f"there is no memory for {size / 1e6:.0f} MB to share with workers, as {available / 1e6:.0f} MB are "
            "available; score fewer videos at once, or smaller ones"
        )
