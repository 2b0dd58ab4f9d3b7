"""Finding a grid in a picture: lines, edges of squares, or walls that repeat with the pitch of the cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Box
from vmevalkit.media.view import ViewRect

Floats = NDArray[np.float32]

SEARCH_PX = 300
"""Longer side of the picture in which a grid is searched."""
LEAST_SHARE = 0.3
"""Least share of the picture that a grid takes, along either side."""
OUTSIDE = 0.02
"""Most of a grid that may be outside the picture, on each side: its first line may be the picture's edge."""
MAX_STRETCH = 1.12
"""Most by which cells are wider than high, or higher than wide."""
CLIP_LEVELS = 60.0
"""An edge counts with so many levels at most: a black digit is no more than a grey line."""
_CANDIDATES = 12
_NEAR = 0.2
"""Grids whose lines differ by less, in cells, count as one."""
_SOFT = 0.012
"""Edges are smoothed by half of this share of the picture's longer side."""
MAX_LINE = 0.3
"""Greatest width of a line, in cells."""
_LINE_STEP = 1.5


def find_grids(picture: Frame, across: Sequence[float], down: Sequence[float]) -> Iterator[Box]:
    """Yield boxes in which a picture may show a grid, the likeliest first, as shares of the picture.

    ``across`` says of each line from left to right how much of it is drawn, from 0 to 1; ``down`` of each line from top
    to bottom.
    """
    scale = min(1.0, SEARCH_PX / max(picture.shape[:2]))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.float32)
    small = np.asarray(cv2.GaussianBlur(small, (0, 0), 0.7))
    height, width = small.shape[:2]
    soft = max(1.0, _SOFT * max(height, width))
    columns = _list_combs(_measure_edges(small, 1, soft), across)
    rows = _list_combs(_measure_edges(small, 0, soft), down)
    boxes = [
        (left_score + top_score, (left / width, top / height, right / width, bottom / height))
        for left_score, left, right in columns
        for top_score, top, bottom in rows
        if 1 / MAX_STRETCH < (right - left) * (len(down) - 1) / ((bottom - top) * (len(across) - 1)) < MAX_STRETCH
    ]
    for _, box in sorted(boxes, reverse=True):
        yield box


def view_from_boxes(drawn: Box, shown: Box) -> ViewRect:
    """Return where a picture shows a whole drawn image, from the box of the board in both."""
    width = (shown[2] - shown[0]) / (drawn[2] - drawn[0])
    height = (shown[3] - shown[1]) / (drawn[3] - drawn[1])
    return ViewRect(shown[0] - drawn[0] * width, shown[1] - drawn[1] * height, width, height)


def _measure_edges(picture: Floats, axis: int, soft: float) -> Floats:
    """Return the strength of the edges at each border between two pixels, both ends of the picture included."""
    steps = np.minimum(np.abs(np.diff(picture, axis=axis)).max(axis=2), CLIP_LEVELS).mean(axis=1 - axis)
    profile = np.concatenate([[0.0], steps, [0.0]]).astype(np.float32)
    # The picture's own edge may be that of the grid, where nothing can be seen of it.
    edge = round(soft)
    profile[: edge + 1] = np.maximum(profile[: edge + 1], np.percentile(profile, 80))
    profile[-edge - 1 :] = np.maximum(profile[-edge - 1 :], np.percentile(profile, 80))
    smooth = cv2.GaussianBlur(profile.reshape(1, -1), (0, 0), soft / 2).ravel()
    return np.asarray(smooth / max(float(smooth.max()), 1e-6), np.float32)


def _list_combs(profile: Floats, shares: Sequence[float]) -> list[tuple[float, float, float]]:
    """Return (score, first, last) of the combs that meet the strongest edges and nothing but them."""
    length, cells = len(profile) - 1, len(shares) - 1
    found = []
    # A line has an edge on either side of its middle; squares of two colours have only one edge between them.
    for half in np.arange(0.0, MAX_LINE / 2 * length / cells, _LINE_STEP):
        places = np.arange(length + 1)
        either = np.interp(places - half, places, profile) * np.interp(places + half, places, profile)
        found += _list_combs_of(np.sqrt(either), shares)
    chosen: list[tuple[float, float, float]] = []
    for comb in sorted(found, reverse=True):
        near = _NEAR * (comb[2] - comb[1]) / cells
        if all(max(abs(comb[1] - other[1]), abs(comb[2] - other[2])) > near for other in chosen):
            chosen.append(comb)
        if len(chosen) == _CANDIDATES:
            break
    return chosen


def _list_combs_of(profile: Floats, shares: Sequence[float]) -> list[tuple[float, float, float]]:
    length, cells = len(profile) - 1, len(shares) - 1
    weights = np.array(shares) / sum(shares)
    usual = float(profile.mean())
    found = []
    for pitch in np.arange(LEAST_SHARE * length / cells, (1 + 2 * OUTSIDE) * length / cells, 0.25):
        firsts = np.arange(-OUTSIDE * length, length * (1 + OUTSIDE) - pitch * cells + 0.1, 0.5)
        places = firsts[:, None] + pitch * np.arange(cells + 1)
        values = np.interp(places, np.arange(length + 1), profile)
        # A comb with a finer pitch meets edges of what the cells show; a coarser one leaves lines out.
        scores = (np.sqrt(values) * weights).sum(axis=1) - usual
        best = scores.argsort()[::-1][:4]
        found += [(float(scores[i]), float(firsts[i]), float(firsts[i] + pitch * cells)) for i in best]
    return found
