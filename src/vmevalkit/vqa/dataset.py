"""Questions of the dataset: from a parquet file, a folder of such files, or Hugging Face.

Only the questions of the wanted type are read, one after the other: the whole dataset has thousands of images.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, UnidentifiedImageError

from vmevalkit.core.chat import ImagePart
from vmevalkit.core.errors import MediaError, SetupError, StoreError, UnknownName, UsageError
from vmevalkit.core.extras import make_install_command
from vmevalkit.media.image_header import check_pixels
from vmevalkit.models.chat_images import load_image_part, make_image_part
from vmevalkit.store.foreign_file import read_foreign_file
from vmevalkit.vqa.task_files.mmsi import CATEGORIES, decode_image

_UNREADABLE = (
    MediaError, StoreError, OSError, TypeError, ValueError, SyntaxError, Image.DecompressionBombError,
)  # fmt: skip
"""What the readers of image formats raise."""
COLUMNS = ("id", "images", "question_type", "question", "answer")


@dataclass(frozen=True, slots=True)
class ImageQuestion:
    """One question about several images."""

    id: str
    question_type: str
    question: str
    """With its options."""
    answer: str
    """The letter of the correct option."""
    images: tuple[ImagePart, ...]
    problem: str | None = None
    """Why it cannot be asked, as where an image cannot be read; None where it can."""

    @property
    def doc(self) -> dict[str, Any]:
        """The row as the functions of the task files take it, without its images."""
        return {"id": self.id, "question_type": self.question_type, "question": self.question, "answer": self.answer}


def find_question_type(name: str) -> str:
    """Return a question type of the dataset by its name there, or by its name in results, such as ``motion_cam``."""
    by_category = {category: kind for kind, category in CATEGORIES.items()}
    plain = name.replace("-", "–") if name not in CATEGORIES else name  # the dataset's names have en dashes
    if plain in CATEGORIES:
        return plain
    if name in by_category:
        return by_category[name]
    raise UnknownName("question type", name, {*CATEGORIES, *by_category})


def load_questions(
    source: str, question_type: str, split: str = "test", limit: int | None = None, *, may_be_absent: bool = False
) -> Iterator[ImageQuestion]:
    """Yield the questions of one type, in the order of the dataset, at most ``limit``.

    Raises StoreError where there are none, unless they may be absent."""
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit} leaves no question; use 1 or more")
    files = find_parquet_files(source, split)
    rows = _read_parquet(files, question_type) if files else _read_hub(source, question_type, split)
    place = Path(source).expanduser()
    root = None if not files else place if place.is_dir() else place.parent
    number = 0
    for number, row in enumerate(rows, 1):
        yield _make_question(row, root)
        if number == limit:
            return
    if number == 0 and not may_be_absent:
        raise StoreError(f"{source} has no question of the type {question_type!r}")


def find_parquet_files(source: str, split: str = "test") -> list[Path]:
    """Return the parquet files of a path: the file itself, or those of the split in a folder; none for a name."""
    path = Path(source).expanduser()
    if path.is_file():
        return [path]
    if not path.is_dir():
        return []
    found = sorted(path.glob(f"data/{split}-*.parquet")) or sorted(path.glob(f"{split}*.parquet"))
    found = found or sorted(path.rglob("*.parquet"))
    if not found:
        raise StoreError(f"{path} contains no parquet file; give a file, or a folder with data/{split}-*.parquet")
    return found


def _read_parquet(files: Iterable[Path], question_type: str) -> Iterator[Mapping[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for path in files:
        try:
            with pq.ParquetFile(path) as file:
                missing = set(COLUMNS) - set(file.schema_arrow.names)
                if missing:
                    raise StoreError(f"{path} has no column {sorted(missing)[0]!r}; it is not MMSI-Bench")
                for group in range(file.num_row_groups):
                    kinds = file.read_row_group(group, ["question_type"]).column(0).to_pylist()
                    wanted = [place for place, kind in enumerate(kinds) if kind == question_type]
                    if wanted:
                        yield from _read_rows(file, group, wanted)
        except (OSError, ValueError, TypeError, pa.ArrowException) as error:
            raise StoreError(f"cannot read {path}: {error}") from error


def _read_rows(file: Any, group: int, wanted: list[int]) -> Iterator[Mapping[str, Any]]:
    """Yield rows of a row group, decoded a few at a time."""
    start, places = 0, iter(wanted)
    place = next(places, None)
    for batch in file.iter_batches(batch_size=16, row_groups=[group], columns=list(COLUMNS)):
        while place is not None and place < start + batch.num_rows:
            yield batch.slice(place - start, 1).to_pylist()[0]
            place = next(places, None)
        start += batch.num_rows


def _read_hub(source: str, question_type: str, split: str) -> Iterator[Mapping[str, Any]]:
    if source.count("/") != 1 or source.startswith((".", "/", "~")):  # names at Hugging Face are OWNER/NAME
        raise StoreError(f"{source} does not exist; give --dataset a parquet file, a folder with one, or OWNER/NAME")
    try:
        import datasets

        load_dataset = datasets.load_dataset
    except (ImportError, AttributeError) as error:
        raise SetupError(
            f"{source} is not a local folder, and loading it from Hugging Face needs the package datasets: "
            f"{make_install_command('vqa')}"
        ) from error
    try:
        data = load_dataset(source, split=split)
    except (OSError, ValueError, ConnectionError) as error:
        raise StoreError(
            f"{source} cannot be loaded from Hugging Face ({type(error).__name__}: {error}); check the name and the "
            "network, or give --dataset a local folder"
        ) from error
    feature = data.features.get("images")
    if isinstance(getattr(feature, "feature", None), datasets.Image):  # it would open any file that a row names
        data = data.cast_column("images", type(feature)(datasets.Image(decode=False)))
    yield from data.filter(lambda kind: kind == question_type, input_columns=["question_type"])


def _make_question(row: Mapping[str, Any], root: Path | None) -> ImageQuestion:
    images: tuple[ImagePart, ...] = ()
    problem = None
    try:
        images = tuple(_make_part(item, root) for item in row["images"])
    except UnidentifiedImageError:
        problem = "an image cannot be read: it is in no known format"
    except _UNREADABLE as error:
        problem = f"an image cannot be read: {error}"
    if not images and problem is None:
        problem = "it has no images"
    answer = str(row["answer"]).strip().upper()
    return ImageQuestion(str(row["id"]), str(row["question_type"]), str(row["question"]), answer, images, problem)


def _make_part(item: Any, root: Path | None) -> ImagePart:
    """Return an image as it is sent: a file's bytes unchanged where they are PNG, JPEG or WebP.

    A file that a row names instead must be in the folder of the dataset: its content is sent to a service."""
    data = item.get("bytes") if isinstance(item, Mapping) else item
    if data is None or isinstance(data, str):
        name = item.get("path") if isinstance(item, Mapping) else item
        if root is None or not isinstance(name, str):
            raise MediaError(f"the row has no content for it, only the name {name!r:.80}")
        item = data = read_foreign_file(root, name)
    if isinstance(data, bytes):
        try:
            return load_image_part(data)
        except MediaError:
            with Image.open(BytesIO(data)) as image:  # another format, which Pillow may know
                check_pixels(image.width, image.height, "it")
    return make_image_part(np.asarray(decode_image(item), np.uint8))
