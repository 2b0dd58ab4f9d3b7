"""Records of many questions in a temporary file, so that memory does not grow with the dataset."""

from __future__ import annotations

import json
import os
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from vmevalkit.store.atomic import os_errors
from vmevalkit.store.records import encode_value

_LENGTH_BITS = 32


class RecordSpool:
    """Records by number. The file has no name: it disappears with the process, however that ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with os_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115  - it lasts as long as the spool
        weakref.finalize(self, self._file.close)
        self._end = 0
        # The position and the length of a record in one number: a tuple would take three times the memory.
        self._places: dict[int, int] = {}

    def put(self, number: int, record: Mapping[str, Any]) -> None:
        """Add a record, or replace the one of this number."""
        data = encode_value(record)
        written = 0
        with os_errors(self._folder):
            while written < len(data):
                written += os.pwrite(self._file.fileno(), data[written:], self._end + written)
        self._places[number] = self._end << _LENGTH_BITS | len(data)
        self._end += len(data)

    def add(self, record: Mapping[str, Any]) -> None:
        """Add a record under the next number."""
        self.put(len(self._places), record)

    def remove(self, number: int) -> None:
        del self._places[number]

    def read(self, number: int) -> dict[str, Any]:
        record: dict[str, Any] = json.loads(self.read_encoded(number))
        return record

    def read_encoded(self, number: int) -> bytes:
        place = self._places[number]
        with os_errors(self._folder):
            return os.pread(self._file.fileno(), place & (1 << _LENGTH_BITS) - 1, place >> _LENGTH_BITS)

    def list_numbers(self) -> list[int]:
        return sorted(self._places)

    def __contains__(self, number: int) -> bool:
        return number in self._places

    def __len__(self) -> int:
        return len(self._places)


class SpooledRecords(Sequence[dict[str, Any]]):
    """The records of one spool, or of several one after the other, in the order of their numbers. Each is read when it
    is needed."""

    def __init__(self, *spools: RecordSpool) -> None:
        self._rows = [(spool, number) for spool in spools[1:] for number in spool.list_numbers()]
        self._first, self._numbers = spools[0], spools[0].list_numbers()

    def iter_encoded(self) -> Iterator[bytes]:
        """Yield each record as JSON."""
        for number in self._numbers:
            yield self._first.read_encoded(number)
        for spool, number in self._rows:
            yield spool.read_encoded(number)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(json.loads, self.iter_encoded())

    def __len__(self) -> int:
        return len(self._numbers) + len(self._rows)

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...

    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        if place < len(self._numbers):
            return self._first.read(self._numbers[place])
        spool, number = self._rows[place - len(self._numbers)]
        return spool.read(number)
