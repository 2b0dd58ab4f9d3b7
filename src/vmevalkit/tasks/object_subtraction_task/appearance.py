"""Classification of a patch of colour: which of the six colours, and which of the four shapes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import rgba
from vmevalkit.tasks.object_subtraction_task.scene import (
    AREAS,
    CENTROIDS,
    COLOURS,
    OTHER,
    SHAPES,
    VisibleObject,
    compute_coverage,
)

Floats = NDArray[np.float32]

_NAMES = tuple(COLOURS)
_ABSORPTIONS = np.array([[255 * (1 - part) for part in rgba(colour)[:3]] for colour in COLOURS.values()])
"""White minus each colour, in levels."""
_STRENGTHS = np.linalg.norm(_ABSORPTIONS, axis=1)
_DIRECTIONS = _ABSORPTIONS / _STRENGTHS[:, None]
_MIN_COSINE = float(np.cos(np.radians(11.0)))
"""Colours whose directions differ by less have the same name: the six are at least 21 degrees apart."""
_MAX_STRENGTH = 1.3
"""A colour that is this many times stronger than a named one is another colour."""

_GRID = 24
"""Side of the grid on which a patch is compared. It spans twice the side of a square of the patch's area."""
_BLURS_PX = (0.5, 1.1, 1.8)
"""Blurs of the templates, in pixels of the grid."""
_MIN_CORRELATION = 0.93
"""A patch with a lower correlation is none of the four shapes."""
_TIE = 0.006
"""Correlations that differ by less are equal."""


@dataclass(frozen=True, slots=True)
class PatchColour:
    """The colour of a patch."""

    name: str
    """One of COLOURS, or #rrggbb."""
    opacity: float
    """Its strength, where the named colour has 1."""


def classify_colour(absorption: NDArray[np.float64], expected: str | None = None) -> PatchColour:
    """Return the colour of an absorption (white minus colour); a faint colour is the expected one where possible."""
    strength = float(np.linalg.norm(absorption))
    if strength < 1.0:
        return PatchColour(expected or "#ffffff", 0.0)
    cosines = _DIRECTIONS @ (absorption / strength)
    best = int(cosines.argmax())
    if expected in COLOURS:
        own = _NAMES.index(expected)
        is_faint = strength < 0.45 * _STRENGTHS[own]
        if cosines[own] >= (0.94 if is_faint else _MIN_COSINE) and cosines[best] - cosines[own] < 0.03:
            return PatchColour(_NAMES[own], _measure_opacity(absorption, own))
    opacity = _measure_opacity(absorption, best)
    if cosines[best] < _MIN_COSINE or opacity > _MAX_STRENGTH:
        red, green, blue = (int(min(max(255 - part, 0), 255)) for part in absorption)
        return PatchColour(f"#{red:02x}{green:02x}{blue:02x}", 1.0)
    return PatchColour(_NAMES[best], opacity)


def _measure_opacity(absorption: NDArray[np.float64], colour: int) -> float:
    return float(absorption @ _DIRECTIONS[colour]) / float(_STRENGTHS[colour])


def classify_shape(alpha: Floats, x: float, y: float, area: float, expected: str | None = None) -> str:
    """Return the shape of a patch, given the coverage of each pixel, its centre of mass and its area.

    Of two shapes that fit equally well it is the expected one.
    """
    step = 2 * area**0.5 / _GRID
    corner_x, corner_y = x - 0.5 - step * (_GRID - 1) / 2, y - 0.5 - step * (_GRID - 1) / 2
    matrix = np.array([[step, 0, corner_x], [0, step, corner_y]])
    patch = cv2.warpAffine(alpha, matrix, (_GRID, _GRID), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP).ravel()
    products = _build_templates() @ patch  # templates have mean 0, so the mean of the patch does not matter
    variance = float(patch @ patch) - float(patch.sum()) ** 2 / patch.size
    if variance < 1e-6:
        return OTHER
    correlations = (products / variance**0.5).reshape(len(SHAPES), -1).max(axis=1)
    best = int(correlations.argmax())
    if expected in SHAPES and correlations[best] - correlations[SHAPES.index(expected)] < _TIE:
        best = SHAPES.index(expected)
    return SHAPES[best] if correlations[best] >= _MIN_CORRELATION else OTHER


@lru_cache(maxsize=1)
def _build_templates() -> Floats:
    """Return each shape at each blur, as rows of mean 0 and length 1."""
    rows = []
    oversampling = 8
    side = _GRID * oversampling
    for shape in SHAPES:
        size = side / 2 / AREAS[shape] ** 0.5
        centred = VisibleObject(0, "red", shape, side / 2, side / 2 - CENTROIDS[shape] * size, size)
        coverage = compute_coverage([centred], side).astype(np.float32)
        for blur in _BLURS_PX:
            blurred = cv2.GaussianBlur(coverage, (0, 0), blur * oversampling)
            row = cv2.resize(blurred, (_GRID, _GRID), interpolation=cv2.INTER_AREA).ravel()
            row = row - row.mean()
            rows.append(row / np.linalg.norm(row))
    return np.asarray(rows, np.float32)
