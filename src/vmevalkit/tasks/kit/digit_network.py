"""Digit recognition in any typeface: a small network over the edge directions of a digit at a fixed size.

Its weights are in ``digits.npz``. ``tools/digits/train_digits.py`` of the source repository trains them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

Plane: TypeAlias = NDArray[np.uint8]
"""Ink: 0 where a pixel shows the background, more where it differs."""
InkBox: TypeAlias = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""
Floats: TypeAlias = NDArray[np.float32]
Layer: TypeAlias = tuple[Floats, Floats]
"""Matrix and offsets of one layer of the network."""

ROWS, COLUMNS = 24, 20
"""Size of a digit as input of the network."""
PAD = 2
"""Rows and columns around it, for what blur spreads."""
PIXELS = ROWS * COLUMNS
DIRECTIONS = 8
FIELDS = (6, 5)
"""Rows and columns of the overlapping fields over which the edges of one direction are summed."""
FEATURES = DIRECTIONS * FIELDS[0] * FIELDS[1]
_DIRECTION_THRESHOLD = 0.6
"""An edge counts for a direction by how far it exceeds this share of its strength along that direction."""
_ONE_THREAD, _BLOCK_ROWS = 200_000, 32
"""Up to this many multiplications BLAS stays in one thread, and waking others costs more than they save. So matrices
are multiplied in blocks, of this many rows if they are large."""
_BATCH = 27
"""Samples that are classified together; the memory for more is slow to allocate."""
NO_DIGIT = 0
"""The class of everything that is not exactly one digit."""


def normalise_ink(ink: Plane, boxes: Sequence[InkBox], peaks: Sequence[float]) -> Floats:
    """Return the ink of each box at the network's size, with its aspect ratio: n x PIXELS, 1 for ink at its peak."""
    batch = np.empty((len(boxes), ROWS, COLUMNS), np.uint8)
    for place, (left, top, width, height) in enumerate(boxes):
        scale = max(height / (ROWS - 2 * PAD), width / (COLUMNS - 2 * PAD))
        x, y = left + width / 2 - 0.5, top + height / 2 - 0.5
        part = ink
        if scale >= 2:  # blur first, so that sampling does not skip pixels
            reach = int(scale * ROWS / 2) + 2
            begin_x, begin_y = max(0, int(x) - reach), max(0, int(y) - reach)
            part = ink[begin_y : int(y) + reach, begin_x : int(x) + reach]
            part = np.asarray(cv2.blur(part, (int(scale), int(scale))), np.uint8)
            x, y = x - begin_x, y - begin_y
        matrix = np.array([[scale, 0, x - scale * (COLUMNS - 1) / 2], [0, scale, y - scale * (ROWS - 1) / 2]])
        cv2.warpAffine(part, matrix, (COLUMNS, ROWS), batch[place], cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    factors = 1 / np.maximum(np.asarray(peaks, np.float32), 1)
    return np.minimum(batch.reshape(len(boxes), PIXELS) * factors[:, None], np.float32(1))


def compute_features(samples: Floats) -> Floats:
    """Return the strength of the edges of each direction in each field of a sample: n x FEATURES."""
    ink = samples.reshape(-1, ROWS, COLUMNS)
    across, down = np.zeros_like(ink), np.zeros_like(ink)
    np.subtract(ink[:, :, 2:], ink[:, :, :-2], out=across[:, :, 1:-1])
    np.subtract(ink[:, 2:], ink[:, :-2], out=down[:, 1:-1])
    threshold = np.sqrt(across * across + down * down) * np.float32(_DIRECTION_THRESHOLD)
    diagonal = np.float32(np.sqrt(0.5))
    edges = np.empty((DIRECTIONS, *ink.shape), np.float32)
    for place, along in enumerate((across, down, (across + down) * diagonal, (across - down) * diagonal)):
        np.subtract(along, threshold, out=edges[2 * place])
        np.subtract(-along, threshold, out=edges[2 * place + 1])
    np.maximum(edges, 0, out=edges)
    rows, columns = _field_weights(ROWS, FIELDS[0]), _field_weights(COLUMNS, FIELDS[1])
    by_column = multiply(edges.reshape(-1, COLUMNS), columns.T).reshape(DIRECTIONS * len(ink), ROWS, FIELDS[1])
    sums = multiply(by_column.transpose(0, 2, 1).reshape(-1, ROWS), rows.T)
    strengths = np.sqrt(sums.reshape(DIRECTIONS, len(ink), -1).transpose(1, 0, 2).reshape(len(ink), FEATURES))
    lengths = np.sqrt((strengths * strengths).sum(axis=1, keepdims=True))
    return np.asarray(strengths / (lengths + np.float32(1e-3)), np.float32)


@lru_cache(maxsize=4)
def _field_weights(count: int, fields: int) -> Floats:
    """Return overlapping windows along a line of pixels. Each falls to 0 at the centres of its neighbours."""
    centres = (np.arange(fields) + 0.5) * count / fields
    distances = np.abs(np.arange(count) + 0.5 - centres[:, None]) * fields / count
    return np.maximum(0, 1 - distances).astype(np.float32)


def multiply(left: Floats, right: Floats) -> Floats:
    """Return the product of two matrices, computed in one thread."""
    inner = len(right)
    columns = max(1, min(right.shape[1], _ONE_THREAD // (inner * min(len(left), _BLOCK_ROWS))))
    rows = max(1, _ONE_THREAD // (inner * columns))
    product = np.empty((len(left), right.shape[1]), np.float32)
    for top in range(0, len(left), rows):
        for side in range(0, right.shape[1], columns):
            block = product[top : top + rows, side : side + columns]
            np.matmul(left[top : top + rows], right[:, side : side + columns], out=block)
    return product


@lru_cache(maxsize=1)
def _load_layers() -> list[Layer]:
    with (resources.files("vmevalkit.tasks.kit") / "digits.npz").open("rb") as file:
        stored = np.load(file)
        count = len(stored.files) // 2
        return [(stored[f"w{i}"].astype(np.float32), stored[f"b{i}"].astype(np.float32)) for i in range(count)]


def classify(samples: Floats) -> Floats:
    """Return the probabilities of NO_DIGIT and of the digits 1 to 9 for each sample: n x 10."""
    batches = [samples[begin : begin + _BATCH] for begin in range(0, len(samples), _BATCH)]
    probabilities = [softmax(run_layers(_load_layers(), compute_features(batch))) for batch in batches]
    return np.concatenate(probabilities) if probabilities else np.empty((0, 10), np.float32)


def run_layers(layers: Sequence[Layer], features: Floats) -> Floats:
    """Return the output of the last layer."""
    values = features
    for place, (matrix, offsets) in enumerate(layers):
        values = multiply(values, matrix) + offsets
        if place + 1 < len(layers):
            values = np.maximum(values, 0)
    return values


def softmax(values: Floats) -> Floats:
    powers = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)
