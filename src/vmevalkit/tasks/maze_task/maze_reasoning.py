"""Making mazes: knobs, the puzzle and its states, sampling, listing, the proof that a maze is sound, its solution."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import dist
from random import Random
from typing import overload

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.tasks.maze_task.lattice import (
    Cell,
    Corridors,
    Passage,
    Point,
    centre,
    inside,
    kruskal,
    neighbours,
    spanning_trees,
    walls_around,
)

LARGEST = 12
LISTED = 3
"""Mazes of this size and smaller are few enough to be listed."""
ARRIVAL = 0.85
"""When the dot of the reference solution reaches the flag; then it rests there, so that the end can be seen."""
_TRIES = 1000


@dataclass(frozen=True, slots=True)
class MazeKnobs:
    """What can be turned about mazes."""

    grid_n: int = 3
    """Cells along each side, from 2 to 12."""
    least_steps: int = 3
    """The fewest steps from cell to cell between start and goal, 2 or more: the goal is never next door."""

    def __post_init__(self) -> None:
        if not 2 <= self.grid_n <= LARGEST:
            raise UsageError(f"maze: grid_n={self.grid_n!r} is impossible; wanted 2 to {LARGEST} cells a side")
        longest = longest_least(self.grid_n)
        if not 2 <= self.least_steps <= longest:
            raise UsageError(
                f"maze: least_steps={self.least_steps!r} is impossible with grid_n={self.grid_n}; "
                f"wanted 2 to {longest}, or a larger maze"
            )


def longest_least(grid_n: int) -> int:
    """The greatest ``least_steps`` for a size: every cell once in small mazes, and in large ones what about one
    maze in a hundred of Kruskal's has."""
    return min(grid_n * grid_n - 1, 5 * grid_n - 6)


@dataclass(frozen=True, slots=True)
class Maze:
    """One puzzle: a maze without loops, a start, a goal, and the only way between them. Cells are (row, column)."""

    grid_n: int
    """Cells along each side."""
    passages: tuple[Passage, ...]
    """The neighbouring cells with no wall between them, in order. All other sides of cells are walls."""
    start: Cell
    goal: Cell
    path: tuple[Cell, ...]
    """The cells from start to goal, both included."""

    @property
    def steps(self) -> int:
        """From cell to cell along the path."""
        return len(self.path) - 1


@dataclass(frozen=True, slots=True)
class MazeState:
    """The whole scene at one time. Points are (x, y) in cells from the maze's top left corner."""

    dots: tuple[Point, ...]
    """The centres of the green dots, from left to right; one, unless the film has done something."""
    walls: int
    """The walls that stand, as bits: see ``lattice``."""
    flags: tuple[Point, ...]
    """Where the red flags stand. A flag is at the centre of a cell when it is drawn in that cell."""
    emerged: tuple[Point, ...] = ()
    """Where something covered the maze just before, if the dot was hidden then: from there it has come."""


def sample(rng: Random, knobs: MazeKnobs) -> Maze:
    """A maze by Kruskal's algorithm, with start and goal far enough apart."""
    cells = [(row, column) for row in range(knobs.grid_n) for column in range(knobs.grid_n)]
    for _ in range(_TRIES):
        passages = kruskal(rng, knobs.grid_n)
        depth = Corridors(passages, rng.choice(cells)).steps_to_root
        # In a tree the cell farthest from any cell is one end of a longest way.
        far = Corridors(passages, max(depth, key=lambda cell: depth[cell])).steps_to_root
        if max(far.values()) < knobs.least_steps:
            continue
        rng.shuffle(cells)
        for start in cells:
            steps = Corridors(passages, start).steps_to_root
            goals = sorted(cell for cell, count in steps.items() if count >= knobs.least_steps)
            if goals:
                return _posed(knobs.grid_n, passages, start, rng.choice(goals))
    raise Uncertified(f"no maze with a way of {knobs.least_steps} steps in {_TRIES} tries; choose fewer least_steps")


def _posed(grid_n: int, passages: tuple[Passage, ...], start: Cell, goal: Cell) -> Maze:
    return Maze(grid_n, passages, start, goal, tuple(Corridors(passages, goal).way(start, goal)))


class Listing(Sequence[Maze]):
    """Every maze of a small size, each made when it is asked for."""

    def __init__(self, knobs: MazeKnobs) -> None:
        self._grid_n = knobs.grid_n
        self._trees = spanning_trees(knobs.grid_n)
        cells = [(row, column) for row in range(knobs.grid_n) for column in range(knobs.grid_n)]
        self._posings = [
            (number, start, goal)
            for number, passages in enumerate(self._trees)
            for start in cells
            for goal, steps in sorted(Corridors(passages, start).steps_to_root.items())
            if steps >= knobs.least_steps
        ]

    def __len__(self) -> int:
        return len(self._posings)

    @overload
    def __getitem__(self, index: int) -> Maze: ...
    @overload
    def __getitem__(self, index: slice) -> list[Maze]: ...
    def __getitem__(self, index: int | slice) -> Maze | list[Maze]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number, start, goal = self._posings[index]
        return _posed(self._grid_n, self._trees[number], start, goal)


@lru_cache(maxsize=16)
def listing(knobs: MazeKnobs) -> Listing | None:
    """Every maze with these knobs, or None where they are too many to list."""
    return Listing(knobs) if knobs.grid_n <= LISTED else None


def key(maze: Maze) -> Hashable:
    """A turned or mirrored maze is another question: it looks different."""
    return (maze.grid_n, maze.passages, maze.start, maze.goal)


def certify(maze: Maze) -> None:
    """Raises Uncertified unless the maze has exactly one way to the goal, that way is its path, and it is no
    single step."""
    if not 2 <= maze.grid_n <= LARGEST:
        raise Uncertified(f"grid_n={maze.grid_n}; wanted 2 to {LARGEST} cells a side")
    if list(maze.passages) != sorted(set(maze.passages)) or not set(maze.passages) <= set(neighbours(maze.grid_n)):
        raise Uncertified("the passages are not neighbouring cells of the maze, each once and in order")
    if not (inside(maze.grid_n, maze.start) and inside(maze.grid_n, maze.goal)):
        raise Uncertified(f"start {maze.start} or goal {maze.goal} is outside the maze")
    reached = Corridors(maze.passages, maze.goal)
    cells = maze.grid_n**2
    if len(reached.steps_to_root) != cells or len(maze.passages) != cells - 1:
        raise Uncertified(
            f"{len(reached.steps_to_root)} of {cells} cells are reached by {len(maze.passages)} passages; "
            "a maze with one way between any two cells reaches all by one passage less than there are cells"
        )
    if list(maze.path) != reached.way(maze.start, maze.goal):
        raise Uncertified(f"the path {maze.path} is not the way from {maze.start} to {maze.goal}")
    if maze.steps < 2:
        raise Uncertified(f"the goal {maze.goal} is no two steps from the start {maze.start}")


@lru_cache(maxsize=64)
def corridors(maze: Maze) -> Corridors:
    """The maze's open ways, hung up at the goal."""
    return Corridors(maze.passages, maze.goal)


@lru_cache(maxsize=64)
def home_walls(maze: Maze) -> int:
    """The walls as they are drawn in the first frame, and must stay."""
    return walls_around(maze.grid_n, maze.passages)


def scene(maze: Maze, *dots: Point) -> MazeState:
    """The maze as it must be, with the dot somewhere."""
    return MazeState(tuple(sorted(dots)), home_walls(maze), (centre(maze.goal),))


def solution(maze: Maze, t: float) -> MazeState:
    """The dot goes to the flag at an even speed and rests there."""
    return scene(maze, along([centre(cell) for cell in maze.path], t / ARRIVAL))


def along(points: Sequence[Point], share: float) -> Point:
    """The point after this share of a polyline's length; before 0 its beginning, after 1 its end."""
    marks = [0.0]
    for one, other in pairwise(points):
        marks.append(marks[-1] + dist(one, other))
    gone = min(max(share, 0.0), 1.0) * marks[-1]
    if gone >= marks[-1]:
        return points[-1]
    leg = bisect_right(marks, gone) - 1
    part = (gone - marks[leg]) / (marks[leg + 1] - marks[leg])
    (x, y), (next_x, next_y) = points[leg], points[leg + 1]
    return (x + part * (next_x - x), y + part * (next_y - y))
