"""Generation of object subtractions: one scene, one question, or a dataset of several levels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, cast

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.randomness import rng_for
from vmevalkit.store import layout
from vmevalkit.tasks.dataset import CUSTOM, PlannedQuestion, write_dataset, write_question
from vmevalkit.tasks.object_subtraction_task.certificate import certify
from vmevalkit.tasks.object_subtraction_task.puzzle import RULE_KINDS, ObjectSubtraction, ObjectSubtractionParams
from vmevalkit.tasks.object_subtraction_task.sampling import sample_puzzle
from vmevalkit.tasks.object_subtraction_task.task import TASK
from vmevalkit.tasks.planning import plan

DIFFICULTIES: Mapping[str, str] = {"L1": "easy", "L2": "medium", "L3": "medium", "L4": "hard"}
"""The difficulty of each of the specification's levels, where the other params are the defaults."""


class ObjectSubtractionTaskPair(TypedDict):
    """The record of a question: what the specification lists of question_metadata.json, which has further keys."""

    id: str
    prompt: str
    first_image_path: str
    final_image_path: str
    task_category: str
    level: str
    """The cognitive level, L1 to L4."""
    object_subtraction_data: dict[str, Any]
    """The objects, the rule, and the ids of the objects to remove and to keep."""
    difficulty: str
    created_at: str


class ObjectSubtractionGenerator:
    """Generator of a sequence of scenes that depends on the seed alone."""

    def __init__(self, seed: int = 42) -> None:
        self._seed, self._count = seed, 0

    def generate_scene(self, level: str = "L1", params: ObjectSubtractionParams | None = None) -> ObjectSubtraction:
        """Return the next scene of a level, with its rule."""
        rng = rng_for("object_subtraction", "generator", self._seed, self._count)
        self._count += 1
        return sample_puzzle(rng, _restrict_to_level(level, params or ObjectSubtractionParams()))


def create_dataset(
    num_samples: int = 50,
    levels: Iterable[str] = ("L1",),
    random_seed: int = 42,
    *,
    params: ObjectSubtractionParams | None = None,
    output_dir: Path | str | None = None,
    solutions: bool = False,
    force: bool = False,
) -> dict[str, Any]:
    """Write questions without duplicates, divided evenly among the levels; return {name, description, pairs}.

    Questions are written to data/questions or ``output_dir`` as object_subtraction_l1_0000 and so on. Each level is
    numbered separately, and a question depends on its level, its number, the seed and the params. ``params`` set
    everything but the levels. Existing questions of the same ids with other puzzles raise ConflictError before anything
    is drawn, unless ``force`` is set.
    """
    chosen = list(levels)
    if not chosen:
        raise UsageError(f"levels of object_subtraction is empty; use some of {', '.join(RULE_KINDS)}")
    if num_samples < len(chosen):
        raise UsageError(
            f"num_samples={num_samples} cannot be divided among {len(chosen)} levels; use at least {len(chosen)}"
        )
    planned = list(_plan_questions(num_samples, chosen, random_seed, params or ObjectSubtractionParams()))
    return write_dataset(TASK, planned, seed=random_seed, output_dir=output_dir, solutions=solutions, force=force)


def _plan_questions(
    number: int, levels: list[str], seed: int, params: ObjectSubtractionParams
) -> Iterator[PlannedQuestion[ObjectSubtraction]]:
    """Yield each question, numbered within its level."""
    for place, level in enumerate(levels):
        own = _restrict_to_level(level, params)
        share = number // len(levels) + (place < number % len(levels))
        for index, puzzle in enumerate(plan(TASK, share, seed, own)):
            name = f"{TASK.name}_{level.lower()}_{index:04d}"
            yield PlannedQuestion(name, index, puzzle, own, _get_difficulty(own))


def create_task_pair(
    scene: ObjectSubtraction | Mapping[str, Any], task_id: str, output_dir: Path | str | None = None
) -> ObjectSubtractionTaskPair:
    """Write the question of one scene, given as a record or a dict with its fields; return the question's record."""
    root = layout.QUESTIONS if output_dir is None else Path(output_dir)
    record = write_question(TASK, load_scene(scene), task_id, root, difficulty=CUSTOM, seed=None)
    return cast(ObjectSubtractionTaskPair, record)


def generate_prompt(scene: ObjectSubtraction | Mapping[str, Any]) -> str:
    """Return the prompt for a video model."""
    return TASK.prompt(load_scene(scene))


def load_scene(given: ObjectSubtraction | Mapping[str, Any]) -> ObjectSubtraction:
    """Return a certified scene from a record or a dict with its fields. Raises UsageError."""
    try:
        scene = given if isinstance(given, ObjectSubtraction) else from_json(ObjectSubtraction, given)
        certify(scene)
    except (TypeError, ValueError, KeyError, Uncertified) as error:
        raise UsageError(
            f"not a valid object subtraction scene: {error}; "
            "create one with ObjectSubtractionGenerator().generate_scene()"
        ) from error
    return scene


def _restrict_to_level(level: str, params: ObjectSubtractionParams) -> ObjectSubtractionParams:
    """Return the params for one level, without the rules of other levels."""
    rules = tuple(rule for rule in params.rules if rule in RULE_KINDS.get(level, ()))
    return replace(params, levels=(level,), rules=rules)


def _get_difficulty(params: ObjectSubtractionParams) -> str:
    return DIFFICULTIES[params.levels[0]] if params == ObjectSubtractionParams(levels=params.levels) else CUSTOM
