"""A dataset in words: the specified sentence, with the numbers that hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from vmevalkit.tasks.rotation_task.rotation_reasoning import RotationKnobs

_USUAL = RotationKnobs()


def describe(records: Sequence[Mapping[str, Any]]) -> str:
    """With the default knobs where all questions keep to them, else with the numbers that the questions have."""
    data = [record["rotation_data"] for record in records]
    voxels = _span(_USUAL.voxels, (one["num_voxels"] for one in data))
    elevations = _span(_USUAL.elevations, (one["first_view_elev"] for one in data))
    angles = sorted({one["angle_difference"] for one in data}) or _USUAL.angles
    return (
        f"3D mental rotation tasks with {voxels} voxels, tilted views ({elevations}° elevation) and "
        f"{' or '.join(f'{angle:g}°' for angle in angles)} horizontal rotations for video model evaluation"
    )


def _span(usual: tuple[int, int], numbers: Iterable[float]) -> str:
    given = sorted(numbers)
    within = all(usual[0] <= number <= usual[1] for number in given)
    low, high = usual if within else (given[0], given[-1])
    return f"{low:g}-{high:g}" if low < high else f"{low:g}"
