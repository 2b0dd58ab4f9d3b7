"""Question folders: one puzzle drawn and written, or a whole dataset in one process."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from time import time
from typing import Any, TypeVar

from vmevalkit import __version__
from vmevalkit.core.errors import Occupied
from vmevalkit.core.jsonable import to_json
from vmevalkit.media.picture import Frame, encode_and_digest
from vmevalkit.store import layout
from vmevalkit.store.commit import clean, new_folder, scratch_folder, write_file
from vmevalkit.store.records import dataset_bytes, read_record, record_bytes
from vmevalkit.tasks.planning import check_number, puzzles
from vmevalkit.tasks.task import Task

P = TypeVar("P")

_puzzle_text = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
_row_text = json.JSONEncoder(ensure_ascii=False).encode

FILM_FPS = 24
CUSTOM = "custom"
"""The difficulty of a question whose knobs are no preset."""


def question_id(task_name: str, index: int) -> str:
    return f"{task_name}_{index:04d}"


def difficulty_of(task: Task[Any, Any, Any], knobs: Any) -> str:
    """The preset that the knobs are, or ``custom``."""
    return next((name for name, preset in task.difficulties.items() if preset == knobs), CUSTOM)


def write_question(
    task: Task[P, Any, Any],
    puzzle: P,
    question_id: str,
    root: Path | str,
    *,
    difficulty: str,
    seed: int | None,
    index: int | None = None,
    knobs: Any = None,
    solution: bool = False,
    created_at: str | None = None,
    replace: bool = False,
) -> dict[str, Any]:
    """Draw a question and write its folder; returns its record, which is question_metadata.json.

    A folder of that id with the same puzzle is written anew; with another one it is left alone (Occupied), unless
    ``replace`` is set. Nothing is forced to the disk (fsync): it would cost more than all the rest, and what a power
    cut takes can be drawn again, the same to the pixel.
    """
    place = Path(root)
    shown = layout.question_place(task.name, question_id)
    folder = place / shown
    # One picture at a time: two of them take fresh memory, which is slow.
    first, first_digest = encode_and_digest(task.first_frame(puzzle))
    final, final_digest = encode_and_digest(task.final_frame(puzzle))
    prompt = task.prompt(puzzle)
    record = {
        "id": question_id,
        "prompt": prompt,
        "first_image_path": f"{shown}/{layout.FIRST_FRAME}",
        "final_image_path": f"{shown}/{layout.FINAL_FRAME}",
        "task_category": task.category,
        "difficulty": difficulty,
        "created_at": created_at or now(),
        "domain": task.name,
        "task_id": question_id,  # as the documents of single tasks call it
        **task.metadata(puzzle),
        "puzzle": to_json(puzzle),
        "knobs": to_json(knobs),
        "seed": seed,
        "index": index,
        "generator": {"vmevalkit": __version__, "task": task.version},
        "pixel_digests": {"first_frame": first_digest, "final_frame": final_digest},
    }
    text = record_bytes(record)
    if not replace and os.path.lexists(folder):
        check_vacant(task, puzzle, question_id, place)
    with new_folder(folder, replace=True) as aside:
        _put(f"{aside}/{layout.FIRST_FRAME}", first)
        _put(f"{aside}/{layout.FINAL_FRAME}", final)
        _put(f"{aside}/{layout.PROMPT}", prompt.encode())
        if solution:
            _film(task, puzzle, aside / layout.SOLUTION)
        _put(f"{aside}/{layout.QUESTION_RECORD}", text)
    return record


def write_solution(task: Task[P, Any, Any], puzzle: P, question_id: str, root: Path | str) -> None:
    """Add the film of the reference solution to a question that is there already."""
    folder = layout.question_folder(Path(root), task.name, question_id)
    with scratch_folder(folder) as aside:
        _film(task, puzzle, aside / layout.SOLUTION)
        (aside / layout.SOLUTION).replace(folder / layout.SOLUTION)


def create_task_dataset(
    task: Task[P, Any, Any],
    num_samples: int = 50,
    *,
    seed: int = 42,
    difficulty: str | None = None,
    knobs: Any = None,
    output_dir: Path | str | None = None,
    solutions: bool = False,
    force: bool = False,
) -> dict[str, Any]:
    """Plan and draw a dataset in this process: {name, description, pairs}.

    Questions go to ``output_dir``, by default data/questions of the working directory, the list of pairs to
    data/NAME_tasks/NAME_tasks.json. ``knobs`` win over ``difficulty``. Other questions of the same ids are refused
    (Occupied), before anything is drawn, unless ``force`` is set.
    """
    root = layout.QUESTIONS if output_dir is None else Path(output_dir)
    turned = task.preset(difficulty) if knobs is None else knobs
    check_number(task, num_samples, turned)
    planned = list(islice(puzzles(task, seed, turned), num_samples))
    ids = [question_id(task.name, index) for index in range(num_samples)]
    clean(root / layout.domain_folder(task.name))
    if not force:
        for name, puzzle in zip(ids, planned, strict=True):
            check_vacant(task, puzzle, name, root)
    pairs = [
        write_question(
            task, puzzle, name, root, difficulty=difficulty_of(task, turned), seed=seed, index=index, knobs=turned,
            solution=solutions, replace=force,
        )
        for index, (name, puzzle) in enumerate(zip(ids, planned, strict=True))
    ]  # fmt: skip
    dataset = as_dataset(task, pairs)
    write_file(layout.dataset_file(root, task.name), dataset_bytes(dataset))
    return dataset


def as_dataset(task: Task[Any, Any, Any], pairs: list[dict[str, Any]]) -> dict[str, Any]:
    description = f"{task.describe(pairs)} ({len(pairs)} pairs)"
    return {"name": f"{task.name}_tasks", "description": description, "pairs": pairs}


def check_vacant(task: Task[P, Any, Any], puzzle: P, question_id: str, root: Path) -> None:
    """Raise Occupied where another question lies at this id."""
    folder = layout.question_folder(root, task.name, question_id)
    if not folder.exists() or is_unfinished(folder):
        return
    there = read_record(folder / layout.QUESTION_RECORD) or {}
    if there.get("puzzle") != to_json(puzzle) or there.get("prompt") != task.prompt(puzzle):
        raise Occupied(f"{folder} holds another question; choose another folder, or force it to be replaced")


def is_unfinished(folder: Path) -> bool:
    """Whether a power cut has emptied a file of a question that was not yet on the disk."""
    names = (layout.QUESTION_RECORD, layout.PROMPT, layout.FIRST_FRAME, layout.FINAL_FRAME)
    return any(path.is_file() and path.stat().st_size == 0 for path in map(folder.joinpath, names))


def fingerprint(pairs: Iterable[Mapping[str, Any]]) -> str:
    """A name for what a dataset asks, the same on every platform: ids, puzzles and prompts, in order."""
    return _chained([pair["id"], _puzzle_text(pair["puzzle"]), pair["prompt"]] for pair in pairs)


def pixel_fingerprint(pairs: Iterable[Mapping[str, Any]]) -> str:
    """A name for what a dataset shows: the same on one platform with the pinned versions."""
    return _chained([pair["id"], *sorted(pair["pixel_digests"].items())] for pair in pairs)


def now() -> str:
    return _moment(int(time()))


@lru_cache(maxsize=1)
def _moment(seconds: int) -> str:
    """Worked out once a second: hundreds of questions are made in one."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _chained(rows: Iterable[Any]) -> str:
    whole = sha256()
    for row in rows:
        whole.update(_row_text(row).encode() + b"\n")
    return whole.hexdigest()


def _put(path: str, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
    finally:
        os.close(handle)


def _film(task: Task[P, Any, Any], puzzle: P, path: Path) -> None:
    from vmevalkit.media.video import write_video

    write_video(path, _frames(task, puzzle), FILM_FPS)


def _frames(task: Task[P, Any, Any], puzzle: P) -> Iterator[Frame]:
    last = max(1, round(task.film_seconds * FILM_FPS) - 1)
    for number in range(last + 1):
        yield task.draw(puzzle, task.solution(puzzle, number / last))
