"""Raven's matrices: find the rules of eight tiles and show the missing ninth."""

from vmevalkit.tasks.raven_task.generator import RavenGenerator, create_dataset, create_task_pair, generate_prompt
from vmevalkit.tasks.raven_task.raven_reasoning import Raven, RavenParams
from vmevalkit.tasks.raven_task.rule_space import AttributeRule
from vmevalkit.tasks.raven_task.scene import Cell, RavenState
from vmevalkit.tasks.raven_task.task import TASK
from vmevalkit.tasks.raven_task.vocabulary import Tile

__all__ = [
    "TASK",
    "AttributeRule",
    "Cell",
    "Raven",
    "RavenGenerator",
    "RavenParams",
    "RavenState",
    "Tile",
    "create_dataset",
    "create_task_pair",
    "generate_prompt",
]
