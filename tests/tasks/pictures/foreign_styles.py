"""Drawings of puzzles in styles that no task draws: other fonts, pieces, colours, sizes and camera lenses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import cos, pi, sin
from typing import Any

import cv2
import numpy as np

from vmevalkit.media.image import Frame
from vmevalkit.tasks.maze_task.lattice import iter_walls, wall_ends
from vmevalkit.tasks.maze_task.maze_reasoning import MazeState
from vmevalkit.tasks.object_subtraction_task.puzzle import ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.scene import ObjectScene
from vmevalkit.tasks.rotation_puzzle_task.puzzle import RotationPuzzle
from vmevalkit.tasks.rotation_puzzle_task.render import compute_outline
from vmevalkit.tasks.rotation_puzzle_task.scene import SIZE, PipeScene, get_layout
from vmevalkit.tasks.rotation_task.render import draw_view
from vmevalkit.tasks.rotation_task.scene import PicturedVoxelPuzzle, SculptureLook, View, VoxelPuzzle

Colour = tuple[int, int, int]


def fill(width: int, height: int, colour: Colour) -> Frame:
    return np.full((height, width, 3), colour, np.uint8)


def draw_sudoku(order: int, values: Sequence[int]) -> Frame:
    """Yellow serif digits on dark blue, in cells of 110 pixels."""
    side, left, top = 110, 34, 21
    image = fill(left + order * side + 51, top + order * side + 27, (30, 34, 66))
    for line in range(order + 1):
        x, y, end = left + line * side, top + line * side, order * side
        cv2.line(image, (x, top), (x, top + end), (190, 200, 210), 2, cv2.LINE_AA)
        cv2.line(image, (left, y), (left + end, y), (190, 200, 210), 2, cv2.LINE_AA)
    for cell, digit in enumerate(values):
        if digit:
            x, y = left + cell % order * side + 34, top + cell // order * side + 76
            cv2.putText(image, str(digit), (x, y), cv2.FONT_HERSHEY_TRIPLEX, 1.9, (250, 220, 90), 2, cv2.LINE_AA)
    return image


def draw_chess(letters: Sequence[str]) -> Frame:
    """Green and cream squares of 57 x 55 pixels, pieces as discs with a mark of their own."""
    wide, high = 57, 55
    image = fill(8 * wide + 24, 8 * high + 40, (88, 60, 40))
    for index, letter in enumerate(letters):
        row, column = divmod(index, 8)
        x, y = 12 + column * wide, 20 + row * high
        colour = (236, 236, 208) if (row + column) % 2 == 0 else (118, 150, 86)
        image[y : y + high, x : x + wide] = colour
        if letter == ".":
            continue
        ink, paper = ((20, 20, 20), (250, 250, 250)) if letter.isupper() else ((245, 245, 245), (30, 30, 40))
        cv2.circle(image, (x + wide // 2, y + high // 2), 21, paper, -1, cv2.LINE_AA)
        cv2.circle(image, (x + wide // 2, y + high // 2), 21, ink, 1, cv2.LINE_AA)
        at = x + wide // 2 - 12, y + high // 2 + 11
        cv2.putText(image, letter.upper(), at, cv2.FONT_HERSHEY_DUPLEX, 1.1, ink, 2, cv2.LINE_AA)
    return image


def draw_raven(contents: Sequence[Any]) -> Frame:
    """Outlined figures on pale green, in cells of 130 x 120 pixels; the missing cell is blank."""
    wide, high = 130, 120
    image = fill(3 * wide + 30, 3 * high + 20, (225, 240, 225))
    for line in range(4):
        cv2.line(image, (15 + line * wide, 10), (15 + line * wide, 10 + 3 * high), (90, 90, 120), 3)
        cv2.line(image, (15, 10 + line * high), (15 + 3 * wide, 10 + line * high), (90, 90, 120), 3)
    for cell, tile in enumerate(contents):
        if tile in ("question", "empty"):
            continue
        x, y = 15 + cell % 3 * wide + wide / 2, 10 + cell // 3 * high + high / 2
        corners = 3 + sum(map(ord, tile.shape)) % 4
        colour = {"black": (20, 20, 20), "red": (200, 30, 40), "blue": (30, 60, 200), "green": (20, 140, 50)}
        for number in range(tile.number):
            middle = x + 22 * (number - (tile.number - 1) / 2), y
            turn = tile.angle_deg * pi / 180
            points = [
                (middle[0] + r * cos(turn + 2 * pi * k / corners), middle[1] + r * sin(turn + 2 * pi * k / corners))
                for k, r in enumerate([24.0] + [12.0] * (corners - 1))
            ]
            ink = colour.get(tile.colour, (120, 60, 160))
            cv2.polylines(image, [np.rint(points).astype(np.int32)], True, ink, 3, cv2.LINE_AA)
    return image


def draw_maze(grid_n: int, state: MazeState) -> Frame:
    """Bright walls on a dark floor, a star and a cup, in a picture of 500 x 499 pixels."""
    image, cell, left, top = fill(500, 499, (24, 28, 48)), 440 / grid_n, 37, 22

    def place(point: tuple[float, float]) -> tuple[int, int]:
        return round(left + point[0] * cell), round(top + point[1] * cell)

    for wall in iter_walls(state.walls):
        start, end = wall_ends(grid_n, wall)
        cv2.line(image, place(start), place(end), (240, 150, 60), 9)
    for x, y in map(place, state.flags):
        high = round(0.24 * cell)
        cv2.ellipse(image, (x, y), (high, high), 0, 0, 180, (235, 225, 120), -1, cv2.LINE_AA)
        cv2.rectangle(image, (x - high // 4, y), (x + high // 4, y + high + high // 3), (235, 225, 120), -1)
    for x, y in map(place, state.dots):
        turns = [(0.24 if k % 2 == 0 else 0.11, k * pi / 5 - pi / 2) for k in range(10)]
        points = [(x + r * cell * cos(turn), y + r * cell * sin(turn)) for r, turn in turns]
        cv2.fillPoly(image, [np.rint(points).astype(np.int32)], (90, 230, 250), cv2.LINE_AA)
    return image


LOOK = SculptureLook(distance=9.0, stretch=0.8, is_shaded=False, edge_width=1.8)


def draw_sculpture(puzzle: VoxelPuzzle, state: View) -> Frame:
    """Low voxels of another colour, through another lens, beside the middle of a picture of 620 x 470 pixels."""
    own = PicturedVoxelPuzzle(puzzle.voxels, puzzle.elev_deg, puzzle.azim_deg, puzzle.angle_deg, seen_look=LOOK)
    image = fill(620, 470, (255, 255, 255))
    image[40:440, 150:550] = draw_view(own, replace(state, paint=("#e0a070",)))
    return image


def draw_objects(puzzle: ObjectSubtraction, state: ObjectScene) -> Frame:
    """Ringed, two-coloured objects on a sandy ground."""
    side = 2 * puzzle.canvas
    image = fill(side, side, (214, 196, 160))
    for visible in state.objects:
        centre, half = (round(2 * visible.x), round(2 * visible.y)), round(visible.size)
        tone = 40 + 60 * (abs(visible.id) % 3)
        if visible.shape in ("sphere", "cone"):
            cv2.circle(image, centre, half, (tone, 60, 130), -1, cv2.LINE_AA)
            cv2.circle(image, centre, half // 2, (250, 250, 240), -1, cv2.LINE_AA)
        else:
            corner, other = (centre[0] - half, centre[1] - half), (centre[0] + half, centre[1] + half)
            cv2.rectangle(image, corner, other, (30, tone, 90), -1)
            cv2.line(image, corner, other, (250, 250, 240), 5, cv2.LINE_AA)
    return image


def draw_pipes(puzzle: RotationPuzzle, state: PipeScene) -> Frame:
    """Slim copper pipes with a bright core on dark grey, at three quarters of the size."""
    image = fill(SIZE[0], SIZE[1], (40, 44, 52))
    square = get_layout(puzzle.rows, puzzle.cols).square
    for pipe in state.pipes:
        outline = compute_outline(pipe.shape, pipe.angle_deg) * square + (pipe.x, pipe.y)
        cv2.fillPoly(image, [np.rint(outline * 16).astype(np.int32)], (190, 110, 60), cv2.LINE_AA, 4)
        cv2.circle(image, (round(pipe.x), round(pipe.y)), 9, (250, 230, 200), -1, cv2.LINE_AA)
    return np.asarray(cv2.resize(image, (576, 384), interpolation=cv2.INTER_AREA), np.uint8)
