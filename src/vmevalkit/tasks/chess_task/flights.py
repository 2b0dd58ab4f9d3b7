"""Finding pieces that stand between squares, or well off a square's centre."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

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
LEAST_INK = 30
"""Pixels of it: less is no piece."""
_STEPS = (1.5, 0.5)
"""Pixels by which a flyer is moved in turn to fit better."""
_SIZE = SQUARE + 2 * HALO


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
            found.append(_flyer_at(picture, letters, place, ground, bank, _likely(place, before)))
    return tuple(sorted(flyer for flyer in found if flyer is not None))


def _likely(place: Mask, before: BoardState | None) -> list[int]:
    """Letters that may be found in a place, after what was there before."""
    if before is None:
        return []
    there = {before.squares[i] for i in np.flatnonzero(place)} | {flyer.symbol for flyer in before.flyers}
    return [LETTERS.index(letter) for letter in sorted(there) if letter not in (EMPTY, HIDDEN)]


def _ground(picture: Levels, letters: NDArray[np.str_]) -> tuple[float, float]:
    """The levels of light and dark squares."""
    levels: tuple[list[float], list[float]] = ([], [])
    half = SQUARE // 2
    for row, column in zip(*np.nonzero(letters == EMPTY), strict=True):
        levels[(row + column) % 2].append(float(picture[MARGIN + row * SQUARE + half, MARGIN + column * SQUARE + half]))
    light, dark = (float(np.median(each)) if each else nominal for each, nominal in zip(levels, _NOMINAL, strict=True))
    return light, dark


_NOMINAL = (191.8, 119.0)
_FRAME_LEVEL = 33.0


def _flyer_at(
    picture: Levels,
    letters: NDArray[np.str_],
    place: Mask,
    ground: tuple[float, float],
    bank: Bank,
    likely: list[int],
) -> Flyer | None:
    rows, columns = np.nonzero(place)
    top, bottom = max(0, int(rows.min()) - 1), min(8, int(rows.max()) + 2)
    left, right = max(0, int(columns.min()) - 1), min(8, int(columns.max()) + 2)
    y, x = MARGIN + top * SQUARE - HALO, MARGIN + left * SQUARE - HALO
    shown = picture[y : MARGIN + bottom * SQUARE + HALO, x : MARGIN + right * SQUARE + HALO]
    here = (slice(y, y + shown.shape[0]), slice(x, x + shown.shape[1]))
    light, dark = ground
    bare = dark + (light - dark) * bank.light[here] + (_FRAME_LEVEL - dark) * bank.frame[here]
    expected = _board(shown, bare, letters[top:bottom, left:right], bank)
    rest = shown - expected
    ink = cv2.moments((np.abs(rest) > INK).astype(np.uint8), binaryImage=True)
    if ink["m00"] < LEAST_INK:
        return None
    centre = ink["m10"] / ink["m00"], ink["m01"] / ink["m00"]
    whole = float((rest * rest).sum())
    stage = _Stage(shown, expected, bank)
    gain, letter, corner = stage.best(likely, centre, 1)
    if gain < CERTAIN * whole:
        gain, letter, corner = stage.best(range(1, len(LETTERS)), centre, 2)
    if gain < EXPLAINED * whole:
        return None
    half = _SIZE / 2
    return Flyer(LETTERS[letter], (x + corner[0] + half - MARGIN) / SQUARE, (y + corner[1] + half - MARGIN) / SQUARE)


def _board(shown: Levels, bare: Levels, letters: NDArray[np.str_], bank: Bank) -> Levels:
    """A part of the board as it would look were every square empty that could not be told; around it what is shown."""
    board = shown.copy()
    board[HALO:-HALO, HALO:-HALO] = bare[HALO:-HALO, HALO:-HALO]
    for (row, column), letter in np.ndenumerate(letters):
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
        self._open = (shown - expected) ** 2

    def best(
        self, letters: Iterable[int], centre: tuple[float, float], tries: int
    ) -> tuple[float, int, tuple[float, float]]:
        """The piece that explains most with its ink near the centre: gain, letter and corner. The most promising ones
        are moved to fit better."""
        guesses = {letter: self._corner(letter, centre) for letter in letters}
        ranked = sorted(guesses, key=lambda letter: self._gain(letter, *guesses[letter]))
        return max((self._refined(k, guesses[k]) for k in ranked[-tries:]), default=(0.0, 0, centre))

    def _corner(self, letter: int, centre: tuple[float, float]) -> tuple[float, float]:
        """Where the piece's top left corner, halo included, must lie for its ink to be centred there."""
        x, y = self._bank.centres[letter]
        return centre[0] - x, centre[1] - y

    def _gain(self, letter: int, x: float, y: float) -> float:
        """By how much the squared error falls with the piece's corner at (x, y)."""
        column, row = int(np.floor(x)), int(np.floor(y))
        height, width = self._shown.shape
        top, left, bottom, right = max(0, row), max(0, column), min(height, row + _SIZE), min(width, column + _SIZE)
        if bottom - top < SQUARE or right - left < SQUARE:
            return -np.inf
        shift = np.array([[1, 0, x - column], [0, 1, y - row]], np.float32)
        here = (slice(top - row, bottom - row), slice(left - column, right - column))
        clear, added = (
            cv2.warpAffine(layer[letter], shift, (_SIZE, _SIZE), borderMode=cv2.BORDER_REPLICATE)[here]
            for layer in (self._bank.clear, self._bank.added)
        )
        there = (slice(top, bottom), slice(left, right))
        rest = self._shown[there] - self._expected[there] * clear - added
        return float(self._open[there].sum() - np.vdot(rest, rest))

    def _refined(self, letter: int, corner: tuple[float, float]) -> tuple[float, int, tuple[float, float]]:
        """The gain at the best place nearby."""
        best = self._gain(letter, *corner)
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
    if not np.isfinite(bend) or bend <= 0:
        return float(np.sign(after - before))
    return float(np.clip((after - before) / (2 * bend), -1.5, 1.5))
