"""Finding the markers, dot and flag, in a plane of their colour."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import hypot
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import rgba
from vmevalkit.media.image import Frame
from vmevalkit.tasks.maze_task.lattice import Point
from vmevalkit.tasks.maze_task.maze_reasoning import MazeState
from vmevalkit.tasks.maze_task.render import DOT_COLOUR, DOT_RADIUS, FLAG_COLOUR, draw_state
from vmevalkit.tasks.maze_task.sampling import READING_SIZE, MazeSampler, Plane, sampler_of

WHOLE = 0.6
"""A marker has at least this share of its ink, or of its colour's strength. In a dissolve two markers have half."""
FAINT = 0.22
"""A marker that is blurred, or smeared by its motion, keeps at least this share of its colour's strength. What has less
is thin, such as a coloured fringe along a wall."""
_EDGE = 0.25
"""Share of the marker's colour at which its edge is."""
_MIN_AREA = 0.12
"""Areas below this share of the marker's area are ignored."""
_NOISE = 12
"""Levels of colour that count as none."""
_MAX_AREAS = 40
"""With more connected areas than this the image is not readable."""
_THICK = 1.45
"""Half the thickness from which on a spot is no marker, in radii of the dot."""
_LARGE = 1.3
"""With more than this share of a marker's ink, a spot is several markers, or one with a trail."""
_LONG = 1.0
"""A spot that is longer than this, in cells, may be a marker with a trail that is thin or faint."""
_SMEARED = 1.6
"""A faint spot with more ink than this, relative to its strength, is wider than a marker."""
_Box: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class MarkerReference:
    """Measurements of a whole marker as it is drawn."""

    level: float
    """Its greatest value in the plane of its colour."""
    ink: float
    """The sum of the plane over its area."""
    area: float
    """Its area in pixels at reading size."""
    offset: Point
    """From its position to its centre of mass, in cells."""
    part_distance: float
    """Parts of one marker are closer to each other than this, in cells."""


@dataclass(frozen=True, slots=True)
class Spot:
    """An area of a marker's colour."""

    point: Point
    """Position of the marker that it would be, in cells."""
    mass: float
    """Its ink relative to a whole marker."""
    peak: float
    """Its strongest colour relative to the marker's own."""

    @property
    def is_whole(self) -> bool:
        return self.peak >= WHOLE or (self.mass >= WHOLE and self.peak >= FAINT)


def greenness(image: Frame) -> Plane:
    """Return by how much each pixel is greener than red or blue."""
    r, g, b = cv2.split(image)
    return np.asarray(cv2.subtract(g, cv2.max(r, b)))


def redness(image: Frame) -> Plane:
    """Return by how much each pixel is redder than green or blue."""
    r, g, b = cv2.split(image)
    return np.asarray(cv2.subtract(r, cv2.max(g, b)))


@lru_cache(maxsize=16)
def dot_reference(grid_n: int) -> MarkerReference:
    point = (grid_n / 2, grid_n / 2)
    return _measure_reference(grid_n, greenness(_draw_at_reading_size(grid_n, MazeState((point,), 0, ()))), point, 0.45)


@lru_cache(maxsize=16)
def flag_reference(grid_n: int) -> MarkerReference:
    point = (grid_n / 2, grid_n / 2)
    return _measure_reference(grid_n, redness(_draw_at_reading_size(grid_n, MazeState((), 0, (point,)))), point, 0.6)


def _draw_at_reading_size(grid_n: int, state: MazeState) -> Frame:
    return np.asarray(cv2.resize(draw_state(grid_n, state), READING_SIZE, interpolation=cv2.INTER_AREA))


def _measure_reference(grid_n: int, plane: Plane, point: Point, part_distance: float) -> MarkerReference:
    moments = cv2.moments(plane)
    x, y = sampler_of(grid_n).point(moments["m10"] / moments["m00"] + 0.5, moments["m01"] / moments["m00"] + 0.5)
    level = float(plane.max())
    area = float((plane > _EDGE * level).sum())
    return MarkerReference(level, moments["m00"], area, (x - point[0], y - point[1]), part_distance)


def find_spots(plane: Plane, reference: MarkerReference, sampler: MazeSampler) -> list[Spot] | None:
    """Return areas that look like the marker or a part of it; None if the colour is all over the image."""
    _, mask = cv2.threshold(plane, _EDGE * reference.level, 1, cv2.THRESH_BINARY)
    x, y, width, height = cv2.boundingRect(mask)
    if not width:
        return []
    window = mask[y : y + height, x : x + width]
    count, labels, stats, centres = cv2.connectedComponentsWithStats(window, connectivity=8, ltype=cv2.CV_16U)
    if count - 1 > _MAX_AREAS:
        return None
    large = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] >= _MIN_AREA * reference.area]
    boxes = [(int(s[0]) + x, int(s[1]) + y, int(s[2]), int(s[3])) for s in stats[large]]
    groups = _group_parts(
        [(float(cx), float(cy)) for cx, cy in centres[large]], reference.part_distance * sampler.cell_px
    )
    spots: list[Spot] = []
    for group in groups:
        box = _bounding_box([boxes[i] for i in group], round(0.12 * sampler.cell_px) + 1, plane.shape)
        own = plane if len(groups) == 1 else _erase_others(plane, labels, [large[i] for i in group], (x, y))
        spot = _measure_spot(own, box, reference, sampler)
        is_large = spot.mass > _LARGE
        thick: list[Spot] = []
        if is_large or max(box[2] - box[0], box[3] - box[1]) > _LONG * sampler.cell_px:
            _, strong = cv2.threshold(own, WHOLE * reference.level, 1, cv2.THRESH_BINARY)
            thick = [Spot(point, 1.0, 1.0) for point in _find_thick_places(strong, box, sampler)]
        if is_large and not thick:
            thick = [replace(spot, point=point) for point in _find_thick_places(mask, box, sampler)]
        spots += thick if is_large or thick else [spot]
    if any(spot.peak >= WHOLE for spot in spots):  # the marker is elsewhere, so what is faint and wide is its trail
        return [spot for spot in spots if spot.peak >= WHOLE or spot.mass <= _SMEARED * spot.peak]
    return spots


def _group_parts(centres: list[Point], distance_px: float) -> list[list[int]]:
    """Return groups of area numbers that are parts of one marker: something thin may cross it."""
    groups: list[list[int]] = []
    for i, (x, y) in enumerate(centres):
        near = [g for g in groups if any(hypot(x - centres[j][0], y - centres[j][1]) < distance_px for j in g)]
        groups = [g for g in groups if g not in near] + [[*(j for g in near for j in g), i]]
    return groups


def _bounding_box(boxes: list[_Box], margin: int, shape: tuple[int, ...]) -> _Box:
    """Return left, top, right and bottom around boxes that are given by left, top, width and height."""
    left, top = (max(0, min(box[i] for box in boxes) - margin) for i in (0, 1))
    right = min(shape[1], max(box[0] + box[2] for box in boxes) + margin)
    bottom = min(shape[0], max(box[1] + box[3] for box in boxes) + margin)
    return left, top, right, bottom


def _erase_others(plane: Plane, labels: NDArray[np.uint16], own: list[int], corner: tuple[int, int]) -> Plane:
    """Return the plane without the areas that are not a spot's own: a thin trail ends at the dot."""
    x, y = corner
    others = cv2.dilate(((labels > 0) & ~np.isin(labels, own)).astype(np.uint8), np.ones((3, 3), np.uint8))
    rest = plane.copy()
    rest[y : y + others.shape[0], x : x + others.shape[1]][others > 0] = 0
    return rest


def _measure_spot(plane: Plane, box: _Box, reference: MarkerReference, sampler: MazeSampler) -> Spot:
    left, top, right, bottom = box
    part = np.ascontiguousarray(plane[top:bottom, left:right])
    _, ink = cv2.threshold(part, _NOISE, 0, cv2.THRESH_TOZERO)
    moments = cv2.moments(ink)
    x, y = moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]
    peak = float(cv2.blur(part, (3, 3)).max()) / reference.level
    point = sampler.point(left + x + 0.5, top + y + 0.5)
    point = (point[0] - reference.offset[0], point[1] - reference.offset[1])
    return Spot(point, moments["m00"] / reference.ink, peak)


_DOT, _FLAG = (np.array([255 * (1 - part) for part in rgba(colour)[:3]]) for colour in (DOT_COLOUR, FLAG_COLOUR))
_UNMIX = np.linalg.inv(np.stack([_DOT, _FLAG, np.full(3, 255.0)], axis=1))
"""From the difference between white and a colour to the colour's shares of dot, flag and black."""


def measure_flag_ink(image: Frame, point: Point, grid_n: int) -> float:
    """Return the share of a whole flag's ink around a point, assuming only dot, flag, walls and white.

    A blur mixes dot and flag to a brown that is neither. It does not change their shares of the ink.
    """
    sampler, reference = sampler_of(grid_n), flag_reference(grid_n)
    x, y = sampler.pixel(point)
    half = 0.5 * sampler.cell_px
    part = image[max(0, round(y - half)) : round(y + half), max(0, round(x - half)) : round(x + half)]
    darkness = 255 - part.reshape(-1, 3).mean(axis=0, dtype=np.float64)
    return float((_UNMIX @ darkness)[1]) * (part.size / 3) * reference.level / reference.ink


def _find_thick_places(mask: Plane, box: _Box, sampler: MazeSampler) -> list[Point]:
    """Return the thick places in a large spot: markers that touch, or one marker with a thin trail.

    What is thicker than any marker is something else of its colour, such as a cover."""
    left, top, right, bottom = box
    area = mask[top:bottom, left:right]
    count, labels, _, centres = cv2.connectedComponentsWithStats(
        _erode(area, 0.75 * DOT_RADIUS * sampler.cell_px), connectivity=8, ltype=cv2.CV_16U
    )
    others = set(np.unique(labels[_erode(area, _THICK * DOT_RADIUS * sampler.cell_px) > 0]))
    return [
        sampler.point(left + x + 0.5, top + y + 0.5)
        for number, (x, y) in enumerate(centres[1:count], 1)
        if number not in others
    ]


def _erode(area: Plane, radius: float) -> Plane:
    side = 2 * round(radius) + 1
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    return np.asarray(cv2.erode(area, kernel))
