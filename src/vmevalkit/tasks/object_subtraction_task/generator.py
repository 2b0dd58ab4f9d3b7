"""Making scenes by hand: one scene, one question, or a dataset of several levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.randomness import rng_for
from vmevalkit.store import layout
from vmevalkit.store.commit import clean, write_file
from vmevalkit.store.records import dataset_bytes
from vmevalkit.tasks.dataset import CUSTOM, as_dataset, check_vacant, write_question
from vmevalkit.tasks.object_subtraction_task.certificate import certify
from vmevalkit.tasks.object_subtraction_task.object_subtraction_reasoning import (
    KINDS,
    ObjectSubtraction,
    ObjectSubtractionKnobs,
    sample,
)
from vmevalkit.tasks.object_subtraction_task.task import TASK
from vmevalkit.tasks.planning import plan

DIFFICULTIES: Mapping[str, str] = {"L1": "easy", "L2": "medium", "L3": "medium", "L4": "hard"}
"""What the specification's levels count as, with the other knobs as they are by default."""


class ObjectSubtractionGenerator:
    """Makes one scene after the other. Two generators of one seed make the same ones."""

    def __init__(self, seed: int = 42) -> None:
        self._seed, self._made = seed, 0

    def generate_scene(self, level: str = "L1", knobs: ObjectSubtractionKnobs | None = None) -> ObjectSubtraction:
        """The next scene of a level, with its rule."""
        rng = rng_for("object_subtraction", "generator", self._seed, self._made)
        self._made += 1
        return sample(rng, _of_level(level, knobs or ObjectSubtractionKnobs()))


def create_dataset(
    num_samples: int = 50,
    levels: Iterable[str] = ("L1",),
    random_seed: int = 42,
    *,
    knobs: ObjectSubtractionKnobs | None = None,
    output_dir: Path | str | None = None,
    solutions: bool = False,
    force: bool = False,
) -> dict[str, Any]:
    """Questions without duplicates, shared evenly among the levels: {name, description, pairs}.

    They are written to data/questions or ``output_dir`` as object_subtraction_l1_0000 and so on: each level counts by
    itself, and a question depends on its level, its number, the seed and the knobs. Other questions of the same ids are
    refused (Occupied), before anything is drawn, unless ``force`` is set. ``knobs`` turn everything but the levels.
    """
    chosen = list(levels)
    if not chosen:
        raise UsageError(f"no level of object_subtraction was asked for; name one of {', '.join(KINDS)}")
    if num_samples < len(chosen):
        raise UsageError(f"{num_samples} questions cannot be shared among {len(chosen)} levels; ask for more")
    root = layout.QUESTIONS if output_dir is None else Path(output_dir)
    orders = []
    for place, level in enumerate(chosen):
        turned = _of_level(level, knobs or ObjectSubtractionKnobs())
        number = num_samples // len(chosen) + (place < num_samples % len(chosen))
        for index, puzzle in enumerate(plan(TASK, number, random_seed, turned)):
            orders.append((f"{TASK.name}_{level.lower()}_{index:04d}", index, puzzle, turned))
    clean(root / layout.domain_folder(TASK.name))
    if not force:
        for name, _, puzzle, _ in orders:
            check_vacant(TASK, puzzle, name, root)
    pairs = [
        write_question(
            TASK, puzzle, name, root, difficulty=_difficulty(turned), seed=random_seed, index=index, knobs=turned,
            solution=solutions, replace=force,
        )
        for name, index, puzzle, turned in orders
    ]  # fmt: skip
    dataset = as_dataset(TASK, pairs)
    write_file(layout.dataset_file(root, TASK.name), dataset_bytes(dataset))
    return dataset


def create_task_pair(
    scene: ObjectSubtraction | Mapping[str, Any], task_id: str, output_dir: Path | str | None = None
) -> dict[str, Any]:
    """Write the question of one scene; returns its record. A scene may be given as a dict with its fields."""
    root = layout.QUESTIONS if output_dir is None else Path(output_dir)
    return write_question(TASK, _scene_of(scene), task_id, root, difficulty=CUSTOM, seed=None)


def generate_prompt(scene: ObjectSubtraction | Mapping[str, Any]) -> str:
    """What a model is told."""
    return TASK.prompt(_scene_of(scene))


def _of_level(level: str, knobs: ObjectSubtractionKnobs) -> ObjectSubtractionKnobs:
    """The knobs for one level alone; rules of other levels are left out."""
    return replace(knobs, levels=(level,), rules=tuple(rule for rule in knobs.rules if rule in KINDS.get(level, ())))


def _difficulty(knobs: ObjectSubtractionKnobs) -> str:
    return DIFFICULTIES[knobs.levels[0]] if knobs == ObjectSubtractionKnobs(levels=knobs.levels) else CUSTOM


def _scene_of(given: ObjectSubtraction | Mapping[str, Any]) -> ObjectSubtraction:
    """A scene that is certified."""
    try:
        scene = given if isinstance(given, ObjectSubtraction) else from_json(ObjectSubtraction, given)
        certify(scene)
    except (TypeError, ValueError, KeyError, Uncertified) as error:
        raise UsageError(
            f"this is no scene: {error}; ObjectSubtractionGenerator().generate_scene() makes one"
        ) from error
    return scene
