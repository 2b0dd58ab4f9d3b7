"""Drawing what was read from a frame over that frame, for any task."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from vmevalkit.media.image import Frame, Mask
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.residual import Box, find_changed_boxes, find_changed_pixels
from vmevalkit.tasks.task import AnyTask, FrameReading

READ, WRONG, REMARK, UNSEEN = (0, 160, 220), (220, 38, 38), (234, 140, 0), (148, 163, 184)
"""Colours of what was read, of what is wrong, of what is odd or not explained, and of what the video cuts off."""
Colour = tuple[int, int, int]
"""Red, green and blue."""
_CHANGED_LEVELS = 24
_AROUND = np.ones((7, 7), np.uint8)
_LARGEST = 0.6
"""A changed box that covers more than this share of the image marks nothing, and is left out."""
_MOST_BOXES = 4
_CLEAR = 0.4
"""A changed box is marked if it changes by this share of the most changed one: the others only go on moving."""


class StateOverlay:
    """Draws over a frame the outlines of what its state has moved, added or removed since the first frame.

    The outlines are those of the redrawn state, so they lie on what the frame shows where the reading is right."""

    def __init__(self, task: AnyTask, puzzle: Any) -> None:
        self._task, self._puzzle = task, puzzle
        self._start = task.first_frame(puzzle)

    def draw(
        self, frame: RegisteredFrame, reading: FrameReading[Any], width: int, mark: Colour | None, before: Any = None
    ) -> Frame:
        """Return the frame ``width`` pixels wide. With a ``mark``, what differs from the state ``before`` and what the
        state does not explain are marked in this colour."""
        image = _resize(frame.image, width)
        if frame.visible is not None:
            image = _hatch(image, ~_resize_mask(frame.visible, image))
        boxes: list[Box] = []
        if reading.state is not None:
            redrawn = self._task.draw(self._puzzle, reading.state)
            # The first frame may have another size than what is drawn of a state: the heights may round differently.
            _outline(image, _resize_to(redrawn, image), _resize_to(self._start, image))
            if mark is not None:
                boxes = self._find_wrong_boxes(redrawn, before)
        for blob in reading.blobs or ():
            _draw_box(image, blob.box, REMARK, 1)
        if mark is not None:
            boxes += [blob.box for blob in reading.blobs or () if blob.area >= self._task.smallest_part_area]
            for box in sorted(boxes, key=_area, reverse=True)[:_MOST_BOXES]:
                _draw_box(image, box, mark, 2)
            _draw_box(image, (0.0, 0.0, 1.0, 1.0), mark, 3)
        return image

    def _find_wrong_boxes(self, redrawn: Frame, before: Any) -> list[Box]:
        """Return what differs from the state before. Damage that lasts differs from the solution instead."""
        earlier = self._start if before is None else self._task.draw(self._puzzle, before)
        for reference in (earlier, self._task.final_frame(self._puzzle)):
            boxes = [box for box in find_changed_boxes(reference, redrawn) if _area(box) < _LARGEST]
            changes = [_measure_change(reference, redrawn, box) for box in boxes]
            if boxes:
                least = _CLEAR * max(changes)
                return [box for box, change in zip(boxes, changes, strict=True) if change >= least]
        return []


def _measure_change(before: Frame, after: Frame, box: Box) -> float:
    height, width = before.shape[:2]
    part = np.s_[int(box[1] * height) : int(box[3] * height) + 1, int(box[0] * width) : int(box[2] * width) + 1]
    return float(cv2.absdiff(before[part], after[part]).sum())


def _outline(image: Frame, redrawn: Frame, start: Frame) -> None:
    changed = find_changed_pixels(redrawn, start, _CHANGED_LEVELS)
    near = cv2.dilate(changed.astype(np.uint8), _AROUND).astype(bool)
    if not near.any():
        return
    edges = cv2.Canny(redrawn, 60, 120).astype(bool)
    # What vanished has no edge in the redrawn scene; the outline of its place shows it.
    gone = cv2.Canny(start, 60, 120).astype(bool) & ~cv2.dilate(edges.astype(np.uint8), _AROUND).astype(bool)
    image[(edges | gone) & near] = READ


def _draw_box(image: Frame, box: Box, colour: Colour, thickness: int) -> None:
    height, width = image.shape[:2]
    left, top, right, bottom = box
    first = max(0, round(left * width) - thickness), max(0, round(top * height) - thickness)
    last = min(width - 1, round(right * width) + thickness), min(height - 1, round(bottom * height) + thickness)
    cv2.rectangle(image, first, last, colour, thickness)


def _hatch(image: Frame, hidden: Mask) -> Frame:
    rows, columns = np.indices(image.shape[:2])
    image = image.copy()
    image[hidden & ((rows + columns) % 8 < 2)] = UNSEEN
    return image


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _resize(image: Frame, width: int, height: int | None = None) -> Frame:
    height = height or max(1, round(image.shape[0] * width / image.shape[1]))
    way = cv2.INTER_AREA if width < image.shape[1] else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(image, (width, height), interpolation=way), np.uint8)


def _resize_to(image: Frame, other: Frame) -> Frame:
    return _resize(image, other.shape[1], other.shape[0])


def _resize_mask(mask: Mask, image: Frame) -> Mask:
    size = image.shape[1], image.shape[0]
    return np.asarray(cv2.resize(mask.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST), np.bool_)
