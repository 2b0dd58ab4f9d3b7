"""Reading rows: what ``export`` writes, and sets of others with a first frame, a prompt and an answer."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import StoreError, UsageError
from vmevalkit.exchange.export import FILES, import_datasets
from vmevalkit.exchange.row import Row, read_question_row
from vmevalkit.media.image import decode_image, encode_png
from vmevalkit.store import layout
from vmevalkit.store.questions import load_question

NAMES: dict[str, tuple[str, ...]] = {
    "domain": ("domain", "task", "category"),
    "id": ("id", "question_id", "task_id", "key", "__key__"),
    "prompt": ("prompt", "question", "instruction", "caption", "text"),
    "first_frame": ("first_frame", "first_image", "image", "input_image", "start_image"),
    "final_frame": ("final_frame", "final_image", "last_frame", "target_image", "end_image"),
    "goal": ("goal", "answer", "text_answer", "ground_truth"),
    "solution": ("solution", "solution_video", "ground_truth_video"),
    "metadata": ("metadata",),
    "model": ("model", "model_name"),
    "sample": ("sample",),
    "video": ("video",),
    "scores": ("scores",),
}
"""Names that the columns of a set may have, the first match counts; ``--column`` names others."""
HUB = "hf:"
_PNG = b"\x89PNG\r\n\x1a\n"
Cells = Mapping[str, Any]


def read_rows(source: str | Path, columns: Mapping[str, str] | None = None, domain: str | None = None) -> Iterator[Row]:
    """Yield the rows of a set: a folder of question folders, parquet, WebDataset shards, a VideoFolder, a folder of
    ``save_to_disk``, or ``hf:NAME`` of the Hugging Face hub.

    ``columns`` names the columns of a set by those of a Row. ``domain`` is for sets without one."""
    text = str(source)
    default = domain or Path(text.removeprefix(HUB)).stem
    if text.startswith(HUB):
        cells: Iterator[Cells] = _read_hub(text.removeprefix(HUB))
    else:
        place = Path(source)
        if not place.exists():
            raise StoreError(f"there is no file or folder {place}; {HUB}NAME is a set of the Hugging Face hub")
        folders = sorted(path.parent for path in place.rglob(layout.FIRST_FRAME)) if place.is_dir() else []
        if folders and not (place / "metadata.jsonl").exists():
            for folder in folders:
                yield read_question_row(load_question(folder))
            return
        cells = _read_place(place)
    for number, each in enumerate(cells):
        yield _to_row(each, number, columns or {}, default)


def _read_place(place: Path) -> Iterator[Cells]:
    if (place / "metadata.jsonl").is_file():
        return _read_videofolder(place)
    if (place / "state.json").is_file() and (place / "dataset_info.json").is_file():
        return _read_dataset(import_datasets().load_from_disk(str(place)))
    for pattern, read in (("*.tar", _read_shard), ("*.parquet", _read_parquet)):
        files = sorted(place.rglob(pattern)) if place.is_dir() else [place] * place.match(pattern)
        if files:
            return (row for file in files for row in read(file))
    raise UsageError(
        f"{place} is no set that can be read: no question folders (with {layout.FIRST_FRAME}), *.parquet, *.tar, "
        "metadata.jsonl or folder of save_to_disk is there"
    )


def _read_parquet(path: Path) -> Iterator[Cells]:
    import pyarrow.parquet as pq

    for batch in pq.ParquetFile(path).iter_batches(batch_size=64):
        yield from batch.to_pylist()


def _read_shard(path: Path) -> Iterator[Cells]:
    """Yield the samples of a tar file: members that follow each other with the same name up to the first dot."""
    key, cells = None, dict[str, Any]()
    parts = {file: name for name, file in FILES.items()}
    with tarfile.open(path) as tar:
        for member in tar:
            folder, _, file = member.name.rpartition("/")
            stem, _, extension = file.partition(".")
            if not member.isfile() or not stem:
                continue
            if (folder, stem) != key:
                if cells:
                    yield cells
                key, cells = (folder, stem), {"__key__": stem}
            stream = tar.extractfile(member)
            assert stream is not None
            content = stream.read()
            if extension == "json":
                cells |= json.loads(content)
            else:
                name = parts.get(extension, extension)
                is_text = name in ("prompt", "goal", "metadata", "scores") or extension == "txt"
                cells["prompt" if extension == "txt" else name] = content.decode() if is_text else content
    if cells:
        yield cells


def _read_videofolder(place: Path) -> Iterator[Cells]:
    with (place / "metadata.jsonl").open(encoding="utf-8") as file:
        for line in file:
            cells = json.loads(line)
            video = _read_beside(place, str(cells.pop("file_name")))
            cells["video" if cells.get("model") else "solution"] = video
            for name in ("first_frame", "final_frame"):
                if isinstance(cells.get(name), str):
                    cells[name] = _read_beside(place, cells[name])
            yield cells


def _read_beside(place: Path, name: str) -> bytes:
    path = (place / name).resolve()
    if not path.is_relative_to(place.resolve()):
        raise StoreError(f"{place / 'metadata.jsonl'} names {name}, which is outside of its folder; correct it")
    return path.read_bytes()


def _read_hub(name: str) -> Iterator[Cells]:
    """Yield the rows of a set of the hub; ``NAME:SPLIT`` names a split, by default the first."""
    datasets = import_datasets()
    name, _, split = name.partition(":")
    loaded = datasets.load_dataset(name, split=split or None)
    return _read_dataset(loaded if split else next(iter(loaded.values())))


def _read_dataset(loaded: Any) -> Iterator[Cells]:
    """Yield rows with files as bytes: decoding and encoding again would change them."""
    datasets = import_datasets()
    for name, feature in loaded.features.items():
        if isinstance(feature, datasets.Image | datasets.Video):
            loaded = loaded.cast_column(name, type(feature)(decode=False))
    yield from loaded


def _to_row(cells: Cells, number: int, columns: Mapping[str, str], domain: str) -> Row:
    found: dict[str, Any] = {}
    for name, aliases in NAMES.items():
        if name in columns and columns[name] not in cells:
            raise UsageError(f"the set has no column {columns[name]!r}; it has {', '.join(cells)}")
        candidates = (columns[name],) if name in columns else aliases
        found[name] = next((cells[each] for each in candidates if cells.get(each) is not None), None)
    for name in ("first_frame", "final_frame"):
        found[name] = _to_png(found[name], f"{name} of row {number}")
    if found["first_frame"] is None or found["prompt"] is None:
        missing = "first frame" if found["first_frame"] is None else "prompt"
        raise UsageError(
            f"row {number} has no {missing}; the columns are {', '.join(cells)}: name the right ones with --column, "
            "such as --column first_frame=picture"
        )
    for name in ("solution", "video"):
        found[name] = _to_bytes(found[name])
    if isinstance(found["metadata"], dict):
        found["metadata"] = json.dumps(found["metadata"], ensure_ascii=False)
    found["domain"] = str(found["domain"] or domain)
    found["id"] = str(found["id"] if found["id"] is not None else f"{found['domain']}_{number:04d}")
    found["sample"] = int(found["sample"] or 0)
    return Row(**found)


def _to_bytes(cell: Any) -> bytes | None:
    """Return the content of a cell: bytes, or what ``datasets`` stores for an image or a video."""
    if isinstance(cell, dict):
        if cell.get("bytes") is not None:
            return bytes(cell["bytes"])
        return Path(cell["path"]).read_bytes() if cell.get("path") else None
    return cell if isinstance(cell, bytes) else None


def _to_png(cell: Any, place: str) -> bytes | None:
    content = _to_bytes(cell)
    if content is None or content.startswith(_PNG):
        return content
    return encode_png(decode_image(content, place))
