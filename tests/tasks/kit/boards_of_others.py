"""Boards in a style that is none of ours, and videos of them: a disc between textured walls on a striped ground."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import cv2
import numpy as np

from vmevalkit.media.image import Frame
from vmevalkit.media.video_reader import TimedFrame
from vmevalkit.tasks.puzzles.grid_maze import GridMaze
from vmevalkit.tasks.puzzles.line_maze import LineMaze

Cell = tuple[int, int]
SIDE, LEFT, TOP = 40, 90.0, 24.0
ROWS = ("#######", "#.#...#", "#.#.#.#", "#...#.#", "###.#.#", "#.....#", "#######")
GRID_MAZE = GridMaze(
    7, 7, tuple((r, c) for r, row in enumerate(ROWS) for c, mark in enumerate(row) if mark == "#"), (1, 1), (5, 5)
)
WAY: tuple[Cell, ...] = (
    (1, 1), (2, 1), (3, 1), (3, 2), (3, 3), (2, 3), (1, 3), (1, 4), (1, 5), (2, 5), (3, 5), (4, 5), (5, 5)
)  # fmt: skip
LINE_MAZE = LineMaze(
    4, 4, (((0, 0), (0, 1)), ((1, 0), (1, 1)), ((1, 1), (2, 1)), ((1, 2), (2, 2)), ((2, 1), (2, 2)), ((2, 3), (3, 3))),
    (0, 0), (0, 1),
)  # fmt: skip
BOX = (LEFT, TOP, LEFT + 7 * SIDE, TOP + 7 * SIDE)


def draw_grid_maze(mover: tuple[float, float] | None = WAY[0], without: Sequence[Cell] = ()) -> Frame:
    """Return the maze with the mover at (row, column); without some of its walls."""
    rng = np.random.default_rng(3)
    picture = np.full((330, 470, 3), (38, 30, 60), np.uint8)
    brick = rng.integers(-14, 15, (SIDE, SIDE, 1)) + np.array([168, 92, 66])
    for r in range(7):
        for c in range(7):
            x, y = round(LEFT + SIDE * c), round(TOP + SIDE * r)
            is_wall = (r, c) in GRID_MAZE.walls and (r, c) not in without
            picture[y : y + SIDE, x : x + SIDE] = brick if is_wall else (214, 205, 176)
    x, y = round(LEFT + SIDE * 5), round(TOP + SIDE * 5)
    cv2.rectangle(picture, (x + 5, y + 5), (x + SIDE - 6, y + SIDE - 6), (30, 120, 60), -1)
    return picture if mover is None else add_disc(picture, mover)


def add_disc(picture: Frame, place: tuple[float, float], colour: tuple[int, int, int] = (90, 20, 150)) -> Frame:
    """Return a picture with a disc at (row, column)."""
    added = picture.copy()
    middle = round(LEFT + SIDE * (place[1] + 0.5)), round(TOP + SIDE * (place[0] + 0.5))
    cv2.circle(added, middle, 13, colour, -1, cv2.LINE_AA)
    cv2.circle(added, middle, 5, (250, 240, 120), -1, cv2.LINE_AA)
    return added


def draw_line_maze(with_marker: bool = True, side: int = 60, corner: tuple[int, int] = (70, 30)) -> Frame:
    """Return a maze of lines with a marker at the start and a goal."""
    picture = np.full((310, 380, 3), (250, 246, 230), np.uint8)
    x0, y0 = corner
    cv2.rectangle(picture, (x0, y0), (x0 + 4 * side, y0 + 4 * side), (60, 40, 20), 5)
    for (r, c), (_, other) in LINE_MAZE.closed:
        x, y = x0 + side * (c + 1), y0 + side * (r + 1)
        start = (x, y - side) if other != c else (x - side, y)
        cv2.line(picture, start, (x, y), (60, 40, 20), 5)
    if with_marker:
        cv2.circle(picture, (x0 + side // 2, y0 + side // 2), 18, (0, 150, 60), -1, cv2.LINE_AA)
    cv2.rectangle(picture, (x0 + side + 18, y0 + 18), (x0 + 2 * side - 18, y0 + side - 18), (210, 40, 40), -1)
    return picture


def walk(way: Sequence[tuple[float, float]], frames_per_step: int = 5, rest: int = 8) -> list[tuple[float, float]]:
    """Return the place of the mover in each frame of a way."""
    places = [way[0]]
    for (r, c), (to_r, to_c) in pairwise(way):
        places += [(r + k / frames_per_step * (to_r - r), c + k / frames_per_step * (to_c - c))
                   for k in range(1, frames_per_step + 1)]  # fmt: skip
    return places + places[-1:] * rest


def time_frames(pictures: Sequence[Frame], fps: float = 24.0) -> list[TimedFrame]:
    return [TimedFrame(index / fps, picture) for index, picture in enumerate(pictures)]
