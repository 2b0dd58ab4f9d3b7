"""Where a picture shows a board: its cells at reading size, and a search for the board where no box is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Mask
from vmevalkit.tasks.kit.board_layout import FLOOR, BoardLayout, Cell, Site
from vmevalkit.tasks.kit.looks import Floats

PixelBox = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels of a picture. A model may have cropped it: a box may be partly outside."""
CELL_PX, BOARD_PX = 32, 270
"""Pixels of a cell at reading size, and of a board, at most. All lengths beyond are in cells."""
SMOOTHING = 0.8
"""Every picture is smoothed by so many pixels before it is compared: grain and ringing go."""
_SEARCH_PX = 320
"""Pixels of the longer side of a picture in which a board is searched."""
_MAX_STRETCH = 1.08
"""Most that cells are wider than high, or higher than wide, where the board is searched."""
_OUTSIDE = 0.6
"""Most cells by which a board may be outside the picture on each side."""
_SAMPLES = 6
"""Samples across a cell when boxes are compared."""


class BoardView:
    """From a picture with the geometry of the first frame to the board at reading size."""

    def __init__(self, layout: BoardLayout, box: PixelBox, picture: tuple[int, int]) -> None:
        """``picture`` is the width and height of the picture in which the box is given."""
        self.layout, self.box = layout, box
        self.cell = max(8, min(CELL_PX, BOARD_PX // max(layout.rows, layout.columns)))
        self.size = layout.columns * self.cell, layout.rows * self.cell
        left, top, right, bottom = box
        self._scale = self.size[0] / (right - left), self.size[1] / (bottom - top)
        width, height = (max(8, round(side * scale)) for side, scale in zip(picture, self._scale, strict=True))
        self.reading_size = width, height
        across, down = width / picture[0], height / picture[1]
        self._matrix = np.array(
            [
                [self._scale[0] / across, 0, -left * self._scale[0]],
                [0, self._scale[1] / down, -top * self._scale[1]],
            ],
            np.float64,
        )

    def cut(self, picture: Frame) -> Floats:
        """Return the board of a picture at the reading size."""
        board = cv2.warpAffine(picture, self._matrix, self.size, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cv2.GaussianBlur(board, (0, 0), SMOOTHING), np.float32)

    def find_seen(self, visible: Mask | None) -> Mask:
        """Return which pixels of the board a picture shows. What a crop cut off at the start is not seen either."""
        whole = np.ones(self.reading_size[::-1], np.uint8) if visible is None else visible.astype(np.uint8)
        return np.asarray(cv2.warpAffine(whole, self._matrix, self.size, flags=cv2.INTER_NEAREST) > 0)

    def paste(self, picture: Frame, board: Floats, changed: Mask) -> Frame:
        """Return a picture of the reading size with the changed pixels of the board in it."""
        back = cv2.invertAffineTransform(self._matrix)
        drawn = cv2.warpAffine(np.clip(board, 0, 255).astype(np.uint8), back, self.reading_size)
        where = cv2.warpAffine(changed.astype(np.uint8), back, self.reading_size, flags=cv2.INTER_NEAREST) > 0
        return np.asarray(np.where(where[..., None], drawn, picture), np.uint8)

    def slices(self, cell: Cell) -> tuple[slice, slice]:
        """Return where a cell is on the board."""
        row, column = cell
        return np.s_[row * self.cell : (row + 1) * self.cell], np.s_[column * self.cell : (column + 1) * self.cell]


def find_board(layout: BoardLayout, picture: Frame, most: int = 6) -> list[PixelBox]:
    """Return boxes in which a picture may show the board, the likeliest first."""
    taken = {*layout.starts.values(), *layout.goals}
    if layout.closed:
        cells = [(FLOOR, cell) for cell in layout.plain]
        lines = [site for site in layout.list_sites() if len(site[1]) == 2]
    else:
        cells = [(kind, cell) for kind, (cell,) in layout.list_sites() if cell not in taken]
        lines = []
    return find_grid(KindGrid(layout.rows, layout.columns, tuple(cells), tuple(lines)), picture, most)


@dataclass(frozen=True)
class KindGrid:
    """A grid, and which of its cells and of the lines between them look alike."""

    rows: int
    columns: int
    cells: tuple[tuple[str, Cell], ...]
    lines: tuple[Site, ...] = ()


def find_grid(grid: KindGrid, picture: Frame, most: int = 6) -> list[PixelBox]:
    """Return boxes in which a picture may show the grid, the likeliest first.

    Edges between cells repeat with the pitch of the cells; of the boxes that have edges there, those are best in which
    cells of one kind look alike and cells of different kinds do not.
    """
    scale = min(1.0, _SEARCH_PX / max(picture.shape[:2]))
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.float32)
    small = np.asarray(cv2.GaussianBlur(small, (0, 0), 0.7))
    across = _list_combs(np.abs(np.diff(small, axis=1)).max(axis=2).mean(axis=0), grid.columns)
    down = _list_combs(np.abs(np.diff(small, axis=0)).max(axis=2).mean(axis=1), grid.rows)
    boxes = [
        (left, top, left + grid.columns * wide, top + grid.rows * high)
        for left, wide in across
        for top, high in down
        if 1 / _MAX_STRETCH < wide / high < _MAX_STRETCH
    ]
    ranked = sorted(((_measure_misfit(grid, small, box), box) for box in boxes), key=lambda pair: pair[0])[:most]
    refined = sorted((_refine(grid, small, misfit, box) for misfit, box in ranked), key=lambda pair: pair[0])
    different: list[PixelBox] = []
    for _, box in refined:
        if all(max(abs(a - b) for a, b in zip(box, other, strict=True)) > 2 for other in different):
            different.append(box)
    full = [[round(side / scale, 1) for side in box] for box in different]
    return [(left, top, right, bottom) for left, top, right, bottom in full]


def _list_combs(edges: NDArray[np.float32], count: int, most: int = 40) -> list[tuple[float, float]]:
    """Return (first edge, pitch) of the combs of ``count`` cells that meet the strongest edges."""
    length = len(edges) + 1
    profile = np.maximum(edges, np.concatenate([edges[1:], [0]]))  # an edge is two pixels wide
    profile = np.sqrt(profile / max(float(profile.max()), 1e-6))
    found: list[tuple[float, float, float]] = []
    for pitch in np.arange(max(5.0, 0.25 * length / count), (length + 1) / (count - 2 * _OUTSIDE), 0.25):
        for first in np.arange(-_OUTSIDE * pitch, length - (count - _OUTSIDE) * pitch + 1, 0.5):
            places = np.round(first - 1 + pitch * np.arange(count + 1)).astype(int)
            inside = (places >= 0) & (places < len(profile))
            if inside.sum() >= 0.7 * (count + 1):
                # An edge of the board that coincides with that of the picture cannot be seen, and is half believed.
                score = (float(profile[places[inside]].sum()) + 0.5 * float((~inside).sum())) / (count + 1)
                found.append((score, float(first), float(pitch)))
    found.sort(reverse=True)
    chosen: list[tuple[float, float]] = []
    for _, first, pitch in found:
        if all(abs(first - a) > 1 or abs(pitch - b) > 0.4 for a, b in chosen):
            chosen.append((first, pitch))
        if len(chosen) == most:
            break
    return chosen


def _measure_misfit(grid: KindGrid, picture: Floats, box: PixelBox) -> float:
    """Return how much cells and lines of one kind differ, relative to how much all of them differ."""
    board = _sample(grid, picture, box)
    groups: dict[str, list[Floats]] = {}
    for kind, ((row, column), (_, other)) in grid.lines:
        y, x = _SAMPLES * row, _SAMPLES * column
        if other != column:
            strip = board[y + 1 : y + _SAMPLES - 1, x + _SAMPLES - 1 : x + _SAMPLES + 1].transpose(1, 0, 2)
        else:
            strip = board[y + _SAMPLES - 1 : y + _SAMPLES + 1, x + 1 : x + _SAMPLES - 1]
        groups.setdefault("line " + kind, []).append(strip)
    rim = 1 if grid.lines else 0
    for kind, (row, column) in grid.cells:
        y, x = _SAMPLES * row, _SAMPLES * column
        groups.setdefault(kind, []).append(board[y + rim : y + _SAMPLES - rim, x + rim : x + _SAMPLES - rim])
    stacks = [np.stack(tiles) for tiles in groups.values()]
    within = [np.abs(stack - np.median(stack, axis=0)).mean() * len(stack) for stack in stacks]
    whole = float(np.abs(board - np.median(board, axis=(0, 1))).mean())
    return float(sum(within)) / sum(map(len, stacks)) / max(whole, 1.0)


def _sample(grid: KindGrid, picture: Floats, box: PixelBox) -> Floats:
    width, height = grid.columns * _SAMPLES, grid.rows * _SAMPLES
    across, down = (box[2] - box[0]) / width, (box[3] - box[1]) / height
    matrix = np.array([[across, 0, box[0] + across / 2 - 0.5], [0, down, box[1] + down / 2 - 0.5]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(picture, matrix, (width, height), flags=flags, borderMode=cv2.BORDER_REPLICATE))


def _refine(grid: KindGrid, picture: Floats, misfit: float, box: PixelBox) -> tuple[float, PixelBox]:
    """Move each edge of a box while cells of one kind look more alike."""
    for step in (1.0, 0.5, 0.25):
        for _ in range(8):
            before = misfit
            for side in range(4):
                for change in (-step, step):
                    moved: Sequence[float] = [value + change * (place == side) for place, value in enumerate(box)]
                    tried = (moved[0], moved[1], moved[2], moved[3])
                    value = _measure_misfit(grid, picture, tried)
                    if value < misfit - 1e-6:
                        misfit, box = value, tried
            if misfit == before:
                break
    return misfit, box
