"""Finding pieces that stand between squares, or well off a square's centre."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import floor, isfinite

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.photometry import median
from vmevalkit.media.picture import Mask
from vmevalkit.tasks.chess_task.board_state import EMPTY, HIDDEN, BoardState, Flyer
from vmevalkit.tasks.chess_task.sprites import HALO, LETTERS, MARGIN, SQUARE, Bank, Levels

EXPLAINED = 0.6
"""The share of what an empty board leaves open that a flyer must explain."""
CERTAIN = 0.85
"""A likely flyer that explains so much is not compared with others."""
MOST_FLYERS = 4
"""With more separate places that cannot be told, something else lies over the board."""
LARGEST_PLACE = 6
"""Squares of one such place."""
INK = 30.0
"""Levels by which a flyer differs from the board behind it."""
SLACK = 0.35
"""The share of the contrast within three pixels by which an edge may be off."""
LEAST_INK = 30
"""Pixels of it: less is no piece."""
_STEPS = (1.5, 0.5)
"""Pixels by which a flyer is moved in turn to fit better."""
_SIZE = SQUARE + 2 * HALO
_SIDE = len(LETTERS) // 2
"""So many pieces are compared closely: as many as one side has, for the colour is told at a glance."""


def find_flyers(
    picture: Levels, letters: NDArray[np.str_], bank: Bank, before: BoardState | None = None
) -> tuple[Flyer, ...]:
    """The pieces that explain what is seen where no letter could be told. Those that flew, or stood there, in the
    state ``before`` are tried first."""
    hidden = letters == HIDDEN
    if not hidden.any():
        return ()
    count, places = cv2.connectedComponents(hidden.astype(np.uint8), connectivity=8)
    if count - 1 > MOST_FLYERS:
        return ()
    ground = _ground(picture, letters)
    found = []
    for number in range(1, count):
        place = places == number
        if place.sum() <= LARGEST_PLACE:
            view = _View(picture, letters, place, ground, bank)
            found.append(max(_tried(view, letters, place, before), key=_explained)[1])
    return tuple(sorted(flyer for flyer in found if flyer is not None))


_Try = tuple[float, Flyer | None]
"""How much a flyer, and what may stand beneath it, explains of what an empty place leaves open."""


def _explained(one: _Try) -> float:
    return one[0]


def _tried(view: _View, letters: NDArray[np.str_], place: Mask, before: BoardState | None) -> Iterator[_Try]:
    """A flyer over empty squares, and one over the pieces that stood there before, where they still seem to stand."""
    there = [] if before is None else [(int(i), before.squares[i]) for i in np.flatnonzero(place)]
    stood = {i: letter for i, letter in there if letter not in (EMPTY, HIDDEN)}
    flew = [] if before is None else [flyer.symbol for flyer in before.flyers]
    likely = [LETTERS.index(letter) for letter in sorted({*stood.values(), *flew})]
    bare = view.best(view.bare, likely)
    yield bare
    if not stood or bare[0] >= CERTAIN:
        return
    kept, stage = letters, view.bare
    for i, letter in stood.items():
        filled = kept.copy()
        filled.flat[i] = letter
        other = view.stage(filled)
        if other.error < stage.error:
            kept, stage = filled, other
    if stage is not view.bare:
        yield view.best(stage, likely)


def _ground(picture: Levels, letters: NDArray[np.str_]) -> tuple[float, float]:
    """The levels of light and dark squares."""
    rows, columns = np.nonzero(letters == EMPTY)
    begin = MARGIN + SQUARE // 2
    levels = picture[begin + rows * SQUARE, begin + columns * SQUARE]
    odd = (rows + columns) % 2 == 1
    groups = zip((levels[~odd], levels[odd]), _NOMINAL, strict=True)
    light, dark = (median(each) if len(each) else nominal for each, nominal in groups)
    return light, dark


_NOMINAL = (191.8, 119.0)
_FRAME_LEVEL = 33.0


class _View:
    """The part of a picture around a place that could not be told."""

    def __init__(
        self, picture: Levels, letters: NDArray[np.str_], place: Mask, ground: tuple[float, float], bank: Bank
    ) -> None:
        rows, columns = np.nonzero(place)
        self._rows = slice(max(0, int(rows.min()) - 1), min(8, int(rows.max()) + 2))
        self._columns = slice(max(0, int(columns.min()) - 1), min(8, int(columns.max()) + 2))
        self._y, self._x = (MARGIN + part.start * SQUARE - HALO for part in (self._rows, self._columns))
        bottom, right = (MARGIN + part.stop * SQUARE + HALO for part in (self._rows, self._columns))
        here = (slice(self._y, bottom), slice(self._x, right))
        light, dark = ground
        self._shown = picture[here]
        self._bare = dark + (light - dark) * bank.light[here] + (_FRAME_LEVEL - dark) * bank.frame[here]
        self._bank = bank
        self.bare = self.stage(letters)
        """The place with nothing standing that could not be told."""

    def stage(self, letters: NDArray[np.str_]) -> _Stage:
        """The place with these letters standing; what could not be told is taken for empty."""
        expected = _board(self._shown, self._bare, letters[self._rows, self._columns], self._bank)
        return _Stage(self._shown, expected, self._bank)

    def best(self, stage: _Stage, likely: Iterable[int]) -> _Try:
        """The flyer that explains most, if it explains enough."""
        centre = stage.ink_centre()
        if centre is None:
            return 0.0, None
        gain, letter, corner = stage.best(likely, centre, 1)
        if gain < CERTAIN * stage.ink_error:
            gain, letter, corner = stage.best(range(1, len(LETTERS)), centre, _SIDE)
        if gain < EXPLAINED * stage.ink_error:
            return 0.0, None
        x, y = corner[0] + self._x + _SIZE / 2 - MARGIN, corner[1] + self._y + _SIZE / 2 - MARGIN
        return 1 - (stage.ink_error - gain) / self.bare.ink_error, Flyer(LETTERS[letter], x / SQUARE, y / SQUARE)


def _board(shown: Levels, bare: Levels, letters: NDArray[np.str_], bank: Bank) -> Levels:
    """A part of the board as it would look were every square empty that could not be told; around it what is shown."""
    board = shown.copy()
    board[HALO:-HALO, HALO:-HALO] = bare[HALO:-HALO, HALO:-HALO]
    for row, rank in enumerate(letters.tolist()):
        for column, letter in enumerate(rank):
            if letter not in (EMPTY, HIDDEN):
                k = LETTERS.index(letter)
                part = board[row * SQUARE : row * SQUARE + _SIZE, column * SQUARE : column * SQUARE + _SIZE]
                part *= bank.clear[k]
                part += bank.added[k]
    board[:HALO], board[-HALO:] = shown[:HALO], shown[-HALO:]
    board[:, :HALO], board[:, -HALO:] = shown[:, :HALO], shown[:, -HALO:]
    return board


class _Stage:
    """A part of the board on which pieces are laid to see how much they explain."""

    def __init__(self, shown: Levels, expected: Levels, bank: Bank) -> None:
        self._shown, self._expected, self._bank = shown, expected, bank
        rest = shown - expected
        squared = rest * rest
        self._summed = cv2.integral(squared, sdepth=cv2.CV_64F)
        # At edges of the board and of pieces, a picture half a pixel off differs by this much.
        slack = SLACK * cv2.morphologyEx(expected, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
        self._ink = np.abs(rest) > INK + slack
        self.ink_error = float(squared[self._ink].sum())
        """The squared error where something is that was not expected."""
        self.error = float(self._summed[-1, -1])

    def ink_centre(self) -> tuple[float, float] | None:
        """The centre of what was not expected; None where there is too little of it."""
        ink = cv2.moments(self._ink.astype(np.uint8), binaryImage=True)
        return (ink["m10"] / ink["m00"], ink["m01"] / ink["m00"]) if ink["m00"] >= LEAST_INK else None

    def best(
        self, letters: Iterable[int], centre: tuple[float, float], tries: int
    ) -> tuple[float, int, tuple[float, float]]:
        """The piece that explains most with its ink near the centre: gain, letter and corner. The most promising ones
        are moved to fit better."""
        corners = ((letter, self._corner(letter, centre)) for letter in letters)
        guesses = [(self._gain(letter, *corner), letter, corner) for letter, corner in corners]
        ranked = sorted(guesses, key=lambda guess: guess[0])
        return max((self._refined(*guess) for guess in ranked[-tries:]), default=(0.0, 0, centre))

    def _corner(self, letter: int, centre: tuple[float, float]) -> tuple[float, float]:
        """Where the piece's top left corner, halo included, must lie for its ink to be centred there."""
        x, y = self._bank.centres[letter]
        return centre[0] - x, centre[1] - y

    def _gain(self, letter: int, x: float, y: float) -> float:
        """By how much the squared error falls with the piece's corner at (x, y)."""
        column, row = floor(x), floor(y)
        height, width = self._shown.shape
        top, left, bottom, right = max(0, row), max(0, column), min(height, row + _SIZE), min(width, column + _SIZE)
        if bottom - top < SQUARE or right - left < SQUARE:
            return -np.inf
        clear, added = self._bank.shifted(letter, x - column, y - row)
        here = (slice(top - row, bottom - row), slice(left - column, right - column))
        there = (slice(top, bottom), slice(left, right))
        rest = self._shown[there] - self._expected[there] * clear[here] - added[here]
        summed = self._summed
        whole = summed[bottom, right] - summed[top, right] - summed[bottom, left] + summed[top, left]
        return float(whole - np.vdot(rest, rest))

    def _refined(self, best: float, letter: int, corner: tuple[float, float]) -> tuple[float, int, tuple[float, float]]:
        """The gain at the best place near this corner, where it is ``best``."""
        for step in _STEPS:
            x, y = corner
            left, right = self._gain(letter, x - step, y), self._gain(letter, x + step, y)
            above, below = self._gain(letter, x, y - step), self._gain(letter, x, y + step)
            moved = x + step * _summit(left, best, right), y + step * _summit(above, best, below)
            better = self._gain(letter, *moved)
            if better > best:
                best, corner = better, moved
        return best, letter, corner


def _summit(before: float, here: float, after: float) -> float:
    """Where a parabola through three values one apart is greatest, at most one and a half from the middle."""
    bend = 2 * here - before - after
    if not isfinite(bend) or bend <= 0:
        return float((after > before) - (after < before))
    return min(1.5, max(-1.5, (after - before) / (2 * bend)))
