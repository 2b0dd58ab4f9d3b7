"""The rotation task: the contract, filled from the modules of this folder."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from vmevalkit.media.image import Frame
from vmevalkit.tasks.complexity import Complexity
from vmevalkit.tasks.evidence import MotionLimits
from vmevalkit.tasks.kit.question_pictures import Pictures
from vmevalkit.tasks.rotation_task.acceptance import (
    find_consensus,
    is_accepted,
    is_structure_kept,
    measure_progress,
    view_key,
)
from vmevalkit.tasks.rotation_task.cheats import make_cheats
from vmevalkit.tasks.rotation_task.params import RotationParams
from vmevalkit.tasks.rotation_task.pictured import SculptureScene, find_sculpture
from vmevalkit.tasks.rotation_task.PROMPTS import JUDGE_HINT
from vmevalkit.tasks.rotation_task.reader import RotationReader
from vmevalkit.tasks.rotation_task.render import SIDE, draw_view
from vmevalkit.tasks.rotation_task.rules import check_trace
from vmevalkit.tasks.rotation_task.sampling import certify_puzzle, puzzle_key, sample_puzzle
from vmevalkit.tasks.rotation_task.scene import View, VoxelPuzzle, angle_between, solution_at
from vmevalkit.tasks.rotation_task.tabletop import paint_backdrops
from vmevalkit.tasks.rotation_task.text import describe_dataset, format_prompt, make_metadata
from vmevalkit.tasks.task import PROCESS_MATTERS, Offer, Task

STEP_DEG = 30.0
"""A step of the camera, in degrees."""


class RotationTask(Task[VoxelPuzzle, View, RotationParams]):
    """Move the camera around a sculpture of voxels to the opposite side.

    Functions of this folder that have a contract method's signature are bound to its name.
    """

    name = "rotation"
    title = "3D Mental Rotation"
    category = "3D Mental Rotation"
    group = "perception"
    description = describe_dataset(())
    version = "3"
    puzzle_type = VoxelPuzzle
    params_type = RotationParams
    difficulties: ClassVar[Mapping[str, RotationParams]] = {
        "easy": RotationParams(),
        "medium": RotationParams(voxels=(11, 13), visible=(0.6, 1.0)),
        "hard": RotationParams(voxels=(15, 18), visible=(0.5, 0.9)),
    }
    anchored = False
    has_flat_colours = False
    reading_scale = 0.5
    tricks = PROCESS_MATTERS
    judge_hint = JUDGE_HINT
    offers = frozenset(
        {
            Offer.FREE_CAMERA,
            Offer.MARGIN,
            Offer.QUICK,
            Offer.ASYMMETRIC,
            Offer.FREE_HUES,
            Offer.WHOLE,
            Offer.SOLID_ANSWER,
        }
    )
    complexity = Complexity(360**2, 3, 1.0, "extreme")
    smallest_part_area = 0.001
    motion = MotionLimits(free_steps=0.6, max_steps=1.2, what="the camera", unit="degrees", scale=STEP_DEG)

    sample = staticmethod(sample_puzzle)
    key = staticmethod(puzzle_key)
    certify = staticmethod(certify_puzzle)
    prompt = staticmethod(format_prompt)
    metadata = staticmethod(make_metadata)
    describe = staticmethod(describe_dataset)
    solution = staticmethod(solution_at)
    draw = staticmethod(draw_view)
    reader = staticmethod(RotationReader)
    accepted = staticmethod(is_accepted)
    progress = staticmethod(measure_progress)
    check = staticmethod(check_trace)
    is_intact = staticmethod(is_structure_kept)
    consensus_state = staticmethod(find_consensus)
    state_key = staticmethod(view_key)
    cheats = staticmethod(make_cheats)

    def moving_parts(self, puzzle: VoxelPuzzle, state: View) -> dict[Hashable, Any]:
        return {"camera": state.azim_deg}

    def count_steps(self, puzzle: VoxelPuzzle, part: Hashable, before: float, after: float) -> float:
        return abs(angle_between(before, after)) / STEP_DEG

    def vary_backdrop(self, puzzle: VoxelPuzzle, state: View, image: Frame) -> list[Frame]:
        """The prompt mentions a table, so a video may show one."""
        return paint_backdrops(draw_view(puzzle, replace(state, has_table=False)), image)

    def learn_looks(self, puzzle: VoxelPuzzle, pictures: Pictures) -> SculptureScene:
        return find_sculpture(puzzle, pictures)

    def check_puzzle(self, puzzle: VoxelPuzzle) -> None:
        if not all(abs(place) <= 100 for voxel in puzzle.voxels for place in voxel):
            raise ValueError("a voxel is more than 100 cells from the middle")
        if len(puzzle.colours) not in (0, len(puzzle.voxels)):
            raise ValueError(f"{len(puzzle.voxels)} voxels have {len(puzzle.colours)} colours")

    def size(self, puzzle: VoxelPuzzle) -> tuple[int, int]:
        return SIDE, SIDE


TASK = RotationTask()
