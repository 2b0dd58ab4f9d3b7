"""The maze task: the contract, filled from the modules of this folder."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, ClassVar

from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Box
from vmevalkit.tasks.complexity import Complexity
from vmevalkit.tasks.evidence import MotionLimits
from vmevalkit.tasks.kit.question_pictures import Pictures
from vmevalkit.tasks.maze_task.cheats import make_cheats
from vmevalkit.tasks.maze_task.lattice import cell_at, clamp_point, iter_walls, wall_ends
from vmevalkit.tasks.maze_task.maze_reasoning import (
    Maze,
    MazeParams,
    MazeState,
    certify_maze,
    corridors_of,
    initial_walls,
    list_mazes,
    sample_maze,
    solution_at,
)
from vmevalkit.tasks.maze_task.pictured import MazeScene, find_maze
from vmevalkit.tasks.maze_task.PROMPTS import JUDGE_HINT, VIDEO_PROMPT
from vmevalkit.tasks.maze_task.reading import MazeReader
from vmevalkit.tasks.maze_task.render import SIZE, box_of_cell, box_of_wall, draw_state
from vmevalkit.tasks.maze_task.rules import check_trace, is_accepted, measure_progress
from vmevalkit.tasks.maze_task.sampling import READING_SCALE
from vmevalkit.tasks.task import PROCESS_MATTERS, Offer, Task

GENERATION_METHOD = "Kruskal's minimum spanning tree"


class MazeTask(Task[Maze, MazeState, MazeParams]):
    """Move the green dot through the maze to the red flag.

    Functions of this folder that have a contract method's signature are bound to its name.
    """

    name = "maze"
    title = "Maze"
    category = "Maze"
    group = "planning"
    description = "Mazes by Kruskal's algorithm, each with one path from the green dot to the red flag"
    version = "3"
    puzzle_type = Maze
    params_type = MazeParams
    difficulties: ClassVar[Mapping[str, MazeParams]] = {
        "easy": MazeParams(grid_n=3, least_steps=3),
        "medium": MazeParams(grid_n=5, least_steps=8),
        "hard": MazeParams(grid_n=8, least_steps=18),
    }
    reading_scale = READING_SCALE
    tricks = PROCESS_MATTERS
    judge_hint = JUDGE_HINT
    offers = frozenset(
        {
            Offer.FREE_CAMERA,
            Offer.MARGIN,
            Offer.STILL_EDGES,
            Offer.ASYMMETRIC,
            Offer.FREE_HUES,
            Offer.MEANT_COLOURS,
            Offer.WHOLE,
            Offer.SOLID_ANSWER,
        }
    )
    complexity = Complexity(9, 2, 1.0, "medium")
    smallest_part_area = 0.0015
    motion = MotionLimits(free_steps=1.25, max_steps=2.6, what="the dot", unit="cells")
    may_have_trails = True

    sample = staticmethod(sample_maze)
    certify = staticmethod(certify_maze)
    catalogue = staticmethod(list_mazes)
    solution = staticmethod(solution_at)
    reader = staticmethod(MazeReader)
    accepted = staticmethod(is_accepted)
    progress = staticmethod(measure_progress)
    check = staticmethod(check_trace)
    cheats = staticmethod(make_cheats)

    def key(self, puzzle: Maze) -> Hashable:
        """Rotated and mirrored mazes have different keys: they look different."""
        return (puzzle.grid_n, puzzle.passages, puzzle.start, puzzle.goal)

    def check_puzzle(self, puzzle: Maze) -> None:
        cells = [puzzle.start, puzzle.goal, *puzzle.path, *(cell for pair in puzzle.passages for cell in pair)]
        if not all(0 <= row < puzzle.grid_n and 0 <= column < puzzle.grid_n for row, column in cells):
            raise ValueError(f"a cell is outside the {puzzle.grid_n}x{puzzle.grid_n} grid")
        if not puzzle.path or (puzzle.path[0], puzzle.path[-1]) != (puzzle.start, puzzle.goal):
            raise ValueError("the path does not lead from the start to the goal")

    def prompt(self, puzzle: Maze) -> str:
        return VIDEO_PROMPT

    def metadata(self, puzzle: Maze) -> dict[str, Any]:
        length = len(puzzle.path)
        walls = iter_walls(initial_walls(puzzle))
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

    def draw(self, puzzle: Maze, state: MazeState) -> Frame:
        return draw_state(puzzle.grid_n, state)

    def board_box(self, puzzle: Maze) -> Box:
        last = puzzle.grid_n - 1
        return (*box_of_cell(puzzle.grid_n, (0, 0))[:2], *box_of_cell(puzzle.grid_n, (last, last))[2:])

    def deciding_boxes(self, puzzle: Maze, state: MazeState) -> list[Box]:
        """The dot and the flag decide, in the goal's cell or wherever they are."""
        return [box_of_cell(puzzle.grid_n, cell) for cell in {puzzle.goal, *(cell_at(dot) for dot in state.dots)}]

    def unseen_boxes(self, puzzle: Maze, state: MazeState) -> dict[Hashable, Box]:
        return {wall: box_of_wall(puzzle.grid_n, wall) for wall in iter_walls(state.unclear_walls)}

    def moving_parts(self, puzzle: Maze, state: MazeState) -> dict[Hashable, Any]:
        return {"dot": clamp_point(puzzle.grid_n, state.dots[0])} if len(state.dots) == 1 else {}

    def count_steps(self, puzzle: Maze, part: Hashable, before: Any, after: Any) -> float:
        return corridors_of(puzzle).distance(before, after)

    def learn_looks(self, puzzle: Maze, pictures: Pictures) -> MazeScene:
        return find_maze(puzzle, pictures)

    def is_intact(self, puzzle: Maze, state: MazeState) -> bool:
        """Return whether the walls are as they were, and one dot and one flag are there."""
        is_flag_kept = [cell_at(flag) for flag in state.flags] == [puzzle.goal]
        return state.walls == initial_walls(puzzle) and is_flag_kept and len(state.dots) == 1

    def state_key(self, puzzle: Maze, state: MazeState) -> Hashable:
        """Return the cells of dots and flags, and the walls."""
        dots = tuple(sorted(cell_at(dot) for dot in state.dots))
        return (dots, state.walls, tuple(sorted(cell_at(flag) for flag in state.flags)))


TASK = MazeTask()
