"""A kind of video: how it is rendered, what it needs, and the verdict that it deserves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import Any, Literal, TypeAlias

from vmevalkit.audit.kinds.timeline import STANDARD, BuildPainter, Timing, paint_video
from vmevalkit.media.image import Frame
from vmevalkit.tasks.kit.fill_task import FillTask
from vmevalkit.tasks.kit.move_task import MoveTask
from vmevalkit.tasks.kit.scene_task import SceneTask
from vmevalkit.tasks.kit.turn_task import TurnTask
from vmevalkit.tasks.task import AnyTask, Offer

RenderVideo: TypeAlias = Callable[[AnyTask, Any, Random, int], Iterator[Frame]]
"""Renders the video of a puzzle: (task, puzzle, rng, fps)."""
Needs: TypeAlias = tuple[str, ...]
"""Offers that a task must have, or the name of the one task that a kind is about."""
FitsPuzzle: TypeAlias = Callable[[AnyTask, Any], bool]
"""Whether the verdict holds for a puzzle: (task, puzzle)."""

SECONDS_PER_MOVE = 0.3
"""Time of a move of a kit puzzle, at least."""
PACE = 0.55
"""Share of the step that is always allowed between two frames which the fastest part of a kit puzzle makes."""
_SAMPLES = 240


def _fits_any(task: AnyTask, puzzle: Any) -> bool:
    del task, puzzle
    return True


@dataclass(frozen=True, slots=True)
class VideoKind:
    """One kind of video with the verdict that a careful viewer gives."""

    name: str
    """Unique among all kinds, such as ``slow_pan``."""
    expected: Literal["pass", "fail"]
    """The verdict that the video deserves, decided before any scorer has seen it."""
    needs: Needs
    """What a task must offer so that the kind can be rendered and the verdict holds."""
    description: str
    """What the video shows, and why it deserves the verdict."""
    render: RenderVideo
    """Yields the whole video, frame by frame."""
    relabelled: str = ""
    """Why the verdict was changed after the first try; empty where it was not."""
    fits: FitsPuzzle = _fits_any
    """Whether the kind can be rendered for a puzzle, and deserves the verdict there."""

    def serves(self, task: AnyTask) -> bool:
        """Return whether the task offers all that the kind needs."""
        return set(self.needs) <= find_offers(task)


def find_offers(task: AnyTask) -> set[str]:
    """Return what a task offers to kinds of videos: its own name, what its class says, and what it declares."""
    offers: set[str] = {task.name, *task.offers}
    offers.add(Offer.PROCESS if task.tricks["cut_to_final"] == "fail" else Offer.FINAL_STATE)
    if isinstance(task, SceneTask):
        offers.add(Offer.PARTS)
    if isinstance(task, FillTask):
        offers.add(Offer.FILLS)
    if isinstance(task, MoveTask):
        offers.add(Offer.MOVES)
        offers |= set() if isinstance(task, TurnTask) else {Offer.SLIDES}
        offers |= set() if task.may_move_together else {Offer.ONE_BY_ONE}
    return offers


def make_honest_kind(
    name: str,
    description: str,
    build: BuildPainter,
    needs: Needs = (),
    timing: Timing = STANDARD,
    fits: FitsPuzzle = _fits_any,
) -> VideoKind:
    """Return a kind of video that deserves to pass."""
    return VideoKind(name, "pass", needs, description, make_renderer(build, timing), fits=fits)


def make_cheat_kind(
    name: str,
    description: str,
    build: BuildPainter,
    needs: Needs = (),
    timing: Timing = STANDARD,
    fits: FitsPuzzle = _fits_any,
) -> VideoKind:
    """Return a kind of video that deserves to fail."""
    return VideoKind(name, "fail", needs, description, make_renderer(build, timing), fits=fits)


def make_renderer(build: BuildPainter, timing: Timing) -> RenderVideo:
    """Return a renderer of the videos that a painter paints."""

    def render(task: AnyTask, puzzle: Any, rng: Random, fps: int) -> Iterator[Frame]:
        return paint_video(build(task, puzzle, rng), give_time(timing, task, puzzle, fps), fps)

    return render


def give_time(timing: Timing, task: AnyTask, puzzle: Any, fps: int) -> Timing:
    """Return the timing with enough time for the moves of a kit puzzle: none of them looks like a jump."""
    if not isinstance(task, MoveTask) or task.motion is None:
        return timing
    moves = len(task.path(puzzle)) - 1
    frames = _measure_speed(task, puzzle) / (PACE * task.motion.free_steps)
    return replace(timing, move_s=max(timing.move_s, SECONDS_PER_MOVE * moves, frames / fps))


@lru_cache(maxsize=64)
def _measure_speed(task: MoveTask[Any, Any], puzzle: Any) -> float:
    """Return the highest speed of a part in the reference solution, in steps per whole solution."""
    scenes = [task.solution(puzzle, step / _SAMPLES) for step in range(_SAMPLES + 1)]
    steps = [
        task.measure_distance(part, after)
        for one, two in pairwise(scenes)
        for part in one.parts
        if (after := two.get(part.name)) is not None
    ]
    return _SAMPLES * max(steps, default=0.0)
