"""Baselines: trick videos as models, so that the whole pipeline runs without keys, weights or network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from vmevalkit.baselines.degradations import DEGRADATIONS, Degradation, DegradedVideo
from vmevalkit.baselines.tricks import TRICKS, Trick, build_task_tricks
from vmevalkit.core.errors import ModelError, UnknownName
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Placement, Request
from vmevalkit.core.registry import Registry
from vmevalkit.media.image import Size, read_image
from vmevalkit.media.video import write_video
from vmevalkit.models.model import ModelSpec
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.task import AnyTask

FPS = 24.0
SAMPLED_PUZZLES = 3
"""Puzzles of each task whose trick videos are listed: not every puzzle has every video."""


@dataclass(frozen=True, slots=True)
class BaselineRequest:
    """A request to a baseline. It is the only request that contains the puzzle: no real model can see an answer."""

    request: Request
    task: str | None = None
    """The task's name, such as ``maze``; None for a question without a puzzle."""
    puzzle: Any = None
    """The puzzle; None for a question that has none."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A trick that is used as a model, optionally with a provider's degradation."""

    trick: str
    degradation: str = "plain"
    description: str = ""

    @property
    def name(self) -> str:
        return self.trick if self.degradation == "plain" else f"{self.trick}+{self.degradation}"

    @property
    def spec(self) -> ModelSpec:
        return ModelSpec(self.name, "baselines", self.name, "baseline", f"Baseline: {self.description}")

    @property
    def needs_puzzle(self) -> bool:
        """Whether it works only on questions of the built-in tasks; ``static`` and ``noise`` need an image only."""
        return self.trick not in TRICKS or TRICKS[self.trick].needs_puzzle

    def applies_to(self, request: BaselineRequest) -> bool:
        """Return whether it can generate a video of this question. Other tasks do not have a task's own tricks."""
        if not self.needs_puzzle:
            return True
        return request.task is not None and self._find_trick(request, TASKS[request.task]) is not None

    def generate(self, request: BaselineRequest, into: Path) -> Placement | None:
        """Write the video to ``into``. It depends only on the name, the question and the sample."""
        rng = self._make_rng(request)
        degraded = self._render(request, rng)
        write_degraded(degraded, into)
        return degraded.placement

    def _render(self, baseline_request: BaselineRequest, rng: Random) -> DegradedVideo:
        request, degradation = baseline_request.request, DEGRADATIONS[self.degradation]
        fps = request.fps or FPS
        if baseline_request.task is None:
            if self.needs_puzzle:
                raise ModelError(
                    f"the baseline {self.name!r} needs a puzzle, and {request.question_id} has none; use static, noise "
                    "or a real model"
                )
            first_frame = read_image(request.first_frame)
            stream = TRICKS[self.trick].render_image(first_frame, rng, request.seconds, degradation.fps or fps)
            return degradation.apply(stream, rng, request.size)
        task = TASKS[baseline_request.task]
        trick = find_trick(task, baseline_request.puzzle, self.trick, rng)
        if trick is None:
            known = ", ".join(task.cheats(baseline_request.puzzle, rng))
            raise ModelError(
                f"the baseline {self.trick!r} has no video of {request.question_id}: {task.name} has no such trick, or "
                f"not for this puzzle; it has {known}, and the generic tricks"
            )
        return render_degraded(
            task, baseline_request.puzzle, trick, degradation, rng, request.seconds, fps, request.size
        )

    def _make_rng(self, request: BaselineRequest) -> Random:
        return rng_for("baseline", self.name, request.request.question_id, request.request.sample)

    def _find_trick(self, request: BaselineRequest, task: AnyTask) -> Trick | None:
        return find_trick(task, request.puzzle, self.trick, self._make_rng(request))


def find_trick(task: AnyTask, puzzle: Any, name: str, rng: Random) -> Trick | None:
    """Return the generic trick of this name, or the task's own; None where this puzzle has none."""
    if name in TRICKS:
        return TRICKS[name]
    own = build_task_tricks(task, puzzle, rng).get(name)
    return own[0] if own else None


def render_degraded(
    task: AnyTask, puzzle: Any, trick: Trick, degradation: Degradation, rng: Random,
    seconds: float, fps: float, canvas: Size | None = None,
) -> DegradedVideo:  # fmt: skip
    """Return the trick video of a puzzle with a degradation."""
    # The frame rate of a degradation is used for rendering, instead of dropping frames afterwards.
    stream = trick.render(task, puzzle, rng, seconds, degradation.fps or fps)
    return degradation.apply(stream, rng, canvas)


def write_degraded(video: DegradedVideo, into: Path) -> None:
    """Encode the video."""
    write_video(into, video.frames, video.fps, crf=video.crf, audio=video.audio)


@dataclass(frozen=True, slots=True)
class BaselineInfo:
    """What a user has to know to choose a baseline."""

    name: str
    description: str
    tasks: tuple[str, ...]
    """The tasks that have this video: all of them for a generic trick."""
    needs_puzzle: bool
    """Whether it works only on questions of these tasks; otherwise on any question with an image."""

    @property
    def scope(self) -> str:
        """The questions that it applies to, in words."""
        if not self.needs_puzzle:
            return "any image"
        return "every task" if set(self.tasks) == set(TASKS) else ", ".join(self.tasks)


def list_baselines() -> list[BaselineInfo]:
    """Return every baseline: the generic tricks, then the tasks' own. Each can be combined with a degradation."""
    generic = [BaselineInfo(t.name, t.description, tuple(TASKS), t.needs_puzzle) for t in TRICKS.values()]
    descriptions: dict[str, str] = {}
    tasks: dict[str, list[str]] = {}
    for task in TASKS.values():
        for name, description in {name: trick.description for name, trick in _iter_task_tricks(task)}.items():
            descriptions.setdefault(name, description)
            tasks.setdefault(name, []).append(task.name)
    return generic + [BaselineInfo(name, descriptions[name], tuple(tasks[name]), True) for name in tasks]


class _BaselineRegistry(Registry[Baseline]):
    """Baselines by name. ``trick+degradation`` is a name too, but it is not listed."""

    def __getitem__(self, name: str) -> Baseline:
        trick, plus, suffix = name.partition("+")
        degradation = DEGRADATIONS[suffix] if plus else DEGRADATIONS["plain"]
        baseline = _make_generic_baselines().get(trick) or self._all().get(trick)
        if baseline is None:
            raise UnknownName("model", trick, self._all())
        if degradation.name == "plain":
            return baseline
        return Baseline(trick, degradation.name, f"{baseline.description}; {degradation.description}")

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        trick, plus, suffix = name.partition("+")
        return (not plus or suffix in DEGRADATIONS) and (trick in TRICKS or trick in self._all())


def _make_generic_baselines() -> dict[str, Baseline]:
    return {name: Baseline(name, description=trick.description) for name, trick in TRICKS.items()}


def _find_baselines() -> Mapping[str, Baseline]:
    found = _make_generic_baselines()
    for task in TASKS.values():
        for name, trick in _iter_task_tricks(task):
            found.setdefault(name, Baseline(name, description=trick.description))
    return found


def _iter_task_tricks(task: AnyTask) -> Iterator[tuple[str, Trick]]:
    for index, puzzle in enumerate(plan(task, SAMPLED_PUZZLES, 0, task.preset())):
        for name, (trick, _) in build_task_tricks(task, puzzle, rng_for("baselines", task.name, index)).items():
            yield name, trick


BASELINES: Registry[Baseline] = _BaselineRegistry("model", _find_baselines)
"""Every baseline by its name as a model: the generic tricks, then each task's own."""
