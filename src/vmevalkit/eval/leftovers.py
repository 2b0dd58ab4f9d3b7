"""Leftovers: what the end of a video shows that its state does not explain, and which parts of the puzzle it does not
show. A leftover gates by what it is, not by its size alone."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from typing import Any, Literal

from vmevalkit.core.records import Finding
from vmevalkit.media.residual import NOTICED_AREA, Blob, Box
from vmevalkit.tasks.task import AnyTask, FrameReading

END_S = 0.5
"""What is seen in this last time is seen at the end."""
PASSING_SHARE = 0.015
"""Content that covers this share of the image on the way is mentioned."""
_TRACKING_MARGIN = 0.06
"""How far an overlay may move from one comparison to the next, as a share of the image."""
_MARKED_SHARE = 0.5
"""Most of the place of a part that marks may cover."""
_COUNTED_SHARE = 0.5
"""Areas count that have this share of the smallest part."""
_FRAGMENTS = 1.5
"""Several areas count that are together this many times as large as the smallest part."""
_MARGIN = 0.06
"""Width of the margin of an image, as a share of it."""
_AROUND_CELL = 0.015
"""How far the background of a cell may reach beyond it."""
_CORNER = (0.12, 0.26)
"""Where the corners of a cell begin and end, as shares of it: a highlight fills them, a piece or a digit does not."""
_CORNER_SHARE, _MIN_CORNERS = 0.5, 3
"""Share of a corner that a highlight fills, and the fewest corners."""
_MIN_FIELD_CORNERS = 2
"""Fewest corners of a field behind a part: the part itself may cover the others."""
_TIP, _TIP_SHARE = (0.02, 0.2), 0.4
"""Where the tips of its own corners begin and end, and the share that it fills of them: a disc has none."""
_SIDES = ((0.02, 0.42, 0.14, 0.58), (0.86, 0.42, 0.98, 0.58), (0.42, 0.02, 0.58, 0.14), (0.42, 0.86, 0.58, 0.98))
_MIDDLE = ((0.44, 0.44, 0.56, 0.56),)
"""The middle of a field, where its part is seen: what is over it is no field behind it."""
_MIN_SIDES = 3
"""The middles of the sides of a field, and how many of them are filled by as many pieces."""
_SAME_WIDTH = 1.33
"""Pieces of one trail are at most this many times as thick as each other."""
_MIN_GROWTH, _MIN_MOTION = 1.6, 0.03
"""An overlay that came in grew by this factor after it touched the edge, or moved by this share of the image."""
_RECOLOURED, _RECOLOURED_AREA = 0.25, 0.1
"""Share of the cells that have another colour where the whole board has, and the least area of that colour."""
_THIN, _SLENDER = 0.8, 3.0
"""Thickness of a thin mark, in sides of the smallest part; the area of a slender one, in squares of its thickness."""
_TOUCHING, _ALONG = 0.004, 0.5
"""How near to the puzzle something is that continues it, as a share of the image; the share of a side along which it
is."""
_NOTICED, _COMPACT, _ON_PLAIN = 0.012, 4.0, 0.8
"""Least thickness of a small thing, as a share of the image; its most area, in squares of its thickness; and the share
of it that is over one colour."""
_SMALL_AREA = 0.002
"""Area of a thing that is smaller than what a cell may show in another arrangement."""
_ON_WAY, _ON_GROUND = 0.8, 0.95
"""Share of a mark that is where a part has moved; share of one that is on ground of one colour."""

Trace = Sequence[FrameReading[Any]]

Meaning = Literal["thing", "cover", "mark", "style"]
"""A thing could be a part; a cover is over a part that decides; a mark is a trail, a highlight, an arrow or a caption;
style is light, shading, and the size of what is drawn."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What must be known of a scene to tell what a leftover is."""

    smallest_part: float
    """Area of the smallest part, as a share of the image."""
    board: Box
    """The puzzle, without the margin around it."""
    deciding: Sequence[Box] = ()
    """Parts that decide whether the state is an answer."""
    cells: Sequence[Box] = ()
    """Cells that may have another colour behind their content."""
    fields: Sequence[Box] = ()
    """Parts that are seen, and may have a field of another colour behind them."""


def classify(blob: Blob, around: Surroundings, came_in: bool = False, others: Sequence[Blob] = ()) -> Meaning:
    """Return what a leftover is. ``came_in`` says that it was seen to come in over the edge of the image, ``others``
    are the further leftovers: lines and parts cut a trail or a highlight into pieces."""
    if blob.is_style:
        return "style"
    pieces = (blob, *(other for other in others if other is not blob and not other.is_style))
    if _continues(blob, around.board):
        return "thing"
    if not blob.overlaps(around.board) or _is_highlight(blob, around, pieces):
        return "mark"
    ground = _find_recoloured(around.cells, pieces)
    is_ground = any(map(blob.overlaps, ground)) and blob.measure_rest(ground) <= _THIN * sqrt(around.smallest_part)
    if is_ground or (ground and blob.is_bare):
        return "style"  # the whole board has another colour; beside a piece there are thin remains
    is_slender = blob.area >= _SLENDER * blob.thickness**2
    if _is_on_way(blob) and (is_slender or _measure_trail(blob, pieces) >= _SLENDER * blob.thickness**2):
        return "mark"  # a trail, an arrow along the move, a path that is drawn and then walked
    if any(blob.overlaps(box) for box in around.deciding):
        return "cover"
    if blob.is_own:
        return "mark"
    is_thin = blob.thickness <= _THIN * sqrt(around.smallest_part)
    if came_in or (is_thin and is_slender and blob.flat_share >= _ON_GROUND and not blob.is_bare):
        return "mark"
    return "thing"


def describe_surroundings(task: AnyTask, puzzle: Any, state: Any) -> Surroundings:
    """Return what a task says of a scene."""
    return Surroundings(
        task.smallest_part_area,
        task.board_box(puzzle),
        task.deciding_boxes(puzzle, state),
        task.highlight_boxes(puzzle),
        task.field_boxes(puzzle, state),
    )


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


def find_leftovers(task: AnyTask, puzzle: Any, trace: Trace, overlays: Sequence[Overlay]) -> list[Finding]:
    """Return a gating finding where the end of the video shows a thing that is not part of the puzzle, or a cover over
    what decides, and a remark on marks and style."""
    if not overlays:
        return []
    state = next(reading.state for reading in reversed(trace) if reading.blobs is not None)
    around = describe_surroundings(task, puzzle, state)
    explained = [
        box
        for box in task.explained_boxes(puzzle, state)
        if box not in around.cells or not _has_small_things(box, overlays)
    ]
    blobs = [overlay.blob for overlay in overlays]
    large = [
        (overlay, classify(overlay.blob, around, overlay.came_in, blobs))
        for overlay in overlays
        if (overlay.blob.area >= _COUNTED_SHARE * task.smallest_part_area or _is_noticed(overlay.blob))
        and not any(overlay.blob.is_inside(box) for box in explained)
    ]
    things = [overlay for overlay, meaning in large if meaning in ("thing", "cover")]
    total = sum(overlay.blob.area for overlay in things)
    largest = max((overlay.blob.area for overlay in things), default=0.0)
    # Small differences inside single cells are the reader's matter: a digit may have another typeface.
    fragments = sum(o.blob.area for o in things if not any(o.blob.is_inside(cell) for cell in around.cells))
    is_noticed = any(
        _is_noticed(overlay.blob)
        and all(_has_small_things(cell, overlays) for cell in around.cells if overlay.blob.is_inside(cell))
        for overlay in things
    )
    if is_noticed or largest >= task.smallest_part_area or fragments >= _FRAGMENTS * task.smallest_part_area:
        since_s = min(overlay.since_s for overlay in things)
        detail = (
            f"At the end something that is not part of the puzzle covers {total:.1%} of the image, "
            f"from {since_s:.2f} s on."
        )
        return [Finding("foreign_content", True, detail, since_s)]
    return [
        Finding(name, False, detail, min(overlay.since_s for overlay in found))
        for name, wanted, detail in _REMARKS
        if (found := [overlay for overlay, meaning in large if meaning == wanted])
    ]


def _is_noticed(blob: Blob) -> bool:
    """Return whether a person would notice a thing that is smaller than all parts: it is compact, on plain ground."""
    is_compact = blob.area < _COMPACT * blob.thickness**2 and blob.thickness >= _NOTICED
    return is_compact and blob.area >= NOTICED_AREA and blob.flat_share >= _ON_PLAIN


def _has_small_things(box: Box, overlays: Sequence[Overlay]) -> bool:
    """Return whether all that a cell shows beside what was read there are small things: nothing is arranged anew."""
    inside = [overlay.blob for overlay in overlays if overlay.blob.is_inside(box) and not overlay.blob.is_style]
    return bool(inside) and all(_is_noticed(blob) and blob.area < _SMALL_AREA for blob in inside)


_REMARKS: tuple[tuple[str, Meaning, str], ...] = (
    ("mark_added", "mark", "At the end there is a trail, a highlight, an arrow or a caption."),
    ("style_changed", "style", "At the end light, shading or line widths differ from the question."),
)


def _continues(blob: Blob, board: Box) -> bool:
    """Return whether something beside the puzzle is as one more row or column of it would be."""
    left, top, right, bottom = board
    width = min(blob.right, right) - max(blob.left, left)
    height = min(blob.bottom, bottom) - max(blob.top, top)
    is_beside = -_TOUCHING <= width <= _TOUCHING and height >= _ALONG * (bottom - top)
    is_below = -_TOUCHING <= height <= _TOUCHING and width >= _ALONG * (right - left)
    return not blob.is_plain and (is_beside or is_below)


def _find_recoloured(cells: Sequence[Box], pieces: Sequence[Blob]) -> list[Box]:
    """Return the cells whose ground has another colour, with what is around them; none where it is not the board's."""
    if sum(piece.area for piece in pieces) < _RECOLOURED_AREA:
        return []
    filled = [
        _widen(cell)
        for cell in cells
        if _count_filled(
            [piece for piece in pieces if piece.overlaps(cell)], cell, _list_corners(_CORNER), _CORNER_SHARE
        )
        >= _MIN_CORNERS
    ]
    return filled if len(filled) >= _RECOLOURED * len(cells) else []


def _is_on_way(blob: Blob) -> bool:
    return blob.moved_share >= _ON_WAY and not blob.is_bare


def _measure_trail(blob: Blob, pieces: Sequence[Blob]) -> float:
    """Return the area of all pieces of a trail of the same width."""
    return sum(
        piece.area
        for piece in pieces
        if _is_on_way(piece) and 1 / _SAME_WIDTH <= piece.thickness / max(blob.thickness, 1e-6) <= _SAME_WIDTH
    )


def _is_highlight(blob: Blob, around: Surroundings, pieces: Sequence[Blob]) -> bool:
    """Return whether a blob is the background of whole cells in another colour, behind what they show.

    What a cell shows may cut its background into pieces. Beside cells only thin remains are left: around the piece of
    the next cell, say."""
    if blob.at_edge:
        return False
    filled = [cell for cell in around.cells if blob.overlaps(cell) and _is_filled(cell, pieces, _MIN_CORNERS)]
    filled += [
        box
        for box in around.fields
        if blob.overlaps(box)
        and _is_filled(box, pieces, _MIN_FIELD_CORNERS)
        and not _count_filled(pieces, box, _MIDDLE, 0.5)
    ]
    if not filled or _is_disc_over(filled, pieces):
        return False
    return blob.measure_rest([_widen(cell) for cell in filled]) <= _THIN * sqrt(around.smallest_part)


def _is_disc_over(filled: Sequence[Box], pieces: Sequence[Blob]) -> bool:
    """Return whether pieces are together a disc that reaches beyond the one cell that it fills: there its own corners
    are not those of the cell."""
    room = _widen(filled[0])
    here = [piece for piece in pieces if any(map(piece.overlaps, filled))]
    lefts, tops, rights, lows = zip(*(piece.box for piece in here), strict=True)
    extent = min(lefts), min(tops), max(rights), max(lows)
    if not all(_is_box_inside(cell, room) for cell in filled) or _is_box_inside(extent, room):
        return False
    has_tips = _count_filled(here, extent, _list_corners(_TIP), _TIP_SHARE) > 0
    return not has_tips and _count_filled(here, extent, _SIDES, _TIP_SHARE) == len(_SIDES)


def _is_box_inside(inner: Box, outer: Box) -> bool:
    return inner[0] >= outer[0] and inner[1] >= outer[1] and inner[2] <= outer[2] and inner[3] <= outer[3]


def _is_filled(cell: Box, pieces: Sequence[Blob], least: int) -> bool:
    """Return whether pieces fill the corners of a cell, and have corners of their own there; or its sides, where what
    the cell shows reaches into its corners, as a cross does."""
    here = [piece for piece in pieces if piece.overlaps(cell)]
    if len(here) > 1 and 2 * sum(piece.area for piece in here if piece.is_plain) < sum(piece.area for piece in here):
        return False  # what is left of a larger content has its outlines
    wider = _widen(cell)
    room = wider if all(piece.is_inside(wider) for piece in here) else cell
    lefts, tops, rights, lows = zip(*(piece.box for piece in here), strict=True)
    extent = max(min(lefts), room[0]), max(min(tops), room[1]), min(max(rights), room[2]), min(max(lows), room[3])
    if _count_filled(here, extent, _list_corners(_TIP), _TIP_SHARE) >= least:
        return _count_filled(here, cell, _list_corners(_CORNER), _CORNER_SHARE) >= least
    return len(here) >= _MIN_SIDES and _count_filled(here, extent, _SIDES, _TIP_SHARE) >= _MIN_SIDES


def _widen(cell: Box) -> Box:
    left, top, right, bottom = cell
    return left - _AROUND_CELL, top - _AROUND_CELL, right + _AROUND_CELL, bottom + _AROUND_CELL


def _list_corners(zone: tuple[float, float]) -> list[Box]:
    begin, end = zone
    return [(x, y, x + end - begin, y + end - begin) for x in (begin, 1 - end) for y in (begin, 1 - end)]


def _count_filled(pieces: Sequence[Blob], cell: Box, zones: Sequence[Box], least: float) -> int:
    """Return how many zones, in shares of a cell, are filled."""
    left, top, right, bottom = cell
    wide, high = right - left, bottom - top
    boxes = [(left + x * wide, top + y * high, left + u * wide, top + v * high) for x, y, u, v in zones]
    return sum(sum(piece.measure_coverage(box) for piece in pieces) >= least for box in boxes)


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
    around = describe_surroundings(task, puzzle, read[-1].state)
    parts = [
        name
        for name in hidden
        if name not in cropped
        and not _is_covered(at_end[-1][name], covers, deciding)
        and not _is_seen_under_marks(at_end[-1][name], overlays, around)
    ]
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


def _is_seen_under_marks(box: Box, overlays: Sequence[Overlay], around: Surroundings) -> bool:
    """Return whether all that a part's place shows beside the part is a mark: the rest of it is as it was read."""
    over = [overlay for overlay in overlays if overlay.blob.overlaps(box) and not overlay.blob.is_style]
    blobs = [overlay.blob for overlay in overlays]
    is_marked = bool(over) and all(classify(each.blob, around, each.came_in, blobs) == "mark" for each in over)
    return is_marked and sum(each.blob.measure_coverage(box) for each in over) <= _MARKED_SHARE


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
