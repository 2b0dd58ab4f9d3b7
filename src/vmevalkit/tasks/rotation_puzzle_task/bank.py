"""Small pictures of a pipe at every angle, and fitting one of them to what a frame shows."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import NamedTuple, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas
from vmevalkit.tasks.rotation_puzzle_task.render import outline
from vmevalkit.tasks.rotation_puzzle_task.scene import period_deg

Patch: TypeAlias = NDArray[np.float32]
"""The share of pipe in each pixel of a small square picture."""

STEP_DEG = 5
SOFT = 0.8
"""Standard deviation in pixels by which patches and templates are softened alike."""
_REACH = 0.57
"""Radius of what is looked at, in squares: all of a pipe, and nothing of its neighbours."""
_MOST_OPAQUE = 1.15
_APART_DEG = 40
"""Angles so far from the best one are another answer."""
_TETHER = np.diag([0.0, 1e-4 / 16, 1e-4, 1e-4])
_FARTHEST = np.array([6.0, 4.0, 4.0])
"""Degrees and pixels beyond which a linear step says nothing."""
_FAINTEST = 0.1


class Fit(NamedTuple):
    """The template that explains a patch best."""

    angle_deg: float
    dx: float
    """How far the pipe is off the middle of the patch, in pixels of it."""
    dy: float
    opacity: float
    misfit: float
    """What is left unexplained, relative to all of a whole pipe."""
    doubt: float
    """The misfit of the best other answer."""


class Bank:
    """One shape at one size."""

    def __init__(self, shape: str, square: float) -> None:
        self.shape, self.square = shape, square
        self.side = 2 * int(np.ceil(_REACH * square + 0.5))
        self.angles = np.arange(0, period_deg(shape), STEP_DEG)
        middle = self.side / 2
        steps = np.arange(self.side) + 0.5 - middle
        self.disc: Patch = (np.hypot(steps[:, None], steps[None, :]) <= _REACH * square).astype(np.float32).ravel()
        self.centroid = _centroid(shape) * square
        """From the centre to the middle of the ink, at 0 degrees."""
        self.templates: Patch = np.stack([self.drawn(float(angle)) for angle in self.angles])
        """One row for each angle."""
        self.columns: Patch = np.stack([self._columns(row, float(angle)) for row, angle in enumerate(self.angles)])
        """For each angle: the template and its derivatives by degree, x and y."""
        self.energies: Patch = (self.templates**2).sum(axis=1)
        self._squares = self.templates**2
        self._normals = np.einsum("kip,kjp->kij", self.columns, self.columns).astype(np.float64)
        period = len(self.angles) * STEP_DEG
        turn = np.abs((self.angles[:, None] - self.angles + period / 2) % period - period / 2)
        self._elsewhere = turn >= _APART_DEG
        self.area = float(self.templates.sum(axis=1).mean())
        """Of the shape, in pixels."""

    def drawn(self, angle_deg: float, x: float = 0.0, y: float = 0.0) -> Patch:
        """The template with its centre off the middle."""
        canvas = Canvas(self.side, self.side, (0, 0, 0))
        canvas.polygon(
            outline(self.shape, angle_deg) * self.square + (self.side / 2 + x, self.side / 2 + y), fill="#ffffff"
        )
        ink = canvas.frame()[..., 0].astype(np.float32) / 255
        return np.asarray(cv2.GaussianBlur(ink, (0, 0), SOFT), np.float32).ravel() * self.disc

    def _columns(self, row: int, angle_deg: float) -> Patch:
        by_angle = (self.drawn(angle_deg + 2) - self.drawn(angle_deg - 2)) / 4
        by_x = self.drawn(angle_deg, 0.5) - self.drawn(angle_deg, -0.5)
        by_y = self.drawn(angle_deg, 0.0, 0.5) - self.drawn(angle_deg, 0.0, -0.5)
        return np.stack([self.templates[row], by_angle, by_x, by_y])

    def fit(self, patch: Patch, weights: Patch | None = None) -> Fit:
        """``patch`` is flat, as the templates are. ``weights`` are 0 where the patch cannot be believed."""
        inked = patch * self.disc if weights is None else patch * weights * self.disc
        scores = self.templates @ inked
        energies = np.maximum(self.energies if weights is None else self._squares @ weights, 1e-3)
        power = float(inked @ patch)
        opacities = np.minimum(np.maximum(scores / energies, 0.0), _MOST_OPAQUE)
        left = power - opacities * (2 * scores - opacities * energies)
        best = int(left.argmin())
        whole = float(energies[best])
        doubt = _root(float(left[self._elsewhere[best]].min()) / whole)
        columns = self.columns[best]
        normal = self._normals[best] if weights is None else ((columns * weights) @ columns.T).astype(np.float64)
        return self._refined(best, normal, (columns @ inked).astype(np.float64), power, whole, doubt)

    def _refined(
        self,
        best: int,
        normal: NDArray[np.float64],
        right: NDArray[np.float64],
        power: float,
        whole: float,
        doubt: float,
    ) -> Fit:
        """A linear step from the best template: opacity, angle and place at once."""
        # A pixel's or a few degrees' step is usual: where a patch says little, nothing moves.
        solved = np.linalg.solve(normal + _TETHER * whole, right)
        angle, opacity = float(self.angles[best]), float(solved[0])
        if opacity < _FAINTEST:
            return Fit(angle, 0.0, 0.0, max(opacity, 0.0), _root(power / whole), doubt)
        turn, dx, dy = np.minimum(np.maximum(solved[1:] / opacity, -_FARTHEST), _FARTHEST).tolist()
        left = power - 2 * float(solved @ right) + float(solved @ normal @ solved)
        return Fit((angle + turn) % (len(self.angles) * STEP_DEG), dx, dy, opacity, _root(left / whole), doubt)

    @staticmethod
    def fitted(angle_deg: float) -> Fit:
        """A fit of what is known to be there."""
        return Fit(angle_deg, 0.0, 0.0, 1.0, 0.0, 1.0)

    @property
    def quarters(self) -> Patch:
        """The templates of a pipe at rest."""
        return self.templates[:: 90 // STEP_DEG]


def _root(value: float) -> float:
    return sqrt(max(value, 0.0))


def _centroid(shape: str) -> NDArray[np.float64]:
    corners = outline(shape, 0.0)
    after = np.roll(corners, -1, axis=0)
    cross = corners[:, 0] * after[:, 1] - after[:, 0] * corners[:, 1]
    return np.asarray(((corners + after) * cross[:, None]).sum(axis=0) / (3 * cross.sum()))


@lru_cache(maxsize=24)
def bank_of(shape: str, square: float) -> Bank:
    return Bank(shape, square)
