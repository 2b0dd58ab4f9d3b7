"""Turn squares until the pipes on them are connected."""

from vmevalkit.tasks.rotation_puzzle_task.generator import (
    RotationPuzzleGenerator,
    RotationPuzzleRenderer,
    create_dataset,
    create_task_pair,
    generate_prompt,
)
from vmevalkit.tasks.rotation_puzzle_task.rotation_puzzle_reasoning import RotationPuzzle, RotationPuzzleKnobs, Square
from vmevalkit.tasks.rotation_puzzle_task.scene import Pipe, Scene
from vmevalkit.tasks.rotation_puzzle_task.task import TASK

__all__ = [
    "TASK",
    "Pipe",
    "RotationPuzzle",
    "RotationPuzzleGenerator",
    "RotationPuzzleKnobs",
    "RotationPuzzleRenderer",
    "Scene",
    "Square",
    "create_dataset",
    "create_task_pair",
    "generate_prompt",
]
