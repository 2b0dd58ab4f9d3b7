"""Finding pieces that are between squares, or well away from the centre of a square."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import floor, isfinite

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Mask
from vmevalkit.media.photometry import median
from vmevalkit.tasks.chess_task.board_state import EMPTY, HIDDEN, BoardState, MovingPiece
from vmevalkit.tasks.chess_task.sprites import HALO, LETTERS, MARGIN, SQUARE, Levels, PieceTemplates

EXPLAINED = 0.6
"""The share of the unexpected ink that a moving piece must explain."""
CERTAIN = 0.85
"""A likely piece that explains this share is not compared with others."""
MAX_MOVING_PIECES = 4
"""With more separate hidden regions, something other than pieces covers the board."""
MAX_REGION_SQUARES = 6
"""The most squares of one such region."""
INK = 30.0
"""Levels by which a moving piece differs from the board behind it."""
SLACK = 0.35
"""The share of the contrast within three pixels that a displaced edge may cause."""
MIN_INK_PIXELS = 30
"""Fewer pixels of ink are not a piece."""
_STEP_PIXELS = (1.5, 0.5)
"""Step sizes of the search for the best position, in pixels."""
_SIZE = SQUARE + 2 * HALO
_SIDE_PIECES = len(LETTERS) // 2
"""How many pieces are refined: as many as one side has, because the first comparison finds the colour."""


def find_moving_pieces(
    image: Levels, letters: NDArray[np.str_], templates: PieceTemplates, before: BoardState | None = None
) -> tuple[MovingPiece, ...]:
    """Return the pieces that explain the hidden squares. The pieces that were there or were moving in the state
    ``before`` are tried first."""
    hidden = letters == HIDDEN
    if not hidden.any():
        return ()
    count, regions = cv2.connectedComponents(hidden.astype(np.uint8), connectivity=8)
    if count - 1 > MAX_MOVING_PIECES:
        return ()
    ground = _measure_ground(image, letters)
    found = []
    for number in range(1, count):
        region = regions == number
        if region.sum() <= MAX_REGION_SQUARES:
            view = _RegionView(image, letters, region, ground, templates)
            found.append(max(_list_candidates(view, letters, region, before), key=_get_explained_share)[1])
    return tuple(sorted(piece for piece in found if piece is not None))


_Candidate = tuple[float, MovingPiece | None]
"""The share of a region's unexpected ink that a moving piece, with the pieces beneath it, explains."""


def _get_explained_share(candidate: _Candidate) -> float:
    return candidate[0]


def _list_candidates(
    view: _RegionView, letters: NDArray[np.str_], region: Mask, before: BoardState | None
) -> Iterator[_Candidate]:
    """Yield the best piece over empty squares, and the best one over the pieces that were there before, if these still
    seem to be there."""
    earlier = [] if before is None else [(int(i), before.squares[i]) for i in np.flatnonzero(region)]
    resting = {i: letter for i, letter in earlier if letter not in (EMPTY, HIDDEN)}
    moving = [] if before is None else [piece.symbol for piece in before.moving]
    likely = [LETTERS.index(letter) for letter in sorted({*resting.values(), *moving})]
    over_empty = view.find_best(view.empty, likely)
    yield over_empty
    if not resting or over_empty[0] >= CERTAIN or view.empty.ink_error == 0:
        return
    best_letters, fitter = letters, view.empty
    for i, letter in resting.items():
        filled = best_letters.copy()
        filled.flat[i] = letter
        other = view.make_fitter(filled)
        if other.error < fitter.error:
            best_letters, fitter = filled, other
    if fitter is not view.empty:
        yield view.find_best(fitter, likely)


def _measure_ground(image: Levels, letters: NDArray[np.str_]) -> tuple[float, float]:
    """Return the levels of light and dark squares."""
    rows, columns = np.nonzero(letters == EMPTY)
    begin = MARGIN + SQUARE // 2
    levels = image[begin + rows * SQUARE, begin + columns * SQUARE]
    odd = (rows + columns) % 2 == 1
    groups = zip((levels[~odd], levels[odd]), _NOMINAL, strict=True)
    light, dark = (median(each) if len(each) else nominal for each, nominal in groups)
    return light, dark


_NOMINAL = (191.8, 119.0)
_FRAME_LEVEL = 33.0


class _RegionView:
    """The part of an image around a hidden region."""

    def __init__(
        self,
        image: Levels,
        letters: NDArray[np.str_],
        region: Mask,
        ground: tuple[float, float],
        templates: PieceTemplates,
    ) -> None:
        rows, columns = np.nonzero(region)
        self._rows = slice(max(0, int(rows.min()) - 1), min(8, int(rows.max()) + 2))
        self._columns = slice(max(0, int(columns.min()) - 1), min(8, int(columns.max()) + 2))
        self._y, self._x = (MARGIN + part.start * SQUARE - HALO for part in (self._rows, self._columns))
        bottom, right = (MARGIN + part.stop * SQUARE + HALO for part in (self._rows, self._columns))
        here = (slice(self._y, bottom), slice(self._x, right))
        light, dark = ground
        self._image = image[here]
        self._empty_board = (
            dark + (light - dark) * templates.light[here] + (_FRAME_LEVEL - dark) * templates.frame[here]
        )
        self._templates = templates
        self.empty = self.make_fitter(letters)
        """The fitter for the region with all hidden squares empty."""

    def make_fitter(self, letters: NDArray[np.str_]) -> _PieceFitter:
        """Return the fitter for the region with these letters; hidden squares are taken as empty."""
        expected = _render_region(self._image, self._empty_board, letters[self._rows, self._columns], self._templates)
        return _PieceFitter(self._image, expected, self._templates)

    def find_best(self, fitter: _PieceFitter, likely: Iterable[int]) -> _Candidate:
        """Return the piece that explains most, if it explains enough."""
        centre = fitter.find_ink_centre()
        if centre is None:
            return 0.0, None
        gain, letter, corner = fitter.find_best(likely, centre, refined=1)
        if gain < CERTAIN * fitter.ink_error:
            gain, letter, corner = fitter.find_best(range(1, len(LETTERS)), centre, _SIDE_PIECES)
        if gain < EXPLAINED * fitter.ink_error:
            return 0.0, None
        x, y = corner[0] + self._x + _SIZE / 2 - MARGIN, corner[1] + self._y + _SIZE / 2 - MARGIN
        share = 1 - (fitter.ink_error - gain) / self.empty.ink_error
        return share, MovingPiece(LETTERS[letter], x / SQUARE, y / SQUARE)


def _render_region(image: Levels, empty_board: Levels, letters: NDArray[np.str_], templates: PieceTemplates) -> Levels:
    """Return a part of the board with these letters, hidden squares empty; its border is that of the image."""
    board = image.copy()
    board[HALO:-HALO, HALO:-HALO] = empty_board[HALO:-HALO, HALO:-HALO]
    for row, rank in enumerate(letters.tolist()):
        for column, letter in enumerate(rank):
            if letter not in (EMPTY, HIDDEN):
                k = LETTERS.index(letter)
                part = board[row * SQUARE : row * SQUARE + _SIZE, column * SQUARE : column * SQUARE + _SIZE]
                part *= templates.clear[k]
                part += templates.added[k]
    board[:HALO], board[-HALO:] = image[:HALO], image[-HALO:]
    board[:, :HALO], board[:, -HALO:] = image[:, :HALO], image[:, -HALO:]
    return board


class _PieceFitter:
    """Fits pieces to a part of the board: measures how much of the unexpected ink each one explains."""

    def __init__(self, image: Levels, expected: Levels, templates: PieceTemplates) -> None:
        self._image, self._expected, self._templates = image, expected, templates
        rest = image - expected
        squared = rest * rest
        self._summed = cv2.integral(squared, sdepth=cv2.CV_64F)
        # At edges of the board and of pieces, an image half a pixel off differs by this much.
        slack = SLACK * cv2.morphologyEx(expected, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
        self._ink = np.abs(rest) > INK + slack
        self.ink_error = float(squared[self._ink].sum())
        """The squared error of the unexpected ink."""
        self.error = float(self._summed[-1, -1])

    def find_ink_centre(self) -> tuple[float, float] | None:
        """Return the centre of the unexpected ink; None where there is too little of it."""
        ink = cv2.moments(self._ink.astype(np.uint8), binaryImage=True)
        return (ink["m10"] / ink["m00"], ink["m01"] / ink["m00"]) if ink["m00"] >= MIN_INK_PIXELS else None

    def find_best(
        self, letters: Iterable[int], centre: tuple[float, float], refined: int
    ) -> tuple[float, int, tuple[float, float]]:
        """Return the piece that explains most with its ink near the centre: gain, letter and corner. The positions of
        the ``refined`` best ones are refined."""
        corners = ((letter, self._find_corner(letter, centre)) for letter in letters)
        guesses = [(self._measure_gain(letter, *corner), letter, corner) for letter, corner in corners]
        ranked = sorted(guesses, key=lambda guess: guess[0])
        return max((self._refine(*guess) for guess in ranked[-refined:]), default=(0.0, 0, centre))

    def _find_corner(self, letter: int, centre: tuple[float, float]) -> tuple[float, float]:
        """Return the top left corner of the piece, halo included, if its ink is centred at ``centre``."""
        x, y = self._templates.centres[letter]
        return centre[0] - x, centre[1] - y

    def _measure_gain(self, letter: int, x: float, y: float) -> float:
        """Return by how much the squared error falls with the piece's corner at (x, y)."""
        column, row = floor(x), floor(y)
        height, width = self._image.shape
        top, left, bottom, right = max(0, row), max(0, column), min(height, row + _SIZE), min(width, column + _SIZE)
        if bottom - top < SQUARE or right - left < SQUARE:
            return -np.inf
        clear, added = self._templates.shifted(letter, x - column, y - row)
        here = (slice(top - row, bottom - row), slice(left - column, right - column))
        there = (slice(top, bottom), slice(left, right))
        rest = self._image[there] - self._expected[there] * clear[here] - added[here]
        summed = self._summed
        whole = summed[bottom, right] - summed[top, right] - summed[bottom, left] + summed[top, left]
        return float(whole - np.vdot(rest, rest))

    def _refine(self, best: float, letter: int, corner: tuple[float, float]) -> tuple[float, int, tuple[float, float]]:
        """Return the best gain near this corner, where the gain is ``best``."""
        for step in _STEP_PIXELS:
            x, y = corner
            left, right = self._measure_gain(letter, x - step, y), self._measure_gain(letter, x + step, y)
            above, below = self._measure_gain(letter, x, y - step), self._measure_gain(letter, x, y + step)
            moved = x + step * _find_peak(left, best, right), y + step * _find_peak(above, best, below)
            better = self._measure_gain(letter, *moved)
            if better > best:
                best, corner = better, moved
        return best, letter, corner


def _find_peak(before: float, here: float, after: float) -> float:
    """Return where a parabola through three values one apart is greatest, at most 1.5 from the middle."""
    curvature = 2 * here - before - after
    if not isfinite(curvature) or curvature <= 0:
        return float((after > before) - (after < before))
    return min(1.5, max(-1.5, (after - before) / (2 * curvature)))
