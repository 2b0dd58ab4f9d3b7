"""The matrix as a task: the contract, filled from the modules of this folder."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from vmevalkit.media.picture import Frame
from vmevalkit.tasks.raven_task import films, matrices, raven_reasoning, rules, scene
from vmevalkit.tasks.raven_task.lens import READING_SCALE
from vmevalkit.tasks.raven_task.PROMPTS import VIDEO_PROMPT
from vmevalkit.tasks.raven_task.raven_reasoning import Raven, RavenKnobs
from vmevalkit.tasks.raven_task.reading import RavenReader
from vmevalkit.tasks.raven_task.render import SIDE, draw
from vmevalkit.tasks.raven_task.scene import RavenState
from vmevalkit.tasks.raven_task.vocabulary import Attribute
from vmevalkit.tasks.task import ANSWER_COUNTS, Checked, Film, Task, Trace

RULE_TYPES: dict[Attribute, str] = {
    "shape": "shape_progression",
    "number": "number_progression",
    "rotation": "rotation_pattern",
    "colour": "color_pattern",
}
"""The specification's names for what changes in a matrix."""
COMBINATION = "combination"
"""Its name where several attributes change."""


def rule_type(puzzle: Raven) -> str:
    changing = [rule.attribute for rule in puzzle.rules]
    return RULE_TYPES[changing[0]] if len(changing) == 1 else COMBINATION


class RavenTask(Task[Raven, RavenState, RavenKnobs]):
    """Complete a matrix of 3 x 3 tiles."""

    name = "raven"
    title = "Raven"
    category = "AbstractReasoning"
    description = "Matrices of 3 x 3 tiles, whose rules leave one answer for the missing one"
    version = "1"
    puzzle_type = Raven
    knobs_type = RavenKnobs
    difficulties: ClassVar[Mapping[str, RavenKnobs]] = {
        "easy": RavenKnobs(),
        "medium": RavenKnobs(rules=2, kinds=("progression", "sequence", "distribution")),
        "hard": RavenKnobs(rules=3, kinds=("progression", "distribution", "arithmetic")),
    }
    reading_scale = READING_SCALE
    tricks = ANSWER_COUNTS

    def sample(self, rng: Random, knobs: RavenKnobs) -> Raven:
        return raven_reasoning.sample(rng, knobs)

    def key(self, puzzle: Raven) -> Hashable:
        return raven_reasoning.key(puzzle)

    def certify(self, puzzle: Raven) -> None:
        raven_reasoning.certify(puzzle)

    def capacity(self, knobs: RavenKnobs) -> int:
        return matrices.count(knobs.attributes, knobs.kinds, knobs.rules)

    def prompt(self, puzzle: Raven) -> str:
        return VIDEO_PROMPT

    def metadata(self, puzzle: Raven) -> dict[str, Any]:
        return {
            "raven_data": {
                "rule": "; ".join(str(rule) for rule in puzzle.rules),
                "rule_type": rule_type(puzzle),
                "matrix_size": [3, 3],
                "seed": puzzle.seed,
            }
        }

    def size(self, puzzle: Raven) -> tuple[int, int]:
        return (SIDE, SIDE)

    def solution(self, puzzle: Raven, t: float) -> RavenState:
        return scene.solution(puzzle, t)

    def draw(self, puzzle: Raven, state: RavenState) -> Frame:
        return draw(state)

    def reader(self, puzzle: Raven) -> RavenReader:
        return RavenReader(puzzle)

    def accepted(self, puzzle: Raven, state: RavenState) -> bool:
        return rules.accepted(puzzle, state)

    def progress(self, puzzle: Raven, state: RavenState) -> float:
        return rules.progress(puzzle, state)

    def check(self, puzzle: Raven, trace: Trace[RavenState]) -> Checked:
        return rules.check(puzzle, trace)

    def settle(self, puzzle: Raven, states: Sequence[RavenState]) -> RavenState:
        return rules.settle(states)

    def identity(self, puzzle: Raven, state: RavenState) -> Hashable:
        return rules.identity(state)

    def films(self, puzzle: Raven, rng: Random) -> dict[str, Film[RavenState]]:
        return films.films(puzzle, rng)


TASK = RavenTask()
