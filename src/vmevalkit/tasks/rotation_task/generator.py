"""Making rotation questions by hand: task data, one question, or a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.store import layout
from vmevalkit.tasks.dataset import CUSTOM, create_task_dataset, write_question
from vmevalkit.tasks.planning import check_number, puzzles
from vmevalkit.tasks.rotation_task.rotation_reasoning import RotationKnobs, certify, prompt
from vmevalkit.tasks.rotation_task.scene import RotationPuzzle
from vmevalkit.tasks.rotation_task.task import TASK


class RotationGenerator:
    """Makes task data, without pictures. Two generators of one seed make the same."""

    def __init__(self, seed: int = 42, difficulty: str | None = None, knobs: RotationKnobs | None = None) -> None:
        self._seed = seed
        self._difficulty = CUSTOM if knobs is not None else difficulty or TASK.default_difficulty
        self._knobs = knobs if knobs is not None else TASK.preset(difficulty)

    def generate_tasks(self, num_tasks: int = 50) -> list[dict[str, Any]]:
        """Data of different sculptures: what ``create_task_pair`` and ``generate_prompt`` take."""
        check_number(TASK, num_tasks, self._knobs)
        planned = islice(puzzles(TASK, self._seed, self._knobs), num_tasks)
        return [_task_data(puzzle, self._difficulty) for puzzle in planned]


create_dataset = partial(create_task_dataset, TASK)
"""Questions without duplicates: see ``create_task_dataset``."""


def create_task_pair(
    task_data: Mapping[str, Any], task_id: str, output_dir: Path | str | None = None
) -> dict[str, Any]:
    """Write the question of one sculpture; returns its record."""
    root = layout.QUESTIONS if output_dir is None else Path(output_dir)
    difficulty = str(task_data.get("difficulty", CUSTOM))
    return write_question(TASK, _puzzle_of(task_data), task_id, root, difficulty=difficulty, seed=None)


def generate_prompt(task_data: Mapping[str, Any]) -> str:
    """What a model is told."""
    return prompt(_puzzle_of(task_data))


def _task_data(puzzle: RotationPuzzle, difficulty: str) -> dict[str, Any]:
    return {
        "voxels": list(puzzle.voxels),
        "first_view": (puzzle.elev_deg, puzzle.azim_deg),
        "final_view": (puzzle.elev_deg, puzzle.final_azim_deg),
        "angle_difference": puzzle.angle_deg,
        "difficulty": difficulty,
        "num_voxels": len(puzzle.voxels),
        "colours": list(puzzle.colours),
    }


def _puzzle_of(task_data: Mapping[str, Any]) -> RotationPuzzle:
    """The puzzle that the data tell of, certified."""
    try:
        voxels = tuple((int(x), int(y), int(z)) for x, y, z in task_data["voxels"])
        (elev1, azim1), (elev2, azim2) = task_data["first_view"], task_data["final_view"]
        colours = tuple(str(colour) for colour in task_data.get("colours", ()))
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"this is no task data ({error!r}); wanted voxels, first_view and final_view (elevation, azimuth), as "
            "RotationGenerator().generate_tasks() makes them"
        ) from error
    if elev1 != elev2:
        raise UsageError(
            f"first_view has elevation {elev1:g}, final_view {elev2:g}; the camera turns horizontally only"
        )
    puzzle = RotationPuzzle(voxels, float(elev1), float(azim1), float(azim2 - azim1) % 360, colours)
    try:
        certify(puzzle)
    except Uncertified as error:
        raise UsageError(f"this sculpture makes no question: {error}") from error
    return puzzle
