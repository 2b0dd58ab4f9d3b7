"""The rule driver: a film is registered, read frame by frame into states, and judged."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from math import floor, log2
from typing import Any

import cv2
import numpy as np

from vmevalkit.core.records import Finding, Placement, Score
from vmevalkit.eval.verdict import SETTLED_S, broken, judge
from vmevalkit.media.picture import Frame
from vmevalkit.media.registration import MATCH_THRESHOLD, Registrar, unexplained
from vmevalkit.media.sighting import Sighting
from vmevalkit.media.video import TimedFrame
from vmevalkit.tasks.task import AnyTask, Glimpse

SCORER = "RuleEvaluator"

OVERSAMPLING = 1.25
"""Films are decoded to this many times the reading size, so that a puzzle zoomed out to 80% is still read in full."""
HALVED = 1.3
"""A film may stay so many times larger than that, if it comes to a half or a quarter of its own size."""
SAME_LEVELS = 2
"""Two frames that differ by no more than this anywhere are one scene: coding noise of a film that stands still."""
_SPARSE = 16
"""Of so many rows one is compared first: where two frames differ, that mostly shows it."""
_AT_ONCE = 16
"""Frames that are decoded before they are read. Decoder and reader each drive the other's code and data from the
processor's cache, so in turns of single frames both take longer. They are at working size: at 16:9, 45 MB at most."""
LOOK_EVERY_S = 0.5
"""How often a frame is compared with its redrawn state."""
STRANGE_BLOB = 0.015
"""A connected area of this share of the picture that the redrawn state does not explain is reported."""


def working_size(task: AnyTask, puzzle: Any, film: tuple[int, int]) -> tuple[int, int]:
    """The size to which a film of this size is shrunk before it is read; never enlarged."""
    fitted = min(long / drawn for long, drawn in zip(film, task.size(puzzle), strict=True))
    read = max(long / drawn for long, drawn in zip(task.reading_size(puzzle), task.size(puzzle), strict=True))
    shrink = min(1.0, OVERSAMPLING * read / fitted)
    half = 0.5 ** floor(log2(1 / shrink))
    if half <= HALVED * shrink:
        shrink = half  # whole halves cost less than the pixels that they leave
    return max(2, round(film[0] * shrink)), max(2, round(film[1] * shrink))


def score_film(
    task: AnyTask,
    puzzle: Any,
    frames: Iterable[TimedFrame],
    placement: Placement | None = None,
    own_run: bool = True,
) -> Score:
    """The verdict on a film. ``own_run`` says that the film was made for this very question: then a film that does
    not show it is a failure; otherwise it may belong to another question, and is left unscored."""
    film = iter(frames)
    opening, film = _opening(film)
    if not opening:
        return Score.unscored(SCORER, task.version, "the film has no frame that can be decoded")
    registrar = Registrar(
        task.first_frame(puzzle), task.reading_size(puzzle), placement=placement, follow=task.anchored
    )
    match = registrar.start(opening)
    if match.score < MATCH_THRESHOLD:
        reason = f"the film's first half second does not show the question's first frame (match {match.score:.2f})"
        if own_run:
            return broken(SCORER, task.version, reason)
        return Score.unscored(SCORER, task.version, f"{reason}; it may belong to another question")
    trace, strangeness = _read(task, puzzle, registrar, film)
    return judge(task, puzzle, trace, SCORER, _strange(strangeness))


def _opening(film: Iterator[TimedFrame]) -> tuple[list[TimedFrame], Iterator[TimedFrame]]:
    """The frames of the first half second, and the whole film again."""
    opening: list[TimedFrame] = []
    for timed in film:
        opening.append(timed)
        if timed.seconds - opening[0].seconds >= SETTLED_S:
            break
    return opening, chain(opening, film)


@dataclass(frozen=True, slots=True)
class _Look:
    """How much of one frame its redrawn state leaves unexplained."""

    seconds: float
    blob: float
    """The largest, as a share of the picture; 0 where none can be strange."""


class _Looker:
    """Looks at frames of one film."""

    def __init__(self, task: AnyTask, puzzle: Any) -> None:
        self._task, self._puzzle = task, puzzle
        self._drawn: tuple[Any, Frame] | None = None
        self.looks: list[_Look] = []

    def look(self, sighting: Sighting, state: Any) -> None:
        height, width = sighting.picture.shape[:2]
        if self._drawn is None or self._drawn[0] != state:
            picture = self._task.draw(self._puzzle, state)
            self._drawn = (
                state,
                np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA), np.uint8),
            )
        _, blob = unexplained(sighting.picture, self._drawn[1], sighting.seen, STRANGE_BLOB)
        self.looks.append(_Look(sighting.seconds, blob))


def _read(
    task: AnyTask, puzzle: Any, registrar: Registrar, film: Iterator[TimedFrame]
) -> tuple[list[Glimpse[Any]], list[_Look]]:
    reader = task.reader(puzzle)
    trace: list[Glimpse[Any]] = []
    looker = _Looker(task, puzzle)
    before: Any = None
    shown: Frame | None = None
    latest: tuple[Sighting, Any] | None = None
    next_look_s = 0.0
    for timed in _in_batches(film):
        if shown is not None and trace and _same(shown, timed.frame):
            trace.append(Glimpse(timed.seconds, trace[-1].state))
            continue
        shown = timed.frame
        sighting = registrar.sight(timed)
        state = reader.read(sighting, before)
        trace.append(Glimpse(timed.seconds, state))
        if state is None:
            continue
        before, latest = state, (sighting, state)
        if timed.seconds >= next_look_s:
            looker.look(sighting, state)
            next_look_s = timed.seconds + LOOK_EVERY_S
    if latest is not None:
        looker.look(*latest)
    return trace, looker.looks


def _in_batches(film: Iterator[TimedFrame]) -> Iterator[TimedFrame]:
    while waiting := deque(islice(film, _AT_ONCE)):
        while waiting:
            yield waiting.popleft()


def _same(shown: Frame, frame: Frame) -> bool:
    return (
        shown.shape == frame.shape
        and cv2.norm(shown[::_SPARSE], frame[::_SPARSE], cv2.NORM_INF) <= SAME_LEVELS
        and cv2.norm(shown, frame, cv2.NORM_INF) <= SAME_LEVELS
    )


def _strange(looks: list[_Look]) -> list[Finding]:
    strange = [look for look in looks if look.blob > STRANGE_BLOB]
    if not strange:
        return []
    detail = (
        f"Something that is not part of the puzzle covers {max(look.blob for look in strange):.0%} of the picture "
        f"({len(strange)} of {len(looks)} looks, from {strange[0].seconds:.2f} s on)."
    )
    return [Finding("unexplained_content", False, detail, strange[0].seconds)]
