"""Move the green dot through a maze to the red flag."""

from vmevalkit.tasks.maze_task.task import TASK

__all__ = ["TASK"]
