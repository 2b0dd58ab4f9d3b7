"""The specification's five metrics, computed from the final scene."""

from __future__ import annotations

from math import hypot

from vmevalkit.tasks.object_subtraction_task.puzzle import ObjectSubtraction
from vmevalkit.tasks.object_subtraction_task.scene import SPECIFIED_CANVAS, ObjectScene, compute_coverage

_MIN_OPACITY = 0.15
"""A fainter object counts as removed."""


def compute_metrics(puzzle: ObjectSubtraction, final: ObjectScene, readings: int, abrupt: int) -> dict[str, float]:
    """Return the metrics. ``abrupt`` counts steps between ``readings`` in which an object vanishes at once or jumps."""
    present = {visible.id for visible in final.objects if visible.opacity >= _MIN_OPACITY}
    removed = [thing.id for thing in puzzle.things if thing.id not in present]
    correct = sum(object_id in puzzle.targets for object_id in removed)
    displacements = [
        hypot(visible.x - thing.x, visible.y - thing.y) / puzzle.scale
        for thing in puzzle.kept
        if (visible := final.get(thing.id)) is not None
    ]
    stability = sum(displacements) / len(displacements) if displacements else float(SPECIFIED_CANVAS)
    return {
        "final_object_match": round(_measure_overlap(puzzle, final), 4),
        "removed_object_count": float(len(removed)),
        "expected_removed_count": float(len(puzzle.targets)),
        "kept_object_stability": round(stability, 3),
        "motion_continuity": round(1 - min(1.0, abrupt / max(1, readings - 1)), 4),
        "rule_accuracy": round(correct / len(removed), 4) if removed else 0.0,
    }


def _measure_overlap(puzzle: ObjectSubtraction, final: ObjectScene) -> float:
    """Return the intersection over union of the pixels that objects cover and should cover at the end."""
    visible = [visible for visible in final.objects if visible.opacity >= _MIN_OPACITY]
    actual, expected = compute_coverage(visible, puzzle.canvas), compute_coverage(puzzle.kept, puzzle.canvas)
    union = int((actual | expected).sum())
    return int((actual & expected).sum()) / union if union else 1.0
