"""Object subtraction as a task: the contract, filled from the modules of this folder."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from vmevalkit.media.picture import Frame
from vmevalkit.tasks.object_subtraction_task import films, object_subtraction_reasoning, rules
from vmevalkit.tasks.object_subtraction_task.certificate import certify
from vmevalkit.tasks.object_subtraction_task.object_subtraction_reasoning import (
    ObjectSubtraction,
    ObjectSubtractionKnobs,
    Rule,
)
from vmevalkit.tasks.object_subtraction_task.reading import READING_SIDE, ObjectReader
from vmevalkit.tasks.object_subtraction_task.render import draw
from vmevalkit.tasks.object_subtraction_task.scene import Scene
from vmevalkit.tasks.task import ANSWER_COUNTS, Checked, Film, Task, Trace


class ObjectSubtractionTask(Task[ObjectSubtraction, Scene, ObjectSubtractionKnobs]):
    """Remove the objects that a rule means, and leave the others alone."""

    name = "object_subtraction"
    title = "Object Subtraction"
    category = "ObjectSubtraction"
    description = "Selective object removal with multi-level cognitive reasoning"
    version = "1"
    puzzle_type = ObjectSubtraction
    knobs_type = ObjectSubtractionKnobs
    difficulties: ClassVar[Mapping[str, ObjectSubtractionKnobs]] = {
        "easy": ObjectSubtractionKnobs(levels=("L1",)),
        "medium": ObjectSubtractionKnobs(levels=("L2", "L3")),
        "hard": ObjectSubtractionKnobs(levels=("L3", "L4"), num_objects=(7, 8)),
    }
    anchored = False
    tricks = ANSWER_COUNTS

    def sample(self, rng: Random, knobs: ObjectSubtractionKnobs) -> ObjectSubtraction:
        return object_subtraction_reasoning.sample(rng, knobs)

    def key(self, puzzle: ObjectSubtraction) -> Hashable:
        return object_subtraction_reasoning.key(puzzle)

    def certify(self, puzzle: ObjectSubtraction) -> None:
        certify(puzzle)

    def prompt(self, puzzle: ObjectSubtraction) -> str:
        return object_subtraction_reasoning.prompt(puzzle)

    def metadata(self, puzzle: ObjectSubtraction) -> dict[str, Any]:
        kept = [thing.id for thing in puzzle.kept]
        return {
            "level": puzzle.rule.level,
            "object_subtraction_data": {
                "objects": [
                    {
                        "id": thing.id,
                        "color": thing.colour,
                        "shape": thing.shape,
                        "x": thing.x,
                        "y": thing.y,
                        "size": thing.size,
                        "area": round(thing.area, 2),
                    }
                    for thing in puzzle.things
                ],
                "rule": _rule_record(puzzle.rule),
                "remove_object_ids": list(puzzle.targets),
                "keep_object_ids": kept,
                "num_objects": len(puzzle.things),
                "num_removed": len(puzzle.targets),
                "num_kept": len(kept),
            },
        }

    def size(self, puzzle: ObjectSubtraction) -> tuple[int, int]:
        return puzzle.canvas, puzzle.canvas

    def reading_size(self, puzzle: ObjectSubtraction) -> tuple[int, int]:
        return READING_SIDE, READING_SIDE

    def solution(self, puzzle: ObjectSubtraction, t: float) -> Scene:
        return object_subtraction_reasoning.solution(puzzle, t)

    def draw(self, puzzle: ObjectSubtraction, state: Scene) -> Frame:
        return draw(puzzle.canvas, state)

    def reader(self, puzzle: ObjectSubtraction) -> ObjectReader:
        return ObjectReader(puzzle)

    def accepted(self, puzzle: ObjectSubtraction, state: Scene) -> bool:
        return rules.accepted(puzzle, state)

    def progress(self, puzzle: ObjectSubtraction, state: Scene) -> float:
        return rules.progress(puzzle, state)

    def check(self, puzzle: ObjectSubtraction, trace: Trace[Scene]) -> Checked:
        return rules.check(puzzle, trace)

    def settle(self, puzzle: ObjectSubtraction, states: Sequence[Scene]) -> Scene:
        return rules.settle(puzzle, states)

    def identity(self, puzzle: ObjectSubtraction, state: Scene) -> Hashable:
        return rules.identity(puzzle, state)

    def films(self, puzzle: ObjectSubtraction, rng: Random) -> dict[str, Film[Scene]]:
        return films.films(puzzle, rng)


def _rule_record(rule: Rule) -> dict[str, Any]:
    """The rule with the specification's keys."""
    named: dict[str, dict[str, Any]] = {
        "color": {"remove_color": rule.value},
        "shape": {"remove_shape": rule.value},
        "size": {"size_type": rule.value},
        "enumerated": {"remove_objects": [{"color": colour, "shape": shape} for colour, shape in rule.listed]},
        "outlier": {"outlier_type": "color_shape"},
    }
    words = named.get(rule.kind, {"relation": rule.value, "count": len(rule.targets)})
    return {"level": rule.level, "rule_type": rule.kind, **words, "target_object_ids": list(rule.targets)}


TASK = ObjectSubtractionTask()
