"""The rule driver: a film is registered, read frame by frame into states, and judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from math import floor, log2
from typing import Any

import cv2

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
LOOK_EVERY_S = 0.5
"""How often a frame is compared with its redrawn state."""
STRANGE_BLOB = 0.015
"""A connected area of this share of the picture that the redrawn state does not explain is reported."""


def working_size(task: AnyTask, puzzle: Any, film: tuple[int, int]) -> tuple[int, int]:
    """The size to which a film of this size is shrunk before it is read; never enlarged."""
    width, height = task.size(puzzle)
    fitted = min(film[0] / width, film[1] / height)
    shrink = min(1.0, OVERSAMPLING * task.reading_scale / fitted)
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


def _read(
    task: AnyTask, puzzle: Any, registrar: Registrar, film: Iterator[TimedFrame]
) -> tuple[list[Glimpse[Any]], list[_Look]]:
    reader = task.reader(puzzle)
    trace: list[Glimpse[Any]] = []
    looks: list[_Look] = []
    before: Any = None
    shown: Frame | None = None
    latest: tuple[Sighting, Any] | None = None
    next_look_s = 0.0
    for timed in film:
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
            looks.append(_look(task, puzzle, sighting, state))
            next_look_s = timed.seconds + LOOK_EVERY_S
    if latest is not None:
        looks.append(_look(task, puzzle, *latest))
    return trace, looks


def _same(shown: Frame, frame: Frame) -> bool:
    return shown.shape == frame.shape and cv2.norm(shown, frame, cv2.NORM_INF) <= SAME_LEVELS


def _look(task: AnyTask, puzzle: Any, sighting: Sighting, state: Any) -> _Look:
    height, width = sighting.picture.shape[:2]
    redrawn = cv2.resize(task.draw(puzzle, state), (width, height), interpolation=cv2.INTER_AREA)
    _, blob = unexplained(sighting.picture, redrawn, sighting.seen)
    return _Look(sighting.seconds, blob)


def _strange(looks: list[_Look]) -> list[Finding]:
    strange = [look for look in looks if look.blob > STRANGE_BLOB]
    if not strange:
        return []
    detail = (
        f"Something that is not part of the puzzle covers {max(look.blob for look in strange):.0%} of the picture "
        f"({len(strange)} of {len(looks)} looks, from {strange[0].seconds:.2f} s on)."
    )
    return [Finding("unexplained_content", False, detail, strange[0].seconds)]
