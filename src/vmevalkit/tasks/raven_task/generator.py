"""Functions for single matrices, images and questions, and for datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PIL import Image

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.randomness import rng_for
from vmevalkit.store import layout
from vmevalkit.tasks.dataset import CUSTOM, create_task_dataset, write_question
from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER, Raven, RavenParams, certify, complete_puzzle, sample
from vmevalkit.tasks.raven_task.render import draw
from vmevalkit.tasks.raven_task.scene import QUESTION, Cell, RavenState
from vmevalkit.tasks.raven_task.task import TASK, get_rule_type
from vmevalkit.tasks.raven_task.vocabulary import Tile, is_known

Matrix = Sequence[Sequence[Tile | None]]
"""Three rows of three tiles; None is the missing one."""


class RavenGenerator:
    """Generates one matrix after the other. Two generators with the same seed generate the same ones."""

    def __init__(self, seed: int = 42, difficulty: str | None = None, params: RavenParams | None = None) -> None:
        self._params = TASK.preset(difficulty) if params is None else params
        self._seed, self._count = seed, 0

    def generate_pattern_matrix(self) -> tuple[list[list[Tile | None]], str]:
        """Return the next matrix, whose last tile is missing, and the type of its rule."""
        puzzle = sample(rng_for("raven", "generator", self._seed, self._count), self._params)
        self._count += 1
        certify(puzzle)
        tiles: list[Tile | None] = [*puzzle.tiles[:ANSWER], None]
        return [tiles[row : row + 3] for row in (0, 3, 6)], get_rule_type(puzzle)

    def complete_matrix(self, matrix: Matrix) -> list[list[Tile | None]]:
        """Return the matrix with the tile that follows from its rules."""
        tiles: list[Tile | None] = list(_parse_puzzle(matrix).tiles)
        return [tiles[row : row + 3] for row in (0, 3, 6)]

    def render_matrix(self, matrix: Matrix, hide_last: bool = False) -> Image.Image:
        """Return the PIL image, 450 x 450. A missing tile is shown as a question mark, and so is the last one with
        ``hide_last``."""
        tiles = _flatten_matrix(matrix)
        cells = [QUESTION if tile is None else Cell(tile) for tile in tiles]
        return Image.fromarray(draw(RavenState((*cells[:ANSWER], QUESTION if hide_last else cells[ANSWER]))))


create_dataset = partial(create_task_dataset, TASK)
"""Create a dataset without duplicates: see ``create_task_dataset``."""


def create_task_pair(
    matrix: Raven | Mapping[str, Any] | Matrix, task_id: str, output_dir: Path | str | None = None
) -> dict[str, Any]:
    """Write the question of one matrix and return its record. See ``generate_prompt`` for the accepted forms."""
    root = layout.QUESTIONS if output_dir is None else Path(output_dir)
    return write_question(TASK, _parse_puzzle(matrix), task_id, root, difficulty=CUSTOM, seed=None)


def generate_prompt(matrix: Raven | Mapping[str, Any] | Matrix) -> str:
    """Return the prompt for a matrix: a Raven, a dict with its fields, or three rows of tiles. All share one."""
    return TASK.prompt(_parse_puzzle(matrix))


def _parse_puzzle(given: Raven | Mapping[str, Any] | Matrix) -> Raven:
    """Return the puzzle in any accepted form, certified."""
    try:
        if isinstance(given, Raven | Mapping):
            puzzle = given if isinstance(given, Raven) else from_json(Raven, given)
            certify(puzzle)
            return puzzle
        tiles = _flatten_matrix(given)
        puzzle = complete_puzzle([tile for tile in tiles[:ANSWER] if tile is not None])
        if tiles[ANSWER] not in (None, puzzle.answer):
            raise Uncertified(f"the last tile is {tiles[ANSWER]}; by the rules it must be {puzzle.answer}")
    except (TypeError, ValueError, KeyError, Uncertified) as error:
        raise UsageError(
            f"not a valid matrix: {error}; RavenGenerator().generate_pattern_matrix() returns one"
        ) from error
    return puzzle


def _flatten_matrix(matrix: Matrix) -> list[Tile | None]:
    """Return the nine tiles row by row."""
    if [len(row) for row in matrix] != [3, 3, 3]:
        raise UsageError(f"a matrix has three rows of three tiles; these rows have {[len(row) for row in matrix]}")
    tiles = [tile for row in matrix for tile in row]
    for tile in tiles:
        if tile is not None and not is_known(tile):
            raise UsageError(f"unknown tile {tile}; see SHAPES, NUMBERS, ANGLES_DEG and COLOURS for what can be drawn")
    return tiles
