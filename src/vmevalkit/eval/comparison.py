"""Comparing each frame of a video with the scene that was read from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from vmevalkit.media.image import Frame, Mask
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.residual import (
    CHANGED_LEVELS,
    NOTICED_AREA,
    Blob,
    find_blobs,
    find_changed_pixels,
    find_unlike_window,
)
from vmevalkit.tasks.task import AnyTask

TRACKED_SHARE = 0.2
"""Areas are tracked that have this share of the smallest part, or are large enough to be noticed: a cursor may hide a
part."""
_MOVED, _GROWN = 0.06, 1.5
"""How far something may move from one comparison to the next, as a share of the image, and how much it may grow."""
_OVERLAY_GAP, _OVERLAY_GROWTH = 0.03, 1.5
"""How far from a watermark something may be and belong to it, as a share of the image, and how much larger than at the
start what belongs to it may be."""
_AROUND = np.ones((9, 9), np.uint8)
_PLACES = 2
"""A part that moves changes the picture where it was and where it is."""
RIM_REACH = 0.022
"""By how much lines and parts may be thicker or thinner, as a share of the image's shorter side."""


class FrameComparison:
    """Finds what a frame shows that its state does not explain.

    Where a state leaves the scene as it was at the start, the video's own first frame explains a pixel too: a watermark
    that is there from the start, or colours of the video's own, are not changes.
    """

    def __init__(self, task: AnyTask, puzzle: Any) -> None:
        self._task, self._puzzle = task, puzzle
        self._start: tuple[Frame, Frame] | None = None
        self._drawn: tuple[Any, tuple[Frame, ...]] | None = None
        self._rim = RIM_REACH if task.has_flat_colours else 0.0
        self._own_overlays: tuple[Blob, ...] = ()

    @property
    def redrawn(self) -> Frame | None:
        """The scene of the state that was compared last; None where nothing is redrawn."""
        return None if self._drawn is None else self._drawn[1][0]

    def compare(self, frame: RegisteredFrame, state: Any) -> tuple[Blob, ...]:
        """Return the areas that are not explained."""
        if self._start is None:
            redrawn = self._redraw(self._task.solution(self._puzzle, 0.0), frame)
            self._start = redrawn, frame.image.copy()
            added = find_blobs(frame.image, (redrawn,), frame.visible, self._task.smallest_part_area, self._rim)
            self._own_overlays = tuple(blob for blob in added if not blob.is_style and not blob.is_bare)
        if self._drawn is None or self._drawn[0] != state:
            self._drawn = state, self._expect(state, frame)
        expected, min_area = self._drawn[1], min(TRACKED_SHARE * self._task.smallest_part_area, NOTICED_AREA)
        blobs = find_blobs(frame.image, expected, frame.visible, min_area, self._rim)
        if not blobs:
            return ()
        others = [_fit(other, frame.image) for other in self._task.vary_backdrop(self._puzzle, state, frame.image)]
        if others:
            blobs = find_blobs(frame.image, (*expected, *others), frame.visible, min_area, self._rim)
        return self._name_own_overlays(blobs)

    def _name_own_overlays(self, blobs: tuple[Blob, ...]) -> tuple[Blob, ...]:
        """Say of what is beside or over a thing that the video's own first frame shows that it belongs to that thing:
        a watermark moves a little, and a counter of frames changes its digits."""
        near = [blob.box for blob in self._own_overlays]
        rest = [index for index, blob in enumerate(blobs) if not blob.is_style] if near else []
        found: set[int] = set()
        while grown := {
            i for i in rest if i not in found and any(blobs[i].overlaps(box, _OVERLAY_GAP) for box in near)
        }:
            found |= grown
            near += [blobs[i].box for i in grown]
        before, after = (sum(each.area for each in group) for group in (self._own_overlays, [blobs[i] for i in found]))
        if not found or after > _OVERLAY_GROWTH * before:
            return blobs
        return tuple(replace(blob, is_own=True) if index in found else blob for index, blob in enumerate(blobs))

    def locate_on_ways(self, blobs: Sequence[Blob], states: Iterable[Any]) -> tuple[Blob, ...]:
        """Return the areas with the share of each that is where a part has moved in the states of a video."""
        if self._start is None or not self._task.may_have_trails or all(blob.is_style for blob in blobs):
            return tuple(blobs)
        before, _ = self._start
        ways, last = np.zeros(before.shape[:2], np.bool_), None
        for state in states:
            if state == last:
                continue
            drawn, last = _fit(self._task.draw(self._puzzle, state), before), state
            window = find_unlike_window(drawn, before, CHANGED_LEVELS)
            if window is not None:
                changed = find_changed_pixels(drawn[window], before[window])
                ways[window] |= _find_way(changed)
            before = drawn
        side = 2 * round(self._task.smallest_part_area**0.5 * min(ways.shape) / 2) + 1
        closed = cv2.morphologyEx(ways.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((2 * side + 1, 2 * side + 1)))
        near = cv2.dilate(closed, np.ones((side, side))).astype(bool)  # a trail may be wider than the part
        return tuple(replace(blob, moved_share=_measure_share(blob, near)) for blob in blobs)

    def settle_touched_parts(self, frame: RegisteredFrame, state: Any, before: Any, overlays: Sequence[Blob]) -> Any:
        """Return the state, with parts as they were before that differ only because something else touches them.

        That is so where the earlier parts explain more of the frame, up to a thing that was there in the last
        comparison and that is not larger now than it was.
        """
        task, puzzle = self._task, self._puzzle
        settled = task.keep_parts(puzzle, state, before, lambda box: any(blob.overlaps(box) for blob in overlays))
        if settled == state:
            return state
        rest = self.leave_out_deciding(self.compare(frame, settled), settled)
        known = sum(blob.area for blob in overlays)
        is_known = all(any(other.overlaps(blob.box, _MOVED) for other in overlays) for blob in rest)
        left = sum(blob.area for blob in rest)
        if not is_known or left > _GROWN * known:
            return state
        # An earlier reading may be the wrong one: it must explain more than what was read now.
        now = sum(blob.area for blob in self.leave_out_deciding(self.compare(frame, state), state))
        return settled if left < now else state

    def leave_out_deciding(self, blobs: Sequence[Blob], state: Any) -> tuple[Blob, ...]:
        """Return the areas that are away from the parts that decide, light and style apart."""
        if not blobs:
            return ()
        task, puzzle = self._task, self._puzzle
        boxes = (*task.explained_boxes(puzzle, state), *task.deciding_boxes(puzzle, state))
        return tuple(blob for blob in blobs if not blob.is_style and not any(map(blob.overlaps, boxes)))

    def _expect(self, state: Any, frame: RegisteredFrame) -> tuple[Frame, ...]:
        assert self._start is not None
        redrawn_start, first = self._start
        redrawn, as_first = self._redraw(state, frame), first.copy()
        window = find_unlike_window(redrawn, redrawn_start, CHANGED_LEVELS, _AROUND.shape[0] // 2)
        if window is not None:
            changed = find_changed_pixels(redrawn[window], redrawn_start[window])
            cv2.copyTo(redrawn[window], cv2.dilate(changed.view(np.uint8), _AROUND), as_first[window])
        return redrawn, as_first

    def _redraw(self, state: Any, frame: RegisteredFrame) -> Frame:
        return _fit(self._task.draw(self._puzzle, state), frame.image)


def _find_way(changed: Mask) -> Mask:
    """Return the area over which a part has moved from one reading to the next: where it was, where it is, and what is
    between them. Where more than one part may have moved, what is between them is not known."""
    contours, _ = cv2.findContours(changed.view(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    if len(contours) > _PLACES:
        return changed
    way = np.zeros(changed.shape, np.uint8)
    cv2.fillConvexPoly(way, cv2.convexHull(np.concatenate(contours)), 1)
    return way.astype(bool)


def _measure_share(blob: Blob, area: Mask) -> float:
    """Return the share of a blob that is in an area of the image."""
    if blob.mask is None:
        return 0.0
    top, left = round(blob.top * area.shape[0]), round(blob.left * area.shape[1])
    part = area[top : top + blob.mask.shape[0], left : left + blob.mask.shape[1]]
    return float(part[blob.mask].mean())


def _fit(image: Frame, other: Frame) -> Frame:
    """Return an image at the size of another one."""
    height, width = other.shape[:2]
    return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
