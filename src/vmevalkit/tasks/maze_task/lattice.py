"""Cells, walls and corridors of a square lattice.

A cell is (row, column). A point is (x, y) in cells from the maze's top left corner, so the centre of the cell (r, c)
is (c + 0.5, r + 0.5). Every side of every cell has a wall number; a set of walls is an integer with one bit for each
wall: first the vertical walls row by row, then the horizontal ones.
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
    """Return the cell that contains the point; it may be outside the maze."""
    return (floor(point[1]), floor(point[0]))


def clamp_point(grid_n: int, point: Point) -> Point:
    """Return the nearest point inside the maze."""
    limit = grid_n - 1e-6
    return (min(max(point[0], 0.0), limit), min(max(point[1], 0.0), limit))


def is_inside(grid_n: int, cell: Cell) -> bool:
    return 0 <= cell[0] < grid_n and 0 <= cell[1] < grid_n


@lru_cache(maxsize=16)
def neighbour_pairs(grid_n: int) -> tuple[Passage, ...]:
    """Return all pairs of neighbouring cells: the passages that a maze can have."""
    across = [((r, c), (r, c + 1)) for r in range(grid_n) for c in range(grid_n - 1)]
    down = [((r, c), (r + 1, c)) for r in range(grid_n - 1) for c in range(grid_n)]
    return tuple(sorted(across + down))


def wall_between(grid_n: int, one: Cell, other: Cell) -> int:
    """Return the number of the wall between two neighbouring cells, one of which may be outside."""
    row, column = max(one, other)
    if one[0] == other[0]:
        return row * (grid_n + 1) + column
    return grid_n * (grid_n + 1) + row * grid_n + column


def wall_count(grid_n: int) -> int:
    return 2 * grid_n * (grid_n + 1)


def wall_ends(grid_n: int, wall: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the two corners (x, y) that the wall joins."""
    vertical_count = grid_n * (grid_n + 1)
    if wall < vertical_count:
        y, x = divmod(wall, grid_n + 1)
        return (x, y), (x, y + 1)
    y, x = divmod(wall - vertical_count, grid_n)
    return (x, y), (x + 1, y)


def closed_walls(grid_n: int, passages: Iterable[Passage]) -> int:
    """Return the set of all walls except those that the passages open."""
    walls = (1 << wall_count(grid_n)) - 1
    for one, other in passages:
        walls &= ~(1 << wall_between(grid_n, one, other))
    return walls


def iter_walls(walls: int) -> Iterator[int]:
    """Yield the numbers of the walls in a set."""
    while walls:
        lowest = walls & -walls
        yield lowest.bit_length() - 1
        walls ^= lowest


class _UnionFind:
    """Groups of connected cells, with path halving."""

    def __init__(self) -> None:
        self._parents: dict[Cell, Cell] = {}

    def join(self, one: Cell, other: Cell) -> bool:
        """Connect two cells. Return whether they were in different groups before."""
        root, other_root = self._find_root(one), self._find_root(other)
        if root == other_root:
            return False
        self._parents[root] = other_root
        return True

    def _find_root(self, cell: Cell) -> Cell:
        parents = self._parents
        while (parent := parents.get(cell, cell)) != cell:
            parents[cell] = cell = parents.get(parent, parent)
        return cell


def sample_spanning_tree(rng: Random, grid_n: int) -> tuple[Passage, ...]:
    """Return a random maze: the lattice's minimum spanning tree under random weights, by Kruskal's algorithm."""
    weighted = sorted((rng.random(), passage) for passage in neighbour_pairs(grid_n))
    groups = _UnionFind()
    return tuple(sorted(passage for _, passage in weighted if groups.join(*passage)))


def list_spanning_trees(grid_n: int) -> list[tuple[Passage, ...]]:
    """Return every maze without loops, for small lattices: 4 of 2 x 2, 192 of 3 x 3."""
    trees = []
    for passages in combinations(neighbour_pairs(grid_n), grid_n * grid_n - 1):
        groups = _UnionFind()
        if all(groups.join(*passage) for passage in passages):
            trees.append(passages)
    return trees


class Corridors:
    """The corridors of a maze without loops, as a tree with one cell as its root."""

    def __init__(self, passages: Sequence[Passage], root: Cell) -> None:
        self.open_neighbours: dict[Cell, list[Cell]] = {}
        """For each cell, the cells that can be entered from it."""
        for one, other in passages:
            self.open_neighbours.setdefault(one, []).append(other)
            self.open_neighbours.setdefault(other, []).append(one)
        self.steps_to_root: dict[Cell, int] = {root: 0}
        self._parents: dict[Cell, Cell] = {root: root}
        queue = [root]
        for cell in queue:
            for neighbour in self.open_neighbours.get(cell, ()):
                if neighbour not in self._parents:
                    self._parents[neighbour] = cell
                    self.steps_to_root[neighbour] = self.steps_to_root[cell] + 1
                    queue.append(neighbour)

    def path(self, start: Cell, end: Cell) -> list[Cell]:
        """Return the cells from start to end, both included."""
        depth = self.steps_to_root
        head, tail = [start], [end]
        while head[-1] != tail[-1]:
            deeper = head if depth[head[-1]] >= depth[tail[-1]] else tail
            deeper.append(self._parents[deeper[-1]])
        return head + tail[-2::-1]

    def distance(self, start: Point, end: Point) -> float:
        """Return the length of the legal way between two points in cells, in straight lines from door to door."""
        cells = self.path(cell_at(start), cell_at(end))
        if len(cells) <= 2:
            return dist(start, end)
        doors = [_door_between(one, other) for one, other in pairwise(cells)]
        between = sum(dist(one, other) for one, other in pairwise(doors))
        return dist(start, doors[0]) + between + dist(doors[-1], end)


def _door_between(one: Cell, other: Cell) -> Point:
    return ((one[1] + other[1] + 1) / 2, (one[0] + other[0] + 1) / 2)
