"""Fine alignment: Gauss-Newton on a few thousand points of a picture where it has edges.

The film's levels at those points are regressed on six known columns: the picture's own derivatives by shift and
growth in x and y, the picture, and one. The columns never change, so a step is one sampling and a 6 x 6 solve.
Places that changed since, such as a moving dot or a hand, lose their weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.picture import Frame
from vmevalkit.media.view import View, halved

Floats = NDArray[np.float32]

_GREY = np.full(3, 1 / 3, np.float32)
"""Equal parts, so that yellow on white is seen."""
_NOISE = 4.0
"""Levels that are never taken for a change."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Where the picture was found."""

    view: View
    agreement: float
    """Correlation of the film with the picture at the points, from -1 to 1."""
    inliers: float
    """Share of the points that follow the picture."""


class Pyramid:
    """A frame and its halves, made when they are asked for."""

    def __init__(self, frame: Frame) -> None:
        self._levels = [frame]

    @property
    def size(self) -> tuple[int, int]:
        return self._levels[0].shape[1], self._levels[0].shape[0]

    def level(self, k: int) -> Frame:
        while len(self._levels) <= k:
            self._levels.append(halved(self._levels[-1]))
        return self._levels[k]


class Template:
    """A picture at one small size, ready to be aligned to."""

    def __init__(self, picture: Frame, long_side: int, points: int) -> None:
        height, width = picture.shape[:2]
        scale = long_side / max(width, height)
        self.size = max(16, round(width * scale)), max(16, round(height * scale))
        self.colour = shrink(picture, self.size)
        grey = cv2.GaussianBlur(self.colour.astype(np.float32) @ _GREY, (0, 0), 0.7)
        slope_x = cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3) / 8 * self.size[0]
        slope_y = cv2.Sobel(grey, cv2.CV_32F, 0, 1, ksize=3) / 8 * self.size[1]
        strength = np.hypot(slope_x / self.size[0], slope_y / self.size[1])
        rows, columns = _spread(strength, points)
        self.u: Floats = ((columns + 0.5) / self.size[0]).astype(np.float32)
        self.v: Floats = ((rows + 0.5) / self.size[1]).astype(np.float32)
        self.levels: Floats = grey[rows, columns]
        dx, dy = slope_x[rows, columns], slope_y[rows, columns]
        one = np.ones_like(dx)
        self._columns: Floats = np.stack(
            [dx, dx * (self.u - 0.5), dy, dy * (self.v - 0.5), self.levels, one]
        ).astype(np.float32)
        self._rows = np.ascontiguousarray(self._columns.T)

    @property
    def usable(self) -> bool:
        return len(self.u) >= 32

    def align(self, pyramid: Pyramid, start: View, rounds: int, tether: float) -> Fit:
        """The view near ``start`` that shows the picture best. ``tether`` is how far, in shares of the view, it
        is expected to have moved; where the film says little, it stays."""
        level, scale = self._film_level(pyramid, start)
        view = start
        moved = np.zeros(4)
        weights: Floats | None = None
        levels, shown = self._sample(level, view, scale, pyramid.size)
        hold = np.diag([1 / tether**2] * 4 + [1e-6, 1e-6])
        for _ in range(rounds):
            weights = self._weights(levels, shown, weights)
            step, gain, noise = self._step(levels, weights, hold, moved)
            if gain < 0.05:
                break
            limit = max(0.25 * tether, 1.5 / max(self.size))
            step = np.clip(step, -limit, limit)
            moved += step
            view = start.moved(*moved)
            levels, shown = self._sample(level, view, scale, pyramid.size)
            if np.abs(step).max() * max(self.size) < 0.02:
                break
        return self._judge(view, levels, shown)

    def _film_level(self, pyramid: Pyramid, view: View) -> tuple[Frame, float]:
        width = min(view.width * pyramid.size[0] / self.size[0], view.height * pyramid.size[1] / self.size[1])
        k = max(0, int(np.floor(np.log2(max(width, 1e-3) / 0.85))))
        smallest = min(pyramid.size)
        while k > 0 and smallest >> k < 12:
            k -= 1
        return pyramid.level(k), 0.5**k

    def _sample(self, level: Frame, view: View, scale: float, size: tuple[int, int]) -> tuple[Floats, Floats]:
        left, top, width, height = (part * scale for part in view.box(size))
        x = self.u * np.float32(width) + np.float32(left - 0.5)
        y = self.v * np.float32(height) + np.float32(top - 0.5)
        colours = cv2.remap(level, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        shown = (x > -0.5) & (y > -0.5) & (x < level.shape[1] - 0.5) & (y < level.shape[0] - 0.5)
        return colours.reshape(-1, 3).astype(np.float32) @ _GREY, shown.astype(np.float32)

    def _weights(self, levels: Floats, shown: Floats, before: Floats | None) -> Floats:
        """Tukey's, about the line film = gain x picture + offset."""
        weights = shown if before is None else before
        gain, offset = _line(levels, self.levels, weights)
        residual = levels - gain * self.levels - offset
        size = np.abs(residual)
        middle = len(size) // 2
        spread = max(_NOISE, 1.5 * float(np.partition(size, middle)[middle]))
        return np.asarray(np.maximum(0.0, 1.0 - (residual / (3.5 * spread)) ** 2) ** 2 * shown, np.float32)

    def _step(
        self, levels: Floats, weights: Floats, hold: NDArray[np.float64], moved: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], float, float]:
        weighted = self._columns * weights
        normal = (weighted @ self._rows).astype(np.float64)
        right = (weighted @ levels).astype(np.float64)
        centre = np.linalg.lstsq(normal[4:, 4:] + np.eye(2) * 1e-3, right[4:], rcond=None)[0]
        residual = levels - centre[0] * self.levels - centre[1]
        noise = max(1.0, float(weights @ residual**2) / max(1.0, float(weights.sum())))
        gain = max(0.05, float(centre[0]))
        # Unknowns are -gain * step for the first four; the tether pulls towards moved = 0.
        prior = hold * noise
        pull = np.zeros(6)
        pull[:4] = noise * np.diag(hold)[:4] * moved / gain
        try:
            solution = np.linalg.solve(normal + prior / np.array([gain**2] * 4 + [1, 1]), right + pull)
        except np.linalg.LinAlgError:
            return np.zeros(4), 0.0, noise
        if solution[4] < 0.05:
            return np.zeros(4), 0.0, noise
        return -solution[:4] / solution[4], float(solution[4]), noise

    def _judge(self, view: View, levels: Floats, shown: Floats) -> Fit:
        weights = self._weights(levels, shown, None)
        weights = self._weights(levels, shown, weights)
        total = max(1.0, float(shown.sum()))
        mean_x, mean_y = float(shown @ self.levels) / total, float(shown @ levels) / total
        dx, dy = (self.levels - mean_x) * shown, (levels - mean_y) * shown
        power = float(dx @ dx) * float(dy @ dy)
        agreement = float(dx @ dy) / power**0.5 if power > 1.0 else 0.0
        return Fit(view, agreement, float((weights > 0.1).sum()) / total)


def shrink(picture: Frame, size: tuple[int, int]) -> Frame:
    """At another, mostly smaller size, averaged."""
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _line(levels: Floats, picture: Floats, weights: Floats) -> tuple[float, float]:
    total = float(weights.sum())
    if total < 1.0:
        return 1.0, 0.0
    mean_x, mean_y = float(weights @ picture) / total, float(weights @ levels) / total
    dx = (picture - mean_x) * weights
    variance = float(dx @ (picture - mean_x))
    gain = float(dx @ (levels - mean_y)) / variance if variance > 1.0 else 1.0
    return gain, mean_y - gain * mean_x


def _spread(strength: Floats, points: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The strongest places, but some in each part of the picture. The rim is left out: beyond it nothing is known."""
    height, width = strength.shape
    rim = 2
    inner = np.zeros_like(strength)
    inner[rim:-rim, rim:-rim] = strength[rim:-rim, rim:-rim]
    inner[inner < max(2.0, 0.08 * float(inner.max(initial=0.0)))] = 0
    cells = 8
    quota = max(1, points // (2 * cells * cells))
    kept = np.zeros(strength.shape, np.bool_)
    for rows in np.array_split(np.arange(height), cells):
        for columns in np.array_split(np.arange(width), cells):
            place = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            part = inner[place]
            if part.size > quota:
                part = np.where(part >= np.partition(part, -quota, axis=None)[-quota], part, 0)
            kept[place] = part > 0
    rest = np.where(kept, 0, inner)
    spare = points - int(kept.sum())
    if 0 < spare < rest.size:
        kept |= (rest > 0) & (rest >= np.partition(rest, -spare, axis=None)[-spare])
    return np.nonzero(kept)  # type: ignore[return-value]
