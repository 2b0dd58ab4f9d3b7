"""What a task's folder holds already, sorted by what may be done with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import Occupied, StoreError
from vmevalkit.core.jsonable import to_json
from vmevalkit.store import layout
from vmevalkit.store.commit import remove_folder
from vmevalkit.store.records import read_record
from vmevalkit.tasks.dataset import is_unfinished, question_id
from vmevalkit.tasks.task import AnyTask


@dataclass(slots=True)
class Stock:
    """The questions of one task that are there before anything is drawn."""

    folder: Path
    same: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Records of questions with the same seed and knobs, by index."""
    other: dict[Path, str] = field(default_factory=dict)
    """Folders in the way, and what is wrong with each."""
    by_hand: list[dict[str, Any]] = field(default_factory=list)
    """Records of users' own questions."""

    def check(self, index: int, puzzle: Any, prompt: str) -> None:
        """Compare a question that is there with the one that is planned."""
        record = self.same.get(index)
        if record is not None and (record.get("puzzle") != to_json(puzzle) or record.get("prompt") != prompt):
            self.other[self.folder / str(record["id"])] = "its puzzle or prompt is another one"
            del self.same[index]

    def clear(self, n: int, force: bool) -> None:
        """Make room for questions 0 to n - 1: refuse what is in the way or, by force, remove it."""
        if self.other and not force:
            folder, why = next(iter(self.other.items()))
            raise Occupied(
                f"{self.folder} holds other questions ({len(self.other)}; {folder.name}: {why}) and was left as it is; "
                "choose another folder, or force it (--force) to replace them"
            )
        beyond = [index for index in self.same if index >= n] if force else []
        for folder in [*self.other, *(self.folder / str(self.same[index]["id"]) for index in beyond)]:
            remove_folder(folder)
        for index in beyond:
            del self.same[index]
        self.other.clear()


def take_stock(task: AnyTask, root: Path, seed: int, knobs: Any, n: int) -> Stock:
    """Look through the task's folder. What a power cut has emptied is removed: it is drawn again."""
    stock = Stock(root / layout.domain_folder(task.name))
    wanted = {"seed": seed, "knobs": to_json(knobs)}
    ids = {question_id(task.name, index) for index in range(n)}
    for folder in layout.subfolders(stock.folder):
        if is_unfinished(folder):
            remove_folder(folder)
            continue
        record = _record(folder, stock)
        if record is None:
            continue
        index = record.get("index")
        if not isinstance(index, int) or "generator" not in record:
            if folder.name in ids:
                stock.other[folder] = "it was not generated"
            elif record:
                stock.by_hand.append(record)
            continue
        wrong = [
            f"its {key} is {record.get(key)}, not {want}" for key, want in wanted.items() if record.get(key) != want
        ]
        if folder.name != question_id(task.name, index):
            wrong.append(f"its id is {record.get('id')}")
        if wrong:
            stock.other[folder] = wrong[0]
        else:
            stock.same[index] = record
    return stock


def _record(folder: Path, stock: Stock) -> dict[str, Any] | None:
    try:
        return read_record(folder / layout.QUESTION_RECORD) or {}
    except StoreError:
        stock.other[folder] = f"its {layout.QUESTION_RECORD} cannot be read"
        return None
