"""Pictures of parts, with alpha. The reader does not care where a picture came from.

``paint_looks`` cuts them out of what the task's own ``paint`` draws, on black and on white. ``cut_looks`` replaces
them by
pictures from the question's own frames, where a user has restyled a question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, cos, floor, radians, sin

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.kit.scene import Part, Stage

Floats = NDArray[np.float32]
_FAINT = 0.02
"""Alpha below which nothing is drawn."""
_SUBPIXEL = 8
"""Patches are kept for so many positions within a pixel."""


@dataclass(frozen=True, slots=True)
class Sprite:
    """The picture of a look, upright, in pixels of the drawn picture."""

    colour: Floats
    """Levels times alpha, height x width x 3."""
    alpha: Floats
    left: float
    """Column of its left edge, relative to the middle of the part."""
    top: float


@dataclass(frozen=True, slots=True)
class Patch:
    """A part as it appears at the reading size."""

    left: int
    top: int
    colour: Floats
    """Levels times alpha."""
    alpha: Floats
    area: float
    """Sum of alpha, in pixels."""

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Left, top, right and bottom, in pixels."""
        height, width = self.alpha.shape
        return self.left, self.top, self.left + width, self.top + height


class Looks:
    """The ground and the sprites of one puzzle, and parts rendered from them at the reading size."""

    def __init__(self, ground: Frame, sprites: Mapping[str, Sprite], scale: float, blur: float = 0.0) -> None:
        """``scale`` is the reading size relative to the drawn size, ``blur`` what smooths every picture, in pixels."""
        height, width = ground.shape[:2]
        self.scale = scale
        self.size = round(width * scale), round(height * scale)
        self.ground = cv2.resize(ground, self.size, interpolation=cv2.INTER_AREA).astype(np.float32)
        if blur:
            self.ground = np.asarray(cv2.GaussianBlur(self.ground, (0, 0), blur))
        self._drawn_ground, self._sprites, self._blur = ground, dict(sprites), blur
        self._patches: dict[tuple[str, int, int, int], Patch] = {}
        self._smoothed: dict[float, Looks] = {}

    def smooth(self, blur: float) -> Looks:
        """Return the same looks, smoothed. Parts that are smoothed one by one look like a smoothed picture of them."""
        if blur not in self._smoothed:
            self._smoothed[blur] = Looks(self._drawn_ground, self._sprites, self.scale, blur)
        return self._smoothed[blur]

    def __contains__(self, look: str) -> bool:
        return look in self._sprites

    def render(self, part: Part) -> Patch | None:
        """Return the part as it appears; None where it has no picture."""
        if part.look not in self._sprites:
            return None
        x, y = part.x * self.scale, part.y * self.scale
        column, row = floor(x * _SUBPIXEL + 0.5), floor(y * _SUBPIXEL + 0.5)
        key = part.look, column % _SUBPIXEL, row % _SUBPIXEL, round(part.angle * 2) % 720
        if key not in self._patches:
            if len(self._patches) > 4000:
                self._patches.clear()
            patch = self._warp(self._sprites[part.look], key[1] / _SUBPIXEL, key[2] / _SUBPIXEL, key[3] / 2)
            self._patches[key] = _smooth_patch(patch, self._blur) if self._blur else patch
        kept = self._patches[key]
        return Patch(kept.left + column // _SUBPIXEL, kept.top + row // _SUBPIXEL, kept.colour, kept.alpha, kept.area)

    def _warp(self, sprite: Sprite, x: float, y: float, angle: float) -> Patch:
        height, width = sprite.alpha.shape
        turn = radians(angle)
        c, s = cos(turn) * self.scale, sin(turn) * self.scale
        corners = [(sprite.left + dx, sprite.top + dy) for dx in (0, width) for dy in (0, height)]
        across = [x + c * u - s * v for u, v in corners]
        down = [y + s * u + c * v for u, v in corners]
        left, top = floor(min(across)) - 1, floor(min(down)) - 1
        size = ceil(max(across)) + 1 - left, ceil(max(down)) + 1 - top
        if angle == 0 and self.scale < 1:
            return self._shrink(sprite, x, y, (left, top), size)
        # From the centre of a source pixel to the centre of one of the patch.
        u0, v0 = sprite.left + 0.5, sprite.top + 0.5
        matrix = np.array(
            [[c, -s, c * u0 - s * v0 + x - left - 0.5], [s, c, s * u0 + c * v0 + y - top - 0.5]], np.float64
        )
        colour, alpha = sprite.colour, sprite.alpha
        if self.scale < 1:  # each pixel of the patch is the mean of several
            spread = 0.4 / self.scale
            colour, alpha = cv2.GaussianBlur(colour, (0, 0), spread), cv2.GaussianBlur(alpha, (0, 0), spread)
        warped = cv2.warpAffine(colour, matrix, size, flags=cv2.INTER_LINEAR)
        cover = cv2.warpAffine(alpha, matrix, size, flags=cv2.INTER_LINEAR)
        return Patch(left, top, np.asarray(warped), np.asarray(cover), float(cover.sum()))

    def _shrink(self, sprite: Sprite, x: float, y: float, corner: tuple[int, int], size: tuple[int, int]) -> Patch:
        """Render an upright part by averaging pixels, as the ground is."""
        grow = round(1 / self.scale) * 4
        fine = grow * self.scale
        matrix = np.array(
            [
                [fine, 0, (sprite.left * self.scale + x - corner[0]) * grow + fine / 2 - 0.5],
                [0, fine, (sprite.top * self.scale + y - corner[1]) * grow + fine / 2 - 0.5],
            ]
        )
        large = size[0] * grow, size[1] * grow
        colour, alpha = (
            cv2.resize(cv2.warpAffine(each, matrix, large, flags=cv2.INTER_NEAREST), size, interpolation=cv2.INTER_AREA)
            for each in (sprite.colour, sprite.alpha)
        )
        return Patch(*corner, np.asarray(colour), np.asarray(alpha), float(alpha.sum()))

    def compose(self, parts: Iterable[Part], onto: Floats | None = None) -> Floats:
        """Return the picture of the parts, drawn in order on the ground or on another picture, which is changed."""
        picture = self.ground.copy() if onto is None else onto
        for part in parts:
            patch = self.render(part) if part.look and part.opacity > 0 else None
            if patch is not None:
                paste(picture, patch, part.opacity)
        return picture


def _smooth_patch(patch: Patch, blur: float) -> Patch:
    margin = ceil(2 * blur)
    colour, alpha = (
        cv2.GaussianBlur(
            cv2.copyMakeBorder(each, margin, margin, margin, margin, cv2.BORDER_CONSTANT, value=0), (0, 0), blur
        )
        for each in (patch.colour, patch.alpha)
    )
    return Patch(patch.left - margin, patch.top - margin, np.asarray(colour), np.asarray(alpha), patch.area)


def paste(picture: Floats, patch: Patch, opacity: float = 1.0) -> None:
    """Draw a patch into a picture."""
    cut = clip(patch, picture.shape)
    if cut is None:
        return
    where, of = cut
    below = picture[where]
    alpha = patch.alpha[of][..., None]
    if opacity == 1.0:
        below *= 1 - alpha
        below += patch.colour[of]
    else:
        below *= 1 - alpha * np.float32(opacity)
        below += patch.colour[of] * np.float32(opacity)


def clip(patch: Patch, shape: Sequence[int]) -> tuple[tuple[slice, slice], tuple[slice, slice]] | None:
    """Return where a patch is in a picture, and which of its pixels are there; None where it is outside."""
    left, top, right, bottom = patch.box
    x0, y0, x1, y1 = max(0, left), max(0, top), min(shape[1], right), min(shape[0], bottom)
    if x1 <= x0 or y1 <= y0:
        return None
    return (slice(y0, y1), slice(x0, x1)), (slice(y0 - top, y1 - top), slice(x0 - left, x1 - left))


def paint_looks(stage: Stage, scale: float) -> Looks:
    """Return the looks as the task's own ``paint`` draws them."""
    names = {look for kind in stage.kinds.values() for look in kind.looks if look}
    return Looks(stage.ground, {look: _cut_painted(stage, look) for look in sorted(names)}, scale)


def _cut_painted(stage: Stage, look: str) -> Sprite:
    """Return what ``paint`` draws: on black and on white, which gives alpha."""
    width, height = stage.size
    x, y = width // 2, height // 2
    shots = []
    for level in (0.0, 1.0):
        canvas = Canvas(width, height, (level, level, level))
        stage.paint(canvas, Part("", x, y, look))
        shots.append(canvas.frame().astype(np.float32))
    alpha = 1 - (shots[1] - shots[0]).mean(axis=2) / 255
    rows, columns = np.nonzero(alpha > _FAINT)
    if not len(rows):
        raise ValueError(f"the look {look!r} draws nothing")
    box = np.s_[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    return Sprite(shots[0][box].copy(), alpha[box].copy(), float(columns.min() - x), float(rows.min() - y))


def cut_looks(stage: Stage, scale: float, frames: Sequence[tuple[Frame, Sequence[Part]]]) -> Looks:
    """Return looks cut out of the question's own frames, each given with the parts that it shows.

    A look has the shape that ``paint`` gives it, and the colours of the frame; where several parts have it, their
    median. The
    ground under a part is taken from a frame that does not show one there, or from the drawing in the frame's own
    colours.
    """
    painted = {
        name: _cut_painted(stage, name)
        for name in sorted({k for kind in stage.kinds.values() for k in kind.looks if k})
    }
    ground = _uncover_ground(stage, painted, frames)
    sprites = dict(painted)
    for look, sprite in painted.items():
        shown = [cut for frame, parts in frames for part in parts if part.look == look and part.angle == 0
                 for cut in [_cut_frame(frame, part, sprite)] if cut is not None]  # fmt: skip
        if shown:
            colour = np.median(np.stack(shown), axis=0).astype(np.float32)
            sprites[look] = Sprite(colour * sprite.alpha[..., None], sprite.alpha, sprite.left, sprite.top)
    return Looks(ground, sprites, scale)


def _cut_frame(frame: Frame, part: Part, sprite: Sprite) -> Floats | None:
    height, width = sprite.alpha.shape
    left, top = round(part.x + sprite.left), round(part.y + sprite.top)
    if left < 0 or top < 0 or left + width > frame.shape[1] or top + height > frame.shape[0]:
        return None
    return frame[top : top + height, left : left + width].astype(np.float32)


def _uncover_ground(
    stage: Stage, sprites: Mapping[str, Sprite], frames: Sequence[tuple[Frame, Sequence[Part]]]
) -> Frame:
    """Return the ground as the frames show it."""
    ground = frames[0][0].copy()
    known = np.ones(ground.shape[:2], bool)
    for index, (frame, parts) in enumerate(frames):
        covered = np.zeros(ground.shape[:2], np.uint8)
        for part in parts:
            if part.look in sprites:
                sprite = sprites[part.look]
                height, width = sprite.alpha.shape
                left, top = max(0, round(part.x + sprite.left) - 2), max(0, round(part.y + sprite.top) - 2)
                covered[top : top + height + 4, left : left + width + 4] = 1
        if index == 0:
            known = covered == 0
        else:
            free = ~known & (covered == 0)
            ground[free] = frame[free]
            known |= free
    if known.all():
        return ground
    # Under a part that never moves, the drawn ground has the colours that the frame gives to the same drawn
    # colours elsewhere.
    drawn = stage.ground
    for colour in np.unique(drawn[~known].reshape(-1, 3), axis=0):
        same = (drawn == colour).all(axis=2)
        there = same & known
        ground[same & ~known] = np.median(ground[there], axis=0) if there.any() else colour
    return ground
