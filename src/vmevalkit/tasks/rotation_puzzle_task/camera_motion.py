"""Estimation of the camera of a frame from the positions of pipes that should be at their squares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.rotation_puzzle_task.planes import WORK_SCALE, FramePlanes, compute_planes
from vmevalkit.tasks.rotation_puzzle_task.scene import SIZE, PipeCamera, Point

_MAX_RESIDUAL_PX = 2.5
"""A match that is farther from where the camera projects it does not agree with the camera."""
_MAX_ZOOM_STEP, _MAX_SHIFT_STEP_PX = 0.08, 32.0
"""A camera does not change by more than this from one frame to the next."""


@dataclass(frozen=True, slots=True)
class PipeMatch:
    """Where a pipe belongs, and where it appears in the image."""

    expected: Point
    """The centre of its square."""
    observed: Point
    """Its position in the image."""


def estimate_camera(matches: Sequence[PipeMatch], before: PipeCamera) -> PipeCamera:
    """Return the camera that explains all matches, or all but one of four or more; else the camera before."""
    if len(matches) < 2:
        return before
    camera, residual = _fit_camera(matches)
    if residual > _MAX_RESIDUAL_PX and len(matches) > 3:
        subsets = [[*matches[:i], *matches[i + 1 :]] for i in range(len(matches))]
        camera, residual = min((_fit_camera(subset) for subset in subsets), key=lambda fitted: fitted[1])
    is_steady = abs(camera.zoom / before.zoom - 1) < _MAX_ZOOM_STEP
    is_near = max(abs(camera.x - before.x), abs(camera.y - before.y)) < _MAX_SHIFT_STEP_PX
    return camera if residual <= _MAX_RESIDUAL_PX and is_steady and is_near else before


def find_shifted_camera(planes: FramePlanes, drawn: Frame, before: PipeCamera) -> PipeCamera:
    """Return the camera that is shifted so that what it showed before, as drawn, explains most of a frame's ink."""
    known = compute_planes(RegisteredFrame(drawn, 0.0))
    if known is None:
        return before
    rows, columns = planes.blue.shape
    one, other = (
        np.fft.rfft2(plane.astype(np.float32), (2 * rows, 2 * columns)) for plane in (planes.blue, known.blue)
    )
    explained = np.fft.irfft2(one * other.conj(), (2 * rows, 2 * columns))
    row, column = (int(place) for place in np.unravel_index(int(explained.argmax()), explained.shape))
    down, across = row - 2 * rows * (row >= rows), column - 2 * columns * (column >= columns)
    return replace(before, x=before.x + across / WORK_SCALE, y=before.y + down / WORK_SCALE)


def _fit_camera(matches: Sequence[PipeMatch]) -> tuple[PipeCamera, float]:
    """Return the least-squares camera, and the largest residual of a match."""
    middle = np.array(SIZE) / 2
    expected = np.array([match.expected for match in matches]) - middle
    observed = np.array([match.observed for match in matches]) - middle
    expected_mean, observed_mean = expected.mean(axis=0), observed.mean(axis=0)
    spread = ((expected - expected_mean) ** 2).sum()
    zoom = float(((expected - expected_mean) * (observed - observed_mean)).sum() / spread)
    shift = observed_mean - zoom * expected_mean
    residual = float(np.abs(observed - (zoom * expected + shift)).max())
    return PipeCamera(zoom, float(shift[0]), float(shift[1])), residual
