"""Similarity of images that tolerates blur and noise."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame

_BLURS = (0.0, 0.6, 1.0, 1.5, 2.2, 3.2)
"""Standard deviations, in pixels, of the blurs that are tried on the sharp image."""
_WINDOW = 9
_TEXTURE = 10.0**2
"""Variance, in squared levels, above which a window has content."""
_MAX_GRAIN = 1000.0
"""Most variance, over three channels, that a texture all over the video may have where the image is flat."""
_RIM = 6
"""Half a window, and the pixels at the edge that bars beside the image may affect."""
_BLOCK = 12
_WORST_FRACTION = 0.3


def compute_similarity(reference: Frame, image: Frame, region: tuple[slice, slice] | None = None) -> float:
    """Return from 0 to 1 how well small windows of both images agree, over all windows where either has content.

    It is the structure term of SSIM. A window with content in only one image counts as 0, so missing and added content
    both lower the value. ``region`` is the rows and columns that can be compared.
    """
    sharp, other = reference.astype(np.float32), image.astype(np.float32)
    if region is not None:
        sharp, other = sharp[region], other[region]
    if min(sharp.shape[:2]) <= 2 * _RIM:
        return 0.0
    blurred = [_blur(sharp, blur) for blur in _BLURS]
    expected = min(blurred, key=lambda candidate: float(np.abs(candidate - other).sum()))
    return _compare_structure(expected, other)


def _blur(image: NDArray[np.float32], blur: float) -> NDArray[np.float32]:
    return image if blur == 0 else np.asarray(cv2.GaussianBlur(image, (0, 0), blur), np.float32)


def _compare_structure(expected: NDArray[np.float32], actual: NDArray[np.float32]) -> float:
    def mean(values: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(cv2.blur(values, (_WINDOW, _WINDOW)), np.float32)

    mean_e, mean_a = mean(expected), mean(actual)
    var_e = (mean(expected * expected) - mean_e**2).sum(axis=2)
    var_a = (mean(actual * actual) - mean_a**2).sum(axis=2)
    both = (mean(expected * actual) - mean_e * mean_a).sum(axis=2)
    is_flat = var_e < _TEXTURE
    if is_flat.any():  # grain or lines all over the video are not content
        var_a = np.maximum(var_a - min(float(np.median(var_a[is_flat])), _MAX_GRAIN), 0)
    structure = np.clip((2 * both + 20) / (var_e + var_a + 20), 0, 1)
    weights = np.minimum(np.sqrt(np.maximum(np.maximum(var_e, var_a) - _TEXTURE, 0)), 60)
    weights[:_RIM] = weights[-_RIM:] = 0
    weights[:, :_RIM] = weights[:, -_RIM:] = 0
    return _average_worst_blocks(structure, weights)


def _average_worst_blocks(structure: NDArray[np.float32], weights: NDArray[np.float32]) -> float:
    """Return the mean over the worst blocks. Two questions of one task share much, such as a board, and differ
    completely in some blocks, while blur and noise affect all blocks alike."""
    rows = np.arange(0, structure.shape[0], _BLOCK)
    columns = np.arange(0, structure.shape[1], _BLOCK)
    weight = np.add.reduceat(np.add.reduceat(weights, rows, axis=0), columns, axis=1).ravel()
    value = np.add.reduceat(np.add.reduceat(structure * weights, rows, axis=0), columns, axis=1).ravel()
    total = float(weight.sum())
    if total < 1e-3:
        return 0.0
    value = value / np.maximum(weight, 1e-6)
    weight = np.minimum(weight, 4 * total / len(weight))
    order = np.argsort(value)
    value, weight = value[order], weight[order]
    above = np.cumsum(weight) - weight
    part = np.clip(_WORST_FRACTION * weight.sum() - above, 0, weight)
    return float((value * part).sum() / part.sum())
