"""The specification's five metrics, of the settled final scene."""

from __future__ import annotations

from math import hypot

from vmevalkit.tasks.object_subtraction_task.object_subtraction_reasoning import ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.scene import SPECIFIED_CANVAS, Scene, covered

_FAINTEST = 0.15


def metrics(puzzle: ObjectSubtraction, final: Scene, readings: int, abrupt: int) -> dict[str, float]:
    """``abrupt`` is how many steps of ``readings`` are no motion: an object vanishes at once, or jumps."""
    there = {piece.id for piece in final.pieces if piece.opacity >= _FAINTEST}
    removed = [thing.id for thing in puzzle.things if thing.id not in there]
    right = sum(thing_id in puzzle.targets for thing_id in removed)
    moved = [
        hypot(piece.x - thing.x, piece.y - thing.y) / puzzle.unit
        for thing in puzzle.kept
        if (piece := final.get(thing.id)) is not None
    ]
    return {
        "final_object_match": round(_overlap(puzzle, final), 4),
        "removed_object_count": float(len(removed)),
        "expected_removed_count": float(len(puzzle.targets)),
        "kept_object_stability": round(sum(moved) / len(moved), 3) if moved else float(SPECIFIED_CANVAS),
        "motion_continuity": round(1 - min(1.0, abrupt / max(1, readings - 1)), 4),
        "rule_accuracy": round(right / len(removed), 4) if removed else 0.0,
    }


def _overlap(puzzle: ObjectSubtraction, final: Scene) -> float:
    """Intersection over union of what is covered at the end and what should be."""
    shown = covered([piece for piece in final.pieces if piece.opacity >= _FAINTEST], puzzle.canvas)
    wanted = covered(puzzle.kept, puzzle.canvas)
    union = int((shown | wanted).sum())
    return int((shown & wanted).sum()) / union if union else 1.0
