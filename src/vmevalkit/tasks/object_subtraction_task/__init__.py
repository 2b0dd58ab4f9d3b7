"""Object subtraction: remove the objects that a rule selects, and leave the others unchanged."""

from vmevalkit.tasks.object_subtraction_task.object_subtraction_reasoning import (
    ObjectSubtractionGenerator,
    ObjectSubtractionTaskPair,
    create_dataset,
    create_task_pair,
    generate_prompt,
)
from vmevalkit.tasks.object_subtraction_task.puzzle import ObjectSubtraction, ObjectSubtractionParams
from vmevalkit.tasks.object_subtraction_task.scene import ObjectScene
from vmevalkit.tasks.object_subtraction_task.task import TASK

__all__ = [
    "TASK",
    "ObjectScene",
    "ObjectSubtraction",
    "ObjectSubtractionGenerator",
    "ObjectSubtractionParams",
    "ObjectSubtractionTaskPair",
    "create_dataset",
    "create_task_pair",
    "generate_prompt",
]
