"""Question folders: one puzzle drawn and written, or a whole dataset in one process."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path
from time import time
from typing import Any, Generic, TypeVar

from vmevalkit import __version__
from vmevalkit.core.errors import ConflictError
from vmevalkit.core.jsonable import to_json
from vmevalkit.media.image import Frame, encode_and_digest
from vmevalkit.store import layout
from vmevalkit.store.atomic import clean, new_folder, scratch_folder, write_file
from vmevalkit.store.records import dataset_bytes, read_record, record_bytes
from vmevalkit.tasks.planning import check_number, iterate_puzzles
from vmevalkit.tasks.task import Task

P = TypeVar("P")

SOLUTION_FPS = 24
CUSTOM = "custom"
"""The difficulty of a question whose params are not those of a preset."""


@dataclass(frozen=True, slots=True)
class PlannedQuestion(Generic[P]):
    """A question that is to be drawn."""

    id: str
    index: int
    """Its place among the questions of the same params."""
    puzzle: P
    params: Any
    difficulty: str


def question_id(task_name: str, index: int) -> str:
    return f"{task_name}_{index:04d}"


def difficulty_of(task: Task[Any, Any, Any], params: Any) -> str:
    """Return the name of the preset that the params equal, or ``custom``."""
    return next((name for name, preset in task.difficulties.items() if preset == params), CUSTOM)


def write_question(
    task: Task[P, Any, Any],
    puzzle: P,
    question_id: str,
    root: Path | str,
    *,
    difficulty: str,
    seed: int | None,
    index: int | None = None,
    params: Any = None,
    solution: bool = False,
    created_at: str | None = None,
    replace: bool = False,
) -> dict[str, Any]:
    """Draw a question and write its folder. Returns its record, which is question_metadata.json.

    An existing folder of that id is overwritten if it has the same puzzle, otherwise ConflictError is raised, unless
    ``replace`` is set. There is no fsync: it would cost more than everything else, and what a power cut takes can be
    drawn again with the same pixels.
    """
    place = Path(root)
    relative = layout.question_place(task.name, question_id)
    folder = place / relative
    # One image at a time: holding two needs fresh memory, which is slow.
    first, first_digest = encode_and_digest(task.first_frame(puzzle))
    final, final_digest = encode_and_digest(task.final_frame(puzzle))
    prompt = task.prompt(puzzle)
    record = {
        "id": question_id,
        "prompt": prompt,
        "first_image_path": f"{relative}/{layout.FIRST_FRAME}",
        "final_image_path": f"{relative}/{layout.FINAL_FRAME}",
        "task_category": task.category,
        "difficulty": difficulty,
        "created_at": created_at or now(),
        "domain": task.name,
        "group": task.group or None,
        "task_id": question_id,  # as the documents of single tasks call it
        **task.metadata(puzzle),
        "puzzle": to_json(puzzle),
        "params": to_json(params),
        "seed": seed,
        "index": index,
        "generator": {"vmevalkit": __version__, "task": task.version},
        "pixel_digests": {"first_frame": first_digest, "final_frame": final_digest},
    }
    text = record_bytes(record)
    if not replace and os.path.lexists(folder):
        check_vacant(task, puzzle, question_id, place)
    with new_folder(folder, replace=True) as aside:
        _write(f"{aside}/{layout.FIRST_FRAME}", first)
        _write(f"{aside}/{layout.FINAL_FRAME}", final)
        _write(f"{aside}/{layout.PROMPT}", prompt.encode())
        if solution:
            _write_solution_video(task, puzzle, aside / layout.SOLUTION)
        _write(f"{aside}/{layout.QUESTION_RECORD}", text)
    return record


def write_solution(task: Task[P, Any, Any], puzzle: P, question_id: str, root: Path | str) -> None:
    """Add the video of the reference solution to an existing question."""
    folder = layout.question_folder(Path(root), task.name, question_id)
    with scratch_folder(folder) as aside:
        _write_solution_video(task, puzzle, aside / layout.SOLUTION)
        (aside / layout.SOLUTION).replace(folder / layout.SOLUTION)


def create_task_dataset(
    task: Task[P, Any, Any],
    num_samples: int = 50,
    *,
    seed: int = 42,
    difficulty: str | None = None,
    params: Any = None,
    output_dir: Path | str | None = None,
    solutions: bool = False,
    force: bool = False,
) -> dict[str, Any]:
    """Plan and draw a dataset in this process. Returns {name, description, pairs}.

    Questions go to ``output_dir``, by default data/questions of the working directory, the list of pairs to
    data/NAME_tasks/NAME_tasks.json. ``params`` take precedence over ``difficulty``. Other questions with the same ids
    raise ConflictError before anything is drawn, unless ``force`` is set.
    """
    chosen = task.preset(difficulty) if params is None else params
    check_number(task, num_samples, chosen)
    name = difficulty_of(task, chosen)
    planned = [
        PlannedQuestion(question_id(task.name, index), index, puzzle, chosen, name)
        for index, puzzle in enumerate(islice(iterate_puzzles(task, seed, chosen), num_samples))
    ]
    return write_dataset(task, planned, seed=seed, output_dir=output_dir, solutions=solutions, force=force)


def write_dataset(
    task: Task[P, Any, Any],
    planned: Sequence[PlannedQuestion[P]],
    *,
    seed: int,
    output_dir: Path | str | None,
    solutions: bool,
    force: bool,
) -> dict[str, Any]:
    """Draw the planned questions in this process, and write the list of pairs. Returns {name, description, pairs}.

    All ``create_dataset`` functions of the tasks end here. Arguments are those of ``create_task_dataset``.
    """
    root = layout.QUESTIONS if output_dir is None else Path(output_dir)
    clean(root / layout.domain_folder(task.name))
    if not force:
        for question in planned:
            check_vacant(task, question.puzzle, question.id, root)
    pairs = [
        write_question(
            task, question.puzzle, question.id, root, difficulty=question.difficulty, seed=seed,
            index=question.index, params=question.params, solution=solutions, replace=force,
        )
        for question in planned
    ]  # fmt: skip
    dataset = {**describe_dataset(task, pairs), "pairs": pairs}
    write_file(layout.dataset_file(root, task.name), dataset_bytes(dataset))
    return dataset


def describe_dataset(task: Task[Any, Any, Any], pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the list of pairs says about itself."""
    return {"name": f"{task.name}_tasks", "description": f"{task.describe(pairs)} ({len(pairs)} pairs)"}


def check_vacant(task: Task[P, Any, Any], puzzle: P, question_id: str, root: Path) -> None:
    """Raise ConflictError where a folder of this id holds another question."""
    folder = layout.question_folder(root, task.name, question_id)
    if not folder.exists() or is_unfinished(folder):
        return
    existing = read_record(folder / layout.QUESTION_RECORD) or {}
    if existing.get("puzzle") != to_json(puzzle) or existing.get("prompt") != task.prompt(puzzle):
        raise ConflictError(f"{folder} holds another question; choose another folder, or replace it with force=True")


def is_unfinished(folder: Path) -> bool:
    """Return whether a file of the question is empty, as a power cut leaves it."""
    names = (layout.QUESTION_RECORD, layout.PROMPT, layout.FIRST_FRAME, layout.FINAL_FRAME)
    return any(path.is_file() and path.stat().st_size == 0 for path in map(folder.joinpath, names))


def now() -> str:
    return _format_time(int(time()))


@lru_cache(maxsize=1)
def _format_time(seconds: int) -> str:
    """Return the time as text; cached, as hundreds of questions are made in a second."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _write(path: str, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
    finally:
        os.close(handle)


def _write_solution_video(task: Task[P, Any, Any], puzzle: P, path: Path) -> None:
    from vmevalkit.media.video import write_video

    write_video(path, _frames(task, puzzle), SOLUTION_FPS)


def _frames(task: Task[P, Any, Any], puzzle: P) -> Iterator[Frame]:
    last = max(1, round(task.video_seconds * SOLUTION_FPS) - 1)
    for number in range(last + 1):
        yield task.draw(puzzle, task.solution(puzzle, number / last))
