"""The pose of the camera: a view is rendered small, compared with a frame, and moved until both agree.

The colours that explain the frame best follow by least squares from the parts of the render. So another colour of the
sculpture, a colour cast or another gain do not change the pose.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Mask
from vmevalkit.tasks.rotation_task.backdrop import Floats, segment_backdrop
from vmevalkit.tasks.rotation_task.mesh import build_mesh
from vmevalkit.tasks.rotation_task.parts import FINE, SIDE, PartRenderer, Pose, Window, make_view
from vmevalkit.tasks.rotation_task.render import project_view
from vmevalkit.tasks.rotation_task.scene import VoxelPuzzle
from vmevalkit.tasks.rotation_task.snakes import Voxels

_DELTA_DEG = 1.0
_MAX_STEP = np.array([12.0, 8.0, 0.1, 0.05, 0.05])
_SMALL_STEP = np.array([0.12, 0.15, 0.003, 0.0015, 0.0015])
_MIN_POSE = np.array([-np.inf, -89.0, -2.5, -1.5, -1.5])
_MAX_POSE = np.array([np.inf, 89.0, 1.5, 1.5, 1.5])
"""Beyond these the sculpture is outside of the image, smaller than some pixels, or seen from straight above."""
_OUTLIER = 40.0  # levels: a background that differs by more counts little, whatever it is
_MAX_SQUARE = 40.0**2  # squared levels; a larger difference counts no more
_MARGIN = 8  # pixels around the sculpture that are compared too


@dataclass(frozen=True, slots=True, eq=False)
class ObservedFrame:
    """A small frame that is to be explained."""

    pixels: Floats
    """3 x height x width, in levels."""
    visible: Floats | None
    """The share of each pixel that the video shows; None means all."""
    blur: float
    """Standard deviation of the blur, in pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class PoseFit:
    """How well one sculpture explains a frame, from its best pose."""

    voxels: Voxels
    """The sculpture."""
    pose: Pose
    """The best pose."""
    misfit: float
    """The share of the sculpture's contrast that is not explained, from 0 to about 1."""
    stray: float
    """What is around the sculpture and is not explained by the background, in the same measure."""
    contrast: float
    """The difference between the sculpture and the background, in levels."""
    palette: NDArray[np.float64]
    """3 x parts: the colour of each part of the render in levels, or the difference of a further backdrop colour."""
    window: Window
    """The area that was compared."""
    backdrop: Floats | None
    """Where in the window the backdrop has which of its colours; None where it has only one."""
    rest: Floats
    """The squared difference of each pixel of the window, in squared levels."""


def observe_frame(image: Frame, seen: Mask | None, blur: float = FINE) -> ObservedFrame:
    """Return a frame at the size of the small renders."""
    small = cv2.resize(image, (SIDE, SIDE), interpolation=cv2.INTER_AREA).astype(np.float32)
    pixels = np.array(cv2.split(cv2.GaussianBlur(small, (0, 0), blur)))
    if seen is None or seen.all():
        return ObservedFrame(pixels, None, blur)
    share = cv2.resize(seen.astype(np.float32), (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return ObservedFrame(pixels, np.asarray(cv2.erode(share, np.ones((3, 3)))), blur)


class PoseFitter:
    """Fits views of one puzzle's sculpture, or of another one in its place, to frames."""

    def __init__(self, puzzle: VoxelPuzzle) -> None:
        self.puzzle = puzzle
        self.renderer = PartRenderer(puzzle)

    def fit(
        self, frame: ObservedFrame, voxels: Voxels, start: Pose, rounds: int = 4, thorough: bool = False
    ) -> PoseFit:
        """Return the best fit near ``start``, by Gauss-Newton steps.

        The slopes are rendered once, and then corrected by the change that each step shows. A ``thorough`` fit ends
        only when freshly rendered slopes promise no improvement.
        """
        comparison = _Comparison(self.renderer, frame, voxels, start)
        slopes: Floats | None = None
        for _ in range(rounds):
            is_fresh = slopes is None
            if slopes is None:
                slopes = comparison.render_slopes(thorough)
            step, scale = comparison.find_step(slopes)
            change, is_better = comparison.try_step(step)
            surprise = change - np.tensordot(step.astype(np.float32), slopes, 1)
            share = (scale * step / (scale * step @ step + 1e-12)).astype(np.float32)
            slopes = slopes + share[:, None, None] * surprise
            if not is_better or (np.abs(step) < _SMALL_STEP).all():
                if is_fresh or not thorough:
                    break
                slopes = None
        return comparison.summarise()

    def measure_cost(self, frame: ObservedFrame, voxels: Voxels, fit: PoseFit) -> float:
        """Return what a sculpture in the place of the fit's leaves unexplained, in squared levels.

        What the fit took for backdrop may be a voxel, so another sculpture gets a backdrop of its own.
        """
        pixels = frame.pixels[:, *fit.window]
        seen = None if frame.visible is None else frame.visible[fit.window]
        parts = self.renderer.render_layers(voxels, fit.pose, frame.blur, fit.window, None)
        backdrop = fit.backdrop
        if backdrop is not None and voxels != fit.voxels:
            cover = self.renderer.measure_cover(parts).reshape(pixels.shape[1:])
            backdrop = segment_backdrop(pixels, cover, seen)
        if backdrop is not None:
            parts = self.renderer.add_backdrop(backdrop, parts, voxels, fit.pose, frame.blur, fit.window)
        weight = np.ones(parts.shape[1], np.float32) if seen is None else seen.ravel()
        palette, _ = _solve_palette(pixels.reshape(3, -1), parts, weight)
        rest = pixels.reshape(3, -1) - palette @ parts
        return float(weight @ np.minimum((rest * rest).sum(axis=0), _MAX_SQUARE))


class _Comparison:
    """One sculpture compared with one frame, within a window around it.

    Arrays are axes x pixels, parts x pixels and, for slopes, 5 x axes x pixels.
    """

    def __init__(self, renderer: PartRenderer, frame: ObservedFrame, voxels: Voxels, pose: Pose) -> None:
        self._renderer, self._voxels, self._blur = renderer, voxels, frame.blur
        self._window = rows, columns = _find_window(renderer.puzzle, voxels, pose)
        pixels = frame.pixels[:, rows, columns]
        seen = None if frame.visible is None else frame.visible[rows, columns]
        self._shape = pixels.shape[1:]
        self._pixels = pixels.reshape(3, -1)
        self._seen = None if seen is None else seen.ravel()
        self._backdrop: Floats | None = None
        self._pose, self._parts = pose, self._render(pose)
        self._backdrop = segment_backdrop(pixels, renderer.measure_cover(self._parts).reshape(self._shape), seen)
        if self._backdrop is not None:
            self._parts = renderer.add_backdrop(self._backdrop, self._parts, voxels, pose, frame.blur, self._window)
        weight = np.ones(self._parts.shape[1], np.float32) if self._seen is None else self._seen
        palette, _ = _solve_palette(self._pixels, self._parts, weight)
        self._axes = renderer.choose_axes(palette)
        for _ in range(2):  # the second time without the outliers of the first
            self._values = self._axes @ self._pixels
            weight = self._weigh(self._values - (self._axes @ palette) @ self._parts)
            palette, _ = _solve_palette(self._pixels, self._parts, weight)
            self._axes = renderer.choose_axes(palette)
        self._weight = weight
        self._values = self._axes @ self._pixels
        self._levels, self._gram = _solve_palette(self._values, self._parts, self._weight)

    def _render(self, pose: Pose) -> Floats:
        return self._renderer.render_layers(self._voxels, pose, self._blur, self._window, self._backdrop)

    def _weigh(self, rest: Floats) -> Floats:
        """Return a small weight for a large difference: a table, a hand or a wrong voxel must not pull at the pose.

        While the frame is blurred to find the pose at all, that holds only around the sculpture.
        """
        square = (rest * rest).sum(axis=0)
        weight = 1 / (1 + square * np.float32(1 / _OUTLIER**2)) ** 2
        if self._blur > FINE:
            around = np.clip(1 - self._renderer.measure_cover(self._parts) * 10, 0, 1)
            weight = 1 - around + around * weight
        return np.asarray(weight if self._seen is None else weight * self._seen)

    def render_slopes(self, both_ways: bool) -> Floats:
        """Return how the render changes with each number of the pose."""
        shade = self._levels @ self._parts
        slopes = np.empty((5, *shade.shape), np.float32)
        for k, delta in enumerate(np.eye(5)[:2] * _DELTA_DEG):
            ahead = self._levels @ self._render(self._pose + delta)
            back = self._levels @ self._render(self._pose - delta) if both_ways else shade
            slopes[k] = (ahead - back) / (2 * _DELTA_DEG if both_ways else _DELTA_DEG)
        for axis, values in enumerate(shade):
            image = values.reshape(self._shape)
            slopes[3, axis] = cv2.Sobel(image, cv2.CV_32F, 1, 0, ksize=1, scale=-0.5 * SIDE).ravel()
            slopes[4, axis] = cv2.Sobel(image, cv2.CV_32F, 0, 1, ksize=1, scale=-0.5 * SIDE).ravel()
        down, across = (
            ((np.arange(span.start, span.stop) + 0.5) / SIDE - 0.5 - offset).astype(np.float32)
            for span, offset in zip(self._window, self._pose[[4, 3]], strict=True)
        )
        slopes[2] = slopes[3] * np.tile(across, len(down)) + slopes[4] * np.repeat(down, len(across))
        return slopes

    def find_step(self, slopes: Floats) -> tuple[Pose, Pose]:
        """Return the step that is best by the slopes, with free colours, and the weight of each number of the pose."""
        rest = self._values - self._levels @ self._parts
        flat = slopes.reshape(-1, slopes.shape[2])
        free = flat - np.linalg.solve(self._gram, (self._parts * self._weight) @ flat.T).T @ self._parts
        weighted = (free * self._weight).reshape(5, -1)
        normal = (weighted @ free.reshape(5, -1).T).astype(np.float64)
        scale = np.diag(normal) + 1e-6
        step = np.linalg.solve(normal + np.diag(1e-3 * scale), (weighted @ rest.ravel()).astype(np.float64))
        step = step.clip(-_MAX_STEP, _MAX_STEP)
        return (self._pose + step).clip(_MIN_POSE, _MAX_POSE) - self._pose, scale

    def try_step(self, step: Pose) -> tuple[Floats, bool]:
        """Take the step if it is better. Returns how the render changes by it, and whether it was taken."""
        shade = self._levels @ self._parts
        parts = self._render(self._pose + step)
        change = self._levels @ parts - shade
        levels, _ = _solve_palette(self._values, parts, self._weight)
        cost, old_cost = (_measure_cost(self._weight, self._values - values) for values in (levels @ parts, shade))
        is_better = cost < old_cost
        if is_better:
            self._pose, self._parts = self._pose + step, parts
            self._weight = self._weigh(self._values - levels @ parts)
            self._levels, self._gram = _solve_palette(self._values, parts, self._weight)
        return np.asarray(change), is_better

    def _colour_behind(self, palette: Floats) -> Floats:
        """Return the backdrop's colour at each pixel."""
        main = self._renderer.find_background(palette)[:, None]
        if self._backdrop is None:
            return np.asarray(main)
        differences = self._renderer.find_differences(palette)
        areas = self._backdrop[-differences.shape[1] :]
        return np.asarray(main + differences @ areas.reshape(len(areas), -1))

    def summarise(self) -> PoseFit:
        """Return the fit at the current pose."""
        rest = self._values - self._levels @ self._parts
        palette, _ = _solve_palette(self._pixels, self._parts, self._weigh(rest))
        cover = self._renderer.measure_cover(self._parts)
        if self._seen is not None:
            cover = cover * self._seen
        total = max(_measure_cost(cover, self._values - self._axes @ self._colour_behind(palette)), 1.0)
        square = (rest * rest).sum(axis=0)
        around = np.maximum(1 - cover * 4, 0) if self._seen is None else np.maximum(self._seen - cover * 4, 0)
        return PoseFit(
            voxels=self._voxels,
            pose=self._pose,
            misfit=_measure_cost(cover, rest) / total,
            stray=float(around @ np.minimum(square, _MAX_SQUARE)) / total,
            contrast=float(np.sqrt(total / max(float(cover.sum()), 1.0))),
            palette=palette.astype(np.float64),
            window=self._window,
            backdrop=self._backdrop,
            rest=square,
        )


def _find_window(puzzle: VoxelPuzzle, voxels: Voxels, pose: Pose) -> Window:
    """Return the area around a sculpture, at least eight pixels wide and high."""
    points = project_view(puzzle, make_view(voxels, pose), build_mesh(voxels).corners) * SIDE
    low = (points.min(axis=0) - _MARGIN).clip(0, SIDE - 8).astype(int)
    high = (points.max(axis=0) + _MARGIN + 1).clip(low + 8, SIDE).astype(int)
    return slice(low[1], high[1]), slice(low[0], high[0])


def _measure_cost(weight: Floats, rest: Floats) -> float:
    return float((weight * rest * rest).sum())


def _solve_palette(pixels: Floats, parts: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return the colours of the parts that explain the pixels best, and the matrix of the parts' products."""
    weighted = parts * weight
    gram = weighted @ parts.T
    gram.ravel()[:: len(gram) + 1] += 1e-2
    return np.linalg.solve(gram, weighted @ pixels.T).T, gram
