"""What all puzzles of the kit share: a scene of parts that is drawn, read and compared in one way."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from math import hypot
from random import Random
from typing import Any, Generic, TypeVar

import cv2
import numpy as np

from vmevalkit.core.jsonable import to_json
from vmevalkit.core.records import Finding
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Box
from vmevalkit.tasks.evidence import find_spans
from vmevalkit.tasks.kit.looks import Looks, paint_looks
from vmevalkit.tasks.kit.other_ground import recolour_ground
from vmevalkit.tasks.kit.reader import SceneReader
from vmevalkit.tasks.kit.scene import FOREIGN, Part, Scene, Stage, majority
from vmevalkit.tasks.task import Offer, Reader, StateTrajectory, Task, Trace, readable

P = TypeVar("P")
K = TypeVar("K")

PRESENT = 0.6
"""Opacity from which on a part counts as being there."""


class SceneTask(Task[P, Scene, K], Generic[P, K]):
    """A puzzle whose scene is made of parts. A puzzle file derives from FillTask, MoveTask or TurnTask instead."""

    version = "1"
    reading_scale = 0.5
    smallest_part_area = 0.0015
    offers = frozenset({Offer.STILL_EDGES, Offer.WHOLE, Offer.SOLID_ANSWER})

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "title" in cls.__dict__ and "category" not in cls.__dict__:
            cls.category = cls.title

    # -- what a puzzle file gives --------------------------------------------------------------------------------

    @abstractmethod
    def ground(self, puzzle: P, canvas: Canvas) -> None:
        """Draw what stands still."""

    @abstractmethod
    def paint(self, canvas: Canvas, part: Part) -> None:
        """Draw a part, from its place, look and angle alone."""

    # -- what its base gives -------------------------------------------------------------------------------------

    @abstractmethod
    def make_stage(self, puzzle: P) -> Stage: ...

    @abstractmethod
    def measure_difficulty(self, puzzle: P) -> dict[str, float]:
        """Return what the solver measures of a puzzle, for its record."""

    # -- what follows --------------------------------------------------------------------------------------------

    def stage(self, puzzle: P) -> Stage:
        return _get_stage(self, puzzle)

    def looks(self, puzzle: P) -> Looks:
        return _get_looks(self, puzzle)

    def key(self, puzzle: P) -> Hashable:
        return to_json(puzzle)  # type: ignore[no-any-return]

    def metadata(self, puzzle: P) -> dict[str, Any]:
        return {f"{self.name}_data": {**to_json(puzzle), **self.measure_difficulty(puzzle)}}

    def draw(self, puzzle: P, state: Scene) -> Frame:
        return self.stage(puzzle).draw(state)

    def reader(self, puzzle: P) -> Reader[Scene]:
        return SceneReader(self.stage(puzzle), self.looks(puzzle))

    def state_key(self, puzzle: P, state: Scene) -> Hashable:
        return tuple(map(_round_part, state.parts)), bool(state.extra)

    def consensus_state(self, puzzle: P, states: Sequence[Scene]) -> Scene:
        """Return, part by part, the reading that prevails."""
        parts = []
        for part in self.stage(puzzle).start.parts:
            chosen = majority(
                [state.get(part.name) for state in states], lambda p: None if p is None else _round_part(p)
            )
            parts += [] if chosen is None else [chosen]
        most = len(states) / 2
        extra = (
            next((s.extra for s in reversed(states) if s.extra), ())
            if sum(bool(s.extra) for s in states) > most
            else ()
        )
        hidden = [p.name for p in parts if sum(p.name in state.hidden for state in states) > most]
        rewritten = [p.name for p in parts if sum(p.name in state.rewritten for state in states) > most]
        return Scene(tuple(parts), extra, tuple(sorted(hidden)), tuple(sorted(rewritten)))

    def vary_backdrop(self, puzzle: P, state: Scene, image: Frame) -> Sequence[Frame]:
        size = image.shape[1], image.shape[0]
        drawn, ground = (cv2.resize(each, size, interpolation=cv2.INTER_AREA)
                         for each in (self.draw(puzzle, state), self.stage(puzzle).ground))  # fmt: skip
        other = recolour_ground(image, np.asarray(drawn, np.uint8), np.asarray(ground, np.uint8))
        return [] if other is None else [other]

    def part_box(self, puzzle: P, part: Part) -> Box:
        """Return the box of a part, as shares of the picture."""
        looks = [look for look in (part.look, *self.stage(puzzle).kinds[part.name].looks) if look]
        patch = self.looks(puzzle).render(replace(part, look=looks[0]))
        assert patch is not None
        width, height = self.looks(puzzle).size
        left, top, right, bottom = patch.box
        return left / width, top / height, right / width, bottom / height

    def unseen_boxes(self, puzzle: P, state: Scene) -> Mapping[Hashable, Box]:
        return {part.name: self.part_box(puzzle, part) for part in state.parts if part.name in state.hidden}

    def part_boxes(self, puzzle: P, state: Scene) -> Mapping[Hashable, Box]:
        return self.unseen_boxes(puzzle, state)

    # -- trick videos that every scene of parts has --------------------------------------------------------------

    def list_common_cheats(
        self, puzzle: P, rng: Random, keep: Sequence[Part], play: Callable[[float], Scene]
    ) -> Iterator[tuple[str, StateTrajectory[Scene]]]:
        """Yield the solution with something wrong. ``keep`` are parts whose look must not change."""
        stage, when = self.stage(puzzle), rng.uniform(0.25, 0.6)
        if keep:
            part = rng.choice(list(keep))
            yield (
                "part_vanishes",
                StateTrajectory(
                    lambda t: play(t).change(without=[part.name] if t > when else []),
                    "fail",
                    "a part is gone from some time on",
                ),
            )
            looks = [look for look in stage.kinds[part.name].looks if look not in ("", part.look)]
            if looks:
                other = rng.choice(looks)

                def repaint(t: float) -> Scene:
                    scene = play(t)
                    now = scene.get(part.name)
                    return scene if t < when or now is None else scene.change(replace(now, look=other))

                yield (
                    "part_repainted",
                    StateTrajectory(repaint, "fail", "a part looks like another one from some time on"),
                )
        place = self._find_free_place(puzzle, rng, [stage.start, play(1.0)])
        if place is not None:
            thing = Part("+0", *place, FOREIGN)
            yield (
                "foreign_thing",
                StateTrajectory(
                    lambda t: play(t).change(extra=(thing,) if t > when else ()),
                    "fail",
                    "something new appears and stays",
                ),
            )
            model = rng.choice([part for part in play(1.0).parts if part.look])
            twin = replace(model, name="+0", x=place[0], y=place[1])
            yield (
                "twin",
                StateTrajectory(
                    lambda t: play(t).change(extra=(twin,) if t > when else ()),
                    "fail",
                    "a part has a twin from some time on",
                ),
            )
        dx, dy = rng.choice([(1.5, 0.7), (-1.2, 1.0), (0.8, -1.4)])

        def tremble(t: float) -> Scene:
            scene, sign = play(t), (-1) ** int(t * 30)
            return scene.change(*(replace(p, x=p.x + sign * dx, y=p.y + sign * dy) for p in scene.parts))

        yield "trembles", StateTrajectory(tremble, "pass", "all parts tremble by a pixel or two")

    def _find_free_place(self, puzzle: P, rng: Random, scenes: Sequence[Scene]) -> tuple[float, float] | None:
        """Return a place where nothing is drawn in any of the scenes."""
        width, height = self.size(puzzle)
        used = [part for scene in scenes for part in scene.parts if part.look]
        ground = self.stage(puzzle).ground
        for _ in range(400):
            x, y = rng.uniform(40, width - 40), rng.uniform(40, height - 40)
            around = ground[int(y) - 22 : int(y) + 22, int(x) - 22 : int(x) + 22]
            is_plain = int(around.max()) - int(around.min()) < 60
            if is_plain and all(hypot(x - part.x, y - part.y) > 62 for part in used):
                return round(x), round(y)
        return None


def check_damage(
    stage: Stage, trace: Trace[Scene], is_damaged: Callable[[Part, Part | None], bool], verb: str
) -> Iterator[Finding]:
    """Yield a finding for parts that are damaged for long enough; it does not gate, since the end is judged by
    itself."""
    read = readable(trace)
    for start in stage.start.parts:

        def fails(scene: Scene, start: Part = start) -> bool:
            return start.name not in scene.hidden and is_damaged(start, scene.get(start.name))

        spans = find_spans(read, fails)
        if spans and not spans[-1].reaches_end:
            detail = f"The part {start.name} {verb} at {spans[0].start_s:.2f} s and was restored."
            yield Finding("part_restored", False, detail, spans[0].start_s)


def _round_part(part: Part) -> Hashable:
    return (
        part.name,
        round(part.x / 6),
        round(part.y / 6),
        part.look,
        round(part.angle / 6) % 60,
        part.opacity > PRESENT,
    )


@lru_cache(maxsize=64)
def _get_stage(task: SceneTask[Any, Any], puzzle: Any) -> Stage:
    return task.make_stage(puzzle)


@lru_cache(maxsize=64)
def _get_looks(task: SceneTask[Any, Any], puzzle: Any) -> Looks:
    return paint_looks(task.stage(puzzle), task.reading_scale)
