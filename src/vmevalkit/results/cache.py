"""The cache of the table: what was read from each file, as parquet beside the scores.

A file is read again only where its signature changed. A cache that is damaged, or of another version, is built again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from io import BytesIO
from itertools import islice
from pathlib import Path

import orjson

from vmevalkit import __version__
from vmevalkit.core.errors import Unwritable
from vmevalkit.results.entries import Entry
from vmevalkit.results.scan import Signature
from vmevalkit.store import layout
from vmevalkit.store.atomic import clean, write_file

CACHE = "results_cache.parquet"
VERSION = f"6 of {__version__}"
"""Changes with what is read from a file."""

_VERSION_KEY = b"vmevalkit_results_cache"
_BATCH = 4096
_COLUMNS = ("key", "mtime_ns", "size", "inode", "entry")
_log = logging.getLogger(__name__)


def cache_file(evaluations: Path, experiment: str) -> Path:
    """Return the path of an experiment's cache."""
    return layout.experiment_folder(evaluations, experiment) / CACHE


class EntryCache:
    """Entries of files by key, each with the signature of the file that it was read from."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = _load(path)
        self._used: dict[str, tuple[Signature, bytes]] = {}
        self.read_count = 0
        """Number of files that were read because the cache did not have them."""

    def get(self, key: str, signature: Signature, read: Callable[[Path], Entry], path: str) -> Entry:
        """Return the entry of a file, read from ``path`` where the cache has no entry of this signature."""
        return decode_entry(self.get_content(key, signature, read, path))

    def get_content(self, key: str, signature: Signature, read: Callable[[Path], Entry], path: str) -> bytes:
        """Return the same as JSON, for a caller that keeps many: an entry takes several times as much memory."""
        known = self._known.get(key)
        if known is not None and known[0] == signature:
            self._used[key] = known
        else:
            self._used[key] = (signature, _encode_entry(read(Path(path))))
            self.read_count += 1
        return self._used[key][1]

    def save(self) -> None:
        """Write the entries of this call where they differ from those of the file. Entries of removed files go."""
        if not self._path.parent.is_dir() or (not self.read_count and self._used.keys() == self._known.keys()):
            return
        try:
            clean(self._path.parent)
            write_file(self._path, _encode(self._used))
        except Unwritable as error:  # a read-only archive still has a table; it takes longer each time
            _log.warning("the results are not cached: %s", error)


def decode_entry(content: bytes) -> Entry:
    """Return an entry from its JSON. Also what was just read goes through JSON, so that the table does not depend on
    the state of the cache."""
    entry: Entry = orjson.loads(content)
    return entry


def _encode_entry(entry: Entry) -> bytes:
    try:
        # A copy, since orjson keeps its whole buffer behind what it returns: several kB for a few hundred bytes.
        return bytes(memoryview(orjson.dumps(entry, option=orjson.OPT_NON_STR_KEYS)))
    except TypeError:  # an integer of more than 64 bits
        return json.dumps(entry).encode()


def _encode(entries: dict[str, tuple[Signature, bytes]]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    kinds = (pyarrow.string(), pyarrow.int64(), pyarrow.int64(), pyarrow.uint64(), pyarrow.binary())
    schema = pyarrow.schema(list(zip(_COLUMNS, kinds, strict=True)), {_VERSION_KEY: VERSION.encode()})
    buffer, rest = BytesIO(), iter(entries.items())
    options = {"compression": "zstd", "use_dictionary": False, "write_page_checksum": True}
    with pyarrow.parquet.ParquetWriter(buffer, schema, **options) as writer:
        while part := list(islice(rest, _BATCH)):  # a part at a time: a copy of everything would double the memory
            rows = [(key, *signature, entry) for key, (signature, entry) in part]
            arrays = [pyarrow.array(column, kind) for column, kind in zip(zip(*rows, strict=True), kinds, strict=True)]
            writer.write_table(pyarrow.table(arrays, schema=schema))
    return buffer.getvalue()


def _load(path: Path) -> dict[str, tuple[Signature, bytes]]:
    """Return the entries of a cache; none where there is no cache, or one that cannot be used."""
    if not path.is_file():
        return {}
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(BytesIO(path.read_bytes()), page_checksum_verification=True)
        if (file.schema_arrow.metadata or {}).get(_VERSION_KEY) != VERSION.encode():
            return {}
        known: dict[str, tuple[Signature, bytes]] = {}
        for batch in file.iter_batches(_BATCH, columns=list(_COLUMNS)):
            keys, times, sizes, inodes, entries = (batch.column(name).to_pylist() for name in _COLUMNS)
            signatures = zip(times, sizes, inodes, strict=True)
            known.update(zip(keys, zip(signatures, entries, strict=True), strict=True))
        return known
    except (OSError, ValueError, KeyError, pyarrow.ArrowException) as error:
        _log.warning("%s is damaged (%s) and is built again", path, error)
        return {}
