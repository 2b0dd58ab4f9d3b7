"""What the end of a video shows that is not part of the puzzle, and which parts of the puzzle it does not show."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Any

from vmevalkit.core.records import Finding
from vmevalkit.media.residual import Blob, Box
from vmevalkit.tasks.task import AnyTask, FrameReading

END_S = 0.5
"""What is seen in this last time is seen at the end."""
PASSING_SHARE = 0.015
"""Content that covers this share of the image on the way is mentioned."""
_TRACKING_MARGIN = 0.06
"""How far an overlay may move from one comparison to the next, as a share of the image."""
_COUNTED_SHARE = 0.5
"""Areas count that have this share of the smallest thing that means something."""
_FRAGMENTS = 1.5
"""Several areas count that are together this many times as large as the smallest thing that means something."""
_MARGIN = 0.06
"""Width of the margin of an image, as a share of it."""
_FILLED_SHARE, _AROUND_CELL = 0.45, 0.01
"""Share of a cell that its background fills, beside a piece or a digit; how far it may reach beyond the cell."""
_MIN_GROWTH, _MIN_MOTION = 1.6, 0.03
"""An overlay that came in grew by this factor after it touched the edge, or moved by this share of the image."""

Trace = Sequence[FrameReading[Any]]


@dataclass(frozen=True, slots=True)
class Overlay:
    """Something that is not part of the puzzle and is there at the end."""

    blob: Blob
    """The area that it covers at the end."""
    since_s: float
    """When it appeared."""
    came_in: bool
    """Whether it was seen to come in over the edge of the image."""


def find_overlays(trace: Trace) -> list[Overlay]:
    """Return what the last comparison does not explain and earlier ones of the last half second show too."""
    compared = [reading for reading in trace if reading.blobs is not None]
    if not compared:
        return []
    return [_trace_back(blob, compared) for blob in compared[-1].blobs or () if _is_lasting(blob, compared)]


def find_foreign_content(task: AnyTask, puzzle: Any, trace: Trace, overlays: Sequence[Overlay]) -> list[Finding]:
    """Return a finding where the end of the video shows something that is not part of the puzzle.

    An overlay that came in from outside is excused, unless it covers what decides. So is a cell with another colour
    behind its content, which the reader reads.
    """
    if not overlays:
        return []
    state = next(reading.state for reading in reversed(trace) if reading.blobs is not None)
    boxes, explained = task.deciding_boxes(puzzle, state), task.explained_boxes(puzzle, state)
    cells = task.highlight_boxes(puzzle)
    foreign = [
        overlay
        for overlay in overlays
        if overlay.blob.area >= _COUNTED_SHARE * task.smallest_mark
        and not any(overlay.blob.is_inside(box) for box in explained)
        and not any(_is_highlight(overlay.blob, box) for box in cells)
        and not (overlay.came_in and not any(overlay.blob.overlaps(box) for box in boxes))
    ]
    total = sum(overlay.blob.area for overlay in foreign)
    largest = max((overlay.blob.area for overlay in foreign), default=0.0)
    # Small differences inside single cells are the reader's matter: a digit may have another typeface.
    fragments = sum(o.blob.area for o in foreign if not any(o.blob.is_inside(cell) for cell in cells))
    if largest < task.smallest_mark and fragments < _FRAGMENTS * task.smallest_mark:
        return []
    since_s = min(overlay.since_s for overlay in foreign)
    detail = (
        f"At the end something that is not part of the puzzle covers {total:.1%} of the image, from {since_s:.2f} s on."
    )
    return [Finding("foreign_content", True, detail, since_s)]


def _is_highlight(blob: Blob, cell: Box) -> bool:
    """Return whether a blob is the background of a cell in another colour."""
    left, top, right, bottom = cell
    is_inside = blob.is_inside((left - _AROUND_CELL, top - _AROUND_CELL, right + _AROUND_CELL, bottom + _AROUND_CELL))
    return blob.is_plain and is_inside and blob.area >= _FILLED_SHARE * (right - left) * (bottom - top)


def find_unseen_parts(task: AnyTask, puzzle: Any, trace: Trace, overlays: Sequence[Overlay]) -> list[Finding]:
    """Return a finding where parts of the puzzle could not be seen in the last half second.

    A part that does not decide is excused if something that came in from outside covers it, or if the video shows it in
    no frame: the image may be cropped.
    """
    read = [reading for reading in trace if reading.state is not None]
    unseen = [(reading.seconds, task.unseen_boxes(puzzle, reading.state)) for reading in read]
    last_s = read[-1].seconds
    at_end = [boxes for seconds, boxes in unseen if seconds > last_s - END_S]
    if not all(at_end):
        return []
    at_start = [boxes for seconds, boxes in unseen if seconds <= read[0].seconds + END_S]
    hidden = _find_common(at_end)
    cropped = _find_common(at_start)
    deciding = task.deciding_boxes(puzzle, read[-1].state)
    covers = [overlay.blob for overlay in overlays if overlay.came_in]
    parts = [name for name in hidden if name not in cropped and not _is_covered(at_end[-1][name], covers, deciding)]
    if not parts:
        return []
    since_s = min(_find_start(unseen, name) for name in parts)
    others = f" and {len(parts) - 1} more" if len(parts) > 1 else ""
    detail = f"A part of the puzzle{others} cannot be seen at the end, from {since_s:.2f} s on."
    return [Finding("unseen_at_end", True, detail, since_s)]


def _find_common(boxes: Sequence[Any]) -> list[Hashable]:
    return [name for name in boxes[-1] if all(name in each for each in boxes)] if boxes else []


def _is_covered(box: Box, covers: Sequence[Blob], deciding: Sequence[Box]) -> bool:
    """Return whether something that came in covers a part that does not decide."""
    left, top, right, bottom = box
    does_decide = any(
        left < other[2] and other[0] < right and top < other[3] and other[1] < bottom for other in deciding
    )
    return not does_decide and any(blob.overlaps(box) for blob in covers)


def _find_start(unseen: Sequence[tuple[float, Any]], name: Hashable) -> float:
    """Return since when a part is unseen."""
    start_s = unseen[-1][0]
    for seconds, boxes in reversed(unseen):
        if name not in boxes:
            break
        start_s = seconds
    return start_s


def _is_lasting(blob: Blob, compared: Trace) -> bool:
    """Return whether the earlier comparisons of the last half second show it too: one frame may be coded badly."""
    end_s = compared[-1].seconds
    earlier = [reading for reading in compared[:-1] if reading.seconds > end_s - END_S]
    return not earlier or any(
        other.overlaps(blob.box, _TRACKING_MARGIN) for reading in earlier[-2:] for other in reading.blobs or ()
    )


def _trace_back(blob: Blob, compared: Trace) -> Overlay:
    """Follow a blob back in time to where it appeared."""
    history, since_s = [blob], compared[-1].seconds
    for reading in reversed(compared[:-1]):
        earlier = [other for other in reading.blobs or () if other.overlaps(history[-1].box, _TRACKING_MARGIN)]
        if not earlier:
            break
        history.append(next((other for other in earlier if other.at_edge), earlier[0]))
        since_s = reading.seconds
    return Overlay(blob, since_s, _has_come_in(history[::-1]))


def _has_come_in(history: Sequence[Blob]) -> bool:
    """Return whether something touched the edge when it appeared, and then grew or moved into the image.

    What appears at once, or was painted at the edge, did not come in. Nor did a place from which something was erased:
    there is nothing over it.
    """
    if history[-1].is_bare:
        return False
    first = history[0]
    has_grown = any(_measure_box(blob) >= _MIN_GROWTH * _measure_box(first) for blob in history[1:])
    has_moved = any(_measure_motion(first, blob) >= _MIN_MOTION for blob in history[1:])
    # In a margin of its own colour it may be seen only after a while.
    is_near_edge = min(first.left, first.top, 1 - first.right, 1 - first.bottom) < _MARGIN
    return (first.at_edge and has_grown) or (is_near_edge and has_moved)


def _measure_box(blob: Blob) -> float:
    return (blob.right - blob.left) * (blob.bottom - blob.top)


def _measure_motion(one: Blob, other: Blob) -> float:
    across, down = (
        (a + b - c - d) / 2
        for a, b, c, d in (
            (one.left, one.right, other.left, other.right),
            (one.top, one.bottom, other.top, other.bottom),
        )
    )
    return hypot(across, down)


def find_passing_content(trace: Trace) -> list[Finding]:
    """Return a remark where something that is not part of the puzzle covers much of the image for a while."""
    compared = [reading for reading in trace if reading.blobs is not None]
    covered = [reading for reading in compared if any(blob.area > PASSING_SHARE for blob in reading.blobs or ())]
    if not covered:
        return []
    largest = max(blob.area for reading in covered for blob in reading.blobs or ())
    detail = (
        f"Something that is not part of the puzzle covers {largest:.0%} of the image, "
        f"from {covered[0].seconds:.2f} s on, in {len(covered)} of {len(compared)} frames that were compared."
    )
    return [Finding("unexplained_content", False, detail, covered[0].seconds)]
