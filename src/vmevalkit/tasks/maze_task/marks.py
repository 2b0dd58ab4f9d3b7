"""Finding the dot and the flag in a plane of their colour."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import hypot
from typing import TypeAlias

import cv2
import numpy as np

from vmevalkit.media.canvas import rgba
from vmevalkit.media.picture import Frame
from vmevalkit.tasks.maze_task.lattice import Point
from vmevalkit.tasks.maze_task.lens import READING_SIZE, Lens, Plane, lens_of
from vmevalkit.tasks.maze_task.maze_reasoning import MazeState
from vmevalkit.tasks.maze_task.render import DOT_COLOUR, DOT_RADIUS, FLAG_COLOUR, draw

WHOLE = 0.6
"""A mark with less than this share of its ink, and nowhere as strong, is a ghost: in a dissolve both are half there."""
_EDGE = 0.25
"""Share of the mark's colour at which it ends."""
_SPECK = 0.12
"""A smaller share of the mark's area is no mark."""
_NOISE = 12
"""Levels of colour that are taken for nothing."""
_MOST_SPOTS = 40
_Box: TypeAlias = tuple[int, int, int, int]
_LARGE = 1.3
"""With more ink than this, a spot is more than one mark, or one with a trail."""


@dataclass(frozen=True, slots=True)
class Standard:
    """A whole mark, as it is drawn."""

    level: float
    """Its colour in the plane."""
    ink: float
    """The sum over its area."""
    area: float
    offset: Point
    """From its point to its centre of mass, in cells."""
    reach: float
    """Parts of one mark are closer to each other than this, in cells."""


@dataclass(frozen=True, slots=True)
class Spot:
    """What looks like a mark."""

    point: Point
    mass: float
    """How much ink it holds, 1 for a whole mark."""
    peak: float
    """How strong its colour is at its strongest, 1 for the mark's own."""

    @property
    def whole(self) -> bool:
        return self.mass >= WHOLE or self.peak >= WHOLE


def greenness(picture: Frame) -> Plane:
    r, g, b = cv2.split(picture)
    return np.asarray(cv2.subtract(g, cv2.max(r, b)))


def redness(picture: Frame) -> Plane:
    r, g, b = cv2.split(picture)
    return np.asarray(cv2.subtract(r, cv2.max(g, b)))


@lru_cache(maxsize=16)
def dot_standard(grid_n: int) -> Standard:
    point = (grid_n / 2, grid_n / 2)
    return _standard(grid_n, greenness(_shown(grid_n, MazeState((point,), 0, ()))), point, 0.45)


@lru_cache(maxsize=16)
def flag_standard(grid_n: int) -> Standard:
    point = (grid_n / 2, grid_n / 2)
    return _standard(grid_n, redness(_shown(grid_n, MazeState((), 0, (point,)))), point, 0.6)


def _shown(grid_n: int, state: MazeState) -> Frame:
    return np.asarray(cv2.resize(draw(grid_n, state), READING_SIZE, interpolation=cv2.INTER_AREA))


def _standard(grid_n: int, plane: Plane, point: Point, reach: float) -> Standard:
    moments = cv2.moments(plane)
    x, y = lens_of(grid_n).point(moments["m10"] / moments["m00"] + 0.5, moments["m01"] / moments["m00"] + 0.5)
    level = float(plane.max())
    area = float((plane > _EDGE * level).sum())
    return Standard(level, moments["m00"], area, (x - point[0], y - point[1]), reach)


def find_spots(plane: Plane, standard: Standard, lens: Lens) -> list[Spot] | None:
    """What looks like the mark, also in part; None where the colour is all over the picture."""
    _, mask = cv2.threshold(plane, _EDGE * standard.level, 1, cv2.THRESH_BINARY)
    x, y, width, height = cv2.boundingRect(mask)
    if not width:
        return []
    inked = mask[y : y + height, x : x + width]
    count, _, stats, centres = cv2.connectedComponentsWithStats(inked, connectivity=8, ltype=cv2.CV_16U)
    if count - 1 > _MOST_SPOTS:
        return None
    large = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] >= _SPECK * standard.area]
    boxes = [(int(s[0]) + x, int(s[1]) + y, int(s[2]), int(s[3])) for s in stats[large]]
    groups = _groups([(float(cx), float(cy)) for cx, cy in centres[large]], standard.reach * lens.cell_px)
    spots: list[Spot] = []
    for group in groups:
        box = _around([boxes[i] for i in group], round(0.12 * lens.cell_px) + 1, plane.shape)
        spot = _measured(plane, box, standard, lens)
        spots += _split(mask, box, lens) if spot.mass > _LARGE else [spot]
    return spots


def _groups(centres: list[Point], reach_px: float) -> list[list[int]]:
    """Numbers of areas that are parts of one mark: something thin may lie across it."""
    groups: list[list[int]] = []
    for i, (x, y) in enumerate(centres):
        near = [g for g in groups if any(hypot(x - centres[j][0], y - centres[j][1]) < reach_px for j in g)]
        groups = [g for g in groups if g not in near] + [[*(j for g in near for j in g), i]]
    return groups


def _around(boxes: list[_Box], margin: int, shape: tuple[int, ...]) -> _Box:
    """Left, top, right and bottom of a box around boxes given by left, top, width and height."""
    left, top = (max(0, min(box[i] for box in boxes) - margin) for i in (0, 1))
    right = min(shape[1], max(box[0] + box[2] for box in boxes) + margin)
    bottom = min(shape[0], max(box[1] + box[3] for box in boxes) + margin)
    return left, top, right, bottom


def _measured(plane: Plane, box: _Box, standard: Standard, lens: Lens) -> Spot:
    left, top, right, bottom = box
    part = np.ascontiguousarray(plane[top:bottom, left:right])
    _, ink = cv2.threshold(part, _NOISE, 0, cv2.THRESH_TOZERO)
    moments = cv2.moments(ink)
    x, y = moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]
    peak = float(cv2.blur(part, (3, 3)).max()) / standard.level
    point = lens.point(left + x + 0.5, top + y + 0.5)
    point = (point[0] - standard.offset[0], point[1] - standard.offset[1])
    return Spot(point, moments["m00"] / standard.ink, peak)


_DOT, _FLAG = (np.array([255 * (1 - part) for part in rgba(colour)[:3]]) for colour in (DOT_COLOUR, FLAG_COLOUR))
_UNMIX = np.linalg.inv(np.stack([_DOT, _FLAG, np.full(3, 255.0)], axis=1))
"""From what a colour lacks of white to its shares of dot, flag and black."""


def flag_ink(picture: Frame, point: Point, grid_n: int) -> float:
    """How much of a whole flag the picture holds around a point, were there only a dot, a flag, walls and white.

    A blur mixes dot and flag to a brown that is neither. Shares of ink are left by it as they were.
    """
    lens, standard = lens_of(grid_n), flag_standard(grid_n)
    x, y = lens.pixel(point)
    half = 0.5 * lens.cell_px
    part = picture[max(0, round(y - half)) : round(y + half), max(0, round(x - half)) : round(x + half)]
    lacks = 255 - part.reshape(-1, 3).mean(axis=0, dtype=np.float64)
    return float((_UNMIX @ lacks)[1]) * (part.size / 3) * standard.level / standard.ink


def _split(mask: Plane, box: _Box, lens: Lens) -> list[Spot]:
    """The thick places in a large spot: two marks that touch, or one mark with a thin trail."""
    left, top, right, bottom = box
    reach = 2 * round(0.75 * DOT_RADIUS * lens.cell_px) + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))
    thick = cv2.erode(mask[top:bottom, left:right], kernel)
    _, _, _, centres = cv2.connectedComponentsWithStats(thick, connectivity=8, ltype=cv2.CV_16U)
    return [Spot(lens.point(left + x + 0.5, top + y + 0.5), 1.0, 1.0) for x, y in centres[1:]]
