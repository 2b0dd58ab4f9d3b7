"""Metrics of a rotation puzzle's video: of its final scene and of the steps on the way."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import dist

from vmevalkit.tasks.rotation_puzzle_task.motion import TurnStep
from vmevalkit.tasks.rotation_puzzle_task.pipes import QUARTERS, find_group_sizes
from vmevalkit.tasks.rotation_puzzle_task.puzzle import RotationPuzzle, get_pipe_kinds, get_start_pieces
from vmevalkit.tasks.rotation_puzzle_task.scene import PipeScene, compute_quarter_offset_deg, get_layout
from vmevalkit.tasks.rotation_puzzle_task.states import get_pieces, get_visible_pipe


def compute_end_metrics(
    puzzle: RotationPuzzle, final: PipeScene, turned_deg: float, is_solved: bool
) -> dict[str, float]:
    """Return the metrics of the final scene; ``turned_deg`` is the rotation of all squares over the video."""
    kinds, start, pieces = get_pipe_kinds(puzzle), get_start_pieces(puzzle), get_pieces(puzzle, final)
    own = [pipe for home in range(len(kinds)) if (pipe := get_visible_pipe(final, home)) and pipe.shape == kinds[home]]
    errors = [abs(compute_quarter_offset_deg(pipe.angle_deg)) for pipe in own]
    needed = _sum_reference_turning(puzzle)
    centres = get_layout(puzzle.rows, puzzle.cols).centres
    return {
        "angle_error_deg": round(max(errors, default=45.0), 3),
        "mean_angle_error_deg": round(sum(errors) / len(errors), 3) if errors else 45.0,
        "squares_turned": float(sum(one != other for one, other in zip(start, pieces, strict=True))),
        "fewest_turns": float(len(puzzle.squares_to_turn)),
        "connected_share": round(find_group_sizes(puzzle.rows, puzzle.cols, pieces)[0] / len(pieces), 4),
        "turned_deg": round(turned_deg, 2),
        "turning_efficiency": round(min(1.0, needed / turned_deg), 4) if turned_deg and is_solved else 0.0,
        "largest_offset_px": round(max((dist((p.x, p.y), centres[p.home]) for p in own), default=0.0), 2),
    }


def compute_step_metrics(
    steps: Sequence[TurnStep], jumps: Sequence[TurnStep], readable_share: float
) -> dict[str, float]:
    """Return the metrics of the steps between readings."""
    return {
        "largest_step_deg": round(max((abs(step.turn_deg) for step in steps), default=0.0), 2),
        "jumps": float(len(jumps)),
        "readable_share": round(readable_share, 4),
    }


@lru_cache(maxsize=64)
def _sum_reference_turning(puzzle: RotationPuzzle) -> float:
    """Return the rotation of the reference solution, in degrees."""
    kinds = get_pipe_kinds(puzzle)
    return sum(
        min(square.initial_angle, 90 * QUARTERS[kind] - square.initial_angle)
        for kind, square in zip(kinds, puzzle.squares, strict=True)
    )
