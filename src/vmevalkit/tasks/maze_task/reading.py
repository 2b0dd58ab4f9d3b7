"""Reading a maze back from a registered frame: where the dot is, which walls stand, where the flag is."""

from __future__ import annotations

from collections.abc import Iterable
from math import dist
from typing import NamedTuple

import cv2
import numpy as np

from vmevalkit.media.picture import Frame, Mask
from vmevalkit.media.sighting import Sighting
from vmevalkit.tasks.maze_task.hiding import Whereabouts
from vmevalkit.tasks.maze_task.lattice import Cell, Point, cell_at, centre, held
from vmevalkit.tasks.maze_task.lens import ODD, WHITE, Plane, lens_of
from vmevalkit.tasks.maze_task.marks import Spot, dot_standard, find_spots, flag_ink, flag_standard
from vmevalkit.tasks.maze_task.maze_reasoning import Maze, MazeState, corridors, home_walls
from vmevalkit.tasks.maze_task.render import DOT_RADIUS, FLAG_REACH

COLOURED = 40
"""Where a wall's place is more colourful than this, something lies over it."""
STANDS, IS_OPEN = 0.5, 0.3
"""Darkness of a wall's place against that of the walls in the same frame; between the two it is left undecided."""
FAINTEST = 0.2
"""With less contrast than this between walls and corridors there is no maze to read."""
LEAST_CLEAR = 0.4
"""The share of the places between cells that must be visible."""
LEAST_STANDING = 0.6
"""The share of the visible walls that must still stand: below it the maze is gone, not changed."""
HOME_FLAG = 0.25
"""The share of the flag's ink that tells it from nothing where it belongs: the dot may cover the rest."""

NEAR, HASTE = 0.12, 1.25
"""A dot that vanishes has gone behind something that is no farther from it than so many cells, and so many of the
longest steps that it made from frame to frame."""
UNSEEN = 0.25
"""How far a dot may go in a frame behind something, in cells, besides those steps: it may start there, or hurry."""


class Planes(NamedTuple):
    """What is measured of a frame, in 8 bits a pixel."""

    green: Plane
    """By how much a pixel is greener than anything else: the dot, and nothing black, white or grey."""
    red: Plane
    """Likewise for the flag."""
    lit: Plane
    """Brightness, with dot and flag taken for white."""
    spread: Plane
    """Colour of any kind."""
    odd: Plane
    """Colour that neither dot nor flag explains, such as skin."""


def planes(picture: Frame) -> Planes:
    r, g, b = cv2.split(picture)
    rg, gb, rb = cv2.max(r, g), cv2.max(g, b), cv2.max(r, b)
    high, low = cv2.max(rg, b), cv2.min(cv2.min(r, g), b)
    green, red, spread = cv2.subtract(g, rb), cv2.subtract(r, gb), cv2.subtract(high, low)
    lit = cv2.add(cv2.add(high, green), red)
    # The dot's spread is 1.6 times its greenness, the flag's equals its redness; skin is reddish, but leaves a rest.
    odd = cv2.subtract(spread, cv2.addWeighted(green, 1.6, red, 1.0, 0.0))
    return Planes(green, cv2.subtract(red, odd), lit, spread, odd)


class MazeReader:
    """Reads the frames of one maze."""

    def __init__(self, maze: Maze) -> None:
        self._maze = maze
        self._home = home_walls(maze)
        self._lens = lens_of(maze.grid_n)
        self._standing = self._mask_of(self._home)
        self._seen_last: MazeState | None = None
        """The last state with a dot, after which it was not seen."""
        self._went_behind = False
        self._hidden = False
        """Whether it may have been behind something in the frame before."""
        self._whereabouts = Whereabouts(maze)
        self._frames_on = 0
        """How many frames ago they were known."""
        self._ways = corridors(maze)
        self._longest_step = 0.0

    def read(self, sighting: Sighting, before: MazeState | None) -> MazeState | None:
        """The state, or None where no maze is seen, or where the dot may be behind something.

        A wall or a flag behind something is taken to be as it was last seen.
        """
        was_hidden, self._hidden = self._hidden, False
        self._frames_on += 1
        seen = planes(sighting.picture)
        green = find_spots(seen.green, dot_standard(self._maze.grid_n), self._lens)
        red = find_spots(seen.red, flag_standard(self._maze.grid_n), self._lens)
        if green is None or red is None:
            return None
        dots = tuple(sorted(spot.point for spot in green if spot.whole))
        flags = tuple(sorted(spot.point for spot in red if spot.whole or self._at_home(spot)))
        if not flags and self._beneath(sighting.picture, dots):
            flags = (centre(self._maze.goal),)
        walls = self._walls(seen, sighting.seen, before.walls if before else self._home, (*dots, *flags))
        if walls is None:
            return None
        emerged = self._whereabouts.points() if dots and was_hidden else ()
        if before and len(before.dots) == len(dots) == 1 and not emerged:
            self._longest_step = max(self._longest_step, dist(before.dots[0], dots[0]))
        if dots and flags:
            return MazeState(dots, walls, flags, emerged)
        covered = self._covered(seen, sighting.seen)
        if not dots:
            if walls != self._home:
                return None
            places = self._lens.hiding_places(seen.odd, seen.lit, seen.green, sighting.seen, flags)
            self._hidden = self._may_hide(places, before)
            if self._hidden:
                return None
        if not flags:
            last = before.flags if before else (centre(self._maze.goal),)
            flags = tuple(flag for flag in last if cell_at(flag) in covered)
        return MazeState(dots, walls, flags, emerged)

    def _at_home(self, spot: Spot) -> bool:
        return spot.mass >= HOME_FLAG and cell_at(spot.point) == self._maze.goal

    def _beneath(self, picture: Frame, dots: Iterable[Point]) -> bool:
        """Whether the flag is where it belongs, under a dot and blurred with it."""
        home = centre(self._maze.goal)
        near = any(dist(dot, home) < DOT_RADIUS + FLAG_REACH for dot in dots)
        return near and flag_ink(picture, home, self._maze.grid_n) >= HOME_FLAG

    def _walls(self, seen: Planes, shown: Mask | None, before: int, marks: Iterable[Point]) -> int | None:
        """The walls that stand, or None where too few are seen."""
        lens, home = self._lens, self._standing
        lit = cv2.integral(seen.lit)
        place, sides = lens.places.means(lit), lens.sides.means(lit)
        white = sides.mean(axis=1, keepdims=True)
        dark = (white - place) / np.maximum(white, 1.0)
        coloured = lens.spans.means(cv2.integral(seen.spread))[:, 0] > COLOURED
        clear = (sides.min(axis=1) > WHITE) & ~coloured & ~lens.unseen(shown)
        visible = clear & home
        if clear[lens.between].mean() < LEAST_CLEAR or not visible.any():
            return None
        contrast = float(np.median(dark[visible]))
        if contrast < FAINTEST:
            return None
        standing = clear & (dark.mean(axis=1) > STANDS * contrast)
        # A wall is open where it is open from end to end: a box of text covers parts of walls.
        opened = clear & (dark.max(axis=1) < IS_OPEN * contrast)
        if (standing & home).sum() < LEAST_STANDING * visible.sum():
            return None
        was = home if before == self._home else self._mask_of(before)
        changed = (standing & ~was) | (opened & was)
        if not changed.any():
            return before
        # The pen in a hand looks like a wall, and the paper of a caption like none.
        changed &= ~lens.walls_near(lens.foreign(seen.odd, seen.lit, marks))
        return before ^ int.from_bytes(np.packbits(changed, bitorder="little").tobytes(), "little")

    def _covered(self, seen: Planes, shown: Mask | None) -> set[Cell]:
        """The cells that have something over them, or are outside the film."""
        dim = self._lens.cells.means(cv2.integral(seen.lit))[:, 0] < WHITE
        odd = self._lens.cells.means(cv2.integral(seen.odd))[:, 0] > ODD
        covered = np.flatnonzero(dim | odd | self._lens.unseen_cells(shown))
        return {(int(number) // self._maze.grid_n, int(number) % self._maze.grid_n) for number in covered}

    def _may_hide(self, places: list[Point], before: MazeState | None) -> bool:
        """Whether a dot may be in one of the places. What vanishes in plain view has not gone behind anything."""
        if before is None:
            self._begin(places)
            return bool(places)
        if not places or not before.dots:
            return False
        if self._seen_last is not before:  # the first frame without it; whatever hid it may since have moved on
            self._seen_last = before
            near = [place for place in places if any(self._is_near(place, dot) for dot in before.dots)]
            self._went_behind = bool(near)
            self._begin(near)
        else:
            self._whereabouts.go_on(places, self._frames_on * (UNSEEN + HASTE * self._longest_step))
            self._frames_on = 0
        return self._went_behind

    def _begin(self, places: list[Point]) -> None:
        self._whereabouts.begin(places)
        self._frames_on = 0

    def _is_near(self, place: Point, dot: Point) -> bool:
        stride = NEAR + HASTE * self._longest_step
        held_place, held_dot = (held(self._maze.grid_n, point) for point in (place, dot))
        return dist(place, dot) < stride and self._ways.distance(held_place, held_dot) < stride

    def _mask_of(self, walls: int) -> Mask:
        count = self._lens.walls
        packed = np.frombuffer(walls.to_bytes((count + 7) // 8, "little"), np.uint8)
        return np.unpackbits(packed, count=count, bitorder="little").astype(np.bool_)
