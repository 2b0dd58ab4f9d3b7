"""Telling digits apart: a small network over the directions of a digit's edges, the digit brought to one size.

Its weights lie beside it in ``digits.npz``; ``train_digits.py`` makes them.
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
"""Ink: 0 where a pixel shows the ground, more where it differs."""
Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, width and height in pixels."""
Floats: TypeAlias = NDArray[np.float32]

ROWS, COLUMNS = 24, 20
"""Of a digit as the network sees it."""
PAD = 2
"""Rows and columns around it, for what blur spreads."""
PIXELS = ROWS * COLUMNS
DIRECTIONS = 8
PARTS = (6, 5)
"""Rows and columns of the overlapping fields over which the edges of one direction are summed."""
FEATURES = DIRECTIONS * PARTS[0] * PARTS[1]
_SHARP = 0.6
"""An edge counts for a direction by how far it exceeds this share of its strength along it."""
_ONE_THREAD, _ROWS = 200_000, 32
"""Up to so many multiplications BLAS stays in one thread, and to wake others costs more than they do: so matrices are
multiplied in blocks, of this many rows where they are large."""
_BATCH = 27
"""So many samples at once; the memory for more is slow to get."""
NOTHING = 0
"""The class of all that is no digit, or more than one."""


def normalised(ink: Plane, boxes: Sequence[Box], peaks: Sequence[float]) -> Floats:
    """The ink in each box at the network's size, keeping its shape: n x PIXELS, 1 where it is as strong as its peak."""
    batch = np.empty((len(boxes), ROWS, COLUMNS), np.uint8)
    for place, (left, top, width, height) in enumerate(boxes):
        scale = max(height / (ROWS - 2 * PAD), width / (COLUMNS - 2 * PAD))
        x, y = left + width / 2 - 0.5, top + height / 2 - 0.5
        part = ink
        if scale >= 2:  # so that sampling does not pass over pixels
            reach = int(scale * ROWS / 2) + 2
            begin_x, begin_y = max(0, int(x) - reach), max(0, int(y) - reach)
            part = ink[begin_y : int(y) + reach, begin_x : int(x) + reach]
            part = np.asarray(cv2.blur(part, (int(scale), int(scale))), np.uint8)
            x, y = x - begin_x, y - begin_y
        matrix = np.array([[scale, 0, x - scale * (COLUMNS - 1) / 2], [0, scale, y - scale * (ROWS - 1) / 2]])
        cv2.warpAffine(part, matrix, (COLUMNS, ROWS), batch[place], cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    strengths = 1 / np.maximum(np.asarray(peaks, np.float32), 1)
    return np.minimum(batch.reshape(len(boxes), PIXELS) * strengths[:, None], np.float32(1))


def features(samples: Floats) -> Floats:
    """How strong the edges of each direction are in each field of a sample: n x FEATURES."""
    ink = samples.reshape(-1, ROWS, COLUMNS)
    across, down = np.zeros_like(ink), np.zeros_like(ink)
    np.subtract(ink[:, :, 2:], ink[:, :, :-2], out=across[:, :, 1:-1])
    np.subtract(ink[:, 2:], ink[:, :-2], out=down[:, 1:-1])
    weak = np.sqrt(across * across + down * down) * np.float32(_SHARP)
    slanted = np.float32(np.sqrt(0.5))
    edges = np.empty((DIRECTIONS, *ink.shape), np.float32)
    for place, along in enumerate((across, down, (across + down) * slanted, (across - down) * slanted)):
        np.subtract(along, weak, out=edges[2 * place])
        np.subtract(-along, weak, out=edges[2 * place + 1])
    np.maximum(edges, 0, out=edges)
    rows, columns = _fields(ROWS, PARTS[0]), _fields(COLUMNS, PARTS[1])
    narrow = product(edges.reshape(-1, COLUMNS), columns.T).reshape(DIRECTIONS * len(ink), ROWS, PARTS[1])
    summed = product(narrow.transpose(0, 2, 1).reshape(-1, ROWS), rows.T)
    strengths = np.sqrt(summed.reshape(DIRECTIONS, len(ink), -1).transpose(1, 0, 2).reshape(len(ink), FEATURES))
    lengths = np.sqrt((strengths * strengths).sum(axis=1, keepdims=True))
    return np.asarray(strengths / (lengths + np.float32(1e-3)), np.float32)


@lru_cache(maxsize=4)
def _fields(count: int, parts: int) -> Floats:
    """Overlapping windows along a line of pixels, each fading to nothing at the middles of its neighbours."""
    middles = (np.arange(parts) + 0.5) * count / parts
    away = np.abs(np.arange(count) + 0.5 - middles[:, None]) * parts / count
    return np.maximum(0, 1 - away).astype(np.float32)


def product(left: Floats, right: Floats) -> Floats:
    """The product of two matrices, in one thread."""
    inner = len(right)
    columns = max(1, min(right.shape[1], _ONE_THREAD // (inner * min(len(left), _ROWS))))
    rows = max(1, _ONE_THREAD // (inner * columns))
    whole = np.empty((len(left), right.shape[1]), np.float32)
    for top in range(0, len(left), rows):
        for side in range(0, right.shape[1], columns):
            block = whole[top : top + rows, side : side + columns]
            np.matmul(left[top : top + rows], right[:, side : side + columns], out=block)
    return whole


@lru_cache(maxsize=1)
def _weights() -> list[tuple[Floats, Floats]]:
    """Each layer's matrix and offsets."""
    with (resources.files("vmevalkit.tasks.sudoku_task") / "digits.npz").open("rb") as file:
        stored = np.load(file)
        count = len(stored.files) // 2
        return [(stored[f"w{i}"].astype(np.float32), stored[f"b{i}"].astype(np.float32)) for i in range(count)]


def beliefs(samples: Floats) -> Floats:
    """How likely each sample is NOTHING or a digit from 1 to 9: n x 10."""
    batches = [samples[begin : begin + _BATCH] for begin in range(0, len(samples), _BATCH)]
    told = [softmax(forward(_weights(), features(batch))) for batch in batches]
    return np.concatenate(told) if told else np.empty((0, 10), np.float32)


def forward(layers: Sequence[tuple[Floats, Floats]], seen: Floats) -> Floats:
    """What the last layer gives."""
    values = seen
    for place, (matrix, offsets) in enumerate(layers):
        values = product(values, matrix) + offsets
        if place + 1 < len(layers):
            values = np.maximum(values, 0)
    return values


def softmax(values: Floats) -> Floats:
    grown = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(grown / grown.sum(axis=1, keepdims=True), np.float32)
