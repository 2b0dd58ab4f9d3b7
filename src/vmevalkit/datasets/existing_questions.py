"""The questions that a task's folder holds before ``generate`` draws: which to keep, to redraw, or to refuse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import ConflictError, StoreError
from vmevalkit.core.jsonable import to_json
from vmevalkit.datasets.damage import draw_digests, find_damage, has_pixel_digests
from vmevalkit.store import layout, old_keys
from vmevalkit.store.atomic import remove_folder, write_file
from vmevalkit.store.old_keys import rename_old_keys
from vmevalkit.store.record_spool import RecordSpool
from vmevalkit.store.records import read_record, record_bytes
from vmevalkit.tasks.dataset import is_unfinished, question_id
from vmevalkit.tasks.task import AnyTask


@dataclass(slots=True)
class ExistingQuestions:
    """The questions of one task that exist before anything is drawn."""

    folder: Path
    same: RecordSpool
    """Records of questions with the same seed and params, by index."""
    by_hand: RecordSpool
    """Records of users' own questions."""
    conflicts: dict[Path, str] = field(default_factory=dict)
    """Folders of other questions, and how each differs."""
    damaged: dict[Path, str] = field(default_factory=dict)
    """Folders of the same questions with damaged files, and the damage: they are drawn again."""
    outdated: dict[Path, int] = field(default_factory=dict)
    """Folders of undamaged questions whose records on disk have older digests, and their index."""

    def compare(self, index: int, task: AnyTask, puzzle: Any, *, verify: bool) -> None:
        """Compare an existing question with the planned one, and its files with what was drawn."""
        if index not in self.same:
            return
        record = self.same.read(index)
        folder = self.folder / str(record["id"])
        if record.get("puzzle") != to_json(puzzle) or record.get("prompt") != task.prompt(puzzle):
            self.conflicts[folder] = "its puzzle or prompt differs"
            self.same.remove(index)
            return
        if outdated := not has_pixel_digests(record):
            # Old digests cannot tell whether the images are right, so they are compared with new ones.
            record["pixel_digests"] = draw_digests(task, puzzle)
        if damage := find_damage(folder, record, verify=verify or outdated):
            self.damaged[folder] = damage
            self.same.remove(index)
        elif outdated:
            self.outdated[folder] = index
            self.same.put(index, record)

    def make_room(self, n: int, force: bool) -> None:
        """Refuse questions that are in the way, before anything is changed, or remove them with ``force``; then remove
        what is damaged. ``force`` also removes questions with an index of ``n`` or more."""
        if self.conflicts and not force:
            folder, problem = next(iter(self.conflicts.items()))
            raise ConflictError(
                f"{self.folder} holds other questions ({len(self.conflicts)}; {folder.name}: {problem}); nothing was "
                "changed. Choose another folder, or replace them with --force"
            )
        surplus = [index for index in self.same.list_numbers() if index >= n] if force else []
        for folder in [
            *self.conflicts,
            *self.damaged,
            *(self.folder / str(self.same.read(index)["id"]) for index in surplus),
        ]:
            remove_folder(folder)
        for index in surplus:
            self.same.remove(index)
        for folder, index in self.outdated.items():
            write_file(folder / layout.QUESTION_RECORD, record_bytes(self.same.read(index)))
        self.conflicts.clear()


def find_existing_questions(task: AnyTask, root: Path, seed: int, choices: Sequence[Any], n: int) -> ExistingQuestions:
    """Read the task's folder. Question i is to have the params ``choices[i % len(choices)]``. Nothing is changed."""
    folder = root / layout.domain_folder(task.name)
    existing = ExistingQuestions(folder, RecordSpool(folder), RecordSpool(folder))
    params = [to_json(choice) for choice in choices]
    for folder in layout.subfolders(existing.folder):
        if is_unfinished(folder):  # a power cut emptied files that were not yet on the disk
            existing.damaged[folder] = "a file is empty"
            continue
        record = _read_record(folder, existing)
        if record is None:
            continue
        index = record.get("index")
        if not isinstance(index, int) or "generator" not in record:
            if _is_id_below(folder.name, task.name, n):
                existing.conflicts[folder] = "it was not generated"
            elif record:
                existing.by_hand.add(record)
            continue
        expected = {"seed": seed, "params": params[index % len(params)]}
        differences = [
            f"its {key} is {record.get(key)}, not {value}"
            for key, value in expected.items()
            if record.get(key) != value
        ]
        if folder.name != question_id(task.name, index):
            differences.append(f"its id is {record.get('id')}")
        if differences:
            existing.conflicts[folder] = differences[0]
        else:
            existing.same.put(index, record)
    return existing


def _is_id_below(name: str, task_name: str, n: int) -> bool:
    """Return whether a name is the id of one of the first ``n`` questions."""
    number = name.removeprefix(f"{task_name}_")
    if not number.isdecimal() or len(number) > len(str(n)) + 4:  # a folder may have any name
        return False
    return int(number) < n and name == question_id(task_name, int(number))


def _read_record(folder: Path, existing: ExistingQuestions) -> dict[str, Any] | None:
    try:
        return rename_old_keys(read_record(folder / layout.QUESTION_RECORD) or {}, old_keys.QUESTION)
    except StoreError:
        existing.conflicts[folder] = f"its {layout.QUESTION_RECORD} cannot be read"
        return None
