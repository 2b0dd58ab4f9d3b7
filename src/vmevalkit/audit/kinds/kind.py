"""A kind of video: how it is rendered, and the verdict that it deserves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, TypeAlias

from vmevalkit.audit.kinds.timeline import STANDARD, BuildPainter, Timing, paint_video
from vmevalkit.media.image import Frame
from vmevalkit.tasks.task import AnyTask

RenderVideo: TypeAlias = Callable[[AnyTask, Any, Random, int], Iterator[Frame]]
"""Renders the video of a puzzle: (task, puzzle, rng, fps)."""

PROCESS_TASKS = ("maze", "rotation", "rotation_puzzle")
"""Tasks in which the way to the answer must be visible and legal."""
FINAL_STATE_TASKS = ("chess", "object_subtraction", "raven", "sudoku")
"""Tasks in which only the final state counts."""
ALL_TASKS = tuple(sorted(PROCESS_TASKS + FINAL_STATE_TASKS))
FREE_CAMERA_TASKS = tuple(name for name in ALL_TASKS if name != "rotation_puzzle")
"""Tasks whose prompt does not demand a fixed camera, so that a small camera motion is allowed."""


@dataclass(frozen=True, slots=True)
class VideoKind:
    """One kind of video with the verdict that a careful viewer gives."""

    name: str
    """Unique among all kinds, such as ``slow_pan``."""
    expected: Literal["pass", "fail"]
    """The verdict that the video deserves, decided before any scorer has seen it."""
    tasks: tuple[str, ...]
    """Names of the tasks for which the kind can be rendered and the verdict holds."""
    description: str
    """What the video shows, and why it deserves the verdict."""
    render: RenderVideo
    """Yields the whole video, frame by frame."""
    relabelled: str = ""
    """Why the verdict was changed after the first try; empty where it was not."""


def make_honest_kind(
    name: str, description: str, build: BuildPainter, tasks: tuple[str, ...] = ALL_TASKS, timing: Timing = STANDARD
) -> VideoKind:
    """Return a kind of video that deserves to pass."""
    return VideoKind(name, "pass", tasks, description, make_renderer(build, timing))


def make_cheat_kind(
    name: str, description: str, build: BuildPainter, tasks: tuple[str, ...] = ALL_TASKS, timing: Timing = STANDARD
) -> VideoKind:
    """Return a kind of video that deserves to fail."""
    return VideoKind(name, "fail", tasks, description, make_renderer(build, timing))


def make_renderer(build: BuildPainter, timing: Timing) -> RenderVideo:
    """Return a renderer of the videos that a painter paints."""

    def render(task: AnyTask, puzzle: Any, rng: Random, fps: int) -> Iterator[Frame]:
        return paint_video(build(task, puzzle, rng), timing, fps)

    return render
