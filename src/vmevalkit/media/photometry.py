"""Photometry: estimate how a video changed the levels and colours of an image as a whole, and restore them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.colour_grade import GradeFitter
from vmevalkit.media.image import Frame
from vmevalkit.media.pyramid import Pyramid
from vmevalkit.media.view import ViewRect

Triple = tuple[float, float, float]
Levels = NDArray[np.float32]

_ROUNDS = 5
_FRAME_CHANGE = 6.0
"""Levels by which the video may change from one frame to the next. Larger differences count as something else."""
_BLACK_WEIGHT = 0.004
"""Weight of the assumption that black stays black, against 1 for all pixels: where an image is all white, darkening
counts as a gain."""
_GRADED_LEVELS, _REGRADED_LEVELS = 5.0, 1.5
"""Where gain and offset leave a colour of the image by more than the first, a colour grade is tried; where there is one
already, it is renewed from the second on."""
_TINT, _TINT_LEVELS = 0.03, 10.0
"""Gains that differ more between channels, with offsets above the second, are a sign of a grade."""
_COLOURED_LEVELS = 30.0
"""Difference between the channels of a colour that is not a grey."""
_GROUND_LEVELS = 16.0
"""A pixel that is as near as this to the ground's colour shows the ground: what was there has moved away."""
_APART_LEVELS = 80.0
"""Two colours that differ by so many levels never become one by a grade that can be read."""
_LEFT_SHARE, _LEFT_PIXELS = 0.15, 4
"""Least share and number of a colour's pixels that must still show something else than the ground."""
_SAME_LEVELS, _SAME_SHARE = 12.0, 0.6
"""So many of them must have the same colour within these levels: edges of moving things have many colours."""


_NOISE_LEVELS, _UNCHANGED_SHARE = 2, 0.98
"""Levels by which coding changes a pixel, and the share of the pixels that stay the same while the light does. Each
colour has more pixels than the rest."""


@dataclass(frozen=True, slots=True)
class Photometry:
    """The model video = gain x (mix x image) + offset, with a gain and an offset for each channel."""

    gain: Triple = (1.0, 1.0, 1.0)
    offset: Triple = (0.0, 0.0, 0.0)
    mix: tuple[Triple, Triple, Triple] | None = None
    """How hue and saturation mix the channels: a matrix that leaves grey as it is. None means that they do not."""

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The matrix from colours of the image to those of the video, without the offset."""
        return np.diag(self.gain) if self.mix is None else np.array(self.gain)[:, None] * np.array(self.mix)

    def correct_levels(self, frame: Frame) -> Frame:
        """Return the frame with the levels of the original image."""
        has_gain = any(abs(g - 1) >= 0.004 for g in self.gain) or any(abs(o) >= 0.5 for o in self.offset)
        if self.mix is None and not has_gain:
            return frame
        inverse = np.linalg.inv(self.matrix)
        offset = inverse @ np.array(self.offset)
        return np.asarray(cv2.transform(frame, np.column_stack([inverse, -offset])), np.uint8)


def find_flat_pixels(colour: Frame, count: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Levels]:
    """Return the rows, columns and weights of pixels without an edge nearby: there blur does not change the levels.

    The pixels are spread evenly over the image, with more of rare colours. All colours have the same total weight, so
    that a dark dot counts as much as the white background.
    """
    kernel = np.ones((3, 3), np.uint8)
    spread = np.asarray(cv2.subtract(cv2.dilate(colour, kernel), cv2.erode(colour, kernel))).max(axis=2)
    rim = 3
    spread[:rim] = spread[-rim:] = 255
    spread[:, :rim] = spread[:, -rim:] = 255
    rows, columns = np.nonzero(spread <= 6)
    kinds, members = np.unique(quantise_colours(colour[rows, columns]), return_inverse=True)
    chosen, weights = [], []
    for k in range(len(kinds)):
        pixels = np.flatnonzero(members == k)
        if len(pixels) < 4:
            continue
        quota = max(16, round(count * len(pixels) / len(rows)))
        pixels = pixels[np.linspace(0, len(pixels) - 1, min(len(pixels), quota)).astype(int)]
        chosen.append(pixels)
        weights.append(np.full(len(pixels), 1 / max(24, len(pixels)), np.float32))
    if not chosen:
        return rows[:0], columns[:0], np.empty(0, np.float32)
    index, weight = np.concatenate(chosen), np.concatenate(weights)
    return rows[index], columns[index], weight / weight.sum()


def quantise_colours(colours: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Return a number for each colour (n x 3) that is equal for nearly equal ones."""
    return np.asarray(colours.astype(np.int32) // 32 @ np.array([64, 8, 1]), np.int32)


def estimate_photometry(
    video: Levels, image: Levels, weights: Levels, guess: Photometry | None = None
) -> Photometry | None:
    """Return the photometry from levels at the same pixels (n x 3 each). Pixels that changed are ignored; None if too
    few agree.

    ``guess`` is the photometry of the previous frame. Levels change slowly, so a pixel that is far from it shows
    something else. Only if most pixels are far from it, the photometry is estimated without the guess.
    """
    if len(video) < 16:
        return None
    mix = None if guess is None else guess.mix
    if mix is not None:
        image = image @ np.array(mix, np.float32).T
    if guess is not None:
        near = _fit_lines(video, image, weights, np.array(guess.gain), np.array(guess.offset), _FRAME_CHANGE)
        if near is not None:
            return replace(near, mix=mix)
    found = _fit_lines(video, image, weights, np.ones(3), np.median(video - image, axis=0), np.inf)
    return found if found is None else replace(found, mix=mix)


def _fit_lines(
    video: Levels, image: Levels, weights: Levels, gain: NDArray[Any], offset: NDArray[Any], max_spread: float
) -> Photometry | None:
    """Fit a line for each channel by iteratively reweighted least squares, with Tukey's weights."""
    video, image = np.ascontiguousarray(video.T), np.ascontiguousarray(image.T)
    count = video.shape[1]
    for _ in range(_ROUNDS):
        residual = video - (gain[:, None] * image + offset[:, None]).astype(np.float32)
        typical = 1.5 * np.partition(np.abs(residual), count // 2, axis=1)[:, count // 2]
        spread = np.clip(typical, 2.0, max_spread).astype(np.float32)
        trust = np.maximum(0.0, 1.0 - (residual / (4.0 * spread)[:, None]) ** 2)
        if np.count_nonzero(trust, axis=1).min() < 0.45 * count:
            return None
        trust *= trust * weights
        total = trust.sum(axis=1) + _BLACK_WEIGHT
        mean_x, mean_y = _channel_dots(trust, image) / total, _channel_dots(trust, video) / total
        weighted = trust * (image - mean_x[:, None])
        variance = _channel_dots(weighted, image) + _BLACK_WEIGHT * mean_x**2
        covariance = _channel_dots(weighted, video) + _BLACK_WEIGHT * mean_x * mean_y
        new_gain = np.clip(covariance / np.maximum(variance, 1e-3), 0.1, 4.0)
        has_converged = bool(np.abs(new_gain - gain).max() < 2e-3)
        gain, offset = new_gain, mean_y - new_gain * mean_x
        if has_converged:
            break
    return Photometry(_to_triple(gain), _to_triple(offset))


def _channel_dots(one: Levels, other: Levels) -> Levels:
    """Return the inner product of each channel."""
    return np.asarray(np.einsum("cn,cn->c", one, other), np.float32)


def median(levels: NDArray[Any]) -> float:
    """Return the median of a row of levels. It is much faster than ``np.median`` for short rows."""
    above = len(levels) // 2
    below = above if len(levels) % 2 else above - 1
    ranked = np.partition(levels, (below, above))
    return (float(ranked[below]) + float(ranked[above])) / 2


def measure_same_share(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """Return the share of pixels (n x 3) that have the same colour, up to coding noise."""
    is_same = cv2.inRange(cv2.absdiff(one, other)[None], (0, 0, 0), (_NOISE_LEVELS,) * 3)
    return cv2.countNonZero(is_same) / max(1, len(one))


class LevelEstimator:
    """Estimates the photometry of a frame by comparing levels where the image is flat."""

    def __init__(self, colour: Frame, count: int = 600) -> None:
        self._size = colour.shape[1], colour.shape[0]
        rows, columns, self._weights = find_flat_pixels(colour, count)
        self._u = ((columns + 0.5) / self._size[0]).astype(np.float32)
        self._v = ((rows + 0.5) / self._size[1]).astype(np.float32)
        self._colours = colour[rows, columns].astype(np.float32)
        names, self._kinds = np.unique(quantise_colours(colour[rows, columns]), return_inverse=True)
        palette = [np.median(self._colours[self._kinds == kind], axis=0) for kind in range(len(names))]
        self._palette = np.array(palette, np.float64).reshape(-1, 3)
        self._grade_fitter = GradeFitter(self._palette)
        self._ground = int(np.bincount(self._kinds).argmax()) if len(names) else 0
        self._measured: tuple[ViewRect, NDArray[np.uint8]] | None = None
        """The pixels from which the light was last measured, and where the image was."""
        self.is_blank = False
        """Whether the last frame showed only the ground wherever the image has another colour."""
        self.ground_shift = 0.0
        """Levels by which the ground of the last frame differs from that of the image."""

    def estimate(self, pyramid: Pyramid, view: ViewRect, guess: Photometry | None) -> Photometry | None:
        """Return the photometry of the frame where the view shows the image; None where too few pixels agree."""
        frame, scale = pyramid.select_level(view, self._size)
        left, top, width, height = (length * scale for length in view.compute_bounds(pyramid.size))
        x, y = (places.astype(np.intp) for places in view.map_points(self._u, self._v, pyramid.size, scale))
        colours, weights, kinds = self._colours, self._weights, self._kinds
        if not (left >= 0 and top >= 0 and left + width <= frame.shape[1] and top + height <= frame.shape[0]):
            visible = (x >= 0) & (y >= 0) & (x < frame.shape[1]) & (y < frame.shape[0])
            x, y, colours, weights, kinds = x[visible], y[visible], colours[visible], weights[visible], kinds[visible]
        shown = frame[y, x]
        if guess is not None and self._is_as_measured(view, shown):
            return guess
        self._measured = None if guess is None else (view, shown)
        video = shown.astype(np.float32)
        found = estimate_photometry(video, colours, weights, guess)
        return self._regrade(video, kinds, found) or found

    def _is_as_measured(self, view: ViewRect, shown: NDArray[np.uint8]) -> bool:
        """Return whether nearly all pixels are as they were when the light was last measured."""
        if self._measured is None or self._measured[0] != view or self._measured[1].shape != shown.shape:
            return False
        return measure_same_share(shown, self._measured[1]) >= _UNCHANGED_SHARE

    def _regrade(self, video: Levels, kinds: NDArray[np.intp], found: Photometry | None) -> Photometry | None:
        """Return the photometry with a colour grade; None where gain and offset explain the colours well enough."""
        ground = self._observe(video, kinds, self._ground, None)
        if ground is None:
            return None
        pairs = {self._ground: ground}
        self.ground_shift = float(np.abs(np.asarray(ground) - self._palette[self._ground]).max())
        for kind in range(len(self._palette)):
            observed = None if kind == self._ground else self._observe(video, kinds, kind, ground)
            if observed is not None:
                pairs[kind] = observed
        self.is_blank = len(pairs) == 1 < len(self._palette)
        self._leave_out_covered(pairs)
        if len(pairs) == 1:
            return None
        members = list(pairs)
        colours, shown = self._palette[members], np.array([pairs[kind] for kind in members], np.float64)
        expected = colours if found is None else colours @ found.matrix.T + found.offset
        off = np.abs(shown - expected).max(axis=1)
        is_tinted = False
        if found is not None:
            # A grade changes all colours. One that changes alone, as a question mark that fades, is not graded.
            is_coloured = np.ptp(colours, axis=1) > _COLOURED_LEVELS
            is_off = is_coloured & (off > (_GRADED_LEVELS if found.mix is None else _REGRADED_LEVELS))
            # Gain and offset explain any change of a single colour, but not by light of one colour.
            has_offset = bool(np.abs(found.offset).max() > _TINT_LEVELS)
            is_tinted = bool(is_coloured.any()) and float(np.std(found.gain)) > _TINT and has_offset
            if np.count_nonzero(is_off) < max(1, min(2, int(np.count_nonzero(is_coloured)))) and not is_tinted:
                return None
        is_new = found is not None and found.mix is None and not is_tinted
        unexplained = float(((shown - expected) ** 2).sum()) if is_new else np.inf
        grade = self._grade_fitter.fit(shown, members, unexplained)
        if grade is None:
            return None
        gain = grade.matrix.sum(axis=1)
        mix = grade.matrix / gain[:, None]
        rows = _to_triple(mix[0]), _to_triple(mix[1]), _to_triple(mix[2])
        return Photometry(_to_triple(gain), _to_triple(grade.offset), rows)

    def _leave_out_covered(self, pairs: dict[int, NDArray[np.float32]]) -> None:
        """Leave out colours in whose places one and the same is seen: a grade keeps them apart, a cover does not."""
        kinds = [kind for kind in pairs if kind != self._ground]
        covered = {
            kind
            for one, other in combinations(kinds, 2)
            if np.abs(self._palette[one] - self._palette[other]).max() > _APART_LEVELS
            and np.abs(pairs[one] - pairs[other]).max() < _SAME_LEVELS
            for kind in (one, other)
        }
        for kind in covered:
            del pairs[kind]

    def _observe(
        self, video: Levels, kinds: NDArray[np.intp], kind: int, ground: NDArray[np.float32] | None
    ) -> NDArray[np.float32] | None:
        """Return what the video shows instead of a colour; None where only the ground is left there."""
        pixels = video[kinds == kind]
        count = len(pixels)
        if ground is not None:
            pixels = pixels[np.abs(pixels - ground).max(axis=1) > _GROUND_LEVELS]
        if len(pixels) < max(_LEFT_PIXELS, _LEFT_SHARE * count):
            return None
        middle = len(pixels) // 2
        observed = np.asarray(np.partition(pixels, middle, axis=0)[middle], np.float32)
        is_same = np.abs(pixels - observed).max(axis=1) < _SAME_LEVELS
        return observed if np.count_nonzero(is_same) >= _SAME_SHARE * len(pixels) else None


def _to_triple(values: NDArray[Any]) -> Triple:
    return float(values[0]), float(values[1]), float(values[2])
