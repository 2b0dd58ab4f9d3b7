"""Move the camera round a sculpture of voxels, and say what it looks like from there."""

from vmevalkit.tasks.rotation_task.generator import (
    RotationGenerator,
    create_dataset,
    create_task_pair,
    generate_prompt,
)
from vmevalkit.tasks.rotation_task.rotation_reasoning import RotationKnobs
from vmevalkit.tasks.rotation_task.scene import RotationPuzzle, View
from vmevalkit.tasks.rotation_task.task import TASK

__all__ = [
    "TASK",
    "RotationGenerator",
    "RotationKnobs",
    "RotationPuzzle",
    "View",
    "create_dataset",
    "create_task_pair",
    "generate_prompt",
]
