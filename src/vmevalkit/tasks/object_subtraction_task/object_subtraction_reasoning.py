"""Generation of object subtractions: one scene, one question, or a dataset of several levels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

from vmevalkit.core.errors import UsageError
from vmevalkit.tasks.dataset import CUSTOM, PlannedQuestion, write_dataset
from vmevalkit.tasks.object_subtraction_task.puzzle import RULE_KINDS, ObjectSubtraction, ObjectSubtractionParams
from vmevalkit.tasks.object_subtraction_task.sampling import sample_puzzle
from vmevalkit.tasks.object_subtraction_task.task import TASK
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.spec_api import QuestionApi, SeededGenerator

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


class ObjectSubtractionGenerator(SeededGenerator):
    """Generator of a sequence of scenes that depends on the seed alone."""

    task_name = TASK.name

    def generate_scene(self, level: str = "L1", params: ObjectSubtractionParams | None = None) -> ObjectSubtraction:
        """Return the next scene of a level, with its rule."""
        return sample_puzzle(self._next_rng(), _restrict_to_level(level, params or ObjectSubtractionParams()))


API = QuestionApi(TASK, "object subtraction scene", "ObjectSubtractionGenerator().generate_scene()")
create_task_pair, generate_prompt = API.create_task_pair, API.generate_prompt


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


def _restrict_to_level(level: str, params: ObjectSubtractionParams) -> ObjectSubtractionParams:
    """Return the params for one level, without the rules of other levels."""
    rules = tuple(rule for rule in params.rules if rule in RULE_KINDS.get(level, ()))
    return replace(params, levels=(level,), rules=rules)


def _get_difficulty(params: ObjectSubtractionParams) -> str:
    return DIFFICULTIES[params.levels[0]] if params == ObjectSubtractionParams(levels=params.levels) else CUSTOM
