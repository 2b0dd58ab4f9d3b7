"""3D mental rotation: the camera rotates around a sculpture of voxels, and the video shows the other side."""

from vmevalkit import __version__
from vmevalkit.tasks.rotation_task.params import RotationParams
from vmevalkit.tasks.rotation_task.rotation_reasoning import (
    RotationDataset,
    RotationGenerator,
    RotationTaskPair,
    create_dataset,
    create_task_pair,
    generate_prompt,
)
from vmevalkit.tasks.rotation_task.scene import View, VoxelPuzzle
from vmevalkit.tasks.rotation_task.task import TASK

__all__ = [
    "TASK",
    "RotationDataset",
    "RotationGenerator",
    "RotationParams",
    "VoxelPuzzle",
    "RotationTaskPair",
    "View",
    "__version__",
    "create_dataset",
    "create_task_pair",
    "generate_prompt",
]
