"""The maze as a task: the contract, filled from the modules of this folder."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from vmevalkit.media.picture import Frame
from vmevalkit.tasks.maze_task import films, maze_reasoning, rules
from vmevalkit.tasks.maze_task.lattice import numbers, wall_ends
from vmevalkit.tasks.maze_task.lens import READING_SCALE
from vmevalkit.tasks.maze_task.maze_reasoning import Maze, MazeKnobs, MazeState, home_walls
from vmevalkit.tasks.maze_task.PROMPTS import VIDEO_PROMPT
from vmevalkit.tasks.maze_task.reading import MazeReader
from vmevalkit.tasks.maze_task.render import SIZE, draw
from vmevalkit.tasks.task import WAY_COUNTS, Checked, Film, Task, Trace

GENERATION_METHOD = "Kruskal's minimum spanning tree"


class MazeTask(Task[Maze, MazeState, MazeKnobs]):
    """Move the green dot through the maze to the red flag."""

    name = "maze"
    title = "Maze"
    category = "Maze"
    description = "Mazes by Kruskal's algorithm, each with one way from the green dot to the red flag"
    version = "1"
    puzzle_type = Maze
    knobs_type = MazeKnobs
    difficulties: ClassVar[Mapping[str, MazeKnobs]] = {
        "easy": MazeKnobs(grid_n=3, least_steps=3),
        "medium": MazeKnobs(grid_n=5, least_steps=8),
        "hard": MazeKnobs(grid_n=8, least_steps=18),
    }
    reading_scale = READING_SCALE
    tricks = WAY_COUNTS

    def sample(self, rng: Random, knobs: MazeKnobs) -> Maze:
        return maze_reasoning.sample(rng, knobs)

    def key(self, puzzle: Maze) -> Hashable:
        return maze_reasoning.key(puzzle)

    def certify(self, puzzle: Maze) -> None:
        maze_reasoning.certify(puzzle)

    def catalogue(self, knobs: MazeKnobs) -> Sequence[Maze] | None:
        return maze_reasoning.listing(knobs)

    def prompt(self, puzzle: Maze) -> str:
        return VIDEO_PROMPT

    def metadata(self, puzzle: Maze) -> dict[str, Any]:
        length = len(puzzle.path)
        walls = numbers(home_walls(puzzle))
        return {
            "maze_data": {"generation_method": GENERATION_METHOD, "solution_length": length},
            "maze_size": [puzzle.grid_n, puzzle.grid_n],
            "start_pos": list(puzzle.start),
            "end_pos": list(puzzle.goal),
            "solution_length": length,
            "walls": [[list(corner) for corner in wall_ends(puzzle.grid_n, wall)] for wall in walls],
            "path": [list(cell) for cell in puzzle.path],
        }

    def size(self, puzzle: Maze) -> tuple[int, int]:
        return SIZE

    def solution(self, puzzle: Maze, t: float) -> MazeState:
        return maze_reasoning.solution(puzzle, t)

    def draw(self, puzzle: Maze, state: MazeState) -> Frame:
        return draw(puzzle.grid_n, state)

    def reader(self, puzzle: Maze) -> MazeReader:
        return MazeReader(puzzle)

    def accepted(self, puzzle: Maze, state: MazeState) -> bool:
        return rules.accepted(puzzle, state)

    def progress(self, puzzle: Maze, state: MazeState) -> float:
        return rules.progress(puzzle, state)

    def check(self, puzzle: Maze, trace: Trace[MazeState]) -> Checked:
        return rules.check(puzzle, trace)

    def identity(self, puzzle: Maze, state: MazeState) -> Hashable:
        return rules.identity(state)

    def films(self, puzzle: Maze, rng: Random) -> dict[str, Film[MazeState]]:
        return films.films(puzzle, rng)


TASK = MazeTask()
