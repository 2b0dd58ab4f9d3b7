"""The functions by which Python code makes questions of a task: datasets, single questions and prompts.

They are made from a task. A task's folder adds only what is its own: other forms in which a puzzle may be given, and
generators with names of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Generic, TypeVar, cast

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.randomness import rng_for
from vmevalkit.media.image import Frame, encode_png
from vmevalkit.store import layout
from vmevalkit.store.atomic import write_file
from vmevalkit.tasks.dataset import CUSTOM, create_task_dataset, write_question
from vmevalkit.tasks.task import Task

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class QuestionApi(Generic[P]):
    """The functions of one task. All take a puzzle as a record, as a dict with its fields, or in forms of the task."""

    task: Task[P, Any, Any]
    noun: str
    """What a puzzle is called in messages, such as ``maze``."""
    source: str
    """The calls that return valid puzzles, for messages."""
    parse: Callable[[Any], P] | None = None
    """Makes a puzzle of any other form. None where a dict of the fields is the only one."""

    def create_dataset(
        self,
        num_samples: int = 50,
        *,
        seed: int = 42,
        difficulty: str | None = None,
        params: Any = None,
        output_dir: Path | str | None = None,
        solutions: bool = False,
        force: bool = False,
    ) -> dict[str, Any]:
        """Create questions without duplicates; return {name, description, pairs}. See ``create_task_dataset``."""
        return create_task_dataset(
            self.task, num_samples, seed=seed, difficulty=difficulty, params=params, output_dir=output_dir,
            solutions=solutions, force=force,
        )  # fmt: skip

    def create_task_pair(self, task_data: Any, task_id: str, output_dir: Path | str | None = None) -> dict[str, Any]:
        """Write the question of one puzzle, below data/questions or ``output_dir``; return its record."""
        root = layout.QUESTIONS if output_dir is None else Path(output_dir)
        stated = task_data.get("difficulty") if isinstance(task_data, Mapping) else None
        puzzle = self.load(task_data)
        return write_question(self.task, puzzle, task_id, root, difficulty=str(stated or CUSTOM), seed=None)

    def generate_prompt(self, task_data: Any) -> str:
        """Return the prompt for a video model."""
        return self.task.prompt(self.load(task_data))

    def load(self, given: Any) -> P:
        """Return the certified puzzle. Raises UsageError where the data are not one."""
        puzzle: P
        try:
            if isinstance(given, self.task.puzzle_type):
                puzzle = cast(P, given)
            else:
                puzzle = from_json(self.task.puzzle_type, given) if self.parse is None else self.parse(given)
            self.task.certify(puzzle)
        except (TypeError, ValueError, KeyError, Uncertified) as error:
            raise UsageError(f"not a valid {self.noun}: {error}; {self.source} returns valid ones") from error
        return puzzle


class SeededGenerator:
    """A generator of a sequence. Two generators of one class with the same seed generate the same sequence."""

    task_name = ""

    def __init__(self, seed: int = 42) -> None:
        self._seed, self._count = seed, 0

    def _next_rng(self) -> Random:
        """Return the random generator of the next item."""
        self._count += 1
        return rng_for(self.task_name, "generator", self._seed, self._count - 1)


def write_png(frame: Frame, path: Path | str) -> Path:
    """Write an image as a PNG file; return its path."""
    place = Path(path)
    write_file(place, encode_png(frame))
    return place
