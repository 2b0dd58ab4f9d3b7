"""Whether a frame shows the sculpture itself, its mirror image, or one with a voxel moved, lost or added."""

from __future__ import annotations

from math import exp

import cv2
import numpy as np

from vmevalkit.tasks.rotation_task.bank import ViewBank
from vmevalkit.tasks.rotation_task.camera import camera_of, solid_of
from vmevalkit.tasks.rotation_task.pose import SIDE, Fit, Look, Pose, PoseFitter
from vmevalkit.tasks.rotation_task.snakes import Voxel, Voxels, mirrored, neighbours

_WORTHWHILE = 0.85  # an edit must leave less than this share of what was unexplained
_SHORTLIST = 8


def mirror_fit(fitter: PoseFitter, bank: ViewBank, look: Look, soft: Look, place: Pose) -> Fit:
    """The best that the mirrored sculpture can do, from any azimuth.

    ``soft`` is the frame blurred more, ``place`` a pose that says where and how large the sculpture was last.
    """
    voxels = mirrored(fitter.puzzle.voxels)
    fits = []
    for pose, _ in bank.nearest(look, place, 3, flipped=True):
        start = pose.copy()
        start[0] = (180 - pose[0]) % 360  # the mirror swaps left and right along x
        fits.append(fitter.fit(soft, voxels, start, 3))
    best = min(fits, key=lambda fit: fit.misfit)
    return fitter.fit(look, voxels, best.pose, 6, thorough=True)


def edit_fit(fitter: PoseFitter, look: Look, fit: Fit) -> Fit | None:
    """A sculpture with one voxel moved, lost or added that explains the frame better, if there is one."""
    base = fitter.cost(look, fit.voxels, fit)
    first = _best_edit(fitter, look, fit, _removals(fitter, fit) + _additions(fitter, fit))
    if first is None or first[1] > _WORTHWHILE * base:
        return None
    refit = fitter.fit(look, first[0], fit.pose, 2)
    lost = len(first[0]) < len(fit.voxels)
    second = _best_edit(fitter, look, refit, _additions(fitter, refit) if lost else _removals(fitter, refit))
    if second is None or set(second[0]) == set(fit.voxels):
        return refit
    alone = fitter.cost(look, refit.voxels, refit)
    return fitter.fit(look, second[0], refit.pose, 3) if second[1] < _WORTHWHILE * alone else refit


def _best_edit(fitter: PoseFitter, look: Look, fit: Fit, edits: list[Voxels]) -> tuple[Voxels, float] | None:
    costs = [(fitter.cost(look, voxels, fit), i) for i, voxels in enumerate(edits)]
    if not costs:
        return None
    cost, i = min(costs)
    return edits[i], cost


def _removals(fitter: PoseFitter, fit: Fit) -> list[Voxels]:
    doubtful = _most_doubtful(fitter, fit, list(fit.voxels))
    return [tuple(v for v in fit.voxels if v != voxel) for voxel in doubtful]


def _additions(fitter: PoseFitter, fit: Fit) -> list[Voxels]:
    taken = set(fit.voxels)
    free = sorted({near for voxel in fit.voxels for near in neighbours(voxel)} - taken)
    return [(*fit.voxels, voxel) for voxel in _most_doubtful(fitter, fit, free)]


def _most_doubtful(fitter: PoseFitter, fit: Fit, cells: list[Voxel]) -> list[Voxel]:
    """The cells where most is unexplained, to spare renders of the others."""
    points = camera_of(fitter.puzzle).project(solid_of(tuple(cells)).corners, fit.pose[0], fit.pose[1])
    points = (points * exp(fit.pose[2]) + fit.pose[3:] + 0.5) * SIDE
    rows, columns = fit.window
    rest = fit.rest.reshape(rows.stop - rows.start, columns.stop - columns.start)
    footprint = np.zeros(rest.shape, np.uint8)
    doubt = []
    for corners in (points - [columns.start, rows.start]).reshape(len(cells), 8, 2):
        footprint[:] = 0
        cv2.fillConvexPoly(footprint, cv2.convexHull(np.round(corners - 0.5).astype(np.int32)), 1)
        doubt.append(float(cv2.mean(rest, footprint)[0]))
    ranked = sorted(range(len(cells)), key=lambda k: -doubt[k])
    return [cells[k] for k in ranked[:_SHORTLIST] if doubt[k] > 0]
