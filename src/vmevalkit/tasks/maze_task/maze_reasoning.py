"""Maze puzzles: their parameters, states, sampling, listing, certification and reference solution."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from math import dist
from random import Random
from typing import Annotated, overload

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.core.ranges import Range
from vmevalkit.tasks.maze_task.lattice import (
    Cell,
    Corridors,
    Passage,
    Point,
    centre,
    closed_walls,
    is_inside,
    list_spanning_trees,
    neighbour_pairs,
    sample_spanning_tree,
)

MAX_GRID_N = 12
MAX_LISTED_GRID_N = 3
"""Mazes of this size and smaller are few enough to be listed."""
ARRIVAL = 0.85
"""Time at which the dot of the reference solution reaches the flag. It then rests, so that the end can be seen."""
_MAX_TRIES = 1000


@dataclass(frozen=True, slots=True)
class MazeParams:
    """Parameters of maze puzzles."""

    grid_n: int = 3
    """Cells along each side, from 2 to 12."""
    least_steps: int = 3
    """The fewest steps from cell to cell between start and goal, 2 or more: the goal is never next to the start."""

    def __post_init__(self) -> None:
        if not 2 <= self.grid_n <= MAX_GRID_N:
            raise UsageError(f"maze: grid_n={self.grid_n!r} is not possible; choose 2 to {MAX_GRID_N} cells a side")
        limit = max_least_steps(self.grid_n)
        if not 2 <= self.least_steps <= limit:
            raise UsageError(
                f"maze: least_steps={self.least_steps!r} is not possible with grid_n={self.grid_n}; "
                f"choose 2 to {limit}, or a larger maze"
            )


def max_least_steps(grid_n: int) -> int:
    """Return the greatest ``least_steps`` for a size.

    In small mazes it visits every cell once. In large ones about one random maze in a hundred has such a long path.
    """
    return min(grid_n * grid_n - 1, 5 * grid_n - 6)


@dataclass(frozen=True, slots=True)
class Maze:
    """One puzzle: a maze without loops, a start, a goal, and the only path between them. Cells are (row, column)."""

    grid_n: Annotated[int, Range(2, 64)]
    """Cells along each side."""
    passages: tuple[Passage, ...]
    """The neighbouring cells with no wall between them, in order. All other sides of cells are walls."""
    start: Cell
    """The cell with the dot."""
    goal: Cell
    """The cell with the flag."""
    path: tuple[Cell, ...]
    """The cells from start to goal, both included."""

    @property
    def start_pos(self) -> Cell:
        """The start, as maze-dataset's SolvedMaze calls it."""
        return self.start

    @property
    def end_pos(self) -> Cell:
        """The goal, as maze-dataset's SolvedMaze calls it."""
        return self.goal

    @property
    def steps(self) -> int:
        """Number of steps from cell to cell along the path."""
        return len(self.path) - 1


@dataclass(frozen=True, slots=True)
class MazeState:
    """The whole scene at one time. Points are (x, y) in cells from the maze's top left corner."""

    dots: tuple[Point, ...]
    """Centres of the green dots, from left to right. There is one, unless the video added or removed dots."""
    walls: int
    """The walls that are closed, as bits: see ``lattice``."""
    flags: tuple[Point, ...]
    """Positions of the red flags. A flag drawn in a cell is at the cell's centre."""
    emerged_from: tuple[Point, ...] = ()
    """Where the dot may have been in the frame before, if something hid it there; empty if it was visible."""
    unclear_walls: int = field(default=0, compare=False)
    """Walls of the question that are neither clearly closed nor clearly open, as bits. They count as they were."""


def sample_maze(rng: Random, params: MazeParams) -> Maze:
    """Return a random maze with start and goal far enough apart."""
    cells = [(row, column) for row in range(params.grid_n) for column in range(params.grid_n)]
    for _ in range(_MAX_TRIES):
        passages = sample_spanning_tree(rng, params.grid_n)
        depth = Corridors(passages, rng.choice(cells)).steps_to_root
        # In a tree, the cell farthest from any cell is one end of a longest path.
        steps_from_end = Corridors(passages, max(depth, key=lambda cell: depth[cell])).steps_to_root
        if max(steps_from_end.values()) < params.least_steps:
            continue
        rng.shuffle(cells)
        for start in cells:
            steps = Corridors(passages, start).steps_to_root
            goals = sorted(cell for cell, count in steps.items() if count >= params.least_steps)
            if goals:
                return _make_maze(params.grid_n, passages, start, rng.choice(goals))
    raise Uncertified(
        f"no maze with a path of {params.least_steps} steps found in {_MAX_TRIES} tries; choose fewer least_steps"
    )


def _make_maze(grid_n: int, passages: tuple[Passage, ...], start: Cell, goal: Cell) -> Maze:
    return Maze(grid_n, passages, start, goal, tuple(Corridors(passages, goal).path(start, goal)))


class MazeListing(Sequence[Maze]):
    """Every maze of a small size, built on access."""

    def __init__(self, params: MazeParams) -> None:
        self._grid_n = params.grid_n
        self._trees = list_spanning_trees(params.grid_n)
        cells = [(row, column) for row in range(params.grid_n) for column in range(params.grid_n)]
        self._items = [
            (number, start, goal)
            for number, passages in enumerate(self._trees)
            for start in cells
            for goal, steps in sorted(Corridors(passages, start).steps_to_root.items())
            if steps >= params.least_steps
        ]

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Maze: ...
    @overload
    def __getitem__(self, index: slice) -> list[Maze]: ...
    def __getitem__(self, index: int | slice) -> Maze | list[Maze]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number, start, goal = self._items[index]
        return _make_maze(self._grid_n, self._trees[number], start, goal)


@lru_cache(maxsize=16)
def list_mazes(params: MazeParams) -> MazeListing | None:
    """Return every maze with these params, or None if there are too many to list."""
    return MazeListing(params) if params.grid_n <= MAX_LISTED_GRID_N else None


def certify_maze(puzzle: Maze) -> None:
    """Raise Uncertified unless the goal is two steps or more away and the path is the only one to it."""
    if not 2 <= puzzle.grid_n <= MAX_GRID_N:
        raise Uncertified(f"grid_n={puzzle.grid_n}; it must be 2 to {MAX_GRID_N} cells a side")
    passages = set(puzzle.passages)
    if list(puzzle.passages) != sorted(passages) or not passages <= set(neighbour_pairs(puzzle.grid_n)):
        raise Uncertified("the passages are not pairs of neighbouring cells of the maze, each once and in order")
    if not (is_inside(puzzle.grid_n, puzzle.start) and is_inside(puzzle.grid_n, puzzle.goal)):
        raise Uncertified(f"start {puzzle.start} or goal {puzzle.goal} is outside the maze")
    corridors = Corridors(puzzle.passages, puzzle.goal)
    reached, cells = len(corridors.steps_to_root), puzzle.grid_n**2
    if reached != cells or len(puzzle.passages) != cells - 1:
        raise Uncertified(
            f"{len(puzzle.passages)} passages connect {reached} of {cells} cells to the goal; "
            f"a maze without loops connects all cells with {cells - 1} passages"
        )
    if list(puzzle.path) != corridors.path(puzzle.start, puzzle.goal):
        raise Uncertified(f"the path {puzzle.path} is not the way from {puzzle.start} to {puzzle.goal}")
    if puzzle.steps < 2:
        raise Uncertified(f"the goal {puzzle.goal} is less than two steps from the start {puzzle.start}")


@lru_cache(maxsize=64)
def corridors_of(maze: Maze) -> Corridors:
    """Return the maze's corridors with the goal as their root."""
    return Corridors(maze.passages, maze.goal)


@lru_cache(maxsize=64)
def initial_walls(maze: Maze) -> int:
    """Return the walls of the first frame, which must not change."""
    return closed_walls(maze.grid_n, maze.passages)


def scene_with_dots(maze: Maze, *dots: Point) -> MazeState:
    """Return the unchanged maze with dots at these points."""
    return MazeState(tuple(sorted(dots)), initial_walls(maze), (centre(maze.goal),))


def solution_at(puzzle: Maze, t: float) -> MazeState:
    """Return the reference solution at time t: the dot moves to the flag at a constant speed and rests there."""
    return scene_with_dots(puzzle, point_along([centre(cell) for cell in puzzle.path], t / ARRIVAL))


def point_along(points: Sequence[Point], share: float) -> Point:
    """Return the point after this share of a polyline's length: its beginning below 0, its end above 1."""
    lengths = [0.0]
    for one, other in pairwise(points):
        lengths.append(lengths[-1] + dist(one, other))
    distance = min(max(share, 0.0), 1.0) * lengths[-1]
    if distance >= lengths[-1]:
        return points[-1]
    leg = bisect_right(lengths, distance) - 1
    part = (distance - lengths[leg]) / (lengths[leg + 1] - lengths[leg])
    (x, y), (next_x, next_y) = points[leg], points[leg + 1]
    return (x + part * (next_x - x), y + part * (next_y - y))
