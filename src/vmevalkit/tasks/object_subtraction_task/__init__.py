"""Remove the objects that a rule means, and leave the others alone."""

from vmevalkit.tasks.object_subtraction_task.generator import (
    ObjectSubtractionGenerator,
    create_dataset,
    create_task_pair,
    generate_prompt,
)
from vmevalkit.tasks.object_subtraction_task.object_subtraction_reasoning import (
    ObjectSubtraction,
    ObjectSubtractionKnobs,
)
from vmevalkit.tasks.object_subtraction_task.scene import Scene
from vmevalkit.tasks.object_subtraction_task.task import TASK

__all__ = [
    "TASK",
    "ObjectSubtraction",
    "ObjectSubtractionGenerator",
    "ObjectSubtractionKnobs",
    "Scene",
    "create_dataset",
    "create_task_pair",
    "generate_prompt",
]
