"""Object subtraction as a task: the table of the functions that implement the contract."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, ClassVar

from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Box
from vmevalkit.tasks.complexity import Complexity
from vmevalkit.tasks.kit.question_pictures import Pictures
from vmevalkit.tasks.object_subtraction_task.certificate import certify
from vmevalkit.tasks.object_subtraction_task.cheats import list_cheats
from vmevalkit.tasks.object_subtraction_task.pictured import ObjectPicture, find_objects
from vmevalkit.tasks.object_subtraction_task.PROMPTS import JUDGE_HINT
from vmevalkit.tasks.object_subtraction_task.puzzle import (
    ObjectSubtraction,
    ObjectSubtractionParams,
    RemovalRule,
    build_prompt,
    build_question_key,
)
from vmevalkit.tasks.object_subtraction_task.reading import READING_SIDE, ObjectReader
from vmevalkit.tasks.object_subtraction_task.render import draw_scene
from vmevalkit.tasks.object_subtraction_task.rules import (
    build_state_key,
    check_trace,
    find_consensus_state,
    is_accepted,
    is_gone,
    is_intact,
    measure_progress,
)
from vmevalkit.tasks.object_subtraction_task.sampling import sample_puzzle
from vmevalkit.tasks.object_subtraction_task.scene import ObjectScene, VisibleObject
from vmevalkit.tasks.object_subtraction_task.solution import get_solution_scene
from vmevalkit.tasks.task import FINAL_STATE_MATTERS, Offer, Task


class ObjectSubtractionTask(Task[ObjectSubtraction, ObjectScene, ObjectSubtractionParams]):
    """Remove the objects that a rule selects, and leave the others unchanged."""

    name = "object_subtraction"
    title = "Object Subtraction"
    category = "ObjectSubtraction"
    group = "perception"
    description = "Selective object removal with multi-level cognitive reasoning"
    version = "3"
    puzzle_type = ObjectSubtraction
    params_type = ObjectSubtractionParams
    difficulties: ClassVar[Mapping[str, ObjectSubtractionParams]] = {
        "easy": ObjectSubtractionParams(levels=("L1",)),
        "medium": ObjectSubtractionParams(levels=("L2", "L3")),
        "hard": ObjectSubtractionParams(levels=("L3", "L4"), num_objects=(7, 8), varied=True),
    }
    anchored = False
    smallest_part_area = 0.006
    tricks = FINAL_STATE_MATTERS
    judge_hint = JUDGE_HINT
    offers = frozenset(
        {
            Offer.FREE_CAMERA,
            Offer.MARGIN,
            Offer.STILL_EDGES,
            Offer.QUICK,
            Offer.ASYMMETRIC,
            Offer.MEANT_COLOURS,
            Offer.SOLID_ANSWER,
        }
    )
    complexity = Complexity(2**8, 4, 1.0, "medium")

    sample = staticmethod(sample_puzzle)
    key = staticmethod(build_question_key)
    certify = staticmethod(certify)
    prompt = staticmethod(build_prompt)
    solution = staticmethod(get_solution_scene)
    reader = ObjectReader
    accepted = staticmethod(is_accepted)
    progress = staticmethod(measure_progress)
    check = staticmethod(check_trace)
    is_intact = staticmethod(is_intact)
    consensus_state = staticmethod(find_consensus_state)
    state_key = staticmethod(build_state_key)
    cheats = staticmethod(list_cheats)

    def check_puzzle(self, puzzle: ObjectSubtraction) -> None:
        ids = {thing.id for thing in puzzle.things}
        if len(ids) != len(puzzle.things) or not set(puzzle.targets) <= ids:
            raise ValueError("the ids of the objects are not unique, or a target does not exist")
        side = puzzle.canvas
        for thing in puzzle.things:
            if not (0 <= thing.x <= side and 0 <= thing.y <= side and 0 < thing.size <= side):
                raise ValueError(f"object {thing.id} is outside the image")

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
                "rule": _build_rule_record(puzzle.rule),
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

    def learn_looks(self, puzzle: ObjectSubtraction, pictures: Pictures) -> ObjectPicture:
        return find_objects(puzzle, pictures)

    def unseen_boxes(self, puzzle: ObjectSubtraction, state: ObjectScene) -> dict[Hashable, Box]:
        hidden = (visible for visible in state.objects if visible.id in state.unseen and not is_gone(puzzle, visible))
        return {visible.id: self._locate(puzzle, state, visible) for visible in hidden}

    def _locate(self, puzzle: ObjectSubtraction, state: ObjectScene, visible: VisibleObject) -> Box:
        left, top, right, bottom = state.camera.project(visible, puzzle.canvas).box
        return left / puzzle.canvas, top / puzzle.canvas, right / puzzle.canvas, bottom / puzzle.canvas

    def draw(self, puzzle: ObjectSubtraction, state: ObjectScene) -> Frame:
        return draw_scene(puzzle.canvas, state)


def _build_rule_record(rule: RemovalRule) -> dict[str, Any]:
    """Return the rule with the specification's keys."""
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
