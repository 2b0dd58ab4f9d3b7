"""Mazes on request: one maze, one image, one question, or a dataset."""

from __future__ import annotations

from pathlib import Path

from vmevalkit.tasks.maze_task.maze_reasoning import Maze, MazeParams, sample_maze
from vmevalkit.tasks.maze_task.task import TASK
from vmevalkit.tasks.spec_api import QuestionApi, SeededGenerator, write_png


class MazeGenerator(SeededGenerator):
    """Generates a sequence of mazes."""

    task_name = TASK.name

    def generate_solved_maze(self, grid_n: int = 3) -> Maze:
        """Return the next maze, of ``grid_n`` x ``grid_n`` cells, with start, goal and the path between them."""
        return sample_maze(self._next_rng(), MazeParams(grid_n=grid_n))

    def render_maze(self, solved_maze: Maze, save_path: Path | str, show_solution: bool = False) -> Path:
        """Write the image as a PNG of 832 x 480 with the dot at the start or, solved, at the flag."""
        return write_png(TASK.final_frame(solved_maze) if show_solution else TASK.first_frame(solved_maze), save_path)


API = QuestionApi(TASK, "maze", "MazeGenerator().generate_solved_maze()")
create_dataset, create_task_pair, generate_prompt = API.create_dataset, API.create_task_pair, API.generate_prompt
