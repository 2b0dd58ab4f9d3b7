"""3D mental rotation as a task: the contract, filled from the modules of this folder."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from vmevalkit.media.picture import Frame
from vmevalkit.tasks.rotation_task import describing, films, render, rotation_reasoning, rules
from vmevalkit.tasks.rotation_task.reader import RotationReader
from vmevalkit.tasks.rotation_task.rotation_reasoning import RotationKnobs, spec_difficulty
from vmevalkit.tasks.rotation_task.scene import RotationPuzzle, View
from vmevalkit.tasks.task import WAY_COUNTS, Checked, Film, Task, Trace

GENERATION_METHOD = "3D voxel snake with viewpoint rotation"


class RotationTask(Task[RotationPuzzle, View, RotationKnobs]):
    """Move the camera round a sculpture of voxels to the opposite side."""

    name = "rotation"
    title = "3D Mental Rotation"
    category = "3D Mental Rotation"
    description = describing.describe(())
    version = "1"
    puzzle_type = RotationPuzzle
    knobs_type = RotationKnobs
    difficulties: ClassVar[Mapping[str, RotationKnobs]] = {
        "easy": RotationKnobs(),
        "medium": RotationKnobs(voxels=(11, 13), visible=(0.6, 1.0)),
        "hard": RotationKnobs(voxels=(15, 18), visible=(0.5, 0.9)),
    }
    anchored = False
    reading_scale = 0.5
    tricks = WAY_COUNTS

    def sample(self, rng: Random, knobs: RotationKnobs) -> RotationPuzzle:
        return rotation_reasoning.sample(rng, knobs)

    def key(self, puzzle: RotationPuzzle) -> Hashable:
        return rotation_reasoning.key(puzzle)

    def certify(self, puzzle: RotationPuzzle) -> None:
        rotation_reasoning.certify(puzzle)

    def prompt(self, puzzle: RotationPuzzle) -> str:
        return rotation_reasoning.prompt(puzzle)

    def metadata(self, puzzle: RotationPuzzle) -> dict[str, Any]:
        return {
            "rotation_data": {
                "generation_method": GENERATION_METHOD,
                "num_voxels": len(puzzle.voxels),
                "first_view_elev": puzzle.elev_deg,
                "first_view_azim": puzzle.azim_deg,
                "final_view_elev": puzzle.elev_deg,
                "final_view_azim": puzzle.final_azim_deg,
                "angle_difference": puzzle.angle_deg,
                "structural_complexity": "snake_like_3d_voxels",
            },
            "voxels": [list(voxel) for voxel in puzzle.voxels],
            "colours": list(puzzle.colours),
            "spec_difficulty": spec_difficulty(puzzle.voxels),
        }

    def describe(self, records: Sequence[Mapping[str, Any]]) -> str:
        return describing.describe(records)

    def size(self, puzzle: RotationPuzzle) -> tuple[int, int]:
        return render.SIDE, render.SIDE

    def solution(self, puzzle: RotationPuzzle, t: float) -> View:
        return rotation_reasoning.solution(puzzle, t)

    def draw(self, puzzle: RotationPuzzle, state: View) -> Frame:
        return render.draw(puzzle, state)

    def reader(self, puzzle: RotationPuzzle) -> RotationReader:
        return RotationReader(puzzle)

    def accepted(self, puzzle: RotationPuzzle, state: View) -> bool:
        return rules.accepted(puzzle, state)

    def progress(self, puzzle: RotationPuzzle, state: View) -> float:
        return rules.progress(puzzle, state)

    def check(self, puzzle: RotationPuzzle, trace: Trace[View]) -> Checked:
        return rules.check(puzzle, trace)

    def settle(self, puzzle: RotationPuzzle, states: Sequence[View]) -> View:
        return rules.settle(puzzle, states)

    def identity(self, puzzle: RotationPuzzle, state: View) -> Hashable:
        return rules.identity(puzzle, state)

    def films(self, puzzle: RotationPuzzle, rng: Random) -> dict[str, Film[View]]:
        return films.films(puzzle, rng)


TASK = RotationTask()
