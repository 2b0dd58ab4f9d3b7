"""The texts and records of a question: the prompt, the metadata, and the description of a dataset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from vmevalkit.tasks.rotation_task.params import RotationParams
from vmevalkit.tasks.rotation_task.PROMPTS import VIDEO_PROMPT
from vmevalkit.tasks.rotation_task.scene import VoxelPuzzle
from vmevalkit.tasks.rotation_task.snakes import Voxel

GENERATION_METHOD = "3D voxel snake with viewpoint rotation"
_DEFAULT = RotationParams()


class RotationData(TypedDict):
    """The specification's ``rotation_data`` of a question."""

    generation_method: str
    num_voxels: int
    first_view_elev: float
    first_view_azim: float
    final_view_elev: float
    final_view_azim: float
    angle_difference: float
    structural_complexity: str


def format_prompt(puzzle: VoxelPuzzle) -> str:
    """Return the prompt for a video model."""
    return VIDEO_PROMPT.format(
        num_voxels=len(puzzle.voxels),
        elev1=f"{puzzle.elev_deg:g}",
        azim1=f"{puzzle.azim_deg:g}",
        elev2=f"{puzzle.elev_deg:g}",
        azim2=f"{puzzle.final_azim_deg:g}",
        angle=f"{puzzle.angle_deg:g}",
    )


def make_metadata(puzzle: VoxelPuzzle) -> dict[str, Any]:
    """Return the task's own keys of a question's record."""
    data = RotationData(
        generation_method=GENERATION_METHOD,
        num_voxels=len(puzzle.voxels),
        first_view_elev=puzzle.elev_deg,
        first_view_azim=puzzle.azim_deg,
        final_view_elev=puzzle.elev_deg,
        final_view_azim=puzzle.final_azim_deg,
        angle_difference=puzzle.angle_deg,
        structural_complexity="snake_like_3d_voxels",
    )
    return {
        "rotation_data": data,
        "voxels": [list(voxel) for voxel in puzzle.voxels],
        "colours": list(puzzle.colours),
        "spec_difficulty": grade_difficulty(puzzle.voxels),
    }


def grade_difficulty(voxels: Sequence[Voxel]) -> str:
    """Return the specification's grade, by the number of layers along the axes. It never exceeds easy."""
    layers = sum(len(set(along)) for along in zip(*voxels, strict=True))
    score = 2 + (2 if layers > 6 else 1 if layers > 4 else 0)
    return "easy" if score <= 4 else "medium" if score <= 6 else "hard"


def describe_dataset(records: Sequence[Mapping[str, Any]]) -> str:
    """Return the specification's sentence: with the default params where they cover all questions, else with the
    numbers of the questions."""
    data = [record["rotation_data"] for record in records]
    voxels = _format_range(_DEFAULT.voxels, (one["num_voxels"] for one in data))
    elevations = _format_range(_DEFAULT.elevations, (one["first_view_elev"] for one in data))
    angles = sorted({one["angle_difference"] for one in data}) or _DEFAULT.angles
    return (
        f"3D mental rotation tasks with {voxels} voxels, tilted views ({elevations}° elevation) and "
        f"{' or '.join(f'{angle:g}°' for angle in angles)} horizontal rotations for video model evaluation"
    )


def _format_range(default: tuple[int, int], values: Iterable[float]) -> str:
    ordered = sorted(values)
    is_within = all(default[0] <= value <= default[1] for value in ordered)
    low, high = default if is_within else (ordered[0], ordered[-1])
    return f"{low:g}-{high:g}" if low < high else f"{low:g}"
