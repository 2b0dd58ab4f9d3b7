"""Templates: small images of a pipe at every angle, and the fit of one of them to a patch of a frame."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas
from vmevalkit.tasks.rotation_puzzle_task.render import compute_outline
from vmevalkit.tasks.rotation_puzzle_task.scene import get_period_deg

Patch: TypeAlias = NDArray[np.float32]
"""The share of pipe in each pixel of a small square image, flattened."""

STEP_DEG = 5
BLUR_SIGMA_PX = 0.8
"""Standard deviation of the blur that patches and templates get alike."""
_REACH = 0.57
"""Radius of the compared disc, in squares: all of a pipe, and nothing of its neighbours."""
_MAX_OPACITY = 1.15
_ALTERNATIVE_DEG = 40
"""Angles at least this far from the best one are alternatives to it."""
_REGULARISATION = np.diag([0.0, 1e-4 / 16, 1e-4, 1e-4])
_MAX_STEP = np.array([6.0, 4.0, 4.0])
"""Degrees and pixels beyond which the linear step is not valid."""
_MIN_OPACITY = 0.1


class PipeFit(NamedTuple):
    """The template that explains a patch best."""

    angle_deg: float
    dx: float
    """Offset of the pipe from the middle of the patch, in pixels of the patch."""
    dy: float
    opacity: float
    misfit: float
    """The unexplained part of the patch, relative to a whole pipe."""
    alternative_misfit: float
    """The misfit of the best clearly different angle."""


class PipeTemplates:
    """Templates of one shape at one size."""

    def __init__(self, shape: str, square: float) -> None:
        self.shape, self.square = shape, square
        self.side = 2 * int(np.ceil(_REACH * square + 0.5))
        self.angles = np.arange(0, get_period_deg(shape), STEP_DEG)
        middle = self.side / 2
        steps = np.arange(self.side) + 0.5 - middle
        self.disc: Patch = (np.hypot(steps[:, None], steps[None, :]) <= _REACH * square).astype(np.float32).ravel()
        self.centroid = _compute_centroid(shape) * square
        """Offset of the centre of mass from the centre, at 0 degrees."""
        self.templates: Patch = np.stack([self.render(float(angle)) for angle in self.angles])
        """One row for each angle."""
        self.columns: Patch = np.stack([self._differentiate(i, float(angle)) for i, angle in enumerate(self.angles)])
        """For each angle: the template and its derivatives by degree, x and y."""
        self.energies: Patch = (self.templates**2).sum(axis=1)
        self._squares = self.templates**2
        self._normals = np.einsum("kip,kjp->kij", self.columns, self.columns).astype(np.float64)
        period = len(self.angles) * STEP_DEG
        turn = np.abs((self.angles[:, None] - self.angles + period / 2) % period - period / 2)
        self._is_alternative = turn >= _ALTERNATIVE_DEG
        self.area = float(self.templates.sum(axis=1).mean())
        """Area of the shape, in pixels."""

    def render(self, angle_deg: float, x: float = 0.0, y: float = 0.0) -> Patch:
        """Return the template with its centre shifted from the middle."""
        canvas = Canvas(self.side, self.side, (0, 0, 0))
        corners = compute_outline(self.shape, angle_deg) * self.square + (self.side / 2 + x, self.side / 2 + y)
        canvas.polygon(corners, fill="#ffffff")
        ink = canvas.frame()[..., 0].astype(np.float32) / 255
        return np.asarray(cv2.GaussianBlur(ink, (0, 0), BLUR_SIGMA_PX), np.float32).ravel() * self.disc

    def _differentiate(self, row: int, angle_deg: float) -> Patch:
        by_angle = (self.render(angle_deg + 2) - self.render(angle_deg - 2)) / 4
        by_x = self.render(angle_deg, 0.5) - self.render(angle_deg, -0.5)
        by_y = self.render(angle_deg, 0.0, 0.5) - self.render(angle_deg, 0.0, -0.5)
        return np.stack([self.templates[row], by_angle, by_x, by_y])

    def fit(self, patch: Patch, weights: Patch | None = None) -> PipeFit:
        """Return the best fit to a patch. ``weights`` are 0 where the patch is not reliable."""
        weighted = patch * self.disc if weights is None else patch * weights * self.disc
        scores = self.templates @ weighted
        energies = np.maximum(self.energies if weights is None else self._squares @ weights, 1e-3)
        power = float(weighted @ patch)
        opacities = np.minimum(np.maximum(scores / energies, 0.0), _MAX_OPACITY)
        residuals = power - opacities * (2 * scores - opacities * energies)
        best = int(residuals.argmin())
        energy = float(energies[best])
        alternative = _safe_sqrt(float(residuals[self._is_alternative[best]].min()) / energy)
        columns = self.columns[best]
        normal = self._normals[best] if weights is None else ((columns * weights) @ columns.T).astype(np.float64)
        return self._refine(best, normal, (columns @ weighted).astype(np.float64), power, energy, alternative)

    def _refine(
        self,
        best: int,
        normal: NDArray[np.float64],
        right: NDArray[np.float64],
        power: float,
        energy: float,
        alternative: float,
    ) -> PipeFit:
        """Take one linear step from the best template: opacity, angle and position at once."""
        # Usual steps are a pixel or a few degrees; the regularisation keeps the pose where a patch has little ink.
        solved = np.linalg.solve(normal + _REGULARISATION * energy, right)
        angle, opacity = float(self.angles[best]), float(solved[0])
        if opacity < _MIN_OPACITY:
            return PipeFit(angle, 0.0, 0.0, max(opacity, 0.0), _safe_sqrt(power / energy), alternative)
        turn, dx, dy = np.minimum(np.maximum(solved[1:] / opacity, -_MAX_STEP), _MAX_STEP).tolist()
        residual = power - 2 * float(solved @ right) + float(solved @ normal @ solved)
        angle = (angle + turn) % (len(self.angles) * STEP_DEG)
        return PipeFit(angle, dx, dy, opacity, _safe_sqrt(residual / energy), alternative)

    @staticmethod
    def make_exact_fit(angle_deg: float) -> PipeFit:
        """Return the fit of a pipe whose pose is known."""
        return PipeFit(angle_deg, 0.0, 0.0, 1.0, 0.0, 1.0)

    @property
    def quarter_templates(self) -> Patch:
        """The templates of a pipe at rest."""
        return self.templates[:: 90 // STEP_DEG]


def _safe_sqrt(value: float) -> float:
    """Return the square root; rounding may have made a value of 0 slightly negative."""
    return sqrt(max(value, 0.0))


def _compute_centroid(shape: str) -> NDArray[np.float64]:
    corners = compute_outline(shape, 0.0)
    after = np.roll(corners, -1, axis=0)
    cross = corners[:, 0] * after[:, 1] - after[:, 0] * corners[:, 1]
    return np.asarray(((corners + after) * cross[:, None]).sum(axis=0) / (3 * cross.sum()))


@lru_cache(maxsize=24)
def get_templates(shape: str, square: float) -> PipeTemplates:
    """Return the templates of a shape, built once for each size."""
    return PipeTemplates(shape, square)
