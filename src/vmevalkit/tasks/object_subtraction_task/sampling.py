"""Sampling of puzzles: a scene is drafted for a rule and its objects are shuffled."""

from __future__ import annotations

from random import Random

from vmevalkit.core.errors import Uncertified
from vmevalkit.tasks.object_subtraction_task.puzzle import ObjectSubtraction, ObjectSubtractionParams, RemovalRule
from vmevalkit.tasks.object_subtraction_task.scene import SceneObject
from vmevalkit.tasks.object_subtraction_task.scene_builders import SCENE_BUILDERS
from vmevalkit.tasks.object_subtraction_task.scene_drafts import SceneDraft, SceneSpec

_ATTEMPTS = 30


def sample_puzzle(rng: Random, params: ObjectSubtractionParams) -> ObjectSubtraction:
    """Return a scene for a rule. Where no clear scene is found for a kind of rule, another kind of the level is used.

    Raises Uncertified where no kind of the level gives a clear scene.
    """
    level = rng.choice(params.levels)
    kinds = params.list_rule_kinds(level)
    rng.shuffle(kinds)
    spec = SceneSpec(rng.randint(*params.num_objects), params.colours, params.shapes, params.canvas, params.varied)
    for kind in kinds:
        for _ in range(_ATTEMPTS):
            draft = SCENE_BUILDERS[kind](rng, spec)
            if draft is not None:
                return _build_puzzle(rng, level, kind, draft, params)
    raise Uncertified(f"no scene of {spec.number} objects for {' or '.join(kinds)} in {_ATTEMPTS} attempts each")


def _build_puzzle(
    rng: Random, level: str, kind: str, draft: SceneDraft, params: ObjectSubtractionParams
) -> ObjectSubtraction:
    """Return the puzzle of a draft with its objects shuffled, so that their ids do not reveal the targets."""
    order = list(range(len(draft.things)))
    rng.shuffle(order)
    things = tuple(
        SceneObject(new, t.colour, t.shape, t.x, t.y, t.size)
        for new, t in enumerate(draft.things[old] for old in order)
    )
    targets = tuple(new for new, old in enumerate(order) if old in draft.targets)
    rule = RemovalRule(level, kind, draft.value, draft.listed, targets)
    return ObjectSubtraction(params.canvas, things, rule, params.animation)
