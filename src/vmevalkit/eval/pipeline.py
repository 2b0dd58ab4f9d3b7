"""Scoring by rules: a video is registered, read frame by frame into states, and judged."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import floor, log2
from pathlib import Path
from typing import Any

import cv2

from vmevalkit.core.records import Placement, Score
from vmevalkit.core.scorer import RULES
from vmevalkit.eval.comparison import FrameComparison
from vmevalkit.eval.picture_quality import PictureMonitor
from vmevalkit.eval.temporal import measure_temporal
from vmevalkit.eval.title_cards import PALE, CardDetector, find_fades
from vmevalkit.eval.verdict import SETTLED_S, judge, make_broken_score
from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.registration import MATCH_THRESHOLD, Registrar
from vmevalkit.media.residual import Blob
from vmevalkit.media.video import TimedFrame
from vmevalkit.tasks.kit.question_pictures import UnreadablePictures
from vmevalkit.tasks.pictures.own_pictures import PreparedQuestion, prepare_question
from vmevalkit.tasks.task import AnyTask, CoverAwareReader, FrameReading

OVERSAMPLING = 1.25
"""Videos are decoded to this many times the reading size, so that a puzzle zoomed out to 80% is still read in full."""
HALVED = 1.3
"""A video may stay this many times larger than that, if it is then a half or a quarter of its own size."""
SAME_LEVELS = 2
"""Two frames that differ by no more than this anywhere show the same scene: the difference is coding noise."""
_SPARSE = 16
"""One row of this many is compared first: most differences show there already."""
_AT_ONCE = 16
"""Frames that are decoded before they are read. Decoder and reader evict each other from the processor's cache, so both
are slower when they alternate on single frames. At working size these take 45 MB at most (16:9)."""
OPENING_S = 0.8
"""The first frame must be seen within this time: a fade-in or a title over it may take half a second and more."""
COMPARE_EVERY_S = 0.08
"""Seconds between two frames that are compared with their redrawn states."""
UNEXPLAINED_SHARE = 0.5
"""A frame was not read if its state leaves more than this share of the image unexplained."""


@dataclass(frozen=True, slots=True)
class JudgedVideo:
    """The verdict on a video and what was read from it."""

    score: Score
    trace: tuple[FrameReading[Any], ...] = ()
    """A reading for each frame; empty where the video does not show the puzzle."""


def working_size(task: AnyTask, puzzle: Any, video: tuple[int, int]) -> tuple[int, int]:
    """Return the size to which a video of this size is shrunk before it is read. It is never enlarged."""
    fitted = min(side / drawn for side, drawn in zip(video, task.size(puzzle), strict=True))
    read = max(side / drawn for side, drawn in zip(task.reading_size(puzzle), task.size(puzzle), strict=True))
    shrink = min(1.0, OVERSAMPLING * read / fitted)
    half = 0.5 ** floor(log2(1 / shrink))
    if half <= HALVED * shrink:
        shrink = half  # whole halves cost less than the pixels that they leave
    return max(2, round(video[0] * shrink)), max(2, round(video[1] * shrink))


def score_timed_frames(
    task: AnyTask,
    puzzle: Any,
    frames: Iterable[TimedFrame],
    placement: Placement | None = None,
    own_run: bool = True,
    first_frame: Frame | None = None,
    final_frame: Path | None = None,
) -> Score:
    """Return the verdict on a video. ``read_and_judge`` has the parameters."""
    return read_and_judge(task, puzzle, frames, placement, own_run, first_frame, final_frame).score


def read_and_judge(
    task: AnyTask,
    puzzle: Any,
    frames: Iterable[TimedFrame],
    placement: Placement | None = None,
    own_run: bool = True,
    first_frame: Frame | None = None,
    final_frame: Path | None = None,
) -> JudgedVideo:
    """Return the verdict on a video, with what was read from each frame.

    ``own_run`` means that the video was generated for this very question: then a video that does not show it is a
    failure. Otherwise it may belong to another question and is unscored. ``first_frame`` is the question's own image,
    which a user may have restyled or drawn; None means the one that the task draws. ``final_frame`` is the file of the
    answer beside it. Where no reader reads the question's own pictures, the video is unscored.
    """
    try:
        prepared = prepare_question(task, puzzle, first_frame, final_frame)
    except UnreadablePictures as error:
        return JudgedVideo(Score.unscored(RULES, task.version, f"the question cannot be scored by rules: {error}"))
    task = prepared.task
    video = iter(frames)
    opening, video = read_opening(video)
    if not opening:
        return JudgedVideo(Score.unscored(RULES, task.version, "the video has no frame that can be decoded"))
    registrar = make_registrar(prepared, puzzle, placement)
    match = registrar.start(opening)
    if match.score < MATCH_THRESHOLD:
        reason = f"the start of the video does not show the question's first frame (match {match.score:.2f})"
        if own_run:
            return JudgedVideo(make_broken_score(RULES, task.version, reason))
        reason = f"{reason}; it may belong to another question"
        return JudgedVideo(Score.unscored(RULES, task.version, reason))
    monitor = PictureMonitor()
    cards = CardDetector([timed.frame for timed in opening])
    trace = _read(task, puzzle, registrar, cards, video, monitor)
    score = judge(task, puzzle, trace, RULES)
    temporal = measure_temporal(task, puzzle, trace, monitor, score.outcome)
    return JudgedVideo(replace(score, metrics={**score.metrics, **temporal}), tuple(trace))


def make_registrar(prepared: PreparedQuestion, puzzle: Any, placement: Placement | None) -> Registrar:
    """Return what aligns the frames of a video with the question's first frame."""
    task, reference = prepared.task, prepared.reference
    if placement is not None:
        placement = reference.place_drawn(placement)
    return Registrar(
        reference.image, task.reading_size(puzzle), placement=placement,
        follow=task.anchored, follow_light=task.has_flat_colours, colour_map=reference.colour_map,
        file=None if reference.file_size is None else (reference.file_size, reference.view.straighten()),
    )  # fmt: skip


def read_opening(video: Iterator[TimedFrame]) -> tuple[list[TimedFrame], Iterator[TimedFrame]]:
    """Return the frames in which the first frame must be seen, and the whole video."""
    opening: list[TimedFrame] = []
    for timed in video:
        opening.append(timed)
        if timed.seconds - opening[0].seconds >= OPENING_S:
            break
    return opening, chain(opening, video)


def _read(
    task: AnyTask,
    puzzle: Any,
    registrar: Registrar,
    cards: CardDetector,
    video: Iterator[TimedFrame],
    monitor: PictureMonitor,
) -> list[FrameReading[Any]]:
    """Read every frame, and compare the frames that can be read with their redrawn states."""
    reader, comparison = task.reader(puzzle), FrameComparison(task, puzzle)
    trace: list[FrameReading[Any]] = []
    strengths: list[float] = []
    before: Any = None
    last: Frame | None = None
    pending: tuple[int, RegisteredFrame] | None = None
    overlays: tuple[Blob, ...] = ()
    overlays_s = 0.0
    next_compared_s = 0.0
    for timed in _in_batches(video):
        monitor.see(timed)
        is_same = last is not None and bool(trace) and is_near(last, timed.frame, SAME_LEVELS)
        if is_same and registrar.has_settled:
            strengths.append(strengths[-1])
            if trace[-1].state is None:
                _append_unreadable(trace, timed, cards, trace[-1].is_covered)
            else:
                trace.append(replace(trace[-1], seconds=timed.seconds))
            continue
        last = timed.frame
        frame = registrar.register(timed)
        strengths.append(cards.measure_strength(timed.frame))
        is_hidden = frame.is_blank or strengths[-1] < PALE
        state = None if is_hidden else reader.read(frame, before)
        if state is not None and overlays:
            settled = comparison.settle_touched_parts(frame, state, before, overlays)
            if settled is not state:
                state, overlays_s = settled, timed.seconds
        is_covered = not is_hidden and state is None and isinstance(reader, CoverAwareReader) and reader.is_covered
        blobs = None
        if state is not None and timed.seconds >= next_compared_s:
            blobs = comparison.compare(frame, state)
            monitor.compare(timed.seconds, frame.image, comparison.redrawn)
            beside = comparison.leave_out_deciding(blobs, state)
            if beside or timed.seconds > overlays_s + SETTLED_S:  # what merges with a dark shape is still there
                overlays, overlays_s = beside, timed.seconds
            next_compared_s, pending = timed.seconds + COMPARE_EVERY_S, None
        if state is None or (
            blobs is not None and sum(blob.area for blob in blobs if not blob.is_style) > UNEXPLAINED_SHARE
        ):
            _append_unreadable(trace, timed, cards, is_covered)
            continue
        cards.remember(timed.frame)
        before = state
        if blobs is None:
            pending = len(trace), frame
        trace.append(FrameReading(timed.seconds, state, blobs))
    if pending is not None:  # the last state is always compared
        index, frame = pending
        trace[index] = replace(trace[index], blobs=comparison.compare(frame, trace[index].state))
    _locate_last_blobs(trace, comparison)
    for index in (index for fade in find_fades(strengths) for index in fade):
        trace[index] = FrameReading(trace[index].seconds, None, is_card=True)
    return trace


def _locate_last_blobs(trace: list[FrameReading[Any]], comparison: FrameComparison) -> None:
    """Say of what the last comparison left whether it is where a part has moved: that is known at the end."""
    place = next((index for index in reversed(range(len(trace))) if trace[index].blobs is not None), None)
    if place is not None:
        states = [reading.state for reading in trace[: place + 1] if reading.state is not None]
        trace[place] = replace(trace[place], blobs=comparison.locate_on_ways(trace[place].blobs or (), states))


def _append_unreadable(
    trace: list[FrameReading[Any]], timed: TimedFrame, cards: CardDetector, is_covered: bool
) -> None:
    trace.append(FrameReading(timed.seconds, None, is_card=cards.is_card(timed.frame), is_covered=is_covered))
    if cards.is_still:  # the first frame of a card shows that it is one only when the next frame is the same
        trace[-2] = replace(trace[-2], is_card=True)


def _in_batches(video: Iterator[TimedFrame]) -> Iterator[TimedFrame]:
    while waiting := deque(islice(video, _AT_ONCE)):
        while waiting:
            yield waiting.popleft()


def is_near(last: Frame, frame: Frame, levels: int) -> bool:
    """Return whether two frames differ nowhere by more than ``levels``."""
    return last is frame or (
        last.shape == frame.shape
        and cv2.norm(last[::_SPARSE], frame[::_SPARSE], cv2.NORM_INF) <= levels
        and cv2.norm(last, frame, cv2.NORM_INF) <= levels
    )
