"""Making rotation puzzles by hand: one puzzle, one picture, one question, or a dataset of several difficulties."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import Exhausted, Uncertified, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.randomness import rng_for
from vmevalkit.media.picture import Frame, encode_png
from vmevalkit.store import layout
from vmevalkit.store.commit import clean, write_file
from vmevalkit.store.records import dataset_bytes
from vmevalkit.tasks.dataset import CUSTOM, as_dataset, check_vacant, difficulty_of, question_id, write_question
from vmevalkit.tasks.planning import check_number, puzzles
from vmevalkit.tasks.rotation_puzzle_task.rotation_puzzle_reasoning import (
    RotationPuzzle,
    RotationPuzzleKnobs,
    certify,
    listing,
    sample,
)
from vmevalkit.tasks.rotation_puzzle_task.task import TASK

_TRIES = 10_000
DIFFICULTIES = ("easy", "medium", "hard")


class RotationPuzzleRenderer:
    """Draws the two pictures of a puzzle, as PNG files of 768 x 512."""

    def render_first_frame(self, puzzle: RotationPuzzle | Mapping[str, Any], save_path: Path | str) -> Path:
        """The squares at their initial angles."""
        return _written(TASK.first_frame(puzzle_of(puzzle)), save_path)

    def render_final_frame(self, puzzle: RotationPuzzle | Mapping[str, Any], save_path: Path | str) -> Path:
        """The squares at their target angles, all 0 degrees: the pipes are connected."""
        return _written(TASK.final_frame(puzzle_of(puzzle)), save_path)


class RotationPuzzleGenerator:
    """Makes one puzzle after the other. Two generators of one seed make the same ones."""

    def __init__(self, seed: int = 42) -> None:
        self._seed, self._made = seed, 0

    def generate_puzzle(self, difficulty: str = "easy", knobs: RotationPuzzleKnobs | None = None) -> RotationPuzzle:
        """The next puzzle, of a difficulty or with knobs of its own. It may be one that was made before."""
        turned = knobs or TASK.preset(difficulty)
        place = self._made
        self._made += 1
        listed = listing(turned)
        if listed is not None:
            return rng_for("rotation_puzzle", "generator", self._seed, place).choice(listed)
        for attempt in range(_TRIES):
            try:
                return sample(rng_for("rotation_puzzle", "generator", self._seed, place, attempt), turned)
            except Uncertified:
                continue
        raise Exhausted(f"no rotation puzzle with {turned} in {_TRIES} attempts; choose other knobs")

    def generate_question(
        self, task_id: str, difficulty: str = "easy", output_dir: Path | str | None = None
    ) -> dict[str, Any]:
        """Write the question of the next puzzle; returns its record."""
        root = layout.QUESTIONS if output_dir is None else Path(output_dir)
        puzzle = self.generate_puzzle(difficulty)
        return write_question(TASK, puzzle, task_id, root, difficulty=difficulty, seed=self._seed)


def create_dataset(
    num_samples: int = 50,
    difficulties: Sequence[str] | None = None,
    seed: int = 42,
    *,
    knobs: RotationPuzzleKnobs | None = None,
    output_dir: Path | str | None = None,
    solutions: bool = False,
    force: bool = False,
) -> dict[str, Any]:
    """Questions without duplicates, of the difficulties in turn: {name, description, pairs}.

    Easy is the default. They are written to data/questions or ``output_dir``. ``knobs`` turn everything but the number
    of squares to turn, which is the difficulty's; without ``difficulties`` they turn that too. Other questions of the
    same ids are refused (Occupied), before anything is drawn, unless ``force`` is set.
    """
    turned = _knobs_for(difficulties, knobs)
    for place, one in enumerate(turned):
        share = num_samples // len(turned) + (place < num_samples % len(turned))
        if share or num_samples < 1:
            check_number(TASK, share, one)
    root = layout.QUESTIONS if output_dir is None else Path(output_dir)
    orders = list(_planned(num_samples, seed, turned))
    clean(root / layout.domain_folder(TASK.name))
    if not force:
        for name, puzzle, _ in orders:
            check_vacant(TASK, puzzle, name, root)
    pairs = [
        write_question(
            TASK, puzzle, name, root, difficulty=difficulty_of(TASK, own), seed=seed, index=index, knobs=own,
            solution=solutions, replace=force,
        )
        for index, (name, puzzle, own) in enumerate(orders)
    ]  # fmt: skip
    dataset = as_dataset(TASK, pairs)
    write_file(layout.dataset_file(root, TASK.name), dataset_bytes(dataset))
    return dataset


def _knobs_for(difficulties: Sequence[str] | None, knobs: RotationPuzzleKnobs | None) -> list[RotationPuzzleKnobs]:
    if difficulties is None:
        return [knobs or TASK.preset()]
    if not difficulties:
        raise UsageError(f"no difficulty of rotation_puzzle was asked for; name some of {', '.join(DIFFICULTIES)}")
    presets = [TASK.preset(name) for name in difficulties]
    if knobs is None:
        return presets
    return [replace(knobs, least_turns=preset.least_turns, most_turns=preset.most_turns) for preset in presets]


def _planned(
    number: int, seed: int, turned: Sequence[RotationPuzzleKnobs]
) -> Iterator[tuple[str, RotationPuzzle, RotationPuzzleKnobs]]:
    """Id, puzzle and knobs of each question. Difficulties overlap, so what one has asked another leaves out."""
    sources = [puzzles(TASK, seed, knobs) for knobs in turned]
    used: set[Hashable] = set()
    for index in range(number):
        place = index % len(turned)
        puzzle = next(some for some in sources[place] if TASK.key(some) not in used)
        used.add(TASK.key(puzzle))
        yield question_id(TASK.name, index), puzzle, turned[place]


def create_task_pair(
    puzzle: RotationPuzzle | Mapping[str, Any], task_id: str, output_dir: Path | str | None = None
) -> dict[str, Any]:
    """Write the question of one puzzle; returns its record. A puzzle may be given as a dict with its fields."""
    root = layout.QUESTIONS if output_dir is None else Path(output_dir)
    return write_question(TASK, puzzle_of(puzzle), task_id, root, difficulty=CUSTOM, seed=None)


def generate_prompt(puzzle: RotationPuzzle | Mapping[str, Any]) -> str:
    """What a model is told."""
    return TASK.prompt(puzzle_of(puzzle))


def puzzle_of(given: RotationPuzzle | Mapping[str, Any]) -> RotationPuzzle:
    """A puzzle that is certified."""
    try:
        puzzle = given if isinstance(given, RotationPuzzle) else from_json(RotationPuzzle, given)
        certify(puzzle)
    except (TypeError, ValueError, KeyError, Uncertified) as error:
        raise UsageError(
            f"this is no rotation puzzle: {error}; RotationPuzzleGenerator().generate_puzzle() makes one"
        ) from error
    return puzzle


def _written(frame: Frame, save_path: Path | str) -> Path:
    path = Path(save_path)
    write_file(path, encode_png(frame))
    return path
