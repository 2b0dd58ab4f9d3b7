"""The index of a questions folder: vmeval_dataset.json, and each task's own list beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vmevalkit import __version__
from vmevalkit.core.errors import StoreError
from vmevalkit.store import layout
from vmevalkit.store.commit import clean, write_file
from vmevalkit.store.records import dataset_bytes, read_record
from vmevalkit.tasks.dataset import as_dataset, now
from vmevalkit.tasks.task import AnyTask

Entry = tuple[AnyTask, list[dict[str, Any]], dict[str, Any]]
"""A task, its pairs, and what they were made from."""


def write_index(root: Path, entries: Sequence[Entry]) -> Path:
    """Rewrite the index: these tasks as given, the others as they lie in the folder."""
    path = layout.index_file(root)
    there = _other_domains(root, {task.name for task, _, _ in entries})
    made = {name: info for name, info in _old_info(path).items() if name in there}
    for task, pairs, info in entries:
        there[task.name] = pairs
        made[task.name] = info
        listed = layout.dataset_file(root, task.name)
        clean(listed.parent)
        write_file(listed, dataset_bytes(as_dataset(task, pairs)))
    pairs = [pair for name in sorted(there) for pair in there[name]]
    domains = [name for name in sorted(there) if there[name]]
    index = {
        "name": path.stem,
        "description": f"{len(pairs)} questions with known answers: {', '.join(domains)}",
        "created_at": now(),
        "total_pairs": len(pairs),
        "generation_info": {"version": __version__, "tasks": {name: made[name] for name in sorted(made)}},
        "pairs": pairs,
    }
    write_file(path, dataset_bytes(index))
    return path


def _other_domains(root: Path, given: set[str]) -> dict[str, list[dict[str, Any]]]:
    """The records of the questions below ``root``. One without a readable record is not in the index."""
    found: dict[str, list[dict[str, Any]]] = {}
    for domain in layout.subfolders(root):
        if domain.name.endswith("_task") and layout.domain_of(domain.name) not in given:
            records = [_readable(folder / layout.QUESTION_RECORD) for folder in layout.subfolders(domain)]
            found[layout.domain_of(domain.name)] = [record for record in records if record]
    return found


def _old_info(path: Path) -> Mapping[str, Any]:
    info = _readable(path).get("generation_info")
    tasks = info.get("tasks") if isinstance(info, dict) else None
    return tasks if isinstance(tasks, dict) else {}


def _readable(path: Path) -> dict[str, Any]:
    try:
        return read_record(path) or {}
    except StoreError:
        return {}
