"""Writing rows: Hugging Face datasets, WebDataset shards, plain parquet, and a folder of videos with its metadata."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import SetupError, UnknownName, UsageError
from vmevalkit.core.extras import make_install_command
from vmevalkit.exchange.card import CardCounts, write_card
from vmevalkit.exchange.row import Row
from vmevalkit.exchange.trackers import write_trackio, write_wandb
from vmevalkit.store import layout
from vmevalkit.store.atomic import new_folder, write_file

COLUMNS = tuple(field.name for field in fields(Row))
BYTES = ("first_frame", "final_frame", "solution", "video")
FILES = {
    "first_frame": layout.FIRST_FRAME, "final_frame": layout.FINAL_FRAME, "goal": layout.GOAL,
    "solution": layout.SOLUTION, "video": "video.mp4", "scores": "scores.json", "prompt": layout.PROMPT,
    "metadata": layout.QUESTION_RECORD,
}  # fmt: skip
"""Names of the parts of a row that are files in a shard, after the key."""
_ROWS_PER_FILE = 1000


@dataclass(frozen=True, slots=True)
class Exported:
    """The result of an export."""

    folder: Path
    rows: int
    fingerprint: str


def export_rows(
    rows: Iterable[Row], to: str, out: Path | str, name: str | None = None, licence: str = "unknown"
) -> Exported:
    """Write rows in one of the FORMATS into a new folder, with a dataset card. It appears when it is complete."""
    if to not in FORMATS:
        raise UnknownName("format", to, FORMATS)
    target, counts = Path(out), CardCounts()
    with new_folder(target) as aside:
        FORMATS[to](_count(rows, counts), aside)
        if not counts.rows:
            raise UsageError("there is nothing to export; check --questions or --experiment")
        write_card(aside, to, name or target.name, licence, counts)
    return Exported(target, counts.rows, counts.fingerprint)


def _count(rows: Iterable[Row], counts: CardCounts) -> Iterator[Row]:
    for row in rows:
        counts.add(row)
        yield row


def _write_parquet(rows: Iterable[Row], folder: Path) -> None:
    """Plain parquet: images and videos are bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"sample": pa.int64(), **dict.fromkeys(BYTES, pa.binary())}
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])
    for number, batch in enumerate(_batches(rows)):
        pq.write_table(pa.Table.from_pylist(batch, schema=schema), folder / f"part-{number:05d}.parquet")


def _write_hf(rows: Iterable[Row], folder: Path) -> None:
    """Parquet with the features Image and Video, as ``load_dataset`` reads it."""
    (folder / "data").mkdir()
    for number, batch in enumerate(_batches(rows)):
        _to_dataset(batch).to_parquet(folder / "data" / f"train-{number:05d}.parquet")


def _write_hf_disk(rows: Iterable[Row], folder: Path) -> None:
    """Arrow files, as ``load_from_disk`` reads them."""
    import shutil
    from tempfile import TemporaryDirectory

    datasets = import_datasets()
    with TemporaryDirectory(dir=folder.parent, prefix=".new-arrow-") as cache:
        parts = [_to_dataset(batch) for batch in _batches(rows)]
        if parts:
            datasets.concatenate_datasets(parts).save_to_disk(Path(cache) / "set")
            for path in (Path(cache) / "set").iterdir():
                shutil.move(path, folder / path.name)


def _to_dataset(batch: list[dict[str, Any]]) -> Any:
    datasets = import_datasets()
    kinds: dict[str, Any] = {name: datasets.Value("string") for name in COLUMNS}
    kinds["sample"] = datasets.Value("int64")
    kinds |= dict.fromkeys(("first_frame", "final_frame"), datasets.Image())
    kinds |= dict.fromkeys(("solution", "video"), datasets.Video())
    columns: dict[str, list[Any]] = {name: [row[name] for row in batch] for name in COLUMNS}
    for name in BYTES:
        columns[name] = [None if cell is None else {"bytes": cell, "path": None} for cell in columns[name]]
    return datasets.Dataset.from_dict(columns, features=datasets.Features(kinds))


def _write_webdataset(rows: Iterable[Row], folder: Path) -> None:
    """Tar files in which the parts of a row follow each other."""
    try:
        from webdataset import ShardWriter
    except ImportError as error:
        raise SetupError(f"WebDataset shards need webdataset: {make_install_command('exchange')}") from error
    with ShardWriter(str(folder / "shard-%06d.tar"), maxcount=_ROWS_PER_FILE, verbose=0, mtime=0.0) as shards:
        for row in rows:
            parts = {"__key__": row.key, "json": _row_facts(row)}
            values = {FILES[name]: getattr(row, name) for name in FILES if getattr(row, name) is not None}
            encoded = {name: value.encode() if isinstance(value, str) else value for name, value in values.items()}
            shards.write({**parts, **encoded})


def _write_videofolder(rows: Iterable[Row], folder: Path) -> None:
    """Videos and a line of metadata.jsonl for each: VideoFolder of ``datasets``. Frames are in folders of their own."""
    lines: list[dict[str, Any]] = []
    for row in rows:
        video = row.video if row.video is not None else row.solution
        if video is None:
            raise UsageError(
                f"{row.id} has no video; VideoFolder is for the videos of an experiment, or for questions with "
                "solutions (vmevalkit generate --solutions)"
            )
        files = {"videos": (f"{row.key}.mp4", video)}
        for name in ("first_frame", "final_frame"):
            if getattr(row, name) is not None:
                files[name] = (f"{row.key}.png", getattr(row, name))
        for part, (file, content) in files.items():
            (folder / part).mkdir(exist_ok=True)
            (folder / part / file).write_bytes(content)
        frames = {name: f"{name}/{file}" for name, (file, _) in files.items() if name != "videos"}
        texts = {name: getattr(row, name) for name in ("prompt", "goal", "metadata", "scores")}
        lines.append({"file_name": f"videos/{row.key}.mp4", **_row_facts(row), **texts, **frames})
    # Every line has the same columns: datasets takes the type of a column from the first file.
    columns = list(dict.fromkeys(name for line in lines for name in line))
    text = "".join(json.dumps({name: line.get(name) for name in columns}, ensure_ascii=False) + "\n" for line in lines)
    write_file(folder / "metadata.jsonl", text)


def _row_facts(row: Row) -> dict[str, Any]:
    return {"domain": row.domain, "id": row.id, "model": row.model, "sample": row.sample}


def _batches(rows: Iterable[Row]) -> Iterator[list[dict[str, Any]]]:
    """Yield rows in groups of a file: a set of any size passes through little memory."""
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(asdict(row))
        if len(batch) == _ROWS_PER_FILE:
            yield batch
            batch = []
    if batch:
        yield batch


def import_datasets() -> Any:
    try:
        import datasets
    except ImportError as error:
        raise SetupError(f"Hugging Face formats need datasets: {make_install_command('exchange')}") from error
    return datasets


FORMATS: dict[str, Callable[[Iterable[Row], Path], None]] = {
    "hf": _write_hf,
    "hf-disk": _write_hf_disk,
    "webdataset": _write_webdataset,
    "parquet": _write_parquet,
    "videofolder": _write_videofolder,
    "wandb": write_wandb,
    "trackio": write_trackio,
}
