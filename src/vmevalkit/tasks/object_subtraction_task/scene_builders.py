"""The scene builder of each kind of rule.

A builder chooses looks, sizes and places, and names the targets. It returns None where the random scene is not clear
enough for the rule; the caller then tries again. ``certificate`` proves independently that a rule selects its targets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from vmevalkit.tasks.object_subtraction_task import attribute_builders, relation_builders
from vmevalkit.tasks.object_subtraction_task.scene_drafts import SceneDraft, SceneSpec

SceneBuilder = Callable[[Random, SceneSpec], SceneDraft | None]

SCENE_BUILDERS: Mapping[str, SceneBuilder] = {
    "color": attribute_builders.build_colour_scene,
    "shape": attribute_builders.build_shape_scene,
    "size": attribute_builders.build_size_scene,
    "enumerated": attribute_builders.build_enumerated_scene,
    "side": relation_builders.build_side_scene,
    "half": relation_builders.build_half_scene,
    "quadrant": relation_builders.build_quadrant_scene,
    "corner": relation_builders.build_corner_scene,
    "center": relation_builders.build_center_scene,
    "outlier": attribute_builders.build_outlier_scene,
}
"""By the kind of rule."""
