"""The raven task: the task contract, bound to the modules of this package."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar

from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Box
from vmevalkit.tasks.complexity import Complexity
from vmevalkit.tasks.kit.question_pictures import Pictures
from vmevalkit.tasks.pictures.cells import CellScene, find_cell_scene
from vmevalkit.tasks.raven_task import cheats, raven_reasoning, rules, scene
from vmevalkit.tasks.raven_task.cell_board import make_cell_board
from vmevalkit.tasks.raven_task.PROMPTS import JUDGE_HINT, VIDEO_PROMPT
from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER, Raven, RavenParams
from vmevalkit.tasks.raven_task.reading import RavenReader
from vmevalkit.tasks.raven_task.render import SIDE, box_of_cell, draw
from vmevalkit.tasks.raven_task.sampling import READING_SCALE
from vmevalkit.tasks.raven_task.scene import RavenState
from vmevalkit.tasks.raven_task.vocabulary import COLOURS, SHAPES, Attribute
from vmevalkit.tasks.task import FINAL_STATE_MATTERS, Offer, Task, majority_index

RULE_TYPES: dict[Attribute, str] = {
    "shape": "shape_progression",
    "number": "number_progression",
    "rotation": "rotation_pattern",
    "colour": "color_pattern",
}
"""The specification's names for what changes in a matrix."""
COMBINATION = "combination"
"""Its name where several attributes change."""


def get_rule_type(puzzle: Raven) -> str:
    """Return the specification's name for the rules of a matrix."""
    return RULE_TYPES[puzzle.rules[0].attribute] if len(puzzle.rules) == 1 else COMBINATION


class RavenTask(Task[Raven, RavenState, RavenParams]):
    """Complete a matrix of 3 x 3 tiles."""

    name = "raven"
    title = "Raven"
    category = "AbstractReasoning"
    group = "deduction"
    description = "Matrices of 3 x 3 tiles, whose rules leave one answer for the missing one"
    version = "3"
    puzzle_type = Raven
    params_type = RavenParams
    difficulties: ClassVar[Mapping[str, RavenParams]] = {
        "easy": RavenParams(),
        "medium": RavenParams(rules=2, kinds=("progression", "sequence", "distribution")),
        "hard": RavenParams(rules=3, kinds=("progression", "distribution", "arithmetic")),
    }
    reading_scale = READING_SCALE
    tricks = FINAL_STATE_MATTERS
    judge_hint = JUDGE_HINT
    offers = frozenset(
        {Offer.FREE_CAMERA, Offer.STILL_EDGES, Offer.QUICK, Offer.MEANT_COLOURS, Offer.WHOLE, Offer.SOLID_ANSWER}
    )
    complexity = Complexity(600, 4, 1.0, "medium")

    sample = staticmethod(raven_reasoning.sample)
    key = staticmethod(raven_reasoning.key)
    certify = staticmethod(raven_reasoning.certify)
    capacity = staticmethod(raven_reasoning.capacity)
    reader = RavenReader
    solution = staticmethod(scene.solution)
    accepted = staticmethod(rules.accepted)
    progress = staticmethod(rules.progress)
    check = staticmethod(rules.check)
    cheats = staticmethod(cheats.cheats)

    def explained_boxes(self, puzzle: Raven, state: RavenState) -> tuple[Box, ...]:
        """The reader reads a tile of the missing cell in any size and arrangement, and reports what is left over."""
        return (box_of_cell(ANSWER),)

    def highlight_boxes(self, puzzle: Raven) -> list[Box]:
        return [box_of_cell(cell) for cell in range(9)]

    def keep_parts(
        self, puzzle: Raven, state: RavenState, before: RavenState, is_touched: Callable[[Box], bool]
    ) -> RavenState:
        cells = tuple(
            old if cell != ANSWER and is_touched(box_of_cell(cell)) else new
            for cell, (new, old) in enumerate(zip(state.cells, before.cells, strict=True))
        )
        return RavenState(cells, state.unseen)

    def unseen_boxes(self, puzzle: Raven, state: RavenState) -> dict[Hashable, Box]:
        return {cell: box_of_cell(cell) for cell in state.unseen}

    def deciding_boxes(self, puzzle: Raven, state: RavenState) -> tuple[Box, ...]:
        """The missing cell decides."""
        return (box_of_cell(ANSWER),)

    def check_puzzle(self, puzzle: Raven) -> None:
        for tile in puzzle.tiles:
            if tile.shape not in SHAPES or tile.colour not in COLOURS or not 1 <= tile.number <= 9:
                raise ValueError(f"{tile} is not a tile")

    def prompt(self, puzzle: Raven) -> str:
        return VIDEO_PROMPT

    def metadata(self, puzzle: Raven) -> dict[str, Any]:
        return {
            "raven_data": {
                "rule": "; ".join(str(rule) for rule in puzzle.rules),
                "rule_type": get_rule_type(puzzle),
                "matrix_size": [3, 3],
                "seed": puzzle.seed,
            }
        }

    def size(self, puzzle: Raven) -> tuple[int, int]:
        return SIDE, SIDE

    def draw(self, puzzle: Raven, state: RavenState) -> Frame:
        return draw(state)

    def learn_looks(self, puzzle: Raven, pictures: Pictures) -> CellScene[RavenState]:
        return find_cell_scene(make_cell_board(puzzle), pictures, self.size(puzzle), self.reading_size(puzzle))

    def is_intact(self, puzzle: Raven, state: RavenState) -> bool:
        """Return whether every given cell is as it was."""
        return state.readings[:ANSWER] == puzzle.tiles[:ANSWER]

    def state_key(self, puzzle: Raven, state: RavenState) -> Hashable:
        return state.readings

    def consensus_state(self, puzzle: Raven, states: Sequence[RavenState]) -> RavenState:
        """Return, cell by cell, the content that the majority of the readings shows."""
        by_cell = zip(*(state.cells for state in states), strict=True)
        return RavenState(tuple(cells[majority_index([cell.reading for cell in cells])] for cells in by_cell))


TASK = RavenTask()
