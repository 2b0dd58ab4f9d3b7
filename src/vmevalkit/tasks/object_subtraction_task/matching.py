"""Matching of blobs with objects: first by position, then by appearance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import hypot

from vmevalkit.tasks.object_subtraction_task.appearance import classify_colour, classify_shape
from vmevalkit.tasks.object_subtraction_task.blobs import Blob
from vmevalkit.tasks.object_subtraction_task.scene import CENTROIDS, VisibleObject

NEAR_PX = 4.0
_NEAR_SHARE = 0.35
"""A blob is at an object's place when its distance is below this share of the object's size plus NEAR_PX."""
_STILL_PX = 2.0
CHANGED_AREA = (0.3, 2.5)
"""A blob at an object's place with an area outside this range, relative to the object's, is something else."""
_SAME_AREA = (0.92, 1.08)
"""A blob with an area in this range has the area of the object within the reading error."""
_MOVED_AREA = (0.6, 1.6)
"""Range of the area of a blob elsewhere that looks like the object."""


def match_blobs(
    blobs: Sequence[Blob], last: Mapping[int, VisibleObject], homes: Mapping[int, VisibleObject]
) -> dict[int, int]:
    """Return for the index of each matched blob the id of its object.

    ``last`` are the objects as they were read last, ``homes`` as in the first frame: a removed object may come back to
    its place. Both are projected by the camera.
    """
    near = [
        (distance, place, object_id)
        for known in (last, homes)
        for object_id, visible in known.items()
        for place, blob in enumerate(blobs)
        if (distance := _measure_distance(blob, visible)) < _NEAR_SHARE * visible.size + NEAR_PX
        and _is_at_place(blob, visible)
    ]
    matched = _pair_nearest(near, {})
    similar = [
        (_measure_distance(blob, last[object_id]), place, object_id)
        for place, blob in enumerate(blobs)
        if place not in matched
        for object_id in last
        if object_id not in matched.values() and _is_similar(blob, last[object_id])
    ]
    return _pair_nearest(similar, matched)


def _pair_nearest(candidates: Iterable[tuple[float, int, int]], matched: dict[int, int]) -> dict[int, int]:
    """Return the pairs with the nearest candidates added first; each blob and each object is used once."""
    pairs = dict(matched)
    used = set(pairs.values())
    for _, place, object_id in sorted(candidates):
        if place not in pairs and object_id not in used:
            pairs[place] = object_id
            used.add(object_id)
    return pairs


def _measure_distance(blob: Blob, visible: VisibleObject) -> float:
    return hypot(blob.x - visible.x, blob.y - visible.y - CENTROIDS[visible.shape] * visible.size)


def _is_at_place(blob: Blob, visible: VisibleObject) -> bool:
    """Return whether a blob at an object's place may be the object.

    Where the blob touches something else, a part of the object may be covered: then it must look unchanged.
    """
    ratio = blob.area / visible.area
    if blob.region.is_joined:
        is_still = _SAME_AREA[0] < ratio < _SAME_AREA[1] and _measure_distance(blob, visible) < _STILL_PX
        return is_still and _is_similar(blob, visible)
    if blob.is_at_edge and ratio > _SAME_AREA[1]:
        return False
    return _SAME_AREA[0] < ratio < _SAME_AREA[1] or (CHANGED_AREA[0] < ratio < CHANGED_AREA[1] and not blob.is_mixed)


def _is_similar(blob: Blob, visible: VisibleObject) -> bool:
    """Return whether a blob elsewhere looks like the object."""
    ratio = blob.area / visible.area
    if ratio > (_SAME_AREA[1] if blob.is_at_edge else _MOVED_AREA[1]) or blob.is_mixed:
        return False
    if classify_colour(blob.absorption, visible.colour).name != visible.colour:
        return False
    return blob.is_at_edge or (ratio > _MOVED_AREA[0] and classify_blob_shape(blob, visible.shape) == visible.shape)


def classify_blob_shape(blob: Blob, expected: str | None = None) -> str:
    """Return the shape of a blob."""
    return classify_shape(blob.alpha, blob.x - blob.corner[0], blob.y - blob.corner[1], blob.area, expected)
