"""Baselines: trick films that stand in for models, so that the whole line runs without keys, weights or network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from vmevalkit.baselines.artefacts import ARTEFACTS, Artefact, Take
from vmevalkit.baselines.tricks import TRICKS, Trick, own_tricks
from vmevalkit.core.errors import ModelError, UnknownName
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Placement, Request
from vmevalkit.core.registry import Registry
from vmevalkit.media.video import write_video
from vmevalkit.models.model import ModelSpec
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.task import AnyTask

FPS = 24.0
PUZZLES_LOOKED_AT = 3
"""Over how many puzzles of a task the names of its own films are collected: not every puzzle has every film."""


@dataclass(frozen=True, slots=True)
class BaselineRequest:
    """What a baseline is asked for. It is the only request that carries the puzzle: no real model can see an answer."""

    request: Request
    task: str
    """The task's name, such as ``maze``."""
    puzzle: Any


@dataclass(frozen=True, slots=True)
class Baseline:
    """A stand-in for a model: it films a trick, perhaps through a provider's artefact."""

    trick: str
    artefact: str = "plain"
    description: str = ""

    @property
    def name(self) -> str:
        return self.trick if self.artefact == "plain" else f"{self.trick}+{self.artefact}"

    @property
    def spec(self) -> ModelSpec:
        return ModelSpec(self.name, "baselines", self.name, "baseline", f"Stand-in: {self.description}")

    def applies(self, asked: BaselineRequest) -> bool:
        """Whether there is a film of this puzzle: a task's own trick is not known to other tasks."""
        return self._trick(asked, self._rng(asked)) is not None

    def generate(self, asked: BaselineRequest, into: Path) -> Placement | None:
        """Write the film at ``into``. It depends on the name, the question and the sample, and on nothing else."""
        request, task, rng = asked.request, TASKS[asked.task], self._rng(asked)
        trick = self._trick(asked, rng)
        if trick is None:
            known = ", ".join(task.films(asked.puzzle, rng))
            raise ModelError(
                f"the baseline {self.trick!r} has no film of {request.question_id}: it is no trick of {task.name}, or "
                f"not of this puzzle; it has the films {known}, and the generic tricks"
            )
        artefact = ARTEFACTS[self.artefact]
        take = film(task, asked.puzzle, trick, artefact, rng, request.seconds, request.fps or FPS, request.size)
        write(take, into)
        return take.placement

    def _rng(self, asked: BaselineRequest) -> Random:
        return rng_for("baseline", self.name, asked.request.question_id, asked.request.sample)

    def _trick(self, asked: BaselineRequest, rng: Random) -> Trick | None:
        return trick_for(TASKS[asked.task], asked.puzzle, self.trick, rng)


def trick_for(task: AnyTask, puzzle: Any, name: str, rng: Random) -> Trick | None:
    """The generic trick of this name, or the task's own; None where this puzzle has none."""
    if name in TRICKS:
        return TRICKS[name]
    own = own_tricks(task, puzzle, rng).get(name)
    return own[0] if own else None


def film(
    task: AnyTask, puzzle: Any, trick: Trick, artefact: Artefact, rng: Random,
    seconds: float, fps: float, canvas: tuple[int, int] | None = None,
) -> Take:  # fmt: skip
    """The trick filmed through the artefact."""
    # A rate that belongs to the artefact is filmed at, rather than made by dropping frames afterwards.
    reel = trick.reel(task, puzzle, rng, seconds, artefact.fps or fps)
    return artefact.take(reel, rng, canvas)


def write(take: Take, into: Path) -> None:
    write_video(into, take.frames, take.fps, crf=take.crf, audio=take.audio)


class _Baselines(Registry[Baseline]):
    """Tricks by name. ``trick+artefact`` is a name too, though it is not listed."""

    def __getitem__(self, name: str) -> Baseline:
        trick, plus, artefact = name.partition("+")
        found = ARTEFACTS[artefact] if plus else ARTEFACTS["plain"]
        known = _generic().get(trick) or self._all().get(trick)
        if known is None:
            raise UnknownName("model", trick, self._all())
        if found.name == "plain":
            return known
        return Baseline(trick, found.name, f"{known.description}; {found.description}")

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        trick, plus, artefact = name.partition("+")
        return (not plus or artefact in ARTEFACTS) and (trick in TRICKS or trick in self._all())


def _generic() -> dict[str, Baseline]:
    return {name: Baseline(name, description=trick.description) for name, trick in TRICKS.items()}


def _find() -> Mapping[str, Baseline]:
    found = _generic()
    for task in TASKS.values():
        for name, trick in _own(task):
            found.setdefault(name, Baseline(name, description=trick.description))
    return found


def _own(task: AnyTask) -> Iterator[tuple[str, Trick]]:
    for index, puzzle in enumerate(plan(task, PUZZLES_LOOKED_AT, 0, task.preset())):
        for name, (trick, _) in own_tricks(task, puzzle, rng_for("baselines", task.name, index)).items():
            yield name, trick


BASELINES: Registry[Baseline] = _Baselines("model", _find)
"""Every baseline by its name as a model: the generic tricks, then each task's own films."""
