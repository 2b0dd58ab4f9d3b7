"""Where a dot that is behind something may have got to."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

import numpy as np

from vmevalkit.media.picture import Mask
from vmevalkit.tasks.maze_task.lattice import Point, neighbours, wall_between
from vmevalkit.tasks.maze_task.maze_reasoning import Maze, home_walls

_FINE = 8
"""Squares in the width of a cell."""
_ROOM = 0.2
"""No dot goes round a corner closer than this, in cells: it would lie on the wall that ends there."""
_OUTSIDE = 0.5
"""A place no farther than this from the maze, in cells, counts for the square next to it."""


class Whereabouts:
    """The squares of a fine lattice in which the dot may be. It goes on in the corridors from frame to frame, but only
    to where it is hidden: else it would have been seen."""

    def __init__(self, maze: Maze) -> None:
        self._side = maze.grid_n * _FINE
        self._rightwards, self._downwards = _passable(maze)
        self._roomy = np.tile(_roomy(), (maze.grid_n, maze.grid_n))
        self._there = np.zeros((self._side, self._side), np.bool_)

    def begin(self, places: Iterable[Point]) -> None:
        """It has just gone behind one of these."""
        self._there = self._squares(places)

    def go_on(self, places: Iterable[Point], reach: float) -> None:
        """It has gone ``reach`` cells at most, and is in one of these. If there is no such place it has been missed for
        a moment, and is where it was."""
        there = self._there
        for _ in range(ceil(_FINE * reach)):
            there = self._and_next(there)
        there = there & self._squares(places)
        if there.any():
            self._there = there

    def points(self) -> tuple[Point, ...]:
        """The middles of the squares."""
        squares: list[list[int]] = np.argwhere(self._there).tolist()
        return tuple(((column + 0.5) / _FINE, (row + 0.5) / _FINE) for row, column in squares)

    def _squares(self, places: Iterable[Point]) -> Mask:
        found = np.zeros_like(self._there)
        points = np.array(list(places), np.float64).reshape(-1, 2)
        cells = self._side / _FINE
        points = points[((points > -_OUTSIDE) & (points < cells + _OUTSIDE)).all(axis=1)]
        columns, rows = np.clip(np.floor(points * _FINE).astype(np.intp), 0, self._side - 1).T
        found[rows, columns] = True
        return found

    def _and_next(self, there: Mask) -> Mask:
        """These squares, and those that can be entered from them."""
        wider = there.copy()
        wider[:, 1:] |= there[:, :-1] & self._rightwards
        wider[:, :-1] |= there[:, 1:] & self._rightwards
        wider[1:] |= there[:-1] & self._downwards
        wider[:-1] |= there[1:] & self._downwards
        return wider & (self._roomy | there)


def _roomy() -> Mask:
    """The squares of a cell that are away from its corners; every corner of a maze without loops has a wall."""
    middles = (np.arange(_FINE) + 0.5) / _FINE
    off = np.minimum(middles, 1 - middles)
    return np.asarray(np.hypot(off, off[:, None]) >= _ROOM)


def _passable(maze: Maze) -> tuple[Mask, Mask]:
    """Whether there is no wall between a square and the one on its right, and likewise below it."""
    side, walls = maze.grid_n * _FINE, home_walls(maze)
    rightwards, downwards = np.ones((side, side - 1), np.bool_), np.ones((side - 1, side), np.bool_)
    for one, other in neighbours(maze.grid_n):
        if walls >> wall_between(maze.grid_n, one, other) & 1:
            (row, column), upright = other, one[0] == other[0]
            row, column = row * _FINE, column * _FINE
            if upright:
                rightwards[row : row + _FINE, column - 1] = False
            else:
                downwards[row - 1, column : column + _FINE] = False
    return rightwards, downwards
