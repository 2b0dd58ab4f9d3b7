"""Cells, walls and corridors of a square lattice.

A cell is (row, column). A point is (x, y) in cells from the maze's top left corner, so that the cell (r, c) has its
centre at (c + 0.5, r + 0.5). Every side of every cell is a wall that stands or is open; a set of walls is the bits of
one integer: first the upright walls row by row, then the level ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from math import dist, floor
from random import Random

Cell = tuple[int, int]
Point = tuple[float, float]
Passage = tuple[Cell, Cell]
"""Two neighbouring cells with no wall between them, the smaller one first."""


def centre(cell: Cell) -> Point:
    return (cell[1] + 0.5, cell[0] + 0.5)


def cell_at(point: Point) -> Cell:
    """The cell that holds the point; it may lie outside the maze."""
    return (floor(point[1]), floor(point[0]))


def held(grid_n: int, point: Point) -> Point:
    """The nearest point within the maze."""
    most = grid_n - 1e-6
    return (min(max(point[0], 0.0), most), min(max(point[1], 0.0), most))


def inside(grid_n: int, cell: Cell) -> bool:
    return 0 <= cell[0] < grid_n and 0 <= cell[1] < grid_n


@lru_cache(maxsize=16)
def neighbours(grid_n: int) -> tuple[Passage, ...]:
    """Every two neighbouring cells: the passages that a maze can have."""
    across = [((r, c), (r, c + 1)) for r in range(grid_n) for c in range(grid_n - 1)]
    down = [((r, c), (r + 1, c)) for r in range(grid_n - 1) for c in range(grid_n)]
    return tuple(sorted(across + down))


def wall_between(grid_n: int, one: Cell, other: Cell) -> int:
    """The number of the wall between two neighbouring cells, of which one may lie outside."""
    row, column = max(one, other)
    if one[0] == other[0]:
        return row * (grid_n + 1) + column
    return grid_n * (grid_n + 1) + row * grid_n + column


def wall_count(grid_n: int) -> int:
    return 2 * grid_n * (grid_n + 1)


def wall_ends(grid_n: int, wall: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The two corners (x, y) that the wall joins."""
    upright = grid_n * (grid_n + 1)
    if wall < upright:
        y, x = divmod(wall, grid_n + 1)
        return (x, y), (x, y + 1)
    y, x = divmod(wall - upright, grid_n)
    return (x, y), (x + 1, y)


@lru_cache(maxsize=16)
def corners(grid_n: int) -> tuple[int, ...]:
    """For each corner of the lattice, the walls that meet there."""
    meeting: dict[tuple[int, int], int] = {}
    for wall in range(wall_count(grid_n)):
        for corner in wall_ends(grid_n, wall):
            meeting[corner] = meeting.get(corner, 0) | 1 << wall
    return tuple(meeting[corner] for corner in sorted(meeting))


def walls_around(grid_n: int, passages: Iterable[Passage]) -> int:
    """All walls but those that the passages open."""
    walls = (1 << wall_count(grid_n)) - 1
    for one, other in passages:
        walls &= ~(1 << wall_between(grid_n, one, other))
    return walls


def numbers(walls: int) -> Iterator[int]:
    """The numbers of the walls in a set."""
    while walls:
        lowest = walls & -walls
        yield lowest.bit_length() - 1
        walls ^= lowest


class _Regions:
    """Which cells hang together (union by find, with halving)."""

    def __init__(self) -> None:
        self._above: dict[Cell, Cell] = {}

    def join(self, one: Cell, other: Cell) -> bool:
        """Whether the two were apart until now."""
        root, other_root = self._root(one), self._root(other)
        if root == other_root:
            return False
        self._above[root] = other_root
        return True

    def _root(self, cell: Cell) -> Cell:
        above = self._above
        while (up := above.get(cell, cell)) != cell:
            above[cell] = cell = above.get(up, up)
        return cell


def kruskal(rng: Random, grid_n: int) -> tuple[Passage, ...]:
    """A random maze: the minimum spanning tree of the lattice under random weights, by Kruskal's algorithm."""
    weighted = sorted((rng.random(), passage) for passage in neighbours(grid_n))
    regions = _Regions()
    return tuple(sorted(passage for _, passage in weighted if regions.join(*passage)))


def spanning_trees(grid_n: int) -> list[tuple[Passage, ...]]:
    """Every maze without loops, for small lattices: 4 of 2 x 2, 192 of 3 x 3."""
    trees = []
    for passages in combinations(neighbours(grid_n), grid_n * grid_n - 1):
        regions = _Regions()
        if all(regions.join(*passage) for passage in passages):
            trees.append(passages)
    return trees


class Corridors:
    """The open ways of a maze without loops, hung up at one cell."""

    def __init__(self, passages: Sequence[Passage], root: Cell) -> None:
        self.open: dict[Cell, list[Cell]] = {}
        """From each cell to the cells that can be entered from it."""
        for one, other in passages:
            self.open.setdefault(one, []).append(other)
            self.open.setdefault(other, []).append(one)
        self.steps_to_root: dict[Cell, int] = {root: 0}
        self._next: dict[Cell, Cell] = {root: root}
        queue = [root]
        for cell in queue:
            for beyond in self.open.get(cell, ()):
                if beyond not in self._next:
                    self._next[beyond] = cell
                    self.steps_to_root[beyond] = self.steps_to_root[cell] + 1
                    queue.append(beyond)

    def way(self, start: Cell, end: Cell) -> list[Cell]:
        """The cells from one to the other, both included."""
        depth = self.steps_to_root
        head, tail = [start], [end]
        while head[-1] != tail[-1]:
            deeper = head if depth[head[-1]] >= depth[tail[-1]] else tail
            deeper.append(self._next[deeper[-1]])
        return head + tail[-2::-1]

    def distance(self, start: Point, end: Point) -> float:
        """The length of the way from one point to another in cells, straight from door to door."""
        way = self.way(cell_at(start), cell_at(end))
        if len(way) <= 2:
            return dist(start, end)
        doors = [_door(one, other) for one, other in pairwise(way)]
        between = sum(dist(one, other) for one, other in pairwise(doors))
        return dist(start, doors[0]) + between + dist(doors[-1], end)


def _door(one: Cell, other: Cell) -> Point:
    return ((one[1] + other[1] + 1) / 2, (one[0] + other[0] + 1) / 2)
