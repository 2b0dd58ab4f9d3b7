"""Reading of a frame back into a scene: blobs are found and matched with the objects of the last reading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import hypot

import numpy as np

from vmevalkit.media.image import Mask
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.object_subtraction_task.appearance import classify_colour
from vmevalkit.tasks.object_subtraction_task.blobs import Blob, find_blobs
from vmevalkit.tasks.object_subtraction_task.camera_motion import ObjectMatch, estimate_camera
from vmevalkit.tasks.object_subtraction_task.matching import (
    CHANGED_AREA,
    NEAR_PX,
    classify_blob_shape,
    match_blobs,
)
from vmevalkit.tasks.object_subtraction_task.puzzle import ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.scene import (
    AREAS,
    CENTROIDS,
    COLOURS,
    NEW,
    OTHER,
    SPECIFIED_CANVAS,
    STILL_CAMERA,
    ObjectCamera,
    ObjectScene,
    VisibleObject,
    build_scene,
    compute_coverage,
    make_visible,
)

READING_SIDE = SPECIFIED_CANVAS
"""Images of any size are read at the specification's; all lengths here are its pixels."""
_MIDDLE = READING_SIDE / 2
_CUT_AREA = (0.85, 1.18)
"""Range of the measured area of an object that the edge cuts, relative to its visible part."""
_OPAQUE = 0.88
"""An object with at least this opacity has not started to fade; blur may take some of its strength."""
_MIN_CLEAR_SHARE = 0.5
"""An object that is not found is gone if this share of its place is visible; else it may be covered."""
_MIN_OBJECT_AREA = 25.0
"""Something smaller is not an object."""
_GREY_LEVELS, _TEXT_PX = 40.0, 18
"""A blob whose channels differ by less, and which is smaller, is text."""
_BAR_RATIO = 2.5
"""A blob this many times longer than wide is a bar."""


class ObjectReader:
    """Reader of the frames of one puzzle."""

    def __init__(self, puzzle: ObjectSubtraction) -> None:
        self._scale = puzzle.scale
        self._homes = {thing.id: _scale_object(make_visible(thing), 1 / self._scale) for thing in puzzle.things}
        self._max_area = max(home.area for home in self._homes.values())

    def read(self, frame: RegisteredFrame, before: ObjectScene | None) -> ObjectScene | None:
        """Return the scene, or None where no white ground is visible. A covered object keeps its last known state."""
        blobs = find_blobs(frame.image, frame.visible)
        if blobs is None:
            return None
        camera, last = STILL_CAMERA, self._homes
        if before is not None:
            was = before.camera
            camera = ObjectCamera(was.zoom, was.x / self._scale, was.y / self._scale, was.roll_deg)
            last = {old.id: _scale_object(old, 1 / self._scale) for old in before.objects if old.id != NEW}
        matched = match_blobs(blobs, self._project(last, camera), self._project(self._homes, camera))
        found = {object_id: self._read_object(blobs[place], object_id) for place, object_id in matched.items()}
        cut = {
            object_id: last[object_id]
            for place, object_id in matched.items()
            if object_id in last and _is_cut(blobs[place], last[object_id], camera, frame.visible)
        }
        camera = estimate_camera(self._list_matches(found, (blobs[place] for place in matched)), camera)
        unmatched = [blob for place, blob in enumerate(blobs) if place not in matched]
        occlusion = _mask_blobs(unmatched)
        missing = (last[object_id] for object_id in last if object_id not in found)
        covered = [old for old in missing if self._is_covered(old, camera, occlusion, frame.visible)]
        new = [_make_new_object(blob) for blob in unmatched if self._is_new_object(blob, covered, camera)]
        objects = [*(camera.unproject(visible, READING_SIDE) for visible in (*found.values(), *new)), *covered]
        objects = [cut.get(visible.id, visible) for visible in objects]
        scaled_camera = ObjectCamera(camera.zoom, camera.x * self._scale, camera.y * self._scale, camera.roll_deg)
        unseen = (old.id for old in covered)
        return build_scene((_scale_object(visible, self._scale) for visible in objects), scaled_camera, unseen)

    def _project(self, objects: Mapping[int, VisibleObject], camera: ObjectCamera) -> dict[int, VisibleObject]:
        return {object_id: camera.project(visible, READING_SIDE) for object_id, visible in objects.items()}

    def _read_object(self, blob: Blob, object_id: int) -> VisibleObject:
        """Return the object that a blob shows."""
        home = self._homes[object_id]
        colour = classify_colour(blob.absorption, home.colour)
        shape = home.shape if blob.is_at_edge else classify_blob_shape(blob, home.shape)
        return _make_object(blob, object_id, colour.name, shape, colour.opacity)

    def _is_covered(self, old: VisibleObject, camera: ObjectCamera, occlusion: Mask, seen: Mask | None) -> bool:
        """Return whether an object that is not found may still be there, behind something or outside the video.

        An object at its home cannot have left the image by itself; one that was moving can.
        """
        home = self._homes[old.id]
        place = _mask_object(old, camera, seen)
        has_moved = hypot(old.x - home.x, old.y - home.y) > NEAR_PX
        expected = place.sum() if has_moved else old.area * camera.zoom**2
        return bool((place & ~occlusion).sum() < _MIN_CLEAR_SHARE * expected)

    def _is_new_object(self, blob: Blob, covered: Iterable[VisibleObject], camera: ObjectCamera) -> bool:
        """Return whether a blob is an object that the puzzle does not have.

        Not a new object: a hand (it comes from outside), text (it is grey), the box of a text (it is long, large, or
        objects shine through it), and the visible rest of a covered object.
        """
        if blob.region.is_from_outside or blob.area < _MIN_OBJECT_AREA:
            return False
        left, top, right, bottom = blob.region.box
        short, long = sorted((right - left, bottom - top))
        if float(np.ptp(blob.absorption)) < _GREY_LEVELS and short < _TEXT_PX:
            return False
        is_large = blob.area > CHANGED_AREA[1] * self._max_area and classify_colour(blob.absorption).name not in COLOURS
        if (long > _BAR_RATIO * short or is_large or blob.is_mixed) and classify_blob_shape(blob) == OTHER:
            return False
        return not (blob.region.is_joined and any(_has_overlap(blob, camera, visible) for visible in covered))

    def _list_matches(self, found: Mapping[int, VisibleObject], blobs: Iterable[Blob]) -> list[ObjectMatch]:
        """Return the matches from which the camera is estimated."""
        matches = []
        for (object_id, visible), blob in zip(found.items(), blobs, strict=True):
            home = self._homes[object_id]
            if blob.is_at_edge or visible.shape != home.shape:
                continue
            # The total ink of an opaque object is a better measure of its size than its area: blur does not change it.
            is_opaque = visible.colour == home.colour and visible.opacity > _OPAQUE
            growth = (blob.area * visible.opacity / home.area) ** 0.5 if is_opaque else None
            positions = (home.x - _MIDDLE, home.y - _MIDDLE, visible.x - _MIDDLE, visible.y - _MIDDLE)
            matches.append(ObjectMatch(*positions, growth))
        return matches


def _scale_object(visible: VisibleObject, factor: float) -> VisibleObject:
    if factor == 1:
        return visible
    x, y, size = visible.x * factor, visible.y * factor, visible.size * factor
    return VisibleObject(visible.id, visible.colour, visible.shape, x, y, size, visible.opacity)


def _make_object(blob: Blob, object_id: int, colour: str, shape: str, opacity: float) -> VisibleObject:
    size = (blob.area / AREAS[shape]) ** 0.5
    return VisibleObject(object_id, colour, shape, blob.x, blob.y - CENTROIDS[shape] * size, size, min(opacity, 1.0))


def _make_new_object(blob: Blob) -> VisibleObject:
    colour = classify_colour(blob.absorption)
    return _make_object(blob, NEW, colour.name, classify_blob_shape(blob), colour.opacity)


def _has_overlap(blob: Blob, camera: ObjectCamera, visible: VisibleObject) -> bool:
    """Return whether the boxes of a blob and of an object overlap."""
    left, top, right, bottom = blob.region.box
    box = camera.project(visible, READING_SIDE).box
    return left < box[2] and right > box[0] and top < box[3] and bottom > box[1]


def _mask_object(visible: VisibleObject, camera: ObjectCamera, seen: Mask | None) -> Mask:
    """Return the pixels of an object that the video shows."""
    mask = compute_coverage([camera.project(visible, READING_SIDE)], READING_SIDE)
    return mask if seen is None else mask & seen


def _is_cut(blob: Blob, old: VisibleObject, camera: ObjectCamera, seen: Mask | None) -> bool:
    """Return whether a blob is the visible part of an unchanged object that the edge of the video cuts."""
    if not blob.is_at_edge:
        return False
    mask = _mask_object(old, camera, seen)
    area = float(mask.sum())
    if area < 1 or area > 0.97 * camera.zoom**2 * old.area:
        return False
    y, x = (float(axis.mean()) + 0.5 for axis in np.nonzero(mask))
    return hypot(blob.x - x, blob.y - y) < NEAR_PX and _CUT_AREA[0] < blob.area / area < _CUT_AREA[1]


def _mask_blobs(blobs: Sequence[Blob]) -> Mask:
    """Return the pixels that the blobs cover."""
    mask = np.zeros((READING_SIDE, READING_SIDE), np.bool_)
    for blob in blobs:
        left, top, right, bottom = blob.region.box
        mask[top:bottom, left:right] |= blob.region.mask > 0
    return mask
