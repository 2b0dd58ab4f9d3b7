"""Estimation of the camera of a frame from the objects that stay at their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import atan2, degrees, hypot

from vmevalkit.tasks.object_subtraction_task.scene import STILL_CAMERA, ObjectCamera, turn_point

_OUTLIER_PX = 3.0
"""An object farther from where the camera projects it has moved by itself."""
_INLIER_PX = 1.5
_STILL_PX = 0.75
"""An object nearer than this to its first place has not moved."""
_SAME_GROWTH, _GROWTH_ERROR = 0.02, 0.012
"""A zoom changes the sizes of objects too: two that differ by less are equal, and each is read with this error."""
_MAX_ITERATIONS = 6
_LIKELY_ZOOM, _LIKELY_PX, _NOISE_PX = 0.02, 3.0, 0.3
"""Typical camera motion from one reading to the next, and the reading error of a position."""
_ZOOM_RANGE = (0.5, 1.6)
_STEADY_ZOOM = 0.005
"""A zoom that changes by less from one reading to the next is steady."""
_MIN_PLACE_SHARE = 0.6
_MIN_SIZE_SHARE = 0.4
"""Shares of the objects that must agree with a camera, by their places and by their sizes."""
_MIN_ROLL_DEG, _MAX_ROLL_DEG = 0.12, 4.0
"""A smaller turn is a reading error; a larger one is not an unsteady camera."""
_ROLL_ERROR_PX, _ROLL_GAIN = 0.6, 0.4
"""A turn is tried where objects are misplaced by more than this, and must leave less than this share of the error."""
_MIN_ROLL_MATCHES, _MIN_ROLL_SHARE = 4, 0.8
"""Objects, and the share of them, that must agree on a turn: few objects may agree by chance."""


@dataclass(frozen=True, slots=True)
class ObjectMatch:
    """An object of the first frame, and where it appears now. Positions are from the middle of the image."""

    home_x: float
    home_y: float
    x: float
    y: float
    growth: float | None
    """Its size now, relative to the first frame; None where it cannot be measured."""


def estimate_camera(matches: Sequence[ObjectMatch], before: ObjectCamera) -> ObjectCamera:
    """Return the camera that most objects agree on, near the last one where possible.

    Lengths are pixels of the specification's image.
    """
    if not matches:
        return before
    if _count_placed(matches, STILL_CAMERA, _STILL_PX) >= max(2.0, _MIN_PLACE_SHARE * len(matches)):
        return STILL_CAMERA  # a camera that moves leaves nothing in its place
    upright = _estimate_upright([_turn_home(match, before.roll_deg) for match in matches], before)
    return _refine_roll(matches, replace(upright, roll_deg=before.roll_deg))


def _turn_home(match: ObjectMatch, roll_deg: float) -> ObjectMatch:
    """Return a match with the place of the first frame turned as the camera turns it."""
    if not roll_deg:
        return match
    x, y = turn_point(match.home_x, match.home_y, roll_deg)
    return replace(match, home_x=x, home_y=y)


def _refine_roll(matches: Sequence[ObjectMatch], camera: ObjectCamera) -> ObjectCamera:
    """Return the camera turned a little further, where nearly all objects agree on that."""
    if len(matches) < _MIN_ROLL_MATCHES:
        return camera
    turned = [_turn_home(match, camera.roll_deg) for match in matches]
    error = _measure_misplacement(turned, camera)
    if error < _ROLL_ERROR_PX**2 and not camera.roll_deg:
        return camera
    across = sum(m.home_x * (m.y - camera.y) - m.home_y * (m.x - camera.x) for m in turned)
    along = sum(m.home_x * (m.x - camera.x) + m.home_y * (m.y - camera.y) for m in turned)
    roll_deg = camera.roll_deg + degrees(atan2(across, along))
    if abs(roll_deg) < _MIN_ROLL_DEG:
        roll_deg = 0.0
    rolled = [_turn_home(match, roll_deg) for match in matches]
    better = replace(_fit_camera(rolled, replace(camera, roll_deg=0.0)), roll_deg=roll_deg)
    is_common = _count_placed(rolled, better) >= _MIN_ROLL_SHARE * len(matches)
    is_clear = not roll_deg or _measure_misplacement(rolled, better) < _ROLL_GAIN * error
    return better if abs(roll_deg) <= _MAX_ROLL_DEG and is_common and (is_clear or camera.roll_deg) else camera


def _measure_misplacement(matches: Sequence[ObjectMatch], camera: ObjectCamera) -> float:
    """Return the mean squared distance of the objects from where the camera projects them."""
    return sum(
        (m.x - camera.zoom * m.home_x - camera.x) ** 2 + (m.y - camera.zoom * m.home_y - camera.y) ** 2 for m in matches
    ) / len(matches)


def _estimate_upright(matches: Sequence[ObjectMatch], before: ObjectCamera) -> ObjectCamera:
    steady = _fit_camera(matches, before)
    is_steady = abs(steady.zoom - before.zoom) < _STEADY_ZOOM
    if is_steady and _count_placed(matches, steady) >= max(3.0, _MIN_PLACE_SHARE * len(matches)):
        return steady  # a colour cast changes the measured sizes of objects, but not their positions
    common = _find_common_growth(matches, before)
    start = before if common is None else ObjectCamera(_clamp_zoom(before.zoom, common), before.x, before.y)
    camera = _match_sizes(_fit_camera(matches, start), matches, common)
    agreeing = _count_agreeing(matches, camera)
    if agreeing >= _MIN_PLACE_SHARE * len(matches):
        return camera
    # Two objects always agree on some camera; the agreement of a third is not by chance.
    best = max(
        [STILL_CAMERA, *_list_pair_cameras(matches)],
        key=lambda guess: (_count_agreeing(matches, guess), -_measure_change(guess, before)),
    )
    if _count_agreeing(matches, best) < max(3, agreeing + 1):
        return camera
    return _match_sizes(_fit_camera(matches, best), matches, common)


def _find_common_growth(matches: Sequence[ObjectMatch], before: ObjectCamera) -> float | None:
    """Return the growth that most objects share; None where no two objects share one."""
    growths = [match.growth for match in matches if match.growth is not None]
    if not growths:
        return None
    best = max(growths, key=lambda growth: (_count_same_growth(growths, growth), -abs(growth - before.zoom)))
    return best if _count_same_growth(growths, best) >= 2 else None


def _count_same_growth(growths: Sequence[float], zoom: float) -> int:
    return sum(abs(growth / zoom - 1) < _SAME_GROWTH for growth in growths)


def _clamp_zoom(zoom: float, growth: float) -> float:
    """Return the closest zoom that is consistent with the growth."""
    return min(max(zoom, growth * (1 - _GROWTH_ERROR)), growth * (1 + _GROWTH_ERROR))


def _match_sizes(camera: ObjectCamera, matches: Sequence[ObjectMatch], common: float | None) -> ObjectCamera:
    """Return a camera whose zoom agrees with the sizes of some objects.

    Moving objects may look like a zoom by their positions, and shrinking ones by their sizes.
    """
    growths = [match.growth for match in matches if match.growth is not None]
    if common is None or _count_same_growth(growths, camera.zoom) >= max(2.0, _MIN_SIZE_SHARE * len(growths)):
        return camera
    return _fit_camera(matches, camera, _clamp_zoom(camera.zoom, common))


def _fit_camera(matches: Sequence[ObjectMatch], start: ObjectCamera, zoom: float | None = None) -> ObjectCamera:
    """Return the robust least-squares camera near the start. With a given zoom, only the shift is fitted."""
    camera = start if zoom is None else ObjectCamera(zoom, start.x, start.y)
    for _ in range(_MAX_ITERATIONS):
        refined = _refine_camera(matches, camera, start, zoom)
        change = max(abs(refined.zoom - camera.zoom), abs(refined.x - camera.x), abs(refined.y - camera.y))
        camera = refined
        if change < 1e-3:
            break
    return camera


def _refine_camera(
    matches: Sequence[ObjectMatch], now: ObjectCamera, start: ObjectCamera, zoom: float | None
) -> ObjectCamera:
    """Return the camera after one iteration: objects far from where the camera projects them lose their weight."""
    prior = (_NOISE_PX / _LIKELY_PX) ** 2
    total, sum_x, sum_y, to_x, to_y = prior, 0.0, 0.0, prior * start.x, prior * start.y
    power = (_NOISE_PX / _LIKELY_ZOOM) ** 2
    product = power * start.zoom
    for match in matches:
        residual = (match.x - now.zoom * match.home_x - now.x) ** 2 + (match.y - now.zoom * match.home_y - now.y) ** 2
        if residual >= _OUTLIER_PX**2:
            continue
        weight = (1 - residual / _OUTLIER_PX**2) ** 2
        total += weight
        sum_x, sum_y = sum_x + weight * match.home_x, sum_y + weight * match.home_y
        to_x, to_y = to_x + weight * match.x, to_y + weight * match.y
        power += weight * (match.home_x**2 + match.home_y**2)
        product += weight * (match.home_x * match.x + match.home_y * match.y)
    if zoom is None:
        zoom = (product - (sum_x * to_x + sum_y * to_y) / total) / (power - (sum_x**2 + sum_y**2) / total)
        zoom = min(max(zoom, _ZOOM_RANGE[0]), _ZOOM_RANGE[1])
    return ObjectCamera(zoom, (to_x - zoom * sum_x) / total, (to_y - zoom * sum_y) / total)


def _count_agreeing(matches: Sequence[ObjectMatch], camera: ObjectCamera) -> int:
    """Return how many objects are where the camera projects them, and as large."""
    sized = [m for m in matches if m.growth is None or abs(m.growth / camera.zoom - 1) < 4 * _SAME_GROWTH]
    return _count_placed(sized, camera)


def _count_placed(matches: Sequence[ObjectMatch], camera: ObjectCamera, within_px: float = _INLIER_PX) -> int:
    return sum(
        hypot(m.x - camera.zoom * m.home_x - camera.x, m.y - camera.zoom * m.home_y - camera.y) < within_px
        for m in matches
    )


def _list_pair_cameras(matches: Sequence[ObjectMatch]) -> list[ObjectCamera]:
    """Return the cameras that project two objects to where they are."""
    cameras = []
    for one, other in combinations(matches, 2):
        distance = hypot(one.home_x - other.home_x, one.home_y - other.home_y)
        zoom = hypot(one.x - other.x, one.y - other.y) / max(distance, 1e-6)
        if _ZOOM_RANGE[0] <= zoom <= _ZOOM_RANGE[1]:
            x = (one.x + other.x - zoom * (one.home_x + other.home_x)) / 2
            y = (one.y + other.y - zoom * (one.home_y + other.home_y)) / 2
            cameras.append(ObjectCamera(zoom, x, y))
    return cameras


def _measure_change(camera: ObjectCamera, before: ObjectCamera) -> float:
    """Return how far a camera has moved, relative to a typical motion."""
    return abs(camera.zoom - before.zoom) / _LIKELY_ZOOM + hypot(camera.x - before.x, camera.y - before.y) / _LIKELY_PX
