"""Evidence: what a trace of readings proves. It is pure logic that all tasks share.

A pass is earned by what was seen. A change counts when enough readings show it; a motion counts when it was seen from
reading to reading. What changed while it was not seen is not a legal move, unless it was one step within a moment.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from vmevalkit.core.records import Finding

if TYPE_CHECKING:
    from vmevalkit.media.residual import Blob, Box
    from vmevalkit.tasks.task import AnyTask, FrameReading

S = TypeVar("S")

MIN_READINGS = 3
"""A change counts if this many readings in a row show it ..."""
MIN_SPAN_S = 0.2
"""... or at least two that span this time."""

Readings = Sequence[tuple[float, S]]
"""Seconds and state of each frame that could be read."""


@dataclass(frozen=True, slots=True)
class Span:
    """A run of readings that meet a condition for long enough to count."""

    start_s: float
    end_s: float
    reaches_end: bool
    """Whether the last reading of the video is part of it."""


def is_long_enough(readings: int, span_s: float) -> bool:
    """Return whether so many readings in a row, over so many seconds, are more than a misreading."""
    return readings >= MIN_READINGS or (readings >= 2 and span_s >= MIN_SPAN_S)


def find_spans(readings: Readings[S], condition: Callable[[S], bool]) -> list[Span]:
    """Return each run of readings that meets the condition for long enough."""
    spans: list[Span] = []
    start_s, count, last_s = 0.0, 0, 0.0
    for index, (seconds, state) in enumerate(readings):
        if condition(state):
            start_s, count = (seconds, 1) if not count else (start_s, count + 1)
            last_s = seconds
            if index + 1 < len(readings):
                continue
        if count and is_long_enough(count, last_s - start_s):
            spans.append(Span(start_s, last_s, last_s == readings[-1][0]))
        count = 0
    return spans


def find_first_start(readings: Readings[S], condition: Callable[[S], bool]) -> float | None:
    """Return when readings first met the condition for long enough; None where they never did."""
    spans = find_spans(readings, condition)
    return spans[0].start_s if spans else None


@dataclass(frozen=True, slots=True)
class MotionLimits:
    """How fast the moving part may be. A step is the smallest legal move, such as a cell or a quarter turn."""

    free_steps: float
    """Steps that may always be made from one frame to the next."""
    max_steps: float
    """Steps from one frame to the next beyond which a motion is a jump at any speed."""
    what: str
    """The moving part, for findings: ``the dot``."""
    unit: str
    """Name of several steps, for findings: ``cells``."""
    scale: float = 1.0
    """Units in a step: 30 for a step of 30 degrees."""


STEADY_RATIO = 3.0
"""A step may be this many times as fast as the steady motion around it."""
ADJOINING_RATIO = 1.42
"""A step may be this many times as long as the one before or after it: one around a corner is shorter by this much."""
AROUND_S = 0.4
"""Seconds before and after a step that count as around it."""
MAX_HOLD_S = 0.15
"""Longest time without a change that still is one motion: frames may be repeated."""
REST_STEPS = 0.1
"""Changes below this are noise of readings."""
UNSEEN_S, UNSEEN_STEPS = 0.25, 1.0
"""One step within this time may be missed, or as many as the motion around it makes."""
UNSEEN_RATIO = 1.5
"""A motion that starts and ends gently is this many times as fast in its middle as around it."""
_TURNED = 1.45
"""How much larger the box of a part may be when the part is turned."""
COVERED_STEPS = ((1.5, 2.0), (3.0, 1.0))
"""Seconds, and the steps that may be made in them behind something that covers the moving part: a caption, a hand."""
_ROUNDING_S = 1e-6
"""Times of frames are rounded."""
MAX_UNSEEN_SHARE = 0.2
"""Most of the moving time that may be unseen."""


@dataclass(frozen=True, slots=True)
class Move:
    """The change from one reading of the moving part to the next."""

    start_s: float
    end_s: float
    steps: float
    """Length of the shortest legal way, in steps."""
    is_seen: bool
    """Whether the moving part was seen in every frame."""
    is_covered: bool = False
    """Whether it was covered by something else in all frames in which it was not seen."""


@dataclass(frozen=True, slots=True)
class PartReading:
    """The position of a moving part in one frame, or None where it was not seen."""

    seconds: float
    position: Any | None
    is_covered: bool = False
    """Whether something else was seen in its place."""


def list_moves(trace: Sequence[PartReading], count_steps: Callable[[Any, Any], float]) -> list[Move]:
    """Return the change between each two consecutive frames in which the moving part was seen."""
    seen = [(index, each) for index, each in enumerate(trace) if each.position is not None]
    return [
        Move(
            one.seconds,
            two.seconds,
            count_steps(one.position, two.position),
            is_seen=second == first + 1,
            is_covered=all(each.is_covered for each in trace[first + 1 : second]),
        )
        for (first, one), (second, two) in pairwise(seen)
    ]


def find_jumps(moves: Sequence[Move], limits: MotionLimits) -> list[Move]:
    """Return moves between two frames that are too long for the steady motion around them.

    The speed around a move is that of all other moves within AROUND_S, so neither a jump nor a slide show of jumps
    justifies itself: pictures that rest between jumps have no steady motion.
    """
    jumps = []
    for move in moves:
        if not move.is_seen or move.steps <= limits.free_steps:
            continue
        adjoining = _find_adjoining(move, moves, limits.free_steps)
        reach = max(STEADY_RATIO * _reach_of_steady_motion(move, moves), ADJOINING_RATIO * adjoining)
        if move.steps > min(limits.max_steps, max(reach, limits.free_steps)):
            jumps.append(move)
    return jumps


def _find_adjoining(move: Move, moves: Sequence[Move], free_steps: float) -> float:
    """Return the longest free step right before or after a move: a motion may be short between two rests."""
    place = next(index for index, each in enumerate(moves) if each is move)
    beside = moves[max(place - 1, 0) : place + 2]
    return max((each.steps for each in beside if each.is_seen and each.steps <= free_steps), default=0.0)


def _reach_of_steady_motion(move: Move, moves: Sequence[Move]) -> float:
    """Return the steps that the motion around a move makes in the time of the move."""
    start_s, end_s = move.start_s - AROUND_S, move.end_s + AROUND_S
    around = [
        each for each in moves if each is not move and each.is_seen and each.end_s > start_s and each.start_s < end_s
    ]
    time_s = sum(each.end_s - each.start_s for each in around)
    if time_s <= 0:
        return 0.0
    before = [each.end_s for each in moves if each.end_s <= move.start_s and each.steps > REST_STEPS]
    hold_s = min(MAX_HOLD_S, move.start_s - before[-1]) if before else 0.0
    return sum(each.steps for each in around) / time_s * (move.end_s - move.start_s + hold_s)


def find_unseen_moves(moves: Sequence[Move], frame_s: float) -> list[Move]:
    """Return moves that were made while the moving part was not seen, and are longer than a moment excuses.

    ``frame_s`` is the time from one frame to the next.
    """
    unseen = [move for move in moves if not move.is_seen and move.steps > 2 * REST_STEPS]
    return [move for move in unseen if not _is_excused(move, moves, move.end_s - move.start_s - frame_s)]


def _is_excused(move: Move, moves: Sequence[Move], unseen_s: float) -> bool:
    unseen_s -= _ROUNDING_S
    if move.is_covered and any(unseen_s <= seconds and move.steps <= steps for seconds, steps in COVERED_STEPS):
        return True
    # A fast motion makes more than one step in a moment: no more than the steady motion around it explains.
    reach = UNSEEN_RATIO * _reach_of_steady_motion(move, moves)
    return unseen_s <= UNSEEN_S and move.steps <= max(UNSEEN_STEPS, reach)


def measure_moving_s(trace: Sequence[PartReading], count_steps: Callable[[Any, Any], float]) -> float:
    """Return the time from the first departure of the moving part to its last arrival.

    A slow motion counts: each of its steps may be as small as the noise of readings, and the way is not."""
    seen = [each for each in trace if each.position is not None]
    if not seen:
        return 0.0
    start, end = seen[0].position, seen[-1].position
    left = next((place for place, each in enumerate(seen) if count_steps(start, each.position) > REST_STEPS), None)
    if left is None:
        return 0.0
    places = reversed(range(len(seen)))
    away = next((place for place in places if count_steps(seen[place].position, end) > REST_STEPS), left - 1)
    return max(0.0, seen[away + 1].seconds - seen[left - 1].seconds)


def measure_unseen_share(moves: Sequence[Move], frame_s: float, moving_s: float) -> float:
    """Return the share of the moving time in which the moving part was not seen, covers apart."""
    # A part that rests while the camera looks away may be read a little off when it comes back.
    hidden = [move for move in moves if move.steps > 2 * REST_STEPS and not (move.is_seen or move.is_covered)]
    unseen_s = sum(move.end_s - move.start_s - frame_s for move in hidden)
    return unseen_s / moving_s if moving_s > 0 else 0.0


def check_motion(task: AnyTask, puzzle: Any, trace: Sequence[FrameReading[Any]]) -> list[Finding]:
    """Return the findings on the motion of all moving parts, where every move must be visible.

    Of several findings with one name, that of the first part is reported.
    """
    if task.motion is None:
        return []
    start = task.moving_parts(puzzle, task.solution(puzzle, 0.0))
    first_s = trace[0].seconds - (trace[1].seconds - trace[0].seconds if len(trace) > 1 else 0.0)
    readings = _read_parts(task, puzzle, trace, list(start))
    found: dict[str, Finding] = {}
    for part, position in start.items():
        positions = [PartReading(first_s, position), *(each[part] for each in readings)]
        for finding in check_part_motion(positions, _make_counter(task, puzzle, part), task.motion):
            found.setdefault(finding.name, finding)
    return list(found.values())


def _read_parts(
    task: AnyTask, puzzle: Any, trace: Sequence[FrameReading[Any]], names: Sequence[Hashable]
) -> list[dict[Hashable, PartReading]]:
    """Return the position of each moving part in each frame. A part with something else over it was not seen."""
    blobs: tuple[Blob, ...] = ()
    result = []
    for reading in trace:
        if reading.state is None:
            result.append({name: PartReading(reading.seconds, None, reading.is_covered) for name in names})
            continue
        blobs = reading.blobs if reading.blobs is not None else blobs
        positions, boxes = task.moving_parts(puzzle, reading.state), task.part_boxes(puzzle, reading.state)
        over = {
            name: [blob for blob in blobs if not blob.is_style and blob.overlaps(box)] for name, box in boxes.items()
        }
        result.append(
            {
                name: PartReading(
                    reading.seconds,
                    None if over.get(name) else positions.get(name),
                    any(not blob.is_inside(_reach_of_part(boxes[name])) for blob in over.get(name, ())),
                )
                for name in names
            }
        )
    return result


def _reach_of_part(box: Box) -> Box:
    """Return the box that a part fills wherever it turns: what is there alone may be the part itself, faint or
    deformed, and covers nothing."""
    left, top, right, bottom = box
    x, y, reach = (left + right) / 2, (top + bottom) / 2, _TURNED * max(right - left, bottom - top) / 2
    return x - reach, y - reach, x + reach, y + reach


def _make_counter(task: AnyTask, puzzle: Any, part: Hashable) -> Callable[[Any, Any], float]:
    return lambda before, after: task.count_steps(puzzle, part, before, after)


def check_part_motion(
    trace: Sequence[PartReading], count_steps: Callable[[Any, Any], float], limits: MotionLimits
) -> list[Finding]:
    """Return the findings on the motion of one part: jumps between frames, and moves that were not shown."""
    if len(trace) < 2:
        return []
    frame_s = (trace[-1].seconds - trace[0].seconds) / (len(trace) - 1)
    moves = list_moves(trace, count_steps)
    findings = []
    unseen = find_unseen_moves(moves, frame_s)
    if unseen:
        move = max(unseen, key=lambda each: each.steps)
        detail = (
            f"{limits.what.capitalize()} was not visible from {move.start_s:.2f} s to {move.end_s:.2f} s and then was "
            f"{_format_steps(move, limits)} further."
        )
        findings.append(Finding("not_shown", True, detail, unseen[0].start_s))
    elif (share := measure_unseen_share(moves, frame_s, measure_moving_s(trace, count_steps))) > MAX_UNSEEN_SHARE:
        detail = f"{limits.what.capitalize()} was not visible during {share:.0%} of its motion."
        findings.append(Finding("not_shown", True, detail))
    jumps = find_jumps(moves, limits)
    if jumps:
        move = max(jumps, key=lambda each: each.steps)
        others = f", and {len(jumps) - 1} more times" if len(jumps) > 1 else ""
        detail = f"{limits.what.capitalize()} jumps {_format_steps(move, limits)} from one frame to the next{others}."
        findings.append(Finding("jump", True, detail, jumps[0].end_s))
    return findings


def _format_steps(move: Move, limits: MotionLimits) -> str:
    return (
        f"{move.steps * limits.scale:.1f} {limits.unit}"
        if limits.scale == 1
        else (f"{move.steps * limits.scale:.0f} {limits.unit}")
    )
