"""Generation of rotation puzzles: one puzzle, its two images, one question, or a dataset of several difficulties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import Exhausted, Uncertified, UsageError
from vmevalkit.core.randomness import rng_for
from vmevalkit.store import layout
from vmevalkit.tasks.dataset import (
    PlannedQuestion,
    difficulty_of,
    question_id,
    write_dataset,
    write_question,
)
from vmevalkit.tasks.planning import check_number, iterate_mixed_puzzles
from vmevalkit.tasks.rotation_puzzle_task.puzzle import RotationPuzzle, RotationPuzzleParams, certify
from vmevalkit.tasks.rotation_puzzle_task.sampling import list_puzzles, sample_puzzle
from vmevalkit.tasks.rotation_puzzle_task.task import TASK
from vmevalkit.tasks.spec_api import QuestionApi, SeededGenerator, write_png

_ATTEMPTS = 10_000


API = QuestionApi(TASK, "rotation puzzle", "RotationPuzzleGenerator().generate_puzzle()")
create_task_pair, generate_prompt = API.create_task_pair, API.generate_prompt


class RotationPuzzleRenderer:
    """Renderer of the two images of a puzzle, as PNG files of 768 x 512 pixels."""

    def render_first_frame(self, puzzle: RotationPuzzle | Mapping[str, Any], save_path: Path | str) -> Path:
        """Write the squares at their initial angles; return the path."""
        return write_png(TASK.first_frame(API.load(puzzle)), save_path)

    def render_final_frame(self, puzzle: RotationPuzzle | Mapping[str, Any], save_path: Path | str) -> Path:
        """Write the squares at their target angles, all 0 degrees, with the pipes connected; return the path."""
        return write_png(TASK.final_frame(API.load(puzzle)), save_path)


class RotationPuzzleGenerator(SeededGenerator):
    """Generator of a sequence of puzzles that depends on the seed alone."""

    task_name = TASK.name

    def generate_puzzle(self, difficulty: str = "easy", params: RotationPuzzleParams | None = None) -> RotationPuzzle:
        """Return the next puzzle, of a difficulty or with the given params. A puzzle may come up again."""
        chosen = params or TASK.preset(difficulty)
        listed = list_puzzles(chosen)
        if listed is not None:
            return self._next_rng().choice(listed)
        index = self._count
        self._count += 1
        for attempt in range(_ATTEMPTS):
            try:
                puzzle = sample_puzzle(rng_for(TASK.name, "generator", self._seed, index, attempt), chosen)
                certify(puzzle)
            except Uncertified:
                continue
            return puzzle
        raise Exhausted(f"no rotation puzzle with {chosen} in {_ATTEMPTS} attempts; choose other params")

    def generate_question(
        self, task_id: str, difficulty: str = "easy", output_dir: Path | str | None = None
    ) -> dict[str, Any]:
        """Write the question of the next puzzle; return its record."""
        root = layout.QUESTIONS if output_dir is None else Path(output_dir)
        puzzle = self.generate_puzzle(difficulty)
        return write_question(TASK, puzzle, task_id, root, difficulty=difficulty, seed=self._seed)


def create_dataset(
    num_samples: int = 50,
    difficulties: Sequence[str] | None = None,
    seed: int = 42,
    *,
    params: RotationPuzzleParams | None = None,
    output_dir: Path | str | None = None,
    solutions: bool = False,
    force: bool = False,
) -> dict[str, Any]:
    """Write questions without duplicates that cycle through the difficulties; return {name, description, pairs}.

    The default difficulty is easy. Questions are written to data/questions or ``output_dir``. With ``difficulties``,
    ``params`` set everything but the number of squares to rotate; without, they set that too. Existing questions of the
    same ids with other puzzles raise ConflictError before anything is drawn, unless ``force`` is set.
    """
    chosen = _choose_params(difficulties, params)
    for place, own in enumerate(chosen):
        share = num_samples // len(chosen) + (place < num_samples % len(chosen))
        if share or num_samples < 1:
            check_number(TASK, share, own)
    planned = list(_plan_questions(num_samples, seed, chosen))
    return write_dataset(TASK, planned, seed=seed, output_dir=output_dir, solutions=solutions, force=force)


def _choose_params(
    difficulties: Sequence[str] | None, params: RotationPuzzleParams | None
) -> list[RotationPuzzleParams]:
    """Return the params of each difficulty."""
    if difficulties is None:
        return [params or TASK.preset()]
    if not difficulties:
        raise UsageError(f"difficulties of rotation_puzzle is empty; use some of {', '.join(TASK.difficulties)}")
    presets = [TASK.preset(name) for name in difficulties]
    if params is None:
        return presets
    return [replace(params, least_turns=preset.least_turns, most_turns=preset.most_turns) for preset in presets]


def _plan_questions(
    number: int, seed: int, chosen: Sequence[RotationPuzzleParams]
) -> Iterator[PlannedQuestion[RotationPuzzle]]:
    """Yield each question."""
    for index, puzzle in enumerate(islice(iterate_mixed_puzzles(TASK, seed, chosen), number)):
        own = chosen[index % len(chosen)]
        yield PlannedQuestion(question_id(TASK.name, index), index, puzzle, own, difficulty_of(TASK, own))
