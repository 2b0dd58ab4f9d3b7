"""Where the camera stands: a view is rendered small, compared with a frame, and moved until both agree.

Colours are never assumed. A small render says for each pixel how much of it is background, face and edge; the colours
that explain the frame best follow by least squares. Where voxels have colours of their own, the best linear change of
all colours follows instead. So a recoloured sculpture, a cast or another gain leave the pose alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.picture import Frame, Mask
from vmevalkit.tasks.rotation_task.backdrop import Floats, areas_of
from vmevalkit.tasks.rotation_task.camera import camera_of, solid_of
from vmevalkit.tasks.rotation_task.render import ALPHA, SHADE, draw_sculpture, face_fills
from vmevalkit.tasks.rotation_task.scene import BASE_COLOUR, RotationPuzzle, View
from vmevalkit.tasks.rotation_task.snakes import Voxels

Pose = NDArray[np.float64]
"""Azimuth and elevation in degrees, the logarithm of the zoom, the shift to the right and down."""

Window = tuple[slice, slice]
"""Rows and columns."""

SIDE = 100
"""Of the small renders, in pixels."""
FINE, COARSE = 0.8, 2.2
"""How much a frame is blurred to be compared: finely, or so that lines a few pixels apart still meet."""
_DELTA_DEG = 1.0
_LONGEST_STEP = np.array([12.0, 8.0, 0.1, 0.05, 0.05])
_SMALL_STEP = np.array([0.12, 0.15, 0.003, 0.0015, 0.0015])
_OUTLIER = 40.0  # levels: a background that differs by more counts little, whatever stands there
_OWN_COLOUR = 30.0  # levels by which a table differs in other colours than the sculpture does
_CAP = 40.0**2  # squared levels: more than this is as wrong as can be
_MARGIN = 8  # pixels around the sculpture that are compared too


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A frame made small, to be explained."""

    pixels: Floats
    """3 x height x width, in levels."""
    seen: Floats | None
    """How much of each pixel the film shows; None means all."""
    blur: float


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """How well one sculpture explains a frame, from where it does so best."""

    voxels: Voxels
    pose: Pose
    misfit: float
    """What is left unexplained of the sculpture's contrast, from 0 to about 1."""
    stray: float
    """What stands around the sculpture that the background does not explain, in the same measure."""
    contrast: float
    """How much the sculpture stands out from the background, in levels."""
    palette: NDArray[np.float64]
    """3 x parts: the colour in levels that each part of the render stands for, or, of a further colour of the backdrop,
    how it differs."""
    window: Window
    """What was compared."""
    backdrop: Floats | None
    """Where in the window the backdrop has which of its colours; None where it has but one."""
    rest: Floats
    """For each pixel of the window the squared difference, in squared levels."""


def look_at(picture: Frame, seen: Mask | None, blur: float = FINE) -> Look:
    small = cv2.resize(picture, (SIDE, SIDE), interpolation=cv2.INTER_AREA).astype(np.float32)
    pixels = np.array(cv2.split(cv2.GaussianBlur(small, (0, 0), blur)))
    if seen is None or seen.all():
        return Look(pixels, None, blur)
    share = cv2.resize(seen.astype(np.float32), (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return Look(pixels, np.asarray(cv2.erode(share, np.ones((3, 3)))), blur)


class PoseFitter:
    """Fits views of one puzzle's sculpture, or of another in its place, to frames."""

    def __init__(self, puzzle: RotationPuzzle) -> None:
        self.puzzle = puzzle
        self._fills: dict[Voxels, NDArray[np.float64]] = {}

    def parts(self, voxels: Voxels, pose: Pose, blur: float = FINE) -> Floats:
        """A small render: how much of each pixel is background, face (the brighter, the more) and edge.

        Where voxels have colours of their own it is red, green, blue and a constant.
        """
        if voxels not in self._fills:
            self._fills[voxels] = self._part_fills(voxels)
        coloured = bool(self.puzzle.colours)
        canvas = Canvas(SIDE, SIDE, (1.0, 1.0, 1.0) if coloured else (1.0, 0.0, 0.0))
        edge = (0.0, 0.0, 0.0) if coloured else (0.0, 0.0, 1.0)
        draw_sculpture(canvas, self.puzzle, view_at(voxels, pose), self._fills[voxels], edge)
        blurred = cv2.split(cv2.GaussianBlur(canvas.frame().astype(np.float32), (0, 0), blur))
        if coloured:
            blurred = (*blurred, np.full((SIDE, SIDE), 255, np.float32))
        return np.array(blurred) * np.float32(1 / 255)

    def layers(self, voxels: Voxels, pose: Pose, blur: float, window: Window, backdrop: Floats | None) -> Floats:
        """The parts within a window as parts x pixels, and more of them where the backdrop has several colours."""
        parts = self.parts(voxels, pose, blur)[:, *window]
        parts = parts.reshape(len(parts), -1)
        return parts if backdrop is None else self.in_front_of(backdrop, parts, voxels, pose, blur, window)

    def in_front_of(
        self, backdrop: Floats, parts: Floats, voxels: Voxels, pose: Pose, blur: float, window: Window
    ) -> Floats:
        """The parts, and those of the backdrop, which stand for how each of its colours differs from the main one.

        Where voxels have colours of their own, the main one too is such a part: it differs from what the white of the
        first frame became.
        """
        if self.puzzle.colours:
            behind = self._see_through(voxels, pose, blur)[window].ravel()
        else:
            behind, backdrop = parts[0], backdrop[1:]
        return np.concatenate([parts, behind * backdrop.reshape(len(backdrop), -1)])

    def _see_through(self, voxels: Voxels, pose: Pose, blur: float) -> Floats:
        """How much of each pixel is background."""
        canvas = Canvas(SIDE, SIDE, (1.0, 1.0, 1.0))
        fills = np.zeros((len(solid_of(voxels).faces), 4))
        fills[:, 3] = ALPHA
        draw_sculpture(canvas, self.puzzle, view_at(voxels, pose), fills, (0.0, 0.0, 0.0))
        share = canvas.frame()[:, :, 0].astype(np.float32) * np.float32(1 / 255)
        return np.asarray(cv2.GaussianBlur(share, (0, 0), blur))

    def cover(self, parts: Floats) -> Floats:
        """How much of each pixel the sculpture covers."""
        if self.puzzle.colours:
            return np.asarray(np.clip((1 - parts[:3].min(axis=0)) * 8, 0, 1))
        return np.asarray(1 - parts[0])

    def axes(self, palette: Floats) -> Floats:
        """The directions in colour to compare along, as rows.

        A sculpture of one colour needs a single one, where faces and edges stand out most from the background, and
        another where a table stands out in a colour of its own.
        """
        if self.puzzle.colours:
            return np.eye(3, dtype=np.float32)
        first = 2 * palette[:, 0] - palette[:, 1] - palette[:, 2]
        axes = [first / max(float(np.linalg.norm(first)), 1e-6)]
        for difference in palette[:, 3:].T:
            aside = palette[:, 1] - palette[:, 0] - difference
            for axis in axes:
                aside = aside - (aside @ axis) * axis
            size = float(np.linalg.norm(aside))
            if size > _OWN_COLOUR:
                axes.append(aside / size)
        return np.asarray(axes)

    def background(self, palette: NDArray[Any]) -> NDArray[Any]:
        """The main colour around the sculpture."""
        return np.asarray(palette[:, :4].sum(axis=1) if self.puzzle.colours else palette[:, 0])

    def fit(self, look: Look, voxels: Voxels, start: Pose, rounds: int = 4, thorough: bool = False) -> Fit:
        """Gauss-Newton from ``start``. The slopes are rendered once, and then mended by what each step shows.

        A ``thorough`` fit ends only when slopes that are rendered anew promise nothing better.
        """
        comparison = _Comparison(self, look, voxels, start)
        slopes: Floats | None = None
        for _ in range(rounds):
            fresh = slopes is None
            if slopes is None:
                slopes = comparison.slopes(thorough)
            step, scale = comparison.step(slopes)
            change, better = comparison.move(step)
            surprise = change - np.tensordot(step.astype(np.float32), slopes, 1)
            share = (scale * step / (scale * step @ step + 1e-12)).astype(np.float32)
            slopes = slopes + share[:, None, None] * surprise
            if not better or (np.abs(step) < _SMALL_STEP).all():
                if fresh or not thorough:
                    break
                slopes = None
        return comparison.outcome()

    def cost(self, look: Look, voxels: Voxels, fit: Fit) -> float:
        """What a sculpture in the place of a fit's leaves unexplained, in squared levels.

        What the fit took for backdrop may be a voxel, so another sculpture has its own.
        """
        pixels = look.pixels[:, *fit.window]
        seen = None if look.seen is None else look.seen[fit.window]
        parts = self.layers(voxels, fit.pose, look.blur, fit.window, None)
        backdrop = fit.backdrop
        if backdrop is not None and voxels != fit.voxels:
            backdrop = areas_of(pixels, self.cover(parts).reshape(pixels.shape[1:]), seen)
        if backdrop is not None:
            parts = self.in_front_of(backdrop, parts, voxels, fit.pose, look.blur, fit.window)
        weight = np.ones(parts.shape[1], np.float32) if seen is None else seen.ravel()
        palette, _ = _palette(pixels.reshape(3, -1), parts, weight)
        rest = pixels.reshape(3, -1) - palette @ parts
        return float(weight @ np.minimum((rest * rest).sum(axis=0), _CAP))

    def _part_fills(self, voxels: Voxels) -> NDArray[np.float64]:
        if self.puzzle.colours:
            return face_fills(voxels, painted(self.puzzle, voxels))
        solid = solid_of(voxels)
        fills = np.zeros((len(solid.faces), 4))
        fills[:, 1] = SHADE[solid.direction] / SHADE.max()
        fills[:, 3] = ALPHA
        return fills


class _Comparison:
    """One sculpture against one frame, within a window around it.

    Arrays are axes x pixels, parts x pixels and, for slopes, 5 x axes x pixels.
    """

    def __init__(self, fitter: PoseFitter, look: Look, voxels: Voxels, pose: Pose) -> None:
        self._fitter, self._voxels, self._blur = fitter, voxels, look.blur
        self._window = rows, columns = _window(fitter.puzzle, voxels, pose)
        pixels = look.pixels[:, rows, columns]
        self._shape = pixels.shape[1:]
        self._pixels = pixels.reshape(3, -1)
        self._seen = None if look.seen is None else look.seen[rows, columns].ravel()
        self._backdrop: Floats | None = None
        self._pose, self._parts = pose, self._render(pose)
        cover = fitter.cover(self._parts).reshape(self._shape)
        self._backdrop = areas_of(pixels, cover, None if look.seen is None else look.seen[rows, columns])
        if self._backdrop is not None:
            self._parts = fitter.in_front_of(self._backdrop, self._parts, voxels, pose, look.blur, self._window)
        weight = np.ones(self._parts.shape[1], np.float32) if self._seen is None else self._seen
        palette, _ = _palette(self._pixels, self._parts, weight)
        self._axes = fitter.axes(palette)
        for _ in range(2):  # a second time without what the first found to be something else
            self._values = self._axes @ self._pixels
            weight = self._weigh(self._values - (self._axes @ palette) @ self._parts)
            palette, _ = _palette(self._pixels, self._parts, weight)
            self._axes = fitter.axes(palette)
        self._weight = weight
        self._values = self._axes @ self._pixels
        self._levels, self._gram = _palette(self._values, self._parts, self._weight)

    def _render(self, pose: Pose) -> Floats:
        return self._fitter.layers(self._voxels, pose, self._blur, self._window, self._backdrop)

    def _weigh(self, rest: Floats) -> Floats:
        """A large difference counts little: a table, a hand or a wrong voxel shall not pull at the pose.

        As long as the frame is blurred to find the pose at all, that holds around the sculpture only.
        """
        square = (rest * rest).sum(axis=0)
        weight = 1 / (1 + square * np.float32(1 / _OUTLIER**2)) ** 2
        if self._blur > FINE:
            around = np.clip(1 - self._fitter.cover(self._parts) * 10, 0, 1)
            weight = 1 - around + around * weight
        return np.asarray(weight if self._seen is None else weight * self._seen)

    def slopes(self, both_ways: bool) -> Floats:
        """How the render changes with each number of the pose."""
        shade = self._levels @ self._parts
        slopes = np.empty((5, *shade.shape), np.float32)
        for k, aside in enumerate(np.eye(5)[:2] * _DELTA_DEG):
            ahead = self._levels @ self._render(self._pose + aside)
            back = self._levels @ self._render(self._pose - aside) if both_ways else shade
            slopes[k] = (ahead - back) / (2 * _DELTA_DEG if both_ways else _DELTA_DEG)
        for axis, values in enumerate(shade):
            picture = values.reshape(self._shape)
            slopes[3, axis] = cv2.Sobel(picture, cv2.CV_32F, 1, 0, ksize=1, scale=-0.5 * SIDE).ravel()
            slopes[4, axis] = cv2.Sobel(picture, cv2.CV_32F, 0, 1, ksize=1, scale=-0.5 * SIDE).ravel()
        down, across = (
            ((np.arange(span.start, span.stop) + 0.5) / SIDE - 0.5 - off).astype(np.float32)
            for span, off in zip(self._window, self._pose[[4, 3]], strict=True)
        )
        slopes[2] = slopes[3] * np.tile(across, len(down)) + slopes[4] * np.repeat(down, len(across))
        return slopes

    def step(self, slopes: Floats) -> tuple[Pose, Pose]:
        """The step that the slopes promise to be best, the colours being free; and the weight of each number."""
        rest = self._values - self._levels @ self._parts
        flat = slopes.reshape(-1, slopes.shape[2])
        free = flat - np.linalg.solve(self._gram, (self._parts * self._weight) @ flat.T).T @ self._parts
        weighted = (free * self._weight).reshape(5, -1)
        normal = (weighted @ free.reshape(5, -1).T).astype(np.float64)
        scale = np.diag(normal) + 1e-6
        step = np.linalg.solve(normal + np.diag(1e-3 * scale), (weighted @ rest.ravel()).astype(np.float64))
        return step.clip(-_LONGEST_STEP, _LONGEST_STEP), scale

    def move(self, step: Pose) -> tuple[Floats, bool]:
        """Take the step if it helps. Returns how the render changes by it, and whether it was taken."""
        shade = self._levels @ self._parts
        tried = self._render(self._pose + step)
        change = self._levels @ tried - shade
        levels, _ = _palette(self._values, tried, self._weight)
        better = _cost(self._weight, self._values - levels @ tried) < _cost(self._weight, self._values - shade)
        if better:
            self._pose, self._parts = self._pose + step, tried
            self._weight = self._weigh(self._values - levels @ tried)
            self._levels, self._gram = _palette(self._values, tried, self._weight)
        return np.asarray(change), better

    def _behind(self, palette: Floats) -> Floats:
        """The colour behind each pixel."""
        main = self._fitter.background(palette)[:, None]
        if self._backdrop is None:
            return np.asarray(main)
        differences = palette[:, 4:] if self._fitter.puzzle.colours else palette[:, 3:]
        areas = self._backdrop[-differences.shape[1] :]
        return np.asarray(main + differences @ areas.reshape(len(areas), -1))

    def outcome(self) -> Fit:
        rest = self._values - self._levels @ self._parts
        palette, _ = _palette(self._pixels, self._parts, self._weigh(rest))
        cover = self._fitter.cover(self._parts)
        if self._seen is not None:
            cover = cover * self._seen
        total = max(_cost(cover, self._values - self._axes @ self._behind(palette)), 1.0)
        square = (rest * rest).sum(axis=0)
        around = np.maximum(1 - cover * 4, 0) if self._seen is None else np.maximum(self._seen - cover * 4, 0)
        return Fit(
            voxels=self._voxels,
            pose=self._pose,
            misfit=_cost(cover, rest) / total,
            stray=float(around @ np.minimum(square, _CAP)) / total,
            contrast=float(np.sqrt(total / max(float(cover.sum()), 1.0))),
            palette=palette.astype(np.float64),
            window=self._window,
            backdrop=self._backdrop,
            rest=square,
        )


def painted(puzzle: RotationPuzzle, voxels: Voxels) -> tuple[str, ...]:
    """The colours of a sculpture that may be another: a voxel keeps its own, a new one has the base colour."""
    if not puzzle.colours:
        return puzzle.paint
    own = dict(zip(puzzle.voxels, puzzle.colours, strict=True))
    return tuple(own.get(voxel, BASE_COLOUR) for voxel in voxels)


def view_at(voxels: Voxels, pose: Pose) -> View:
    """What a pose shows of a sculpture."""
    azim_deg, elev_deg, zoom, across, down = pose.tolist()
    return View(azim_deg, elev_deg, voxels, zoom=exp(zoom), shift=(across, down))


def _window(puzzle: RotationPuzzle, voxels: Voxels, pose: Pose) -> Window:
    points = camera_of(puzzle).project(solid_of(voxels).corners, pose[0], pose[1])
    points = (points * exp(pose[2]) + pose[3:] + 0.5) * SIDE
    low = (points.min(axis=0) - _MARGIN).clip(0, SIDE - 8).astype(int)
    high = (points.max(axis=0) + _MARGIN + 1).clip(low + 8, SIDE).astype(int)
    return slice(low[1], high[1]), slice(low[0], high[0])


def _cost(weight: Floats, rest: Floats) -> float:
    return float((weight * rest * rest).sum())


def _palette(pixels: Floats, parts: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """What the parts stand for if they are to explain the pixels best, and the matrix of the parts' products."""
    weighted = parts * weight
    gram = weighted @ parts.T
    gram.ravel()[:: len(gram) + 1] += 1e-2
    return np.linalg.solve(gram, weighted @ pixels.T).T, gram
