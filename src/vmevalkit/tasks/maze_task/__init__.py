"""Move the green dot through a maze to the red flag."""

from vmevalkit.tasks.maze_task.generator import MazeGenerator, create_dataset, create_task_pair, generate_prompt
from vmevalkit.tasks.maze_task.maze_reasoning import Maze, MazeParams, MazeState
from vmevalkit.tasks.maze_task.task import TASK

__all__ = [
    "TASK",
    "Maze",
    "MazeGenerator",
    "MazeParams",
    "MazeState",
    "create_dataset",
    "create_task_pair",
    "generate_prompt",
]
