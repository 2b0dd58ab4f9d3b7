"""The files of a set in any of the formats that can be read, one row at a time and within limits.

A reader yields its rows unparsed, as functions: what is wrong with one row is found when it is called, and the rows
after it are still read.
"""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from vmevalkit.core.errors import StoreError, UsageError
from vmevalkit.core.jsonable import parse_json
from vmevalkit.exchange.export import FILES, import_datasets
from vmevalkit.store import layout
from vmevalkit.store.foreign_file import MOST_BYTES, open_foreign_file, read_foreign_file

Cells = Mapping[str, Any]
ParseRow = Callable[[], Cells]

METADATA = "metadata.jsonl"
_MOST_LINE_BYTES = 1 << 26
_MOST_PARTS = 64
"""Files of one row in a shard."""
_MOST_ARCHIVE_BYTES = 1 << 42
"""A shard, or a parquet file, which are never read whole."""
_PIECE = 1 << 20
"""Bytes of a shard that are read at once; no name and no header is as long."""
_MOST_RATIO, _FREE_BYTES = 1000, 1 << 26
"""Most that a column of parquet may grow when it is decompressed, and how much is no question."""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One row of a file, not yet parsed."""

    place: str
    """The file and the number of the row, for messages."""
    parse: ParseRow
    roots: tuple[Path, ...]
    """Folders in which files lie that the row may name."""


def read_place(place: Path) -> Iterator[SourceRow]:
    """Yield the rows of parquet files, WebDataset shards, a VideoFolder or a folder of ``save_to_disk``."""
    root = place if place.is_dir() else place.parent
    if (place / METADATA).is_file():
        return _number_rows(root, place / METADATA, _read_lines)
    if (place / "state.json").is_file() and (place / "dataset_info.json").is_file():
        return _number_rows(root, place, _read_saved_dataset)
    for pattern, read in (("*.tar", _read_shard), ("*.parquet", _read_parquet)):
        files = sorted(place.rglob(pattern)) if place.is_dir() else [place] * place.match(pattern)
        if files:
            return (row for file in files for row in _number_rows(root, file, read))
    raise UsageError(
        f"{place} is no set that can be read: no question folders (with {layout.FIRST_FRAME}), *.parquet, *.tar, "
        f"{METADATA} or folder of save_to_disk is there"
    )


def read_hub(name: str) -> Iterator[SourceRow]:
    """Yield the rows of a set of the hub; ``NAME:SPLIT`` names a split, by default the first."""
    datasets = import_datasets()
    from huggingface_hub.constants import HF_HUB_CACHE

    name, _, split = name.partition(":")
    loaded = datasets.load_dataset(name, split=split or None)
    roots = (
        Path(HF_HUB_CACHE, f"datasets--{name.replace('/', '--')}"),
        Path(datasets.config.HF_DATASETS_CACHE, "downloads"),
    )
    for number, parse in enumerate(_iterate_dataset(loaded if split else next(iter(loaded.values())))):
        yield SourceRow(f"{name}, row {number}", parse, roots)


def _number_rows(root: Path, file: Path, read: Callable[[Path, Path], Iterator[ParseRow]]) -> Iterator[SourceRow]:
    number = 0
    rows = read(root, file)
    while True:
        place = f"{file}, row {number}"
        try:
            parse = next(rows)
        except StopIteration:
            return
        except Exception as error:  # noqa: BLE001  - of any library that decodes: the rest of the file is lost
            yield SourceRow(place, partial(_raise, error), (root,))
            return
        yield SourceRow(place, parse, (root,))
        number += 1


def _raise(error: Exception) -> Cells:
    raise error


def _read_parquet(root: Path, path: Path) -> Iterator[ParseRow]:
    import pyarrow.parquet as pq

    with open_foreign_file(root, path.relative_to(root), _MOST_ARCHIVE_BYTES) as file:
        table = pq.ParquetFile(file)
        for group in map(table.metadata.row_group, range(table.metadata.num_row_groups)):
            for column in map(group.column, range(group.num_columns)):
                if column.total_uncompressed_size > _MOST_RATIO * column.total_compressed_size + _FREE_BYTES:
                    raise StoreError(
                        f"the column {column.path_in_schema} claims {column.total_uncompressed_size:,} bytes in "
                        f"{column.total_compressed_size:,}; this is not a set of images and texts"
                    )
        # One row a batch: a cell that is stored once may be repeated in every row.
        for batch in table.iter_batches(batch_size=1):
            yield partial(_parse_batch, batch)


def _parse_batch(batch: Any) -> Cells:
    cells: Cells = batch.to_pylist()[0]
    return cells


def _read_shard(root: Path, path: Path) -> Iterator[ParseRow]:
    """Yield the samples of a tar file: members that follow each other with the same name up to the first dot."""
    key, parts = None, dict[str, bytes | StoreError]()
    with open_foreign_file(root, path.relative_to(root), _MOST_ARCHIVE_BYTES) as file:
        try:
            tar = tarfile.open(fileobj=cast(BinaryIO, _InPieces(file)), mode="r:")  # noqa: SIM115  - it holds nothing but ``file``
        except tarfile.ReadError as error:
            raise StoreError(f"it is not a tar file without compression ({error}); decompress it") from error
        for member in tar:
            tar.members.clear()  # type: ignore[attr-defined]  # a shard may have more than fit in memory
            folder, _, name = member.name.rpartition("/")
            stem, _, extension = name.partition(".")
            if not member.isfile() or not stem:
                continue
            if (folder, stem) != key:
                if key is not None:
                    yield partial(_parse_parts, key[1], parts)
                key, parts = (folder, stem), {}
            if len(parts) <= _MOST_PARTS:
                parts[extension] = _read_member(tar, member, sum(map(_count_bytes, parts.values())))
    if key is not None:
        yield partial(_parse_parts, key[1], parts)


class _InPieces:
    """A shard that is read in pieces only: a header may claim any length, and would be read whole."""

    def __init__(self, file: BinaryIO) -> None:
        self.seek, self.tell, self._file = file.seek, file.tell, file

    def read(self, size: int) -> bytes:
        if size > _PIECE:
            raise StoreError(f"a header claims {size:,} bytes; pack the files again")
        return self._file.read(size)


def _read_member(tar: tarfile.TarFile, member: tarfile.TarInfo, before: int) -> bytes | StoreError:
    if member.issparse():
        return StoreError(f"{member.name} has holes and claims {member.size:,} bytes; pack the file itself")
    if before + member.size > MOST_BYTES:
        return StoreError(f"{member.name} has {member.size:,} bytes; the files of a row may have {MOST_BYTES:,}")
    stream = tar.extractfile(member)
    assert stream is not None
    content = b"".join(iter(partial(stream.read, _PIECE), b""))
    return content if len(content) == member.size else StoreError(f"{member.name} is cut off")


def _count_bytes(part: bytes | StoreError) -> int:
    return len(part) if isinstance(part, bytes) else 0


def _parse_parts(stem: str, parts: Mapping[str, bytes | StoreError]) -> Cells:
    if len(parts) > _MOST_PARTS:
        raise StoreError(f"{stem} has more than {_MOST_PARTS} files; a row has one a column")
    cells: dict[str, Any] = {"__key__": stem}
    names = {file: name for name, file in FILES.items()}
    for extension, content in parts.items():
        if isinstance(content, StoreError):
            raise content
        if extension == "json":
            cells |= parse_object(content, f"{stem}.json")
        else:
            name = names.get(extension, extension)
            is_text = name in ("prompt", "goal", "metadata", "scores") or extension == "txt"
            cells["prompt" if extension == "txt" else name] = content.decode() if is_text else content
    return cells


def _read_lines(root: Path, path: Path) -> Iterator[ParseRow]:
    with open_foreign_file(root, path.name, _MOST_ARCHIVE_BYTES) as file:
        while line := file.readline(_MOST_LINE_BYTES):
            if len(line) == _MOST_LINE_BYTES:
                raise StoreError(f"a line has more than {_MOST_LINE_BYTES:,} bytes")
            if line.strip():
                yield partial(_parse_line, line)


def _parse_line(line: bytes) -> Cells:
    cells = dict(parse_object(line, "the line"))
    if not isinstance(cells.get("file_name"), str):
        raise StoreError("the line has no file_name")
    cells["video" if cells.get("model") else "solution"] = {"path": cells.pop("file_name")}
    for name in ("first_frame", "final_frame"):
        if isinstance(cells.get(name), str):
            cells[name] = {"path": cells[name]}
    return cells


def parse_object(content: bytes | str, what: str) -> dict[str, Any]:
    """Return a JSON object. Raises StoreError where it is something else."""
    try:
        record = parse_json(content)
    except ValueError as error:
        raise StoreError(f"{what} is not JSON ({error})") from error
    if not isinstance(record, dict):
        raise StoreError(f"{what} is not a JSON object")
    return record


def _read_saved_dataset(root: Path, place: Path) -> Iterator[ParseRow]:
    state = parse_object(read_foreign_file(place, "state.json", _MOST_LINE_BYTES), "state.json")
    for each in state.get("_data_files") or ():  # the library would open any path
        open_foreign_file(root, str(each["filename"]), _MOST_ARCHIVE_BYTES).close()
    yield from _iterate_dataset(import_datasets().load_from_disk(str(place)))


def _iterate_dataset(loaded: Any) -> Iterator[ParseRow]:
    """Yield rows with files as bytes: decoding and encoding again would change them."""
    datasets = import_datasets()
    for name, feature in loaded.features.items():
        if isinstance(feature, datasets.Image | datasets.Video):
            loaded = loaded.cast_column(name, type(feature)(decode=False))
    for number in range(len(loaded)):
        yield partial(loaded.__getitem__, number)
