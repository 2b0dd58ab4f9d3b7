"""Templates of every tile: drawn once, shrunk and blurred to the reader's size."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.tasks.raven_task.components import INK_THRESHOLD, find_components, normalise_rows
from vmevalkit.tasks.raven_task.render import draw, render_coverage, render_question_mark
from vmevalkit.tasks.raven_task.sampling import INSIDE, MIDDLE, READING_SIDE, Levels, find_peaks, measure_ink
from vmevalkit.tasks.raven_task.scene import EMPTY, Cell, RavenState
from vmevalkit.tasks.raven_task.vocabulary import COLOURS, NUMBERS, POSES, Tile

BLURS = (0.0, 1.2, 2.2)
"""Standard deviations of the templates' blur, in pixels of reading size."""
_SIZE_OFFSETS = (0.0, -1.0)
"""Pixels by which a template's size is changed. The box around a shape has whole pixels, so a shape that nearly reaches
the next pixel, such as a square, is measured a pixel too small."""
_OVERLAY_BLUR = 1.0
OVERLAY_SIDE = 32

COLOUR_NAMES = tuple(COLOURS)
INKS: Levels = 255 - np.array(list(COLOURS.values()), np.float32)
"""The difference of each colour from white."""
INK_LENGTHS: Levels = np.linalg.norm(INKS, axis=1)


@lru_cache(maxsize=1)
def load_pose_templates() -> Levels:
    """Return the templates of every pose: variants x poses x samples, each of length 1."""
    groups = [POSES[i : i + 9] for i in range(0, len(POSES), 9)]
    variants = product(BLURS, _SIZE_OFFSETS)
    return np.stack([np.concatenate([_render_poses(poses, *variant) for poses in groups]) for variant in variants])


def _render_poses(poses: Sequence[tuple[str, int]], blur: float, size_offset: float) -> Levels:
    """Return the mean component of each pose, over four copies at different fractions of a pixel."""
    cells = [Cell(Tile(shape, 4, angle_deg, "black")) for shape, angle_deg in poses]
    drawn = draw(RavenState((*cells, *[EMPTY] * (9 - len(cells)))))
    image = np.asarray(cv2.resize(drawn, (READING_SIDE, READING_SIDE), interpolation=cv2.INTER_AREA), np.uint8)
    if blur:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), blur), np.uint8)
    ink = measure_ink(image, np.full((9, 3), 255, np.int16))
    found = find_components(image, ink, np.maximum(INK_THRESHOLD * find_peaks(ink), 1), 255, size_offset)
    return normalise_rows(np.stack([found.shapes[found.cells == index].mean(axis=0) for index in range(len(poses))]))


class OverlayTemplates(NamedTuple):
    """Whole tiles in one plane each, and the question mark: the parts of a dissolve."""

    tiles: tuple[tuple[str, int, int], ...]
    """Shape, angle and number of each."""
    planes: Levels
    """tiles x pixels, from 0 to 1."""
    mark: Levels
    """The question mark."""
    products: Levels
    """tiles x 3: inner products of each plane with itself, with the mark, and of the mark with itself."""


@lru_cache(maxsize=1)
def load_overlay_templates() -> OverlayTemplates:
    """Return the templates of all tiles and of the question mark."""
    tiles = tuple((shape, angle_deg, number) for shape, angle_deg in POSES for number in NUMBERS)
    planes = np.stack([_make_plane(render_coverage(shape, number, angle_deg)) for shape, angle_deg, number in tiles])
    mark = _make_plane(render_question_mark())
    products = np.stack([(planes**2).sum(axis=1), planes @ mark, np.full(len(tiles), mark @ mark)], axis=1)
    return OverlayTemplates(tiles, planes, mark, products.astype(np.float32))


def _make_plane(coverage: NDArray[np.uint8]) -> Levels:
    edge = (len(coverage) - MIDDLE) // 2
    middle = coverage[edge : edge + MIDDLE, edge : edge + MIDDLE].astype(np.float32) / 255
    small = cv2.resize(middle, (INSIDE, INSIDE), interpolation=cv2.INTER_AREA)
    return shrink_middle(cv2.GaussianBlur(small, (0, 0), _OVERLAY_BLUR)).ravel()


def shrink_middle(middle: NDArray[np.generic]) -> Levels:
    """Return the middle of a cell at the size at which whole tiles are compared."""
    small = cv2.resize(middle.astype(np.float32), (OVERLAY_SIDE, OVERLAY_SIDE), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32)
