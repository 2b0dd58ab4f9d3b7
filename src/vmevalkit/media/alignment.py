"""Fine alignment: Gauss-Newton on a few thousand points of an image where it has edges.

The video's levels at those points are regressed on known columns: the image's own derivatives by shift and scale in
x and y, where the view may be warped also those by shear and tilt, the image, and one. The columns never change, so a
step is one sampling and a solve of 6 or 10 unknowns. Points that changed since, such as those under a moving dot or a
hand, lose their weight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Size
from vmevalkit.media.pyramid import BLUR_SIGMA, Pyramid
from vmevalkit.media.view import ViewRect

Floats = NDArray[np.float32]

_GREY = np.full(3, 1 / 3, np.float32)
"""Equal parts, so that yellow on white is visible."""
_NOISE = 4.0
"""Differences in levels that never count as a change."""
_CONVERGED_PX = 0.03
"""Pixels of the template: a smaller step is the last."""
_LIGHT_STEPS = np.array([0.05, 5.0])
"""The usual largest change of gain and offset from one frame to the next."""
_SAME_LIGHT_SHARE = 0.8
"""The share of the points that a light explains if the frame has it."""
_SHADE_LEVELS, _EVEN_LEVELS = 24.0, 1.0
"""Levels from which on a point counts little for the slope of the light, and by which light that is even may change
from the middle of a white image to its side."""
_MIN_GAIN = 0.05
"""With less, an image is blank."""
_CELLS = 8
"""Rows and columns of the grid of cells, within which points are neighbours."""
_MIN_CELL_WEIGHT = 0.3
"""Mean weight of a cell's points that is needed for any of them to be trusted."""


@dataclass(frozen=True, slots=True)
class AlignmentResult:
    """Where the image was found in a frame, and how well it agrees."""

    view: ViewRect
    agreement: float
    """Correlation of the video with the image, from -1 to 1: at all points, or where the previous frame is known, at
    the points that seem not to be covered."""
    trust: float = 0.0
    """Mean weight of the points that the video shows, from 0 to 1: low where much has changed or is covered."""
    gain: float = 1.0
    offset: float = 0.0
    spread: float = _NOISE
    """Levels by which the video differs from the image where nothing has changed."""
    pull_px: float = 0.0
    """Pixels of the template by which shear and tilt, if they were allowed, would move a corner."""


class Template:
    """An image at one small size, with the points by which frames are aligned to it."""

    def __init__(self, image: Frame, long_side: int, points: int) -> None:
        height, width = image.shape[:2]
        scale = long_side / max(width, height)
        self.size = max(16, round(width * scale)), max(16, round(height * scale))
        self.colour = shrink_frame(image, self.size)
        grey = cv2.GaussianBlur(self.colour.astype(np.float32) @ _GREY, (0, 0), BLUR_SIGMA)
        slope_x = cv2.Sobel(grey, cv2.CV_32F, 1, 0, ksize=3) / 8 * self.size[0]
        slope_y = cv2.Sobel(grey, cv2.CV_32F, 0, 1, ksize=3) / 8 * self.size[1]
        strength = np.hypot(slope_x / self.size[0], slope_y / self.size[1])
        rows, columns = _select_points(strength, points)
        self.u: Floats = ((columns + 0.5) / self.size[0]).astype(np.float32)
        self.v: Floats = ((rows + 0.5) / self.size[1]).astype(np.float32)
        self.levels: Floats = grey[rows, columns]
        self.colours: Floats = self.colour[rows, columns].astype(np.float32)
        """The colours at the points, n x 3."""
        dx, dy = slope_x[rows, columns], slope_y[rows, columns]
        a, b = self.u - 0.5, self.v - 0.5
        depth = -(dx * a + dy * b)
        shift_and_scale, light = [dx, dx * a, dy, dy * b], [self.levels, np.ones_like(dx)]
        self._upright = _Columns([*shift_and_scale, *light])
        self._warped = _Columns([*shift_and_scale, dx * b, dy * a, depth * a, depth * b, *light])
        self._across: Floats = np.stack([a, b, np.ones_like(a)]).astype(np.float32) * self.levels
        self._sampled: tuple[ViewRect, Size, NDArray[np.intp]] | None = None
        """Which pixels are nearest to the points, in the view and frame size that were sampled last."""
        self._cell = (self.u * _CELLS).astype(np.intp) * _CELLS + (self.v * _CELLS).astype(np.intp)
        self._cell_counts = np.maximum(1.0, np.bincount(self._cell, minlength=_CELLS * _CELLS))

    @property
    def is_usable(self) -> bool:
        """Whether the image has enough edges for an alignment."""
        return len(self.u) >= 32

    def align(
        self, pyramid: Pyramid, start: ViewRect, rounds: int, tether: float, previous: AlignmentResult | None = None,
        warp: bool = False,
    ) -> AlignmentResult:  # fmt: skip
        """Return the view near ``start`` that shows the image best.

        ``tether`` is how far the view is expected to have moved, as a fraction of it; where the video has little
        contrast, it stays. ``previous`` is the alignment of the previous frame: a point that differs much more than
        its spread shows something else. With ``warp``, shear and tilt may change too.
        """
        columns = self._warped if warp else self._upright
        frame, scale = pyramid.select_blurred_level(start, self.size)
        min_step = _CONVERGED_PX / max(self.size)
        max_step = max(0.25 * tether, 1.5 / max(self.size))
        motion = np.zeros(columns.motions)
        view = start
        levels, visible = self._sample(frame, view, scale, pyramid.size)
        if previous is None:
            gain, offset = _fit_line(levels, self.levels, visible)
            max_spread = np.inf
        else:
            previous = self._follow_light(levels, visible, previous)
            gain, offset = previous.gain, previous.offset
            max_spread = previous.spread
        shade = self._measure_shade(levels, visible, gain, offset)
        if shade is not None:
            levels = levels - shade
        spread = _NOISE
        weights = levels
        for i in range(rounds + 1):
            residual = levels - (gain * self.levels + offset)
            spread = min(max_spread, _estimate_spread(residual))
            weights = self._compute_weights(residual, visible, spread)
            if i == rounds:
                break
            solution = columns.solve(levels, weights, motion, tether, gain, previous)
            if solution is None:
                break
            step, gain, offset = solution
            step = np.clip(step, -max_step, max_step)
            motion += step
            view = start.move(*motion.tolist())
            if np.abs(step).max() < min_step:
                break
            levels, visible = self._sample(frame, view, scale, pyramid.size)
            if shade is not None:
                levels = levels - shade
        counted = visible if previous is None else self._find_trusted_points(weights, visible)
        trust = float(weights.mean() if visible is None else weights.sum() / max(1.0, float(visible.sum())))
        pull = 0.0
        if not warp and previous is not None:
            pull = self._measure_pull(levels, weights, motion, tether, gain, previous)
        return AlignmentResult(view, self._correlate(levels, counted), trust, gain, offset, spread, pull)

    def _follow_light(self, levels: Floats, visible: Floats | None, previous: AlignmentResult) -> AlignmentResult:
        """Return the previous alignment, with the light of this frame where that has changed at once, as in a fade, and
        explains nearly all points. What covers many points does not."""
        if self._measure_explained_share(levels, visible, previous) >= _SAME_LIGHT_SHARE:
            return previous
        gain, offset = _fit_line(levels, self.levels, visible)
        changed = replace(previous, gain=gain, offset=offset)
        share = self._measure_explained_share(levels, visible, changed)
        return changed if gain > _MIN_GAIN and share >= _SAME_LIGHT_SHARE else previous

    def _measure_shade(self, levels: Floats, visible: Floats | None, gain: float, offset: float) -> Floats | None:
        """Return by how many levels light from one side changes each point; None where it is even. Without this, the
        slope of the light would count as a tilt."""
        residual = levels - (gain * self.levels + offset)
        weights = 1 / (1 + (residual * np.float32(1 / _SHADE_LEVELS)) ** 2)
        if visible is not None:
            weights = weights * visible
        weighted = self._across * weights
        normal = (weighted @ self._across.T).astype(np.float64) + np.eye(3)
        slopes = np.linalg.solve(normal, (weighted @ residual).astype(np.float64))
        slopes[2] = 0.0  # what is even everywhere is left to gain and offset
        if np.abs(slopes).max() * 255 / 2 < _EVEN_LEVELS:
            return None
        return np.asarray(slopes.astype(np.float32) @ self._across, np.float32)

    def _measure_explained_share(self, levels: Floats, visible: Floats | None, light: AlignmentResult) -> float:
        """Return the share of the visible points that differ by less than the spread."""
        explained = np.abs(levels - (light.gain * self.levels + light.offset)) < light.spread
        if visible is None:
            return float(explained.mean())
        return float((explained * visible).sum() / max(1.0, float(visible.sum())))

    def count_explained(self, pyramid: Pyramid, view: ViewRect, light: AlignmentResult, levels: float) -> int:
        """Return how many points are visible and differ by less than so many levels, if the image was at ``view``."""
        residual, visible = self._compare(pyramid, view, light)
        return int(np.count_nonzero((residual < levels) & (True if visible is None else visible > 0)))

    def compute_residuals(self, pyramid: Pyramid, view: ViewRect, light: AlignmentResult) -> Floats:
        """Return by how many levels the video differs at the points, if it showed the image at ``view``. Points that
        are not visible have 0."""
        residual, visible = self._compare(pyramid, view, light)
        return np.asarray(residual if visible is None else residual * visible, np.float32)

    def _compare(self, pyramid: Pyramid, view: ViewRect, light: AlignmentResult) -> tuple[Floats, Floats | None]:
        """Return by how many levels the video differs at the points, and which are visible; None means all."""
        frame, scale = pyramid.select_blurred_level(view, self.size)
        levels, visible = self._sample(frame, view, scale, pyramid.size)
        return np.abs(levels - (light.gain * self.levels + light.offset)), visible

    def sample_pixels(self, frame: Frame, view: ViewRect) -> Frame:
        """Return the pixels of a frame that are nearest to the points."""
        height, width = frame.shape[:2]
        sampled = self._sampled
        if sampled is None or sampled[:2] != (view, (width, height)):
            x, y = view.map_points(self.u, self.v, (width, height))
            columns, rows = np.clip(x.astype(np.intp), 0, width - 1), np.clip(y.astype(np.intp), 0, height - 1)
            sampled = self._sampled = view, (width, height), rows * width + columns
        return np.asarray(frame.reshape(-1, 3).take(sampled[2], axis=0), np.uint8)

    def _measure_pull(
        self, levels: Floats, weights: Floats, motion: NDArray[np.float64], tether: float, gain: float,
        previous: AlignmentResult,
    ) -> float:  # fmt: skip
        """Return the pixels by which a step of shear and tilt would move a corner."""
        solution = self._warped.solve(levels, weights, np.append(motion, np.zeros(4)), tether, gain, previous)
        if solution is None:
            return 0.0
        shear_x, shear_y, tilt_x, tilt_y = np.abs(solution[0][4:])
        tilt = (tilt_x + tilt_y) / 4
        return float(max((shear_x / 2 + tilt) * self.size[0], (shear_y / 2 + tilt) * self.size[1]))

    def _sample(self, frame: Frame, view: ViewRect, scale: float, size: Size) -> tuple[Floats, Floats | None]:
        """Return the video's grey levels at the points, and which points are visible; None means all."""
        x, y = view.map_points(self.u, self.v, size, scale)
        x, y = x - np.float32(0.5), y - np.float32(0.5)
        left, top, width, height = (length * scale for length in view.compute_bounds(size))
        colours = cv2.remap(frame, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        levels = colours.reshape(-1, 3).astype(np.float32) @ _GREY
        if left >= 0 and top >= 0 and left + width <= frame.shape[1] and top + height <= frame.shape[0]:
            return levels, None
        visible = (x > -0.5) & (y > -0.5) & (x < frame.shape[1] - 0.5) & (y < frame.shape[0] - 0.5)
        return levels, visible.astype(np.float32)

    def _compute_weights(self, residual: Floats, visible: Floats | None, spread: float) -> Floats:
        """Return Tukey's weights: 1 where the video agrees with the image, 0 where it shows something else.

        Under a hand some points agree by chance, so the weight of a point is limited by that of its neighbours.
        """
        weights = np.maximum(1.0 - (residual * np.float32(1 / (3.5 * spread))) ** 2, 0.0)
        weights = np.asarray(weights * weights, np.float32)
        if visible is not None:
            weights = weights * visible
        cell_weights = self._average_cells(weights, visible)
        cell_trust = np.clip((cell_weights - _MIN_CELL_WEIGHT) / 0.3, 0.0, 1.0).astype(np.float32)
        return np.asarray(weights * cell_trust[self._cell], np.float32)

    def _average_cells(self, weights: Floats, visible: Floats | None) -> NDArray[np.float64]:
        """Return the mean weight in each cell."""
        count = _CELLS * _CELLS
        if visible is None:
            return np.bincount(self._cell, weights, count) / self._cell_counts
        return np.bincount(self._cell, weights, count) / np.maximum(1.0, np.bincount(self._cell, visible, count))

    def _find_trusted_points(self, weights: Floats, visible: Floats | None) -> Floats:
        """Return 1 for the points in cells that mostly agree with the image: they are not under a hand."""
        trusted = np.asarray((self._average_cells(weights, visible) > _MIN_CELL_WEIGHT)[self._cell], np.float32)
        return trusted if visible is None else np.asarray(trusted * visible, np.float32)

    def _correlate(self, levels: Floats, counted: Floats | None) -> float:
        """Return the correlation over the points that count; 0 if they are few."""
        ours, theirs = self.levels, levels
        if counted is not None:
            chosen = counted > 0
            if not chosen.all():
                ours, theirs = ours[chosen], theirs[chosen]
        if len(ours) < max(16, 0.15 * len(self.levels)):
            return 0.0
        ours, theirs = ours - ours.mean(), theirs - theirs.mean()
        power = float(ours @ ours) * float(theirs @ theirs)
        return float(ours @ theirs) / power**0.5 if power > 1.0 else 0.0


class _Columns:
    """The columns of the regression, for one set of unknowns: those of the view's motion, gain and offset."""

    def __init__(self, columns: list[Floats]) -> None:
        self._columns: Floats = np.stack(columns).astype(np.float32)
        self._rows = np.ascontiguousarray(self._columns.T)
        self.motions = len(columns) - 2
        """Number of unknowns of the motion."""

    def solve(
        self, levels: Floats, weights: Floats, motion: NDArray[np.float64], tether: float, gain: float,
        previous: AlignmentResult | None,
    ) -> tuple[NDArray[np.float64], float, float] | None:  # fmt: skip
        """Return a step of the view, the gain and the offset by weighted least squares; None without a solution.

        The video is gain x image + offset - gain x derivatives x step, so the first unknowns are -gain x step.
        """
        count = self.motions
        weighted = self._columns * weights
        normal = (weighted @ self._rows).astype(np.float64)
        right = (weighted @ levels).astype(np.float64)
        diagonal = normal.reshape(-1)[:: count + 3]
        stiffness = _NOISE**2 / tether**2 / max(gain, 0.1)
        diagonal[:count] += stiffness / max(gain, 0.1)
        diagonal[count:] += 1e-3
        right[:count] += stiffness * motion
        if previous is not None:
            # Light changes slowly. Without this, a plain hand over most points would count as an image without gain.
            light_stiffness = len(levels) * previous.spread**2 / _LIGHT_STEPS**2
            diagonal[count:] += light_stiffness
            right[count:] += light_stiffness * (previous.gain, previous.offset)
        try:
            solution = np.linalg.solve(normal, right)
        except np.linalg.LinAlgError:
            return None
        if not solution[count] > _MIN_GAIN:
            return None
        return -solution[:count] / solution[count], float(solution[count]), float(solution[count + 1])


def _estimate_spread(residual: Floats) -> float:
    size = np.abs(residual)
    middle = len(size) // 2
    return max(_NOISE, 1.5 * float(np.partition(size, middle)[middle]))


def shrink_frame(image: Frame, size: Size) -> Frame:
    """Return the image at another, usually smaller size, averaged."""
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _fit_line(video: Floats, image: Floats, visible: Floats | None) -> tuple[float, float]:
    """Return gain and offset by least squares."""
    if visible is not None:
        chosen = visible > 0
        video, image = video[chosen], image[chosen]
    if len(video) < 16:
        return 1.0, 0.0
    mean_x, mean_y = float(image.mean()), float(video.mean())
    dx = image - mean_x
    gain = float(dx @ video) / max(1.0, float(dx @ dx))
    return gain, mean_y - gain * mean_x


def _select_points(strength: Floats, points: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows and columns of the strongest edges, with some in each cell of the image. The rim is left out,
    because nothing is known beyond it."""
    height, width = strength.shape
    rim = 2
    inner = np.zeros_like(strength)
    inner[rim:-rim, rim:-rim] = strength[rim:-rim, rim:-rim]
    inner[inner < max(2.0, 0.08 * float(inner.max(initial=0.0)))] = 0
    quota = max(1, points // (2 * _CELLS * _CELLS))
    selected = np.zeros(strength.shape, np.bool_)
    for rows in np.array_split(np.arange(height), _CELLS):
        for columns in np.array_split(np.arange(width), _CELLS):
            cell = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
            part = inner[cell]
            if part.size > quota:
                part = np.where(part >= np.partition(part, -quota, axis=None)[-quota], part, 0)
            selected[cell] = part > 0
    rest = np.where(selected, 0, inner)
    spare = points - int(selected.sum())
    if 0 < spare < rest.size:
        selected |= (rest > 0) & (rest >= np.partition(rest, -spare, axis=None)[-spare])
    down, across = np.nonzero(selected)
    return down, across
