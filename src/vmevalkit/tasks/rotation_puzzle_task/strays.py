"""What is not simply a square's own pipe in its place: dissolving, repainted, reshaped, gone astray, or new."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import cv2
import numpy as np

from vmevalkit.tasks.rotation_puzzle_task.bank import Bank, Fit, Patch
from vmevalkit.tasks.rotation_puzzle_task.planes import FULL, WORK_SCALE, Plane, Planes, patch_of
from vmevalkit.tasks.rotation_puzzle_task.scene import OTHER, Point

FITS = 0.33
"""What is left unexplained of a shape that is what it seems to be: at most so much."""
_BETTER = 0.6
"""Two pipes at rest explain a patch, if they leave less than this of what one leaves."""
_SHARE = 0.18
"""A pipe that dissolves has at least this share of its ink."""
_LEAST_MASS = 0.45
"""What is less than this share of a pipe is no pipe."""

_LOOKS = 6
"""A pipe that left its place is approached in so many steps at most."""


class Placed(NamedTuple):
    """A shape with its place in the drawn picture, as it appears."""

    shape: str
    place: Point
    fit: Fit


def dissolving(bank: Bank, patch: Patch, single: Fit) -> list[tuple[float, float]] | None:
    """Angle and opacity of two pipes at rest that explain a patch together, the more opaque one first; None where
    they do not."""
    inked = patch * bank.disc
    rest = bank.quarters
    power, scores, crossed = float(inked @ patch), rest @ inked, rest @ rest.T
    best = np.inf
    pair, shares = (0, 0), (0.0, 0.0)
    for one, other in combinations(range(len(rest)), 2):
        some = np.ix_((one, other), (one, other))
        solved = np.linalg.solve(crossed[some] + 1e-3 * np.eye(2), scores[[one, other]])
        left = power - float(solved @ scores[[one, other]])
        if left < best and solved.min() > _SHARE:
            best, pair, shares = left, (one, other), (float(solved[0]), float(solved[1]))
    misfit = max(best / float(bank.energies[0]), 0.0) ** 0.5 if np.isfinite(best) else np.inf
    if misfit > _BETTER * single.misfit or misfit > FITS:
        return None
    found = [(90.0 * quarter, share) for quarter, share in zip(pair, shares, strict=True)]
    return sorted(found, key=lambda pipe: -pipe[1])


def best_shape(banks: Iterable[Bank], plane: Plane, place: Point, zoom: float) -> Placed | None:
    """The shape that lies at a place, of any kind; None where none does."""
    found = [settled(bank, plane, place, zoom) for bank in banks]
    best = min(found, key=lambda placed: placed.fit.misfit)
    return best if best.fit.misfit < FITS and best.fit.opacity > _LEAST_MASS else None


def settled(bank: Bank, plane: Plane, place: Point, zoom: float, veil: Plane | None = None) -> Placed:
    """The shape where it fits best near a place: it is looked at again from where it was found."""
    for _ in range(_LOOKS):
        patch = patch_of(plane, place, zoom, bank.side)
        clear = None
        if veil is not None:
            clear = np.asarray(patch_of(veil, place, zoom, bank.side) == 0, np.float32)
        fit = bank.fit(patch, clear)
        if max(abs(fit.dx), abs(fit.dy)) < 0.75 or fit.opacity < _LEAST_MASS:
            break
        place = (place[0] + fit.dx * zoom / WORK_SCALE, place[1] + fit.dy * zoom / WORK_SCALE)
    else:  # it never came to rest: nothing is here
        return Placed(bank.shape, place, fit._replace(misfit=1.0))
    return Placed(bank.shape, (place[0] + fit.dx * zoom / WORK_SCALE, place[1] + fit.dy * zoom / WORK_SCALE), fit)


def strays(planes: Planes, known: Sequence[Placed], banks: Sequence[Bank], zoom: float) -> list[Placed]:
    """Pipes, and things as large as pipes, in the blue ink that the known ones do not explain."""
    rest = planes.blue.copy()
    for placed in known:
        _erase(rest, placed, next(bank for bank in banks if bank.shape == placed.shape), zoom)
    if planes.veil is not None:
        rest[planes.veil > 0] = 0
    _, mask = cv2.threshold(rest, FULL // 2, 1, cv2.THRESH_BINARY)
    if cv2.countNonZero(mask) < _LEAST_MASS * banks[0].area * zoom**2:
        return []
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    found = []
    for number in range(1, count):
        if stats[number, cv2.CC_STAT_AREA] < _LEAST_MASS * banks[0].area * zoom**2:
            continue
        alone = np.where(cv2.dilate((labels == number).astype(np.uint8), np.ones((5, 5), np.uint8)) > 0, rest, 0)
        moments = cv2.moments(alone)
        x, y = (float(moments[name] / moments["m00"]) for name in ("m10", "m01"))
        middle = ((x + 0.5) / WORK_SCALE, (y + 0.5) / WORK_SCALE)
        found.append(_shaped(alone, middle, banks, zoom) or _unknown(middle))
    return found


def _shaped(plane: Plane, middle: Point, banks: Sequence[Bank], zoom: float) -> Placed | None:
    """The shape of a blob whose ink has this middle: for each angle that tells where the pipe's centre is."""
    best: Placed | None = None
    for bank in banks:
        for angle in range(0, len(bank.angles) * 5, 15):
            turn = np.radians(angle)
            off = bank.centroid @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
            place = (middle[0] - float(off[0]) * zoom / WORK_SCALE, middle[1] - float(off[1]) * zoom / WORK_SCALE)
            fit = bank.fit(patch_of(plane, place, zoom, bank.side))
            if best is None or fit.misfit < best.fit.misfit:
                best = Placed(bank.shape, place, fit)
    assert best is not None
    bank = next(bank for bank in banks if bank.shape == best.shape)
    best = settled(bank, plane, best.place, zoom)
    return best if best.fit.misfit < FITS and best.fit.opacity > _LEAST_MASS else None


def _unknown(middle: Point) -> Placed:
    return Placed(OTHER, middle, Fit(0.0, 0.0, 0.0, 1.0, 1.0, 1.0))


def _erase(plane: Plane, placed: Placed, bank: Bank, zoom: float) -> None:
    """Take a known pipe's ink from the plane, and its edges."""
    template = bank.drawn(placed.fit.angle_deg).reshape(bank.side, bank.side)
    ink = cv2.dilate((template > 0.1).astype(np.uint8), np.ones((3, 3), np.uint8))
    shift_x, shift_y = (part * WORK_SCALE - 0.5 - zoom * (bank.side - 1) / 2 for part in placed.place)
    matrix = np.array([[zoom, 0, shift_x], [0, zoom, shift_y]])
    cover = cv2.warpAffine(ink, matrix, (plane.shape[1], plane.shape[0]), flags=cv2.INTER_NEAREST)
    plane[cover > 0] = 0
