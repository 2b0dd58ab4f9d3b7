"""Rotation puzzle: rotate squares until the pipes on them are connected."""

from vmevalkit.tasks.rotation_puzzle_task.puzzle import RotationPuzzle, RotationPuzzleParams, Square
from vmevalkit.tasks.rotation_puzzle_task.rotation_puzzle_reasoning import (
    RotationPuzzleGenerator,
    RotationPuzzleRenderer,
    create_dataset,
    create_task_pair,
    generate_prompt,
)
from vmevalkit.tasks.rotation_puzzle_task.scene import Pipe, PipeScene
from vmevalkit.tasks.rotation_puzzle_task.task import TASK

__all__ = [
    "TASK",
    "Pipe",
    "PipeScene",
    "RotationPuzzle",
    "RotationPuzzleGenerator",
    "RotationPuzzleParams",
    "RotationPuzzleRenderer",
    "Square",
    "create_dataset",
    "create_task_pair",
    "generate_prompt",
]
