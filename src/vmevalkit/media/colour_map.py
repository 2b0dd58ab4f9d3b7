"""Maps of colours: known colours become known other ones, and the rest follows smoothly."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame

_BITS = 6
"""Bits of each channel in the table of colours."""
_REACH_LEVELS = 60.0
"""Distance over which a known colour attracts its neighbours."""
_IDENTITY_WEIGHT = 0.05
"""Weight of the identity in the linear part, in colours that differ by the full range."""


class ColourMap:
    """A map of colours that turns known colours into known other ones, and changes the rest smoothly."""

    def __init__(self, colours: NDArray[np.float64], targets: NDArray[np.float64]) -> None:
        """``colours`` and ``targets`` are n x 3."""
        steps = (np.arange(1 << _BITS) + 0.5) * (256 >> _BITS)
        grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
        centre, target = colours.mean(axis=0), targets.mean(axis=0)
        across = colours - centre
        normal = across.T @ across + _IDENTITY_WEIGHT * 255**2 * np.eye(3)
        right = across.T @ (targets - target) + _IDENTITY_WEIGHT * 255**2 * np.eye(3)
        matrix = np.linalg.solve(normal, right)
        rest = targets - (across @ matrix + target)
        near = _measure_nearness(colours, colours) + 1e-3 * np.eye(len(colours))
        table = (grid - centre) @ matrix + target + _measure_nearness(grid, colours) @ np.linalg.solve(near, rest)
        self._table = np.clip(np.rint(table), 0, 255).astype(np.uint8)

    def apply(self, image: Frame) -> Frame:
        """Return the image with its colours mapped."""
        red, green, blue = (channel >> (8 - _BITS) for channel in cv2.split(image))
        index = red.astype(np.int32) << (2 * _BITS) | green.astype(np.int32) << _BITS | blue
        return np.asarray(self._table[index], np.uint8)


def _measure_nearness(points: NDArray[np.float64], colours: NDArray[np.float64]) -> NDArray[np.float64]:
    squared = ((points[:, None, :] - colours[None, :, :]) ** 2).sum(axis=2)
    return np.asarray(np.exp(-squared / (2 * _REACH_LEVELS**2)))
