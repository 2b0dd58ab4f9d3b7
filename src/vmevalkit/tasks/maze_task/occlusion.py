"""Tracking a dot that something hides."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

import numpy as np

from vmevalkit.media.image import Mask
from vmevalkit.tasks.maze_task.lattice import Point, neighbour_pairs, wall_between
from vmevalkit.tasks.maze_task.maze_reasoning import Maze, initial_walls

_SQUARES_PER_CELL = 8
"""Squares along the side of a cell."""
_CORNER_CLEARANCE = 0.2
"""A dot does not pass a corner closer than this, in cells: it would be on the wall that ends there."""
_MAX_OUTSIDE = 0.5
"""A point up to this far outside the maze, in cells, counts for the nearest square."""


class OccludedDotTracker:
    """The squares of a fine lattice in which a hidden dot may be.

    From frame to frame the dot moves along the corridors, but only to where it stays hidden: elsewhere it would have
    been seen.
    """

    def __init__(self, maze: Maze) -> None:
        self._side = maze.grid_n * _SQUARES_PER_CELL
        self._can_go_right, self._can_go_down = _find_open_borders(maze)
        self._clear_of_corners = np.tile(_mask_clear_of_corners(), (maze.grid_n, maze.grid_n))
        self._possible = np.zeros((self._side, self._side), np.bool_)

    def start(self, places: Iterable[Point]) -> None:
        """Start with a dot that has just become hidden at one of these places."""
        self._possible = self._mask_of(places)

    def advance(self, places: Iterable[Point], max_distance: float) -> None:
        """Move the dot by up to ``max_distance`` cells, to one of these places.

        If none of them can be reached, the dot was missed for a moment, and is where it was.
        """
        possible = self._possible
        for _ in range(ceil(_SQUARES_PER_CELL * max_distance)):
            possible = self._add_neighbours(possible)
        possible = possible & self._mask_of(places)
        if possible.any():
            self._possible = possible

    def points(self) -> tuple[Point, ...]:
        """Return the centres of the squares in which the dot may be."""
        squares: list[list[int]] = np.argwhere(self._possible).tolist()
        return tuple(((column + 0.5) / _SQUARES_PER_CELL, (row + 0.5) / _SQUARES_PER_CELL) for row, column in squares)

    def _mask_of(self, places: Iterable[Point]) -> Mask:
        mask = np.zeros_like(self._possible)
        points = np.array(list(places), np.float64).reshape(-1, 2)
        grid_n = self._side / _SQUARES_PER_CELL
        points = points[((points > -_MAX_OUTSIDE) & (points < grid_n + _MAX_OUTSIDE)).all(axis=1)]
        columns, rows = np.clip(np.floor(points * _SQUARES_PER_CELL).astype(np.intp), 0, self._side - 1).T
        mask[rows, columns] = True
        return mask

    def _add_neighbours(self, squares: Mask) -> Mask:
        """Return these squares and those that can be entered from them."""
        wider = squares.copy()
        wider[:, 1:] |= squares[:, :-1] & self._can_go_right
        wider[:, :-1] |= squares[:, 1:] & self._can_go_right
        wider[1:] |= squares[:-1] & self._can_go_down
        wider[:-1] |= squares[1:] & self._can_go_down
        return wider & (self._clear_of_corners | squares)


def _mask_clear_of_corners() -> Mask:
    """Return the squares of a cell that are away from its corners. Every corner of a maze without loops has a wall."""
    middles = (np.arange(_SQUARES_PER_CELL) + 0.5) / _SQUARES_PER_CELL
    to_edge = np.minimum(middles, 1 - middles)
    return np.asarray(np.hypot(to_edge, to_edge[:, None]) >= _CORNER_CLEARANCE)


def _find_open_borders(maze: Maze) -> tuple[Mask, Mask]:
    """Return whether there is no wall between a square and the one on its right, and the one below it."""
    side, walls = maze.grid_n * _SQUARES_PER_CELL, initial_walls(maze)
    to_right, downwards = np.ones((side, side - 1), np.bool_), np.ones((side - 1, side), np.bool_)
    for one, other in neighbour_pairs(maze.grid_n):
        if walls >> wall_between(maze.grid_n, one, other) & 1:
            (row, column), is_vertical = other, one[0] == other[0]
            row, column = row * _SQUARES_PER_CELL, column * _SQUARES_PER_CELL
            if is_vertical:
                to_right[row : row + _SQUARES_PER_CELL, column - 1] = False
            else:
                downwards[row - 1, column : column + _SQUARES_PER_CELL] = False
    return to_right, downwards
