"""The index of a questions folder: vmeval_dataset.json, and the list of each task beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from vmevalkit import __version__
from vmevalkit.core.errors import StoreError
from vmevalkit.store import layout
from vmevalkit.store.atomic import clean, write_file
from vmevalkit.store.record_spool import RecordSpool, SpooledRecords
from vmevalkit.store.records import iter_dataset_bytes, read_dataset_head, read_record
from vmevalkit.tasks.dataset import describe_dataset, now
from vmevalkit.tasks.task import AnyTask

IndexEntry = tuple[AnyTask, SpooledRecords, dict[str, Any]]
"""A task, its pairs, and what they were made from."""


def write_index(root: Path, entries: Sequence[IndexEntry]) -> Path:
    """Write the index anew: these tasks as given, the others as they are on disk."""
    path = layout.index_file(root)
    questions = _read_other_tasks(root, {task.name for task, _, _ in entries})
    infos = {name: info for name, info in _read_old_info(path).items() if name in questions}
    for task, pairs, info in entries:
        questions[task.name] = pairs
        infos[task.name] = info
        listed = layout.dataset_file(root, task.name)
        clean(listed.parent)
        write_file(listed, iter_dataset_bytes(describe_dataset(task, pairs), pairs.iter_encoded()))
    total = sum(map(len, questions.values()))
    domains = [name for name in sorted(questions) if questions[name]]
    head = {
        "name": path.stem,
        "description": f"{total} questions with known answers: {', '.join(domains)}",
        "created_at": now(),
        "total_pairs": total,
        "generation_info": {"version": __version__, "tasks": {name: infos[name] for name in sorted(infos)}},
    }
    pairs_of_all = chain.from_iterable(questions[name].iter_encoded() for name in sorted(questions))
    write_file(path, iter_dataset_bytes(head, pairs_of_all))
    return path


def _read_other_tasks(root: Path, given: set[str]) -> dict[str, SpooledRecords]:
    """Return the records of the other tasks' questions, by task. A question without a readable record is left out."""
    found: dict[str, SpooledRecords] = {}
    for domain in layout.subfolders(root):
        if domain.name.endswith("_task") and layout.domain_of(domain.name) not in given:
            spool = RecordSpool(root)
            for folder in layout.subfolders(domain):
                if record := _read_or_empty(folder / layout.QUESTION_RECORD):
                    spool.add(record)
            found[layout.domain_of(domain.name)] = SpooledRecords(spool)
    return found


def _read_old_info(path: Path) -> Mapping[str, Any]:
    info = read_dataset_head(path).get("generation_info")
    tasks = info.get("tasks") if isinstance(info, dict) else None
    return tasks if isinstance(tasks, dict) else {}


def _read_or_empty(path: Path) -> dict[str, Any]:
    try:
        return read_record(path) or {}
    except StoreError:
        return {}
