"""Templates of the pieces: at reading size, in one channel, at several degrees of blur.

A piece on a square of level b looks like A * b + F, where A is how much of the square shows through and F what the
piece adds. The square's level is fitted, so that a glowing or recoloured square is read as well as any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.chess_task.board_state import EMPTY
from vmevalkit.tasks.chess_task.pieces import SYMBOLS, draw_piece
from vmevalkit.tasks.chess_task.render import BOARD_SIZE, get_layout

Levels: TypeAlias = NDArray[np.float32]

READING_SCALE = 0.5
SQUARE, MARGIN = (round(length * READING_SCALE) for length in get_layout(BOARD_SIZE))
"""Pixels at reading size; both are whole."""
RIM = 2
"""Pixels at the border of a square that are not used: neighbours blur into them, and a cropped video lacks some."""
PATCH = SQUARE - 2 * RIM
LETTERS = EMPTY + SYMBOLS
SOFTENING = 0.9
"""Blur in pixels that a reader adds to every image, so that an offset of half a pixel does not matter."""
BLURS = (0.9, 1.15, 1.45, 1.8, 2.2, 2.7)
"""Standard deviations of the templates' blur, the reader's own included."""
_CHANNELS = np.array([[0.2, 0.3, 0.5]])
"""Black, dark squares, light squares and white are about equally far apart in this mixture."""
HALO = 6
"""Pixels around a square into which a blurred piece can extend."""
MAX_OFFSET_PIXELS = 4
"""Pixels by which a piece on its square can be away from the centre."""
_MAX_CLEAR = 0.7
"""Where less of the square shows through, the pixel belongs to the piece."""
_PAD = 46


def mix_channels(image: Frame) -> Levels:
    """Return the one channel that the reader uses, softened."""
    mixed = cv2.transform(image, _CHANNELS)
    return np.asarray(cv2.GaussianBlur(mixed, (0, 0), SOFTENING), np.float32)


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns of the inside of a square."""

    both: Levels
    """The inner pixels of A, then of F, of all patterns, as columns."""
    clear_squared: Levels
    added_squared: Levels
    mixed: Levels
    """Inner products over the inner pixels: A with A, F with F, A with F."""

    def misfits(self, patches: Levels) -> Levels:
        """Return the mean squared error of each pattern on each patch (any shape x pixels), with the square's level
        fitted."""
        return self._errors(patches, patches @ self.both)

    def misfits_of_few(self, patches: Levels) -> Levels:
        """Return the same, for many patterns and few patches. BLAS would start threads for such a product, which then
        spin for longer than the whole computation takes."""
        return self._errors(patches, np.einsum("np,pk->nk", patches, self.both))

    def _errors(self, patches: Levels, products: Levels) -> Levels:
        count = len(self.mixed)
        lacking = products[..., :count] - self.mixed
        squared = np.einsum("...p,...p->...", patches, patches)[..., None]
        error = squared - 2 * products[..., count:] + self.added_squared - lacking * lacking / self.clear_squared
        return np.asarray(error / patches.shape[-1], np.float32)


def _make_patterns(clear: Levels, added: Levels) -> Patterns:
    """Return the patterns of A and F, each patterns x rows x columns."""
    clear, added = (layer.reshape(len(layer), -1) for layer in (clear, added))
    return Patterns(
        np.ascontiguousarray(np.concatenate([clear, added]).T),
        (clear * clear).sum(axis=1),
        (added * added).sum(axis=1),
        (clear * added).sum(axis=1),
    )


@dataclass(frozen=True, slots=True)
class PieceTemplates:
    """All letters at one degree of blur."""

    clear: Levels
    """A: for each letter, how much of the square shows through, 1 where there is nothing. HALO pixels wider than a
    square on each side."""
    added: Levels
    """F: for each letter, the levels that the piece adds."""
    light: Levels
    """For each pixel of the image, how much of it is a light square."""
    frame: Levels
    """The same for the frame around the board; the rest is dark squares."""
    centres: tuple[tuple[float, float], ...]
    """The centre of each letter's ink within its layer."""
    moved: Levels
    """For each letter A and F, as rows of all their pixels: unmoved, one pixel right, one down, and both. Positions in
    between are mixtures of these."""
    upright: Patterns
    """Each letter in the middle of its square."""

    def shifted(self, letter: int, x: float, y: float) -> tuple[Levels, Levels]:
        """Return A and F of a letter, moved right and down by up to a pixel."""
        shares = np.array([(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y], np.float32)
        clear, added = (shares @ self.moved[letter]).reshape(2, *self.clear.shape[1:])
        return clear, added


def extract_patches(board: Levels) -> Levels:
    """Return the inner pixels of all squares of an image at reading size: 8 x 8 x pixels."""
    end = MARGIN + 8 * SQUARE
    squares = board[MARGIN:end, MARGIN:end].reshape(8, SQUARE, 8, SQUARE)[:, RIM : SQUARE - RIM, :, RIM : SQUARE - RIM]
    return np.ascontiguousarray(squares.transpose(0, 2, 1, 3)).reshape(8, 8, PATCH * PATCH)


def measure_misfits_by_blur(patches: Levels, letters: NDArray[np.intp]) -> Levels:
    """Return the squared error of one letter on each patch (patches x pixels), summed over patches, for each blur."""
    clear_of, added_of, squared = _load_inner_layers()
    clear = clear_of[:, letters]
    rest = patches - added_of[:, letters]
    level = np.einsum("bnp,bnp->bn", rest, clear) / squared[:, letters]
    rest -= level[..., None] * clear
    return np.asarray(np.einsum("bnp,bnp->b", rest, rest), np.float32)


@lru_cache(maxsize=1)
def _load_inner_layers() -> tuple[Levels, Levels, Levels]:
    """Return the inner pixels of A and of F, blurs x letters x pixels, and the inner products of A with A."""
    both = np.stack([templates.upright.both.T for templates in load_templates()])
    clear, added = (np.ascontiguousarray(part) for part in np.split(both, 2, axis=1))
    return clear, added, np.stack([templates.upright.clear_squared for templates in load_templates()])


@lru_cache(maxsize=len(BLURS))
def load_offset_patterns(blur: int) -> Patterns:
    """Return the letters at one blur, moved by up to MAX_OFFSET_PIXELS in steps of two, letter by letter."""
    templates = load_templates()[blur]
    begin, end = HALO + RIM - MAX_OFFSET_PIXELS, HALO + SQUARE - RIM + MAX_OFFSET_PIXELS
    windows = (
        sliding_window_view(layer[:, begin:end, begin:end], (PATCH, PATCH), axis=(1, 2))[:, ::2, ::2]
        for layer in (templates.clear, templates.added)
    )
    return _make_patterns(*(window.reshape(-1, PATCH, PATCH) for window in windows))


@lru_cache(maxsize=1)
def load_templates() -> tuple[PieceTemplates, ...]:
    """Return the templates at each of BLURS."""
    layers = [_render_layers(letter) for letter in LETTERS]
    return tuple(_make_templates(layers, blur) for blur in BLURS)


def _render_layers(letter: str) -> tuple[Levels, Levels]:
    """Return A and F of a letter, sharp, with an empty border one square wide."""
    shown = []
    for ground in ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)):
        canvas = Canvas(3 * _PAD, 3 * _PAD, ground)
        if letter != EMPTY:
            draw_piece(canvas, letter, _PAD, _PAD, _PAD)
        small = cv2.resize(canvas.frame(), (3 * SQUARE, 3 * SQUARE), interpolation=cv2.INTER_AREA)
        shown.append(small[..., 0].astype(np.float32))
    return (shown[1] - shown[0]) / 255, shown[0]


def _make_templates(layers: list[tuple[Levels, Levels]], blur: float) -> PieceTemplates:
    around = slice(SQUARE - HALO, 2 * SQUARE + HALO)
    within = slice(HALO + RIM, HALO + SQUARE - RIM)
    clear, added = (
        np.stack([cv2.GaussianBlur(pair[i], (0, 0), blur)[around, around] for pair in layers]) for i in (0, 1)
    )
    light, frame = (np.asarray(cv2.GaussianBlur(mask, (0, 0), blur)) for mask in _make_ground())
    return PieceTemplates(
        clear,
        added,
        light,
        frame,
        tuple(_find_ink_centre(layer) for layer in clear),
        np.stack([_shift_layers(*pair) for pair in zip(clear, added, strict=True)]),
        _make_patterns(clear[:, within, within], added[:, within, within]),
    )


def _shift_layers(clear: Levels, added: Levels) -> Levels:
    corners = []
    for down in (0, 1):
        for right in (0, 1):
            wide = [np.pad(layer, ((down, 0), (right, 0)), mode="edge") for layer in (clear, added)]
            size = clear.shape
            corners.append(np.concatenate([layer[: size[0], : size[1]].ravel() for layer in wide]))
    return np.stack(corners)


def _make_ground() -> tuple[Levels, Levels]:
    """Return where an image shows light squares, and where the frame."""
    places = (np.arange(2 * MARGIN + 8 * SQUARE) - MARGIN) // SQUARE
    outside = (places < 0) | (places > 7)
    frame = outside[:, None] | outside[None, :]
    light = ((places[:, None] + places[None, :]) % 2 == 0) & ~frame
    return light.astype(np.float32), frame.astype(np.float32)


def _find_ink_centre(clear: Levels) -> tuple[float, float]:
    ink = cv2.moments((clear < _MAX_CLEAR).astype(np.uint8), binaryImage=True)
    if not ink["m00"]:
        return clear.shape[1] / 2, clear.shape[0] / 2
    return ink["m10"] / ink["m00"], ink["m01"] / ink["m00"]
