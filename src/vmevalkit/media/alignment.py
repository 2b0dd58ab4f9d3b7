"""Fine alignment: Gauss-Newton on a few thousand points of a picture where it has edges.

The film's levels at those points are regressed on six known columns: the picture's own derivatives by shift and
growth in x and y, the picture, and one. The columns never change, so a step is one sampling and a 6 x 6 solve.
Places that changed since, such as a moving dot or a hand, lose their weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.picture import Frame, Size
from vmevalkit.media.view import View, halved, part_of

Floats = NDArray[np.float32]

_GREY = np.full(3, 1 / 3, np.float32)
"""Equal parts, so that yellow on white is seen."""
_NOISE = 4.0
"""Levels that are never taken for a change."""
_SOFT = 0.75
"""Standard deviation, in pixels of the template, by which picture and film are softened: alike, so that nothing is
left where they lie right."""
_SETTLED = 0.03
"""Pixels of the template: a smaller step is the last."""
_STEPS = np.array([0.05, 5.0])
"""By which gain and offset usually change, at most, from one frame to the next."""
_CELLS = 8
"""The picture in so many rows and columns, within which points are neighbours."""
_BELIEF = 0.3
"""Share of a cell's points that must follow the picture for any of them to be believed."""
_NEAR = 0.1
"""Shares of a view around it in which it is looked for, from one frame to the next: more than all rounds together
may move it."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Where the picture was found."""

    view: View
    agreement: float
    """Correlation of the film with the picture, from -1 to 1: at all points, or where a frame before is known, at
    those that nothing seems to cover."""
    trust: float = 0.0
    """Mean weight of the points that the film shows, from 0 to 1: low where much has changed or is covered."""
    gain: float = 1.0
    offset: float = 0.0
    spread: float = _NOISE
    """Levels by which the film strays from the picture where nothing has changed."""


class Pyramid:
    """A frame and its halves, made when they are asked for: only around ``near``, where that is given."""

    def __init__(self, frame: Frame, near: View | None = None) -> None:
        self._levels = [frame]
        whole = slice(0, frame.shape[0]), slice(0, frame.shape[1])
        self._part = whole if near is None else part_of(near, self.size, _NEAR)

    @property
    def size(self) -> Size:
        return self._levels[0].shape[1], self._levels[0].shape[0]

    @property
    def frame(self) -> Frame:
        return self._levels[0]

    def suited(self, view: View, size: Size) -> tuple[Frame, float]:
        """The level at which the view is hardly larger than ``size``, and its scale: bilinear sampling at that
        size then passes over nothing."""
        k = 0
        while (
            min(view.width * self.size[0] / size[0], view.height * self.size[1] / size[1]) >= 1.7 * 2**k
            and min(self._levels[k].shape[:2]) >= 24
        ):
            k += 1
            if len(self._levels) == k:
                self._levels.append(halved(self._levels[-1], self._part_at(k)))
        return self._levels[k], 0.5**k

    def soft(self, view: View, size: Size) -> tuple[Frame, float]:
        """The same, blurred as a picture of ``size`` is that was averaged to it and softened."""
        frame, scale = self.suited(view, size)
        ratio_x = view.width * self.size[0] * scale / size[0]
        ratio_y = view.height * self.size[1] * scale / size[1]
        spread_x, spread_y = (min(1.4, max(0.3, _SOFT * ratio)) for ratio in (ratio_x, ratio_y))
        blurred = np.zeros_like(frame)
        part = self._part_at(round(log2(1 / scale)))
        cv2.GaussianBlur(frame[part], (5, 5), spread_x, dst=blurred[part], sigmaY=spread_y)
        return blurred, scale

    def _part_at(self, level: int) -> tuple[slice, slice]:
        """The rows and columns of a level that are made."""
        rows, columns = (slice(each.start >> level, each.stop >> level) for each in self._part)
        return rows, columns


class Template:
    """A picture at one small size, ready to be aligned to."""

    def __init__(self, picture: Frame, long_side: int, points: int) -> None:
        height, width = picture.shape[:2]
        scale = long_side / max(width, height)
        self.size = max(16, round(width * scale)), max(16, round(height * scale))
        self.colour = shrink(picture, self.size)
        grey = cv2.GaussianBlur(self.colour.astype(np.float32) @ _GREY, (0, 0), _SOFT)
        slope_x = cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3) / 8 * self.size[0]
        slope_y = cv2.Sobel(grey, cv2.CV_32F, 0, 1, ksize=3) / 8 * self.size[1]
        strength = np.hypot(slope_x / self.size[0], slope_y / self.size[1])
        rows, columns = _spread(strength, points)
        self.u: Floats = ((columns + 0.5) / self.size[0]).astype(np.float32)
        self.v: Floats = ((rows + 0.5) / self.size[1]).astype(np.float32)
        self.levels: Floats = grey[rows, columns]
        dx, dy = slope_x[rows, columns], slope_y[rows, columns]
        columns_of = [dx, dx * (self.u - 0.5), dy, dy * (self.v - 0.5), self.levels, np.ones_like(dx)]
        self._columns: Floats = np.stack(columns_of).astype(np.float32)
        self._rows = np.ascontiguousarray(self._columns.T)
        self._cell = (self.u * _CELLS).astype(np.intp) * _CELLS + (self.v * _CELLS).astype(np.intp)
        self._crowd = np.maximum(1.0, np.bincount(self._cell, minlength=_CELLS * _CELLS))

    @property
    def usable(self) -> bool:
        """Whether there are edges enough to hold on to."""
        return len(self.u) >= 32

    def align(self, pyramid: Pyramid, start: View, rounds: int, tether: float, before: Fit | None = None) -> Fit:
        """The view near ``start`` that shows the picture best. ``tether`` is how far, in shares of the view, it
        is expected to have moved; where the film says little, it stays. ``before`` is the fit of the frame before:
        what strays much more than its spread is something else in front."""
        frame, scale = pyramid.soft(start, self.size)
        finest = _SETTLED / max(self.size)
        limit = max(0.25 * tether, 1.5 / max(self.size))
        moved = np.zeros(4)
        view = start
        levels, shown = self._sample(frame, view, scale, pyramid.size)
        if before is None:
            gain, offset = _line(levels, self.levels, shown)
            most = np.inf
        else:
            gain, offset = before.gain, before.offset
            most = before.spread
        spread = _NOISE
        weights = levels
        for i in range(rounds + 1):
            residual = levels - (gain * self.levels + offset)
            spread = min(most, _spread_of(residual))
            weights = self._weights(residual, shown, spread)
            if i == rounds:
                break
            solved = self._solve(levels, weights, moved, tether, gain, before)
            if solved is None:
                break
            step, gain, offset = solved
            step = np.clip(step, -limit, limit)
            moved += step
            view = start.moved(*moved.tolist())
            if np.abs(step).max() < finest:
                break
            levels, shown = self._sample(frame, view, scale, pyramid.size)
        counted = shown if before is None else self._believed(weights, shown)
        trust = float(weights.mean() if shown is None else weights.sum() / max(1.0, float(shown.sum())))
        return Fit(view, self._agreement(levels, counted), trust, gain, offset, spread)

    def _sample(self, frame: Frame, view: View, scale: float, size: Size) -> tuple[Floats, Floats | None]:
        """The film's grey levels at the points, and which points the film shows; None means all."""
        left, top, width, height = (part * scale for part in view.box(size))
        x = self.u * np.float32(width) + np.float32(left - 0.5)
        y = self.v * np.float32(height) + np.float32(top - 0.5)
        colours = cv2.remap(frame, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        levels = colours.reshape(-1, 3).astype(np.float32) @ _GREY
        if left >= 0 and top >= 0 and left + width <= frame.shape[1] and top + height <= frame.shape[0]:
            return levels, None
        shown = (x > -0.5) & (y > -0.5) & (x < frame.shape[1] - 0.5) & (y < frame.shape[0] - 0.5)
        return levels, shown.astype(np.float32)

    def _weights(self, residual: Floats, shown: Floats | None, spread: float) -> Floats:
        """Tukey's: 1 where the film follows the picture, 0 where something else stands. Under a hand some points
        agree by chance, so a point is believed only as far as its neighbours are."""
        weights = np.maximum(1.0 - (residual * np.float32(1 / (3.5 * spread))) ** 2, 0.0)
        weights = np.asarray(weights * weights, np.float32)
        if shown is not None:
            weights = weights * shown
        belief = np.clip((self._share(weights, shown) - _BELIEF) / 0.3, 0.0, 1.0).astype(np.float32)
        return np.asarray(weights * belief[self._cell], np.float32)

    def _solve(
        self, levels: Floats, weights: Floats, moved: NDArray[np.float64], tether: float, gain: float,
        before: Fit | None,
    ) -> tuple[NDArray[np.float64], float, float] | None:  # fmt: skip
        """A step of the view, and the gain and offset, by weighted least squares; None where the film says nothing.

        The film is gain x picture + offset - gain x derivatives x step, so the first four unknowns are -gain x step.
        """
        weighted = self._columns * weights
        normal = (weighted @ self._rows).astype(np.float64)
        right = (weighted @ levels).astype(np.float64)
        diagonal = normal.reshape(-1)[::7]
        held = _NOISE**2 / tether**2 / max(gain, 0.1)
        diagonal[:4] += held / max(gain, 0.1)
        diagonal[4:] += 1e-3
        right[:4] += held * moved
        if before is not None:
            # Light changes slowly. Without this a plain hand over most points would pass for a picture without gain.
            steady = len(levels) * before.spread**2 / _STEPS**2
            diagonal[4:] += steady
            right[4:] += steady * (before.gain, before.offset)
        try:
            solution = np.linalg.solve(normal, right)
        except np.linalg.LinAlgError:
            return None
        if not solution[4] > 0.05:
            return None
        return -solution[:4] / solution[4], float(solution[4]), float(solution[5])

    def _share(self, weights: Floats, shown: Floats | None) -> NDArray[np.float64]:
        """The mean weight in each cell."""
        count = _CELLS * _CELLS
        crowd = self._crowd if shown is None else np.maximum(1.0, np.bincount(self._cell, shown, count))
        return np.bincount(self._cell, weights, count) / crowd

    def _believed(self, weights: Floats, shown: Floats | None) -> Floats:
        """1 for the points in cells that mostly follow the picture: not under a hand."""
        believed = np.asarray((self._share(weights, shown) > _BELIEF)[self._cell], np.float32)
        return believed if shown is None else np.asarray(believed * shown, np.float32)

    def _agreement(self, levels: Floats, counted: Floats | None) -> float:
        """Correlation over the points that count; 0 if they are few."""
        ours, theirs = self.levels, levels
        if counted is not None:
            kept = counted > 0
            if not kept.all():
                ours, theirs = ours[kept], theirs[kept]
        if len(ours) < max(16, 0.15 * len(self.levels)):
            return 0.0
        ours, theirs = ours - ours.mean(), theirs - theirs.mean()
        power = float(ours @ ours) * float(theirs @ theirs)
        return float(ours @ theirs) / power**0.5 if power > 1.0 else 0.0


def _spread_of(residual: Floats) -> float:
    size = np.abs(residual)
    middle = len(size) // 2
    return max(_NOISE, 1.5 * float(np.partition(size, middle)[middle]))


def shrink(picture: Frame, size: Size) -> Frame:
    """At another, mostly smaller size, averaged."""
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _line(film: Floats, picture: Floats, shown: Floats | None) -> tuple[float, float]:
    """Gain and offset by least squares."""
    if shown is not None:
        kept = shown > 0
        film, picture = film[kept], picture[kept]
    if len(film) < 16:
        return 1.0, 0.0
    mean_x, mean_y = float(picture.mean()), float(film.mean())
    dx = picture - mean_x
    gain = float(dx @ film) / max(1.0, float(dx @ dx))
    return gain, mean_y - gain * mean_x


def _spread(strength: Floats, points: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The strongest places, but some in each part of the picture. The rim is left out: beyond it nothing is known."""
    height, width = strength.shape
    rim = 2
    inner = np.zeros_like(strength)
    inner[rim:-rim, rim:-rim] = strength[rim:-rim, rim:-rim]
    inner[inner < max(2.0, 0.08 * float(inner.max(initial=0.0)))] = 0
    quota = max(1, points // (2 * _CELLS * _CELLS))
    kept = np.zeros(strength.shape, np.bool_)
    for rows in np.array_split(np.arange(height), _CELLS):
        for columns in np.array_split(np.arange(width), _CELLS):
            place = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            part = inner[place]
            if part.size > quota:
                part = np.where(part >= np.partition(part, -quota, axis=None)[-quota], part, 0)
            kept[place] = part > 0
    rest = np.where(kept, 0, inner)
    spare = points - int(kept.sum())
    if 0 < spare < rest.size:
        kept |= (rest > 0) & (rest >= np.partition(rest, -spare, axis=None)[-spare])
    down, across = np.nonzero(kept)
    return down, across
