"""Mazes on request: one maze, one image, one question, or a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.randomness import rng_for
from vmevalkit.media.image import encode_png
from vmevalkit.store import layout
from vmevalkit.store.atomic import write_file
from vmevalkit.tasks.dataset import CUSTOM, create_task_dataset, write_question
from vmevalkit.tasks.maze_task.maze_reasoning import Maze, MazeParams, certify_maze, sample_maze
from vmevalkit.tasks.maze_task.task import TASK


class MazeGenerator:
    """Generates a sequence of mazes. Two generators with the same seed generate the same sequence."""

    def __init__(self, seed: int = 42) -> None:
        self._seed, self._count = seed, 0

    def generate_solved_maze(self, grid_n: int = 3) -> Maze:
        """Return the next maze, of ``grid_n`` x ``grid_n`` cells, with start, goal and the path between them."""
        rng = rng_for("maze", "generator", self._seed, self._count)
        self._count += 1
        return sample_maze(rng, MazeParams(grid_n=grid_n))

    def render_maze(self, solved_maze: Maze, save_path: Path | str, show_solution: bool = False) -> Path:
        """Write the image as a PNG of 832 x 480 with the dot at the start or, solved, at the flag."""
        path = Path(save_path)
        frame = TASK.final_frame(solved_maze) if show_solution else TASK.first_frame(solved_maze)
        write_file(path, encode_png(frame))
        return path


create_dataset = partial(create_task_dataset, TASK)
"""Generate questions without duplicates: see ``create_task_dataset``."""


def create_task_pair(
    solved_maze: Maze | Mapping[str, Any], task_id: str, output_dir: Path | str | None = None
) -> dict[str, Any]:
    """Write the question of one maze and return its record. The maze may also be a dict with its fields."""
    maze = _parse_maze(solved_maze)
    root = layout.QUESTIONS if output_dir is None else Path(output_dir)
    return write_question(TASK, maze, task_id, root, difficulty=CUSTOM, seed=None)


def generate_prompt(solved_maze: Maze | Mapping[str, Any]) -> str:
    """Return the prompt for a model. All mazes share one prompt."""
    return TASK.prompt(_parse_maze(solved_maze))


def _parse_maze(value: Maze | Mapping[str, Any]) -> Maze:
    """Return the certified maze."""
    try:
        maze = value if isinstance(value, Maze) else from_json(Maze, value)
        certify_maze(maze)
    except (TypeError, ValueError, KeyError, Uncertified) as error:
        raise UsageError(
            f"not a valid maze: {error}; MazeGenerator().generate_solved_maze() generates valid ones"
        ) from error
    return maze
