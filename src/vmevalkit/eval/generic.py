"""The generic scorer: for questions without a puzzle, it compares the last frame with the expected one.

It knows pictures only. It cannot know whether another answer would be right too, whether the way to the answer was
legal and shown, or what a difference means.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import cv2
import numpy as np

from vmevalkit.core.errors import MediaError, NotAVideo
from vmevalkit.core.records import SUCCESS, Finding, Placement, Question, Score
from vmevalkit.media.image import Frame, Mask, read_image
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.registration import MATCH_THRESHOLD, Registrar
from vmevalkit.media.video import TimedFrame, read_frames

EVALUATOR = "GenericEvaluator"
VERSION = "2"
LIMITS_NOTE = (
    "only pictures were compared: another right answer, an illegal way and the meaning of a difference are unknown"
)
OPENING_S = 0.5
READ_WITHIN = (1280, 1280)
LONG_SIDE = 400
"""Longest side of the images that are compared."""
MIN_CHANGE = 24.0
"""Levels by which the expected frame must differ from the first one for a pixel to count as changed."""
DAMAGE_LEVELS, DAMAGE_BLUR = 30.0, 2.0
"""Levels by which a pixel that must stay may differ, after a blur of so many pixels: edges may be off."""
DAMAGE_SHARE = 0.0003
"""Largest part of the image that may differ where nothing must change. All parts count together."""
DAMAGE_PIXELS = 6
"""Smaller parts are noise."""
NOISE_LEVELS = 12.0
"""Levels of difference that do not count: coding noise and a cast of colours."""
BLUR = 1.2
"""Pixels by which images are blurred before they are subtracted: an edge may be off by a fraction."""
UNCERTAIN = 0.03
"""Share of the change that coding alone may seem to bring or to lack: a still video has an outcome of 0."""
GRADES = ((0.85, 5), (0.7, 4), (0.45, 3), (0.12, 2))
"""Share of the expected change that is there, and the value for it; less is 1."""


class GenericScorer:
    """Scores any question with a final frame by its pictures."""

    evaluator = EVALUATOR
    final_state_only = True

    def version(self, question: Question) -> str:
        return VERSION

    def score(self, question: Question, video: Path, placement: Placement | None, own_run: bool) -> Score:
        if question.final_frame is None:
            return _unscored(
                "the question has no final_frame.png to compare with; a goal in words needs a judge or a person"
            )
        try:
            first, expected = read_image(question.first_frame), read_image(question.final_frame)
        except MediaError as error:
            return _unscored(str(error))
        if first.shape != expected.shape:
            expected = np.asarray(
                cv2.resize(expected, (first.shape[1], first.shape[0]), interpolation=cv2.INTER_AREA), np.uint8
            )
        try:
            return score_pictures(first, expected, video, placement, own_run)
        except NotAVideo as error:
            return _unscored(str(error))


def score_pictures(
    first: Frame, expected: Frame, video: Path, placement: Placement | None = None, own_run: bool = True
) -> Score:
    """Return the verdict on a video of a question that has only pictures. Raises NotAVideo."""
    scale = min(1.0, LONG_SIDE / max(first.shape[:2]))
    size = max(16, round(first.shape[1] * scale)), max(16, round(first.shape[0] * scale))
    small_first, small_expected = _shrink(first, size), _shrink(expected, size)
    must_change = _find_change(small_first, small_expected)
    if not must_change.any():
        return _unscored("the expected final frame shows the same as the first frame, so nothing can be compared")
    opening, frames = _read_opening(video)
    registrar = Registrar(first, size, placement=placement)
    match = registrar.start(opening)
    if match.score < MATCH_THRESHOLD:
        reason = f"the video's first half second does not show the question's first frame (match {match.score:.2f})"
        if not own_run:
            return _unscored(f"{reason}; it may belong to another question")
        return Score(
            EVALUATOR, VERSION, value=1, solved=False, outcome=0.0, failure_mode="scene_broken", explanation=reason
        )
    still = Registrar(first, size, placement=placement, follow=False)
    still.start(opening)
    for timed in frames:  # each one, because a slow zoom can be followed only step by step
        followed, last = registrar.register(timed), timed
    # A camera that moves must be followed; a scene in which everything changes must not. The better fit is right.
    verdicts = [_judge(small_first, small_expected, must_change, seen) for seen in (still.register(last), followed)]
    return max(verdicts, key=lambda score: (score.value or 0, score.outcome or 0.0))


def _judge(first: Frame, expected: Frame, must_change: Mask, seen: RegisteredFrame) -> Score:
    visible = np.ones(must_change.shape, np.bool_) if seen.visible is None else seen.visible
    deciding = must_change & visible
    if deciding.sum() < 0.5 * must_change.sum():
        return _unscored("the video does not show most of what must change")
    region = _grow(must_change) & visible
    left = _sum_difference(seen.image, expected, region) / _sum_difference(first, expected, region)
    outcome = min(max((1 - left - UNCERTAIN) / (1 - 2 * UNCERTAIN), 0.0), 1.0)
    has_changed = _find_difference(seen.image, expected) & _find_difference(seen.image, first)
    damage = _measure_share(has_changed & visible & ~region)
    is_damaged = damage > DAMAGE_SHARE
    value = next((value for least, value in GRADES if outcome >= least), 1)
    value = min(value, 3) if is_damaged else value
    findings = (
        (Finding("changed_elsewhere", True, f"{damage:.2%} of the image changed that had to stay"),)
        if is_damaged
        else ()
    )
    parts = [f"{outcome:.0%} of the expected change is in the last frame"]
    parts += [findings[0].detail] if findings else []
    return Score(
        scorer=EVALUATOR,
        version=VERSION,
        value=value,
        solved=value >= SUCCESS,
        outcome=round(outcome, 4),
        findings=findings,
        metrics={"expected_change": round(outcome, 4), "damage": round(damage, 4)},
        explanation=f"{'; '.join(parts)}; {LIMITS_NOTE}",
    )


def _read_opening(video: Path) -> tuple[list[TimedFrame], Iterator[TimedFrame]]:
    """Return the frames of the first half second, and the whole video."""
    frames = read_frames(video, within=READ_WITHIN)
    opening = list(takewhile(lambda timed: timed.seconds <= OPENING_S, frames))
    if not opening:
        raise NotAVideo(f"{video} has no frame that can be decoded")
    return opening, read_frames(video, within=READ_WITHIN)


def _shrink(frame: Frame, size: tuple[int, int]) -> Frame:
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)


def _find_change(first: Frame, expected: Frame) -> Mask:
    """Return the pixels that must change."""
    difference = np.abs(first.astype(np.int16) - expected.astype(np.int16)).max(axis=2)
    return np.asarray(difference > MIN_CHANGE, np.bool_)


def _find_difference(image: Frame, other: Frame) -> Mask:
    """Return the pixels in which two images differ by more than coding and edges that are off."""
    one, two = (cv2.GaussianBlur(each.astype(np.float32), (0, 0), DAMAGE_BLUR) for each in (image, other))
    return np.asarray(np.abs(one - two).max(axis=2) > DAMAGE_LEVELS, np.bool_)


def _sum_difference(image: Frame, other: Frame, region: Mask) -> float:
    """Return by how much two images differ in a region, more than by noise."""
    one, two = (cv2.GaussianBlur(each.astype(np.float32), (0, 0), BLUR) for each in (image, other))
    difference = np.abs(one - two).mean(axis=2) - NOISE_LEVELS
    return float(np.maximum(difference, 0)[region].sum()) or 1e-6


def _grow(mask: Mask) -> Mask:
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((7, 7), np.uint8)), np.bool_)


def _measure_share(mask: Mask) -> float:
    """Return the size of all connected parts together, as a share of the image. Specks do not count."""
    mask = mask.copy()
    mask[:2] = mask[-2:] = False
    mask[:, :2] = mask[:, -2:] = False
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    areas = stats[1:, cv2.CC_STAT_AREA]
    return float(areas[areas >= DAMAGE_PIXELS].sum()) / mask.size


def _unscored(reason: str) -> Score:
    return Score.unscored(EVALUATOR, VERSION, reason)
