"""Whether a frame shows the sculpture itself, its mirror image, or one with a voxel moved, lost or added."""

from __future__ import annotations

import cv2
import numpy as np

from vmevalkit.tasks.rotation_task.mesh import build_mesh
from vmevalkit.tasks.rotation_task.parts import SIDE, Pose, make_view
from vmevalkit.tasks.rotation_task.pose import ObservedFrame, PoseFit, PoseFitter
from vmevalkit.tasks.rotation_task.render import project_view
from vmevalkit.tasks.rotation_task.snakes import Voxel, Voxels, list_neighbours, mirror_voxels
from vmevalkit.tasks.rotation_task.templates import ViewTemplates

_MAX_COST_SHARE = 0.85  # an edit must leave less than this share of what was unexplained
_EXPLAINED = 0.0015  # misfit and stray of a frame in which nothing is left to explain
_SHORTLIST = 8


def fit_mirror_image(
    fitter: PoseFitter, templates: ViewTemplates, frame: ObservedFrame, coarse: ObservedFrame, place: Pose
) -> PoseFit:
    """Return the best fit of the mirrored sculpture, from any azimuth.

    ``coarse`` is the frame with more blur; ``place`` is a pose with the last position and size of the sculpture.
    """
    voxels = mirror_voxels(fitter.puzzle.voxels)
    fits = []
    for pose, _ in templates.find_nearest(frame, place, 3, is_mirrored=True):
        start = pose.copy()
        start[0] = (180 - pose[0]) % 360  # the mirror exchanges left and right along x
        fits.append(fitter.fit(coarse, voxels, start, 3))
    best = min(fits, key=lambda fit: fit.misfit)
    return fitter.fit(frame, voxels, best.pose, 6, thorough=True)


def fit_edited(fitter: PoseFitter, frame: ObservedFrame, fit: PoseFit) -> PoseFit | None:
    """Return the fit of a sculpture with one voxel moved, lost or added, if one explains the frame better."""
    own_cost = fitter.measure_cost(frame, fit.voxels, fit)
    first = _find_best_edit(fitter, frame, fit, _list_removals(fitter, fit) + _list_additions(fitter, fit))
    if first is None or first[1] > _MAX_COST_SHARE * own_cost:
        return None
    refit = fitter.fit(frame, first[0], fit.pose, 2)
    if refit.misfit + refit.stray < _EXPLAINED:
        return refit  # a second edit could only remove a voxel that hardly shows
    is_lost = len(first[0]) < len(fit.voxels)
    edits = _list_additions(fitter, refit) if is_lost else _list_removals(fitter, refit)
    second = _find_best_edit(fitter, frame, refit, edits)
    if second is None or set(second[0]) == set(fit.voxels):
        return refit
    cost = fitter.measure_cost(frame, refit.voxels, refit)
    return fitter.fit(frame, second[0], refit.pose, 3) if second[1] < _MAX_COST_SHARE * cost else refit


def _find_best_edit(
    fitter: PoseFitter, frame: ObservedFrame, fit: PoseFit, edits: list[Voxels]
) -> tuple[Voxels, float] | None:
    """Return the edit with the lowest cost, and the cost."""
    costs = [(fitter.measure_cost(frame, voxels, fit), i) for i, voxels in enumerate(edits)]
    if not costs:
        return None
    cost, i = min(costs)
    return edits[i], cost


def _list_removals(fitter: PoseFitter, fit: PoseFit) -> list[Voxels]:
    doubtful = _find_doubtful_cells(fitter, fit, list(fit.voxels))
    return [tuple(v for v in fit.voxels if v != voxel) for voxel in doubtful]


def _list_additions(fitter: PoseFitter, fit: PoseFit) -> list[Voxels]:
    free = sorted({near for voxel in fit.voxels for near in list_neighbours(voxel)} - set(fit.voxels))
    return [(*fit.voxels, voxel) for voxel in _find_doubtful_cells(fitter, fit, free)]


def _find_doubtful_cells(fitter: PoseFitter, fit: PoseFit, cells: list[Voxel]) -> list[Voxel]:
    """Return the cells where most is unexplained, so that the others need no render."""
    corners = build_mesh(tuple(cells)).corners
    points = project_view(fitter.puzzle, make_view(fit.voxels, fit.pose), corners) * SIDE
    rows, columns = fit.window
    rest = fit.rest.reshape(rows.stop - rows.start, columns.stop - columns.start)
    footprint = np.zeros(rest.shape, np.uint8)
    doubts = []
    for outline in (points - [columns.start, rows.start]).reshape(len(cells), 8, 2):
        footprint[:] = 0
        cv2.fillConvexPoly(footprint, cv2.convexHull(np.round(outline - 0.5).astype(np.int32)), 1)
        doubts.append(float(cv2.mean(rest, footprint)[0]))
    ranked = sorted(range(len(cells)), key=lambda k: -doubts[k])
    return [cells[k] for k in ranked[:_SHORTLIST] if doubts[k] > 0]
