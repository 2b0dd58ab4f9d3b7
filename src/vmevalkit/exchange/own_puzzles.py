"""Questions whose pictures a user made, with the puzzle in a small JSON file beside them.

The import certifies the puzzle, finds it in the pictures and reads it back. docs/OWN_QUESTIONS.md describes the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from vmevalkit.core.errors import StoreError, Uncertified, UsageError
from vmevalkit.core.jsonable import parse_json, to_json
from vmevalkit.exchange.row import Row
from vmevalkit.media.image import Frame, decode_image
from vmevalkit.media.video import read_frames
from vmevalkit.store import layout
from vmevalkit.store.foreign_file import read_foreign_file
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.kit.question_pictures import PICTURES, Pictures, UnreadablePictures, calibrate
from vmevalkit.tasks.puzzle_loading import load_picture_record, load_puzzle
from vmevalkit.tasks.task import AnyTask

_MOST_BYTES = 1 << 20
_KEYS = {"task", "puzzle", "pictures"}


def read_own_puzzle(folder: Path, row: Row) -> Row:
    """Return the row of a question folder with the puzzle that lies beside its pictures."""
    place = folder / layout.OWN_PUZZLE
    try:
        content = parse_json(read_foreign_file(folder, layout.OWN_PUZZLE, _MOST_BYTES))
    except ValueError as error:
        raise StoreError(f"{place} is not JSON: {error}") from error
    if not isinstance(content, dict) or not {"task", "puzzle"} <= set(content) <= _KEYS:
        raise StoreError(f"{place} must be an object with task and puzzle, and pictures where they need it")
    name = str(content["task"])
    if name not in TASKS:
        raise UsageError(f"{place} names the task {name!r}, which is unknown; there are {', '.join(TASKS)}")
    record = {"puzzle": content["puzzle"], PICTURES: content.get("pictures", {})}
    if not isinstance(record[PICTURES], dict):
        raise StoreError(f"pictures in {place} must be an object")
    known = parse_json(row.metadata or "{}")
    return replace(row, domain=name, metadata=json.dumps({**known, **record, "id": row.id, "domain": name}))


def check_own_puzzle(task: AnyTask, row: Row, metadata: dict[str, Any]) -> dict[str, Any]:
    """Return a question's record with the places that were found in its pictures, or with why rules cannot score it.

    A puzzle that is damaged raises UsageError: it is nobody's question."""
    puzzle = load_puzzle(task, metadata["puzzle"], row.id)
    record = load_picture_record(metadata[PICTURES], row.id)
    try:
        task.certify(puzzle)
        first = decode_image(row.first_frame, layout.FIRST_FRAME)
        final = None if row.final_frame is None else decode_image(row.final_frame, layout.FINAL_FRAME)
        if final is None and row.solution is not None:
            final = _read_last_frame(row.solution)
        _, record = calibrate(task, puzzle, Pictures(first, final, record))
    except Uncertified as error:
        record = replace(record, unscored=f"the puzzle is not a legal one: {error}")
    except UnreadablePictures as error:
        record = replace(record, unscored=str(error))
    return {**metadata, "puzzle": to_json(puzzle), PICTURES: to_json(record)}


def find_unreadable(task: AnyTask, files: Mapping[str, bytes], metadata: Mapping[str, Any]) -> str:
    """Return why rules cannot score a question by the pictures among its files; an empty text where they can.

    The question has a puzzle, and its record says nothing of its pictures: the reference implementation drew them, or a
    user has restyled them."""
    try:
        puzzle = load_puzzle(task, metadata["puzzle"], "the question")
    except UsageError:
        return ""  # which is said when it is scored
    first, final = (
        decode_image(files[name], name) if name in files else None for name in (layout.FIRST_FRAME, layout.FINAL_FRAME)
    )
    assert first is not None
    try:
        calibrate(task, puzzle, Pictures(first, final))
    except UnreadablePictures as error:
        return str(error)
    return ""


def _read_last_frame(video: bytes) -> Frame | None:
    """Return the last frame of a solution video, which shows the solved puzzle."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / layout.SOLUTION
        path.write_bytes(video)
        last = None
        for timed in read_frames(path):
            last = timed.frame
    return last
