"""Reading rows: what ``export`` writes, and sets of others with a first frame, a prompt and an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import MediaError, StoreError, UsageError, VMEvalKitError
from vmevalkit.exchange.own_puzzles import read_own_puzzle
from vmevalkit.exchange.row import Row, read_question_row
from vmevalkit.exchange.sources import METADATA, Cells, SourceRow, parse_object, read_hub, read_place
from vmevalkit.media.image import decode_image, encode_png
from vmevalkit.media.image_header import check_pixels, parse_image_header
from vmevalkit.store import layout
from vmevalkit.store.foreign_file import MOST_BYTES, read_foreign_file
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
SMALLEST_SIDE = 16
"""Pixels: an image with a shorter side is no first frame."""
MOST_SAMPLES = 1_000_000
_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be used."""

    place: str
    """The file and the number of the row."""
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


GROUND_TRUTH = "ground_truth.mp4"
"""The solution video in question folders of others."""


def read_rows(
    source: str | Path, columns: Mapping[str, str] | None = None, domain: str | None = None
) -> Iterator[Row | BadRow]:
    """Yield the rows of a set: a folder of question folders, parquet, WebDataset shards, a VideoFolder, a folder of
    ``save_to_disk``, or ``hf:NAME`` of the Hugging Face hub. A row that cannot be used comes as a BadRow.

    ``columns`` names the columns of a set by those of a Row. ``domain`` replaces the domain of every row."""
    for row in _read_all_rows(source, columns or {}, domain):
        yield replace(row, domain=domain) if domain and isinstance(row, Row) else row


def _read_all_rows(source: str | Path, columns: Mapping[str, str], domain: str | None) -> Iterator[Row | BadRow]:
    text = str(source)
    default = domain or Path(text.removeprefix(HUB)).stem
    if text.startswith(HUB):
        rows = read_hub(text.removeprefix(HUB))
    else:
        place = Path(source)
        if not place.exists():
            raise StoreError(f"there is no file or folder {place}; {HUB}NAME is a set of the Hugging Face hub")
        folders = sorted(path.parent for path in place.rglob(layout.FIRST_FRAME)) if place.is_dir() else []
        if folders and not (place / METADATA).exists():
            for folder in folders:
                yield _read_question_folder(folder)
            return
        rows = read_place(place)
    for number, row in enumerate(rows):
        yield _read_row(row, number, columns, default)


def describe_bad_row(place: str, error: Exception) -> BadRow:
    """Return why a row cannot be used. Foreign data may raise any exception in the libraries that decode it."""
    reason = str(error) if isinstance(error, VMEvalKitError) else f"{type(error).__name__}: {error}"
    return BadRow(place, reason[:500])


def _read_question_folder(folder: Path) -> Row | BadRow:
    try:
        row = read_question_row(load_question(folder))
        if (folder / layout.OWN_PUZZLE).is_file():
            row = read_own_puzzle(folder, row)
        if row.solution is None and (folder / GROUND_TRUTH).is_file():
            row = replace(row, solution=read_foreign_file(folder, GROUND_TRUTH))
        _check_image(row.first_frame, "the first frame")
        if row.final_frame is not None:
            _check_image(row.final_frame, "the final frame")
    except Exception as error:  # noqa: BLE001  - the boundary, as below
        return describe_bad_row(str(folder), error)
    return row


def _read_row(row: SourceRow, number: int, columns: Mapping[str, str], domain: str) -> Row | BadRow:
    try:
        return _to_row(row.parse(), number, columns, domain, row.roots)
    except Exception as error:  # noqa: BLE001  - the boundary, as below
        return describe_bad_row(row.place, error)


def _to_row(cells: Cells, number: int, columns: Mapping[str, str], domain: str, roots: Sequence[Path]) -> Row:
    found: dict[str, Any] = {}
    for name, aliases in NAMES.items():
        if name in columns and columns[name] not in cells:
            raise UsageError(f"there is no column {columns[name]!r}; there are {', '.join(cells)}")
        candidates = (columns[name],) if name in columns else aliases
        found[name] = next((cells[each] for each in candidates if cells.get(each) is not None), None)
    if found["first_frame"] is None or found["prompt"] is None:
        missing = "first frame" if found["first_frame"] is None else "prompt"
        raise UsageError(
            f"it has no {missing}; the columns are {', '.join(cells)}: name the right ones with --column, "
            "such as --column first_frame=picture"
        )
    for name in ("first_frame", "final_frame", "solution", "video"):
        found[name] = _to_bytes(found[name], name, roots)
    for name in ("first_frame", "final_frame"):
        found[name] = None if found[name] is None else _to_png(found[name], name)
    if isinstance(found["metadata"], dict):
        found["metadata"] = json.dumps(found["metadata"], ensure_ascii=False)
    found["domain"] = found["domain"] or domain
    if found["id"] is None:
        found["id"] = f"{found['domain']}_{number:04d}"
    for name in ("domain", "id", "prompt", "goal", "model", "metadata", "scores"):
        found[name] = _to_text(found[name], name)
    for name in ("metadata", "scores"):
        if found[name] is not None:
            parse_object(found[name], name)
    found["sample"] = int(found["sample"] or 0)
    if not 0 <= found["sample"] < MOST_SAMPLES:
        raise StoreError(f"the sample is {found['sample']}; it must be from 0 to {MOST_SAMPLES - 1}")
    return Row(**found)


def _to_text(cell: Any, name: str) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, int | float) and name in ("id", "goal"):
        return str(cell)
    raise StoreError(f"{name} is {type(cell).__name__}, not text")


def _to_bytes(cell: Any, name: str, roots: Sequence[Path]) -> bytes | None:
    """Return the content of a cell: bytes, or what ``datasets`` stores for an image or a video."""
    if isinstance(cell, dict):
        content = cell.get("bytes")
        if content is None and cell.get("path") is not None:
            content = _read_named(str(cell["path"]), roots)
    else:
        content = cell
    if content is None:
        return None
    if not isinstance(content, bytes):
        raise StoreError(f"{name} is {type(content).__name__}, not a file")
    if len(content) > MOST_BYTES:
        raise StoreError(f"{name} has {len(content):,} bytes, more than the limit of {MOST_BYTES:,}")
    return content


def _read_named(name: str, roots: Sequence[Path]) -> bytes:
    """Return the content of a file that a cell names, inside one of the set's folders."""
    for root in roots[:-1]:
        try:
            return read_foreign_file(root, name)
        except StoreError:
            continue
    return read_foreign_file(roots[-1], name)


def _to_png(content: bytes, name: str) -> bytes:
    return content if _check_image(content, name) else encode_png(decode_image(content, name))


def _check_image(content: bytes, name: str) -> bool:
    """Raise MediaError where a file is not an image of a sane size. Returns whether it is PNG."""
    header = parse_image_header(content)
    if header is None:
        raise MediaError(f"{name} is not a decodable image (PNG, JPEG, WebP)")
    check_pixels(header.width, header.height, name)
    height, width = decode_image(content, name).shape[:2]
    if min(height, width) < SMALLEST_SIDE:
        raise MediaError(f"{name} has {width} x {height} pixels; an image has at least {SMALLEST_SIDE} on each side")
    return content.startswith(_PNG)
