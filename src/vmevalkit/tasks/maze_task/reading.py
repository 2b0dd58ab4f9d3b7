"""Reading a maze from a registered frame: where the dot is, which walls are closed, where the flag is."""

from __future__ import annotations

from collections.abc import Iterable
from math import dist
from typing import NamedTuple

import cv2
import numpy as np

from vmevalkit.media.image import Frame, Mask
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.maze_task.lattice import Cell, Point, cell_at, centre, clamp_point
from vmevalkit.tasks.maze_task.markers import Spot, dot_reference, find_spots, flag_reference, measure_flag_ink
from vmevalkit.tasks.maze_task.maze_reasoning import Maze, MazeState, corridors_of, initial_walls
from vmevalkit.tasks.maze_task.occlusion import OccludedDotTracker
from vmevalkit.tasks.maze_task.render import DOT_RADIUS, FLAG_EXTENT
from vmevalkit.tasks.maze_task.sampling import FOREIGN_COLOUR, WHITE, Plane, sampler_of

COLOURED = 40
"""A wall whose pixels are more colourful than this is covered by something."""
CLOSED_ABOVE, OPEN_BELOW = 0.5, 0.3
"""Darkness of a wall relative to the walls of the same frame; between the two it is left undecided."""
WHOLE_ABOVE = 0.2
"""The same for every stretch of a closed wall: with a gap it is not clearly closed."""
NEARLY_WHITE = 190
"""Least brightness beside a wall that is dark from end to end: a fraction of a pixel off, it darkens its own sides."""
MIN_CONTRAST = 0.2
"""With less contrast than this between walls and corridors the maze is not readable."""
MIN_CLEAR = 0.4
"""The share of the inner walls that must be visible."""
MIN_CLOSED = 0.6
"""The share of the visible walls that must still be closed: below it the maze is gone, not changed."""
FLAG_SHIFT = 0.29
"""How far the visible ink of a flag at the goal may be off its centre where the dot covers a part of it, in cells."""
MIN_FLAG_INK = 0.25
"""The share of its ink by which a flag is recognised in the goal's cell: the dot may cover the rest."""

NEAR, STEP_TOLERANCE = 0.12, 1.25
"""A dot that vanishes was hidden by something nearer than ``NEAR`` cells and ``STEP_TOLERANCE`` of its longest steps
from frame to frame."""
HIDDEN_STEP = 0.25
"""How far a hidden dot may move in a frame, in cells, in addition to those steps: it may start or speed up."""


class MazePlanes(NamedTuple):
    """Measurements of a frame, 8 bits for each pixel."""

    green: Plane
    """By how much a pixel is greener than red or blue: high for the dot, 0 for black, white and grey."""
    red: Plane
    """Likewise for the flag."""
    brightness: Plane
    """Brightness, with dot and flag counted as white."""
    colour: Plane
    """Colour of any kind."""
    foreign: Plane
    """Colour that neither dot nor flag explains, such as skin."""


def measure_planes(image: Frame) -> MazePlanes:
    """Return the planes of a frame."""
    r, g, b = cv2.split(image)
    rg, gb, rb = cv2.max(r, g), cv2.max(g, b), cv2.max(r, b)
    high, low = cv2.max(rg, b), cv2.min(cv2.min(r, g), b)
    green, red, colour = cv2.subtract(g, rb), cv2.subtract(r, gb), cv2.subtract(high, low)
    brightness = cv2.add(cv2.add(high, green), red)
    # The dot's colour is 1.6 times its greenness, the flag's equals its redness; skin is reddish, with a remainder.
    foreign = cv2.subtract(colour, cv2.addWeighted(green, 1.6, red, 1.0, 0.0))
    return MazePlanes(green, cv2.subtract(red, foreign), brightness, colour, foreign)


class MazeReader:
    """Reads the frames of one video of a maze, in order."""

    def __init__(self, puzzle: Maze) -> None:
        self._maze = puzzle
        self._initial_walls = initial_walls(puzzle)
        self._sampler = sampler_of(puzzle.grid_n)
        self._initial_mask = self._wall_mask(self._initial_walls)
        self._state_with_dot: MazeState | None = None
        """The last state with a dot before it vanished."""
        self._vanished_behind_cover = False
        self._is_hidden = False
        """Whether something may have hidden the dot in the frame before."""
        self._hidden_dot = OccludedDotTracker(puzzle)
        self._frames_since_tracked = 0
        """Number of frames since the tracker was last updated."""
        self._corridors = corridors_of(puzzle)
        self._longest_step = 0.0

    @property
    def is_covered(self) -> bool:
        """Whether something may cover the dot in the frame that was read last."""
        return self._is_hidden

    def read(self, frame: RegisteredFrame, before: MazeState | None) -> MazeState | None:
        """Return the state, or None if no maze is visible or something may hide the dot.

        A wall or flag behind something is assumed to be as it was last seen.
        """
        was_hidden, self._is_hidden = self._is_hidden, False
        self._frames_since_tracked += 1
        planes = measure_planes(frame.image)
        green = find_spots(planes.green, dot_reference(self._maze.grid_n), self._sampler)
        red = find_spots(planes.red, flag_reference(self._maze.grid_n), self._sampler)
        if green is None or red is None:
            return None
        dots = tuple(sorted(spot.point for spot in green if spot.is_whole))
        flags = tuple(sorted(self._find_flags(red, dots)))
        if not flags and self._has_flag_under_dot(frame.image, dots):
            flags = (centre(self._maze.goal),)
        read_walls = self._read_walls(
            planes, frame.visible, before.walls if before else self._initial_walls, (*dots, *flags)
        )
        if read_walls is None:
            return None
        walls, unclear_walls = read_walls
        emerged_from = self._hidden_dot.points() if dots and was_hidden else ()
        if before and len(before.dots) == len(dots) == 1 and not emerged_from:
            self._longest_step = max(self._longest_step, dist(before.dots[0], dots[0]))
        if dots and flags:
            return MazeState(dots, walls, flags, emerged_from, unclear_walls)
        if not dots:
            if walls != self._initial_walls:
                return None
            other = cv2.max(planes.foreign, planes.red)  # what is red and no flag hides a dot like anything else
            places = self._sampler.find_hiding_places(other, planes.brightness, planes.green, frame.visible, flags)
            self._is_hidden = self._may_be_hidden(places, before)
            if self._is_hidden:
                return None
        if not flags:
            covered = self._find_covered_cells(planes, frame.visible)
            last_flags = before.flags if before else (centre(self._maze.goal),)
            flags = tuple(flag for flag in last_flags if cell_at(flag) in covered)
        return MazeState(dots, walls, flags, emerged_from, unclear_walls)

    def _find_flags(self, spots: Iterable[Spot], dots: Iterable[Point]) -> set[Point]:
        """Return the positions of the flags. One at the goal that a dot partly covers is where it was."""
        goal = centre(self._maze.goal)
        is_covered = any(dist(dot, goal) < DOT_RADIUS + FLAG_EXTENT for dot in dots)
        found = [(spot, dist(spot.point, goal) < FLAG_SHIFT) for spot in spots]
        return {
            goal if is_near_goal and (is_covered or not spot.is_whole) else spot.point
            for spot, is_near_goal in found
            if spot.is_whole or self._is_flag_at_goal(spot)
        }

    def _is_flag_at_goal(self, spot: Spot) -> bool:
        return spot.mass >= MIN_FLAG_INK and cell_at(spot.point) == self._maze.goal

    def _has_flag_under_dot(self, image: Frame, dots: Iterable[Point]) -> bool:
        """Return whether the flag is in the goal's cell, under a dot and blurred with it."""
        goal = centre(self._maze.goal)
        is_near = any(dist(dot, goal) < DOT_RADIUS + FLAG_EXTENT for dot in dots)
        return is_near and measure_flag_ink(image, goal, self._maze.grid_n) >= MIN_FLAG_INK

    def _read_walls(
        self, planes: MazePlanes, seen: Mask | None, walls_before: int, markers: Iterable[Point]
    ) -> tuple[int, int] | None:
        """Return the walls that are closed, and those that are unclear; None if too few are visible."""
        sampler, initial = self._sampler, self._initial_mask
        brightness = cv2.integral(planes.brightness)
        parts, sides = sampler.wall_parts.means(brightness), sampler.wall_sides.means(brightness)
        white = sides.mean(axis=1, keepdims=True)
        darkness = (white - parts) / np.maximum(white, 1.0)
        is_coloured = sampler.whole_walls.means(cv2.integral(planes.colour))[:, 0] > COLOURED
        is_uncovered = ~is_coloured & ~sampler.find_unseen_walls(seen)
        is_clear = (sides.min(axis=1) > WHITE) & is_uncovered
        visible = is_clear & initial
        if is_clear[sampler.is_inner_wall].mean() < MIN_CLEAR or not visible.any():
            return None
        contrast = float(np.median(darkness[visible]))
        if contrast < MIN_CONTRAST:
            return None
        is_closed = is_clear & (darkness.mean(axis=1) > CLOSED_ABOVE * contrast)
        # A wall is open only if it is open from end to end: a box of text covers parts of walls.
        is_open = is_clear & (darkness.max(axis=1) < OPEN_BELOW * contrast)
        if (is_closed & initial).sum() < MIN_CLOSED * visible.sum():
            return None
        is_dark = (darkness.mean(axis=1) > CLOSED_ABOVE * contrast) & (darkness.min(axis=1) > WHOLE_ABOVE * contrast)
        is_whole = (sides.min(axis=1) > NEARLY_WHITE) & is_uncovered & is_dark
        unclear = _pack_mask(initial & ~is_whole & ~is_open)
        mask_before = initial if walls_before == self._initial_walls else self._wall_mask(walls_before)
        changed = (is_closed & ~mask_before) | (is_open & mask_before)
        if not changed.any():
            return walls_before, unclear
        # The pen in a hand looks like a wall, and the background of a caption like an open one.
        foreign_blocks = sampler.find_foreign_blocks(planes.foreign, planes.brightness, markers)
        changed &= ~sampler.find_walls_near(foreign_blocks)
        return walls_before ^ _pack_mask(changed), unclear

    def _find_covered_cells(self, planes: MazePlanes, seen: Mask | None) -> set[Cell]:
        """Return the cells that something covers, or that are outside the video."""
        cells = self._sampler.cells
        is_dark = cells.means(cv2.integral(planes.brightness))[:, 0] < WHITE
        is_foreign = cells.means(cv2.integral(planes.foreign))[:, 0] > FOREIGN_COLOUR
        covered = np.flatnonzero(is_dark | is_foreign | self._sampler.find_unseen_cells(seen))
        return {(int(number) // self._maze.grid_n, int(number) % self._maze.grid_n) for number in covered}

    def _may_be_hidden(self, places: list[Point], before: MazeState | None) -> bool:
        """Return whether the dot may be in one of the hiding places. A dot that vanishes in plain view is not."""
        if before is None:
            self._start_tracking(places)
            return bool(places)
        if not places or not before.dots:
            return False
        if self._state_with_dot is not before:  # the first frame without the dot; later its cover may move away
            self._state_with_dot = before
            near = [place for place in places if any(self._is_near(place, dot) for dot in before.dots)]
            self._vanished_behind_cover = bool(near)
            self._start_tracking(near)
        else:
            max_step = HIDDEN_STEP + STEP_TOLERANCE * self._longest_step
            self._hidden_dot.advance(places, self._frames_since_tracked * max_step)
            self._frames_since_tracked = 0
        return self._vanished_behind_cover

    def _start_tracking(self, places: list[Point]) -> None:
        self._hidden_dot.start(places)
        self._frames_since_tracked = 0

    def _is_near(self, place: Point, dot: Point) -> bool:
        max_distance = NEAR + STEP_TOLERANCE * self._longest_step
        start, end = (clamp_point(self._maze.grid_n, point) for point in (place, dot))
        return dist(place, dot) < max_distance and self._corridors.distance(start, end) < max_distance

    def _wall_mask(self, walls: int) -> Mask:
        count = self._sampler.wall_count
        packed = np.frombuffer(walls.to_bytes((count + 7) // 8, "little"), np.uint8)
        return np.unpackbits(packed, count=count, bitorder="little").astype(np.bool_)


def _pack_mask(mask: Mask) -> int:
    """Return a mask of walls as bits."""
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")
