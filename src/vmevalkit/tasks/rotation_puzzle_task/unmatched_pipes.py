"""Pipes that are not simply a square's own pipe at its place: dissolving, recoloured, reshaped, displaced or new."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import cv2
import numpy as np

from vmevalkit.tasks.rotation_puzzle_task.planes import INK_LEVEL, WORK_SCALE, FramePlanes, Plane, cut_patch
from vmevalkit.tasks.rotation_puzzle_task.scene import OTHER, Point
from vmevalkit.tasks.rotation_puzzle_task.templates import Patch, PipeFit, PipeTemplates

MAX_MISFIT = 0.33
"""A fit with a larger misfit does not explain what is visible."""
_MAX_MISFIT_RATIO = 0.6
"""Two pipes at rest explain a patch if their misfit is below this share of the misfit of one pipe."""
_MIN_DISSOLVE_OPACITY = 0.18
"""Each pipe of a dissolve has at least this opacity."""
_MIN_MASS = 0.45
"""Ink below this share of a pipe is not a pipe."""
_MAX_FIT_STEPS = 6
"""The fit of a displaced pipe moves towards it in at most this many steps."""
_CONVERGED_PX = 0.75


class FittedPipe(NamedTuple):
    """A shape and its fit at a place of the drawn image."""

    shape: str
    place: Point
    fit: PipeFit


def fit_dissolve(templates: PipeTemplates, patch: Patch, single: PipeFit) -> list[tuple[float, float]] | None:
    """Return angle and opacity of two pipes at rest that explain a patch together, the more opaque one first.

    None where they do not explain it clearly better than the single pipe.
    """
    weighted = patch * templates.disc
    rest = templates.quarter_templates
    power, scores, crossed = float(weighted @ patch), rest @ weighted, rest @ rest.T
    best = np.inf
    pair, shares = (0, 0), (0.0, 0.0)
    for one, other in combinations(range(len(rest)), 2):
        both = np.ix_((one, other), (one, other))
        solved = np.linalg.solve(crossed[both] + 1e-3 * np.eye(2), scores[[one, other]])
        residual = power - float(solved @ scores[[one, other]])
        if residual < best and solved.min() > _MIN_DISSOLVE_OPACITY:
            best, pair, shares = residual, (one, other), (float(solved[0]), float(solved[1]))
    misfit = max(best / float(templates.energies[0]), 0.0) ** 0.5 if np.isfinite(best) else np.inf
    if misfit > _MAX_MISFIT_RATIO * single.misfit or misfit > MAX_MISFIT:
        return None
    found = [(90.0 * quarter, share) for quarter, share in zip(pair, shares, strict=True)]
    return sorted(found, key=lambda pipe: -pipe[1])


def find_best_shape(candidates: Iterable[PipeTemplates], plane: Plane, place: Point, zoom: float) -> FittedPipe | None:
    """Return the shape of any kind that is at a place; None where no shape fits."""
    found = [fit_shape_near(templates, plane, place, zoom) for templates in candidates]
    best = min(found, key=lambda fitted: fitted.fit.misfit)
    return best if _is_pipe(best.fit) else None


def fit_shape_near(
    templates: PipeTemplates,
    plane: Plane,
    place: Point,
    zoom: float,
    cut_occlusion: Callable[[Point], Patch] | None = None,
) -> FittedPipe:
    """Return the best fit of a shape near a place; each step fits it again from where the last step found it.

    ``cut_occlusion`` returns what is covered around a place."""
    for _ in range(_MAX_FIT_STEPS):
        patch = cut_patch(plane, place, zoom, templates.side)
        weights = None
        if cut_occlusion is not None:
            weights = np.asarray(cut_occlusion(place) == 0, np.float32)
        fit = templates.fit(patch, weights)
        if max(abs(fit.dx), abs(fit.dy)) < _CONVERGED_PX or fit.opacity < _MIN_MASS:
            break
        place = _move_place(place, fit, zoom)
    else:  # the fit does not converge, so there is no such shape here
        return FittedPipe(templates.shape, place, fit._replace(misfit=1.0))
    return FittedPipe(templates.shape, _move_place(place, fit, zoom), fit)


def _move_place(place: Point, fit: PipeFit, zoom: float) -> Point:
    return (place[0] + fit.dx * zoom / WORK_SCALE, place[1] + fit.dy * zoom / WORK_SCALE)


def _is_pipe(fit: PipeFit) -> bool:
    return fit.misfit < MAX_MISFIT and fit.opacity > _MIN_MASS


def find_unmatched_pipes(
    planes: FramePlanes, known: Sequence[FittedPipe], candidates: Sequence[PipeTemplates], zoom: float
) -> list[FittedPipe]:
    """Return pipes, and things as large as pipes, in the blue ink that the known pipes do not explain."""
    rest = planes.blue.copy()
    for fitted in known:
        _erase_pipe(rest, fitted, next(t for t in candidates if t.shape == fitted.shape), zoom)
    if planes.occlusion is not None:
        rest[planes.occlusion > 0] = 0
    _, mask = cv2.threshold(rest, INK_LEVEL // 2, 1, cv2.THRESH_BINARY)
    min_area = _MIN_MASS * candidates[0].area * zoom**2
    if cv2.countNonZero(mask) < min_area:
        return []
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    found = []
    for number in range(1, count):
        if stats[number, cv2.CC_STAT_AREA] < min_area:
            continue
        blob = np.where(cv2.dilate((labels == number).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0, rest, 0)
        moments = cv2.moments(blob)
        x, y = (float(moments[name] / moments["m00"]) for name in ("m10", "m01"))
        centroid = ((x + 0.5) / WORK_SCALE, (y + 0.5) / WORK_SCALE)
        found.append(_fit_blob(blob, centroid, candidates, zoom) or _make_unknown(centroid))
    return found


def _fit_blob(plane: Plane, centroid: Point, candidates: Sequence[PipeTemplates], zoom: float) -> FittedPipe | None:
    """Return the shape of a blob of ink; None where no shape fits.

    For each angle of a shape the centre of mass of the ink determines where the pipe's centre would be.
    """
    fits = []
    for templates in candidates:
        for angle in range(0, len(templates.angles) * 5, 15):
            turn = np.radians(angle)
            offset = templates.centroid @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
            place = (
                centroid[0] - float(offset[0]) * zoom / WORK_SCALE,
                centroid[1] - float(offset[1]) * zoom / WORK_SCALE,
            )
            fits.append((templates.fit(cut_patch(plane, place, zoom, templates.side)).misfit, templates, place))
    _, templates, place = min(fits, key=lambda entry: entry[0])
    best = fit_shape_near(templates, plane, place, zoom)
    return best if _is_pipe(best.fit) else None


def _make_unknown(centroid: Point) -> FittedPipe:
    return FittedPipe(OTHER, centroid, PipeFit(0.0, 0.0, 0.0, 1.0, 1.0, 1.0))


def _erase_pipe(plane: Plane, fitted: FittedPipe, templates: PipeTemplates, zoom: float) -> None:
    """Remove the ink of a known pipe and of its edges from the plane."""
    template = templates.render(fitted.fit.angle_deg).reshape(templates.side, templates.side)
    ink = cv2.dilate((template > 0.1).astype(np.uint8), np.ones((3, 3), np.uint8))
    shift_x, shift_y = (part * WORK_SCALE - 0.5 - zoom * (templates.side - 1) / 2 for part in fitted.place)
    matrix = np.array([[zoom, 0, shift_x], [0, zoom, shift_y]])
    cover = cv2.warpAffine(ink, matrix, (plane.shape[1], plane.shape[0]), flags=cv2.INTER_NEAREST)
    plane[cover > 0] = 0
