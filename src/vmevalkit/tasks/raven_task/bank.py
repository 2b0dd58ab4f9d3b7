"""What every tile looks like to a reader: drawn once, shrunk, blurred, and kept small."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.tasks.raven_task.lens import INSIDE, MIDDLE, READING_SIDE, Levels, ink_of, peaks_of
from vmevalkit.tasks.raven_task.parts import CUT, parts_of, unit
from vmevalkit.tasks.raven_task.render import coverage, draw, question_mark
from vmevalkit.tasks.raven_task.scene import EMPTY, Cell, RavenState
from vmevalkit.tasks.raven_task.vocabulary import COLOURS, NUMBERS, POSES, Tile

BLURS = (0.0, 1.2, 2.2)
"""Standard deviations, in pixels of reading size, of the pictures that parts are compared with."""
_OVERLAY_BLUR = 1.0
OVERLAY_SIDE = 32

COLOUR_NAMES = tuple(COLOURS)
INKS: Levels = 255 - np.array(list(COLOURS.values()), np.float32)
"""By how much each colour takes away from white."""
INK_LENGTHS: Levels = np.linalg.norm(INKS, axis=1)


@lru_cache(maxsize=1)
def pose_bank() -> Levels:
    """Parts of every pose: blurs x poses x samples, each of length 1."""
    nines = [POSES[i : i + 9] for i in range(0, len(POSES), 9)]
    return np.stack([np.concatenate([_parts(poses, blur) for poses in nines]) for blur in BLURS])


def _parts(poses: Sequence[tuple[str, int]], blur: float) -> Levels:
    """The usual part of each pose, of four that stand on different fractions of a pixel."""
    cells = [Cell(Tile(shape, 4, angle_deg, "black")) for shape, angle_deg in poses]
    drawn = draw(RavenState((*cells, *[EMPTY] * (9 - len(cells)))))
    picture = np.asarray(cv2.resize(drawn, (READING_SIDE, READING_SIDE), interpolation=cv2.INTER_AREA), np.uint8)
    if blur:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), np.uint8)
    ink = ink_of(picture, np.full((9, 3), 255, np.int16))
    parts = parts_of(picture, ink, np.maximum(CUT * peaks_of(ink), 1), 255)
    return unit(np.stack([parts.shapes[parts.cells == place].mean(axis=0) for place in range(len(poses))]))


class Overlays(NamedTuple):
    """Whole tiles in one plane each, and the question mark: what can lie over each other in a dissolve."""

    tiles: tuple[tuple[str, int, int], ...]
    """Shape, angle and number of each."""
    planes: Levels
    """tiles x pixels, from 0 to 1."""
    mark: Levels
    """The question mark."""
    products: Levels
    """tiles x 3: of each plane with itself, with the mark, and of the mark with itself."""


@lru_cache(maxsize=1)
def overlays() -> Overlays:
    tiles = tuple((shape, angle_deg, number) for shape, angle_deg in POSES for number in NUMBERS)
    planes = np.stack([_plane(coverage(shape, number, angle_deg)) for shape, angle_deg, number in tiles])
    mark = _plane(question_mark())
    products = np.stack([(planes**2).sum(axis=1), planes @ mark, np.full(len(tiles), mark @ mark)], axis=1)
    return Overlays(tiles, planes, mark, products.astype(np.float32))


def _plane(covered: NDArray[np.uint8]) -> Levels:
    edge = (len(covered) - MIDDLE) // 2
    middle = covered[edge : edge + MIDDLE, edge : edge + MIDDLE].astype(np.float32) / 255
    small = cv2.resize(middle, (INSIDE, INSIDE), interpolation=cv2.INTER_AREA)
    return shrunk(cv2.GaussianBlur(small, (0, 0), _OVERLAY_BLUR)).ravel()


def shrunk(middle: NDArray[np.generic]) -> Levels:
    """The middle of a cell at the size at which whole tiles are compared."""
    small = cv2.resize(middle.astype(np.float32), (OVERLAY_SIDE, OVERLAY_SIDE), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32)
