"""Generation of rotation questions from Python: task data, one question, or a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, TypedDict

from vmevalkit.core.errors import UsageError
from vmevalkit.tasks.dataset import CUSTOM
from vmevalkit.tasks.planning import check_number, iterate_puzzles
from vmevalkit.tasks.rotation_task.params import RotationParams
from vmevalkit.tasks.rotation_task.sampling import generate_horizontal_rotation
from vmevalkit.tasks.rotation_task.scene import VoxelPuzzle
from vmevalkit.tasks.rotation_task.snakes import DIRS, Voxel
from vmevalkit.tasks.rotation_task.task import TASK
from vmevalkit.tasks.rotation_task.text import RotationData
from vmevalkit.tasks.spec_api import QuestionApi

__all__ = [
    "DIRS",
    "RotationDataset",
    "RotationGenerator",
    "RotationTaskPair",
    "Voxel",
    "create_dataset",
    "create_task_pair",
    "generate_horizontal_rotation",
    "generate_prompt",
]


class RotationTaskPair(TypedDict):
    """The record of a question, with the keys of the specification. The record on disk has more."""

    id: str
    prompt: str
    first_image_path: str
    final_image_path: str
    task_category: str
    rotation_data: RotationData
    difficulty: str
    created_at: str


class RotationDataset(TypedDict):
    """The record of a dataset."""

    name: str
    description: str
    pairs: list[RotationTaskPair]


class RotationGenerator:
    """Generates task data without images. Two generators with the same seed give the same data."""

    def __init__(self, seed: int = 42, difficulty: str | None = None, params: RotationParams | None = None) -> None:
        self._seed = seed
        self._difficulty = CUSTOM if params is not None else difficulty or TASK.default_difficulty
        self._params = params if params is not None else TASK.preset(difficulty)

    def generate_tasks(self, num_tasks: int = 50) -> list[dict[str, Any]]:
        """Return the data of different sculptures, for ``create_task_pair`` and ``generate_prompt``."""
        check_number(TASK, num_tasks, self._params)
        puzzles = islice(iterate_puzzles(TASK, self._seed, self._params), num_tasks)
        return [_make_task_data(puzzle, self._difficulty) for puzzle in puzzles]


def _make_task_data(puzzle: VoxelPuzzle, difficulty: str) -> dict[str, Any]:
    return {
        "voxels": list(puzzle.voxels),
        "first_view": (puzzle.elev_deg, puzzle.azim_deg),
        "final_view": (puzzle.elev_deg, puzzle.final_azim_deg),
        "angle_difference": puzzle.angle_deg,
        "difficulty": difficulty,
        "num_voxels": len(puzzle.voxels),
        "colours": list(puzzle.colours),
    }


def _parse_task_data(task_data: Mapping[str, Any]) -> VoxelPuzzle:
    """Return the puzzle that the data describe. Raises UsageError where they describe none."""
    try:
        voxels = tuple((int(x), int(y), int(z)) for x, y, z in task_data["voxels"])
        (elev1, azim1), (elev2, azim2) = task_data["first_view"], task_data["final_view"]
        colours = tuple(str(colour) for colour in task_data.get("colours", ()))
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"not valid task data ({error!r}); give voxels, first_view and final_view (elevation, azimuth), as "
            "RotationGenerator().generate_tasks() returns them"
        ) from error
    if elev1 != elev2:
        raise UsageError(
            f"first_view has elevation {elev1:g} and final_view {elev2:g}; give both the same: the camera rotates "
            "horizontally only"
        )
    return VoxelPuzzle(voxels, float(elev1), float(azim1), float(azim2 - azim1) % 360, colours)


API = QuestionApi(TASK, "rotation question", "RotationGenerator().generate_tasks()", _parse_task_data)
create_dataset, create_task_pair, generate_prompt = API.create_dataset, API.create_task_pair, API.generate_prompt
