"""The rotation puzzle as a task: the contract, filled from the modules of this folder."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from vmevalkit.media.picture import Frame
from vmevalkit.tasks.rotation_puzzle_task import films, rotation_puzzle_reasoning, rules
from vmevalkit.tasks.rotation_puzzle_task.planes import READING_SCALE
from vmevalkit.tasks.rotation_puzzle_task.PROMPTS import NUMBERS, VIDEO_PROMPT
from vmevalkit.tasks.rotation_puzzle_task.reading import PipeReader
from vmevalkit.tasks.rotation_puzzle_task.render import draw
from vmevalkit.tasks.rotation_puzzle_task.rotation_puzzle_reasoning import RotationPuzzle, RotationPuzzleKnobs
from vmevalkit.tasks.rotation_puzzle_task.scene import SIZE, Scene, layout_of
from vmevalkit.tasks.task import WAY_COUNTS, Checked, Film, Task, Trace


class RotationPuzzleTask(Task[RotationPuzzle, Scene, RotationPuzzleKnobs]):
    """Turn the squares until all pipes are connected."""

    name = "rotation_puzzle"
    title = "Rotation Puzzle"
    category = "RotationPuzzle"
    description = "Pipe puzzle with rotatable squares"
    version = "1"
    puzzle_type = RotationPuzzle
    knobs_type = RotationPuzzleKnobs
    difficulties: ClassVar[Mapping[str, RotationPuzzleKnobs]] = {
        "easy": RotationPuzzleKnobs(least_turns=1, most_turns=2),
        "medium": RotationPuzzleKnobs(least_turns=2, most_turns=3),
        "hard": RotationPuzzleKnobs(least_turns=3, most_turns=4),
    }
    anchored = False
    reading_scale = READING_SCALE
    tricks = WAY_COUNTS

    def sample(self, rng: Random, knobs: RotationPuzzleKnobs) -> RotationPuzzle:
        return rotation_puzzle_reasoning.sample(rng, knobs)

    def key(self, puzzle: RotationPuzzle) -> Hashable:
        return rotation_puzzle_reasoning.key(puzzle)

    def certify(self, puzzle: RotationPuzzle) -> None:
        rotation_puzzle_reasoning.certify(puzzle)

    def catalogue(self, knobs: RotationPuzzleKnobs) -> Sequence[RotationPuzzle] | None:
        return rotation_puzzle_reasoning.listing(knobs)

    def prompt(self, puzzle: RotationPuzzle) -> str:
        return VIDEO_PROMPT.format(number=NUMBERS[len(puzzle.squares)])

    def metadata(self, puzzle: RotationPuzzle) -> dict[str, Any]:
        layout = layout_of(puzzle.rows, puzzle.cols)
        squares = [
            {
                "position": list(map(int, layout.homes[number])),
                "row": number // puzzle.cols,
                "col": number % puzzle.cols,
                "initial_angle": square.initial_angle,
                "target_angle": 0,
                "pipe_pattern": list(square.sides),
            }
            for number, square in enumerate(puzzle.squares)
        ]
        return {
            "num_squares": len(puzzle.squares),
            "squares": squares,
            "square_size": layout.square,
            "canvas_size": list(SIZE),
            "camera": {"view": "top-down", "fixed": True},
            "rotations_needed": len(puzzle.to_turn),
        }

    def size(self, puzzle: RotationPuzzle) -> tuple[int, int]:
        return SIZE

    def solution(self, puzzle: RotationPuzzle, t: float) -> Scene:
        return rotation_puzzle_reasoning.solution(puzzle, t)

    def draw(self, puzzle: RotationPuzzle, state: Scene) -> Frame:
        return draw(layout_of(puzzle.rows, puzzle.cols).square, state)

    def reader(self, puzzle: RotationPuzzle) -> PipeReader:
        return PipeReader(puzzle)

    def accepted(self, puzzle: RotationPuzzle, state: Scene) -> bool:
        return rules.accepted(puzzle, state)

    def progress(self, puzzle: RotationPuzzle, state: Scene) -> float:
        return rules.progress(puzzle, state)

    def check(self, puzzle: RotationPuzzle, trace: Trace[Scene]) -> Checked:
        return rules.check(puzzle, trace)

    def settle(self, puzzle: RotationPuzzle, states: Sequence[Scene]) -> Scene:
        return rules.settle(puzzle, states)

    def identity(self, puzzle: RotationPuzzle, state: Scene) -> Hashable:
        return rules.identity(puzzle, state)

    def films(self, puzzle: RotationPuzzle, rng: Random) -> dict[str, Film[Scene]]:
        return films.films(puzzle, rng)


TASK = RotationPuzzleTask()
