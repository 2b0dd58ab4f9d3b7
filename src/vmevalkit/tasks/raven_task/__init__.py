"""Complete a matrix of tiles: find the rules, and show the missing one."""

from vmevalkit.tasks.raven_task.generator import RavenGenerator, create_dataset, create_task_pair, generate_prompt
from vmevalkit.tasks.raven_task.raven_reasoning import Raven, RavenKnobs
from vmevalkit.tasks.raven_task.rule_space import Rule
from vmevalkit.tasks.raven_task.scene import Cell, RavenState
from vmevalkit.tasks.raven_task.task import TASK
from vmevalkit.tasks.raven_task.vocabulary import Tile

__all__ = [
    "TASK",
    "Cell",
    "Raven",
    "RavenGenerator",
    "RavenKnobs",
    "RavenState",
    "Rule",
    "Tile",
    "create_dataset",
    "create_task_pair",
    "generate_prompt",
]
