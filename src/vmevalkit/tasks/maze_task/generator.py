"""Making mazes by hand: one maze, one picture, one question, or a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.randomness import rng_for
from vmevalkit.media.picture import encode_png
from vmevalkit.store import layout
from vmevalkit.store.commit import write_file
from vmevalkit.tasks.dataset import CUSTOM, create_task_dataset, write_question
from vmevalkit.tasks.maze_task.maze_reasoning import Maze, MazeKnobs, certify, sample
from vmevalkit.tasks.maze_task.task import TASK


class MazeGenerator:
    """Makes one maze after the other. Two generators of one seed make the same ones."""

    def __init__(self, seed: int = 42) -> None:
        self._seed, self._made = seed, 0

    def generate_solved_maze(self, grid_n: int = 3) -> Maze:
        """The next maze, of ``grid_n`` x ``grid_n`` cells, with start, goal and the way between them."""
        rng = rng_for("maze", "generator", self._seed, self._made)
        self._made += 1
        return sample(rng, MazeKnobs(grid_n=grid_n))

    def render_maze(self, solved_maze: Maze, save_path: Path | str, show_solution: bool = False) -> Path:
        """Write the picture as a PNG of 832 x 480: with the dot at the start, or solved, at the flag."""
        path = Path(save_path)
        frame = TASK.final_frame(solved_maze) if show_solution else TASK.first_frame(solved_maze)
        write_file(path, encode_png(frame))
        return path


create_dataset = partial(create_task_dataset, TASK)
"""Questions without duplicates: see ``create_task_dataset``."""


def create_task_pair(
    solved_maze: Maze | Mapping[str, Any], task_id: str, output_dir: Path | str | None = None
) -> dict[str, Any]:
    """Write the question of one maze; returns its record. A maze may be given as a dict with its fields."""
    maze = _maze_of(solved_maze)
    root = layout.QUESTIONS if output_dir is None else Path(output_dir)
    return write_question(TASK, maze, task_id, root, difficulty=CUSTOM, seed=None)


def generate_prompt(solved_maze: Maze | Mapping[str, Any]) -> str:
    """What a model is told. All mazes share one prompt."""
    return TASK.prompt(_maze_of(solved_maze))


def _maze_of(given: Maze | Mapping[str, Any]) -> Maze:
    """A maze that is certified."""
    try:
        maze = given if isinstance(given, Maze) else from_json(Maze, given)
        certify(maze)
    except (TypeError, ValueError, KeyError, Uncertified) as error:
        raise UsageError(f"this is no maze: {error}; MazeGenerator().generate_solved_maze() makes one") from error
    return maze
