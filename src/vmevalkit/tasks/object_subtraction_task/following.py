"""Following the camera: how the picture as a whole has moved, told by the objects that stay where they belong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import hypot

from vmevalkit.tasks.object_subtraction_task.scene import STILL, Camera

_REJECT_PX = 3.0
"""An object farther from where the camera would show it has moved by itself."""
_AGREES_PX = 1.5
_SAME_SIZE, _SIZE_ERROR = 0.02, 0.012
"""A zoom shows in the sizes of objects too: two that differ by less are alike, and each is read so exactly."""
_ROUNDS = 6
_LIKELY_ZOOM, _LIKELY_PX, _NOISE_PX = 0.02, 3.0, 0.3
"""How far a camera moves from one reading to the next, and how exactly an object is read."""
_ZOOMS = (0.5, 1.6)
_STEADY = 0.005
"""A zoom that changes by less from one reading to the next goes on as before."""
_ENOUGH = 0.6
_SOME = 0.4
"""Shares of the objects that a camera is believed with, by their places and by their sizes."""


@dataclass(frozen=True, slots=True)
class Mark:
    """An object of the first frame, and where it appears now. Places are from the picture's middle."""

    home_x: float
    home_y: float
    x: float
    y: float
    growth: float | None
    """Its size now, relative to the first frame; None where it cannot be told."""


def follow(marks: Sequence[Mark], before: Camera) -> Camera:
    """The camera that most objects agree on, near the last one if it may be. Lengths are the specification's pixels."""
    if not marks:
        return before
    steady = _refined(marks, before)
    if abs(steady.zoom - before.zoom) < _STEADY and _placed(marks, steady) >= max(3.0, _ENOUGH * len(marks)):
        return steady  # a colour cast changes how large objects look, but not where they are
    common = _common_growth(marks, before)
    start = before if common is None else Camera(_near(before.zoom, common), before.x, before.y)
    camera = _sized(_refined(marks, start), marks, common)
    if _agreeing(marks, camera) >= _ENOUGH * len(marks):
        return camera
    # Two objects always agree on some camera; a third one is no chance.
    best = max([STILL, *_by_pairs(marks)], key=lambda guess: (_agreeing(marks, guess), -_strangeness(guess, before)))
    if _agreeing(marks, best) < max(3, _agreeing(marks, camera) + 1):
        return camera
    return _sized(_refined(marks, best), marks, common)


def _common_growth(marks: Sequence[Mark], before: Camera) -> float | None:
    """The growth that most objects share; None where no two do."""
    growths = [mark.growth for mark in marks if mark.growth is not None]
    if not growths:
        return None
    best = max(growths, key=lambda growth: (_showing(growths, growth), -abs(growth - before.zoom)))
    return best if _showing(growths, best) >= 2 else None


def _showing(growths: Sequence[float], zoom: float) -> int:
    return sum(abs(growth / zoom - 1) < _SAME_SIZE for growth in growths)


def _near(zoom: float, growth: float) -> float:
    """The zoom closest to this one that the growth allows."""
    return min(max(zoom, growth * (1 - _SIZE_ERROR)), growth * (1 + _SIZE_ERROR))


def _sized(camera: Camera, marks: Sequence[Mark], common: float | None) -> Camera:
    """A camera whose zoom shows in the sizes of some objects: objects that move may look like a zoom by their places,
    and objects that shrink by their sizes."""
    growths = [mark.growth for mark in marks if mark.growth is not None]
    if common is None or _showing(growths, camera.zoom) >= max(2.0, _SOME * len(growths)):
        return camera
    return _refined(marks, camera, _near(camera.zoom, common))


def _refined(marks: Sequence[Mark], start: Camera, zoom: float | None = None) -> Camera:
    """Least squares over what agrees, held by what is likely. With a zoom that is given, for the shift alone."""
    now = start if zoom is None else Camera(zoom, start.x, start.y)
    for _ in range(_ROUNDS):
        after = _step(marks, now, start, zoom)
        settled = max(abs(after.zoom - now.zoom), abs(after.x - now.x), abs(after.y - now.y)) < 1e-3
        now = after
        if settled:
            break
    return now


def _step(marks: Sequence[Mark], now: Camera, start: Camera, zoom: float | None) -> Camera:
    """One round: what is far from where the camera shows it loses its weight, and the rest is fitted."""
    hold = (_NOISE_PX / _LIKELY_PX) ** 2
    total, sum_x, sum_y, to_x, to_y = hold, 0.0, 0.0, hold * start.x, hold * start.y
    power = (_NOISE_PX / _LIKELY_ZOOM) ** 2
    product = power * start.zoom
    for mark in marks:
        off = (mark.x - now.zoom * mark.home_x - now.x) ** 2 + (mark.y - now.zoom * mark.home_y - now.y) ** 2
        if off >= _REJECT_PX**2:
            continue
        weight = (1 - off / _REJECT_PX**2) ** 2
        total += weight
        sum_x, sum_y = sum_x + weight * mark.home_x, sum_y + weight * mark.home_y
        to_x, to_y = to_x + weight * mark.x, to_y + weight * mark.y
        power += weight * (mark.home_x**2 + mark.home_y**2)
        product += weight * (mark.home_x * mark.x + mark.home_y * mark.y)
    if zoom is None:
        zoom = (product - (sum_x * to_x + sum_y * to_y) / total) / (power - (sum_x**2 + sum_y**2) / total)
        zoom = min(max(zoom, _ZOOMS[0]), _ZOOMS[1])
    return Camera(zoom, (to_x - zoom * sum_x) / total, (to_y - zoom * sum_y) / total)


def _agreeing(marks: Sequence[Mark], camera: Camera) -> int:
    """How many objects are where the camera shows them, and as large."""
    return _placed([m for m in marks if m.growth is None or abs(m.growth / camera.zoom - 1) < 4 * _SAME_SIZE], camera)


def _placed(marks: Sequence[Mark], camera: Camera) -> int:
    return sum(
        hypot(mark.x - camera.zoom * mark.home_x - camera.x, mark.y - camera.zoom * mark.home_y - camera.y) < _AGREES_PX
        for mark in marks
    )


def _by_pairs(marks: Sequence[Mark]) -> list[Camera]:
    """The cameras that show two objects where they are."""
    cameras = []
    for one, other in combinations(marks, 2):
        apart = hypot(one.home_x - other.home_x, one.home_y - other.home_y)
        zoom = hypot(one.x - other.x, one.y - other.y) / max(apart, 1e-6)
        if _ZOOMS[0] <= zoom <= _ZOOMS[1]:
            x = (one.x + other.x - zoom * (one.home_x + other.home_x)) / 2
            y = (one.y + other.y - zoom * (one.home_y + other.home_y)) / 2
            cameras.append(Camera(zoom, x, y))
    return cameras


def _strangeness(camera: Camera, before: Camera) -> float:
    """How far a camera has moved, in what is likely."""
    return abs(camera.zoom - before.zoom) / _LIKELY_ZOOM + hypot(camera.x - before.x, camera.y - before.y) / _LIKELY_PX
