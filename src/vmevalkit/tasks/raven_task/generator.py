"""Functions for single matrices, images and questions, and for datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PIL import Image

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER, Raven, RavenParams, certify, complete_puzzle, sample
from vmevalkit.tasks.raven_task.render import draw
from vmevalkit.tasks.raven_task.scene import QUESTION, Cell, RavenState
from vmevalkit.tasks.raven_task.task import TASK, get_rule_type
from vmevalkit.tasks.raven_task.vocabulary import Tile, is_known
from vmevalkit.tasks.spec_api import QuestionApi, SeededGenerator

Matrix = Sequence[Sequence[Tile | None]]
"""Three rows of three tiles; None is the missing one."""


class RavenGenerator(SeededGenerator):
    """Generates one matrix after the other."""

    task_name = TASK.name

    def __init__(self, seed: int = 42, difficulty: str | None = None, params: RavenParams | None = None) -> None:
        super().__init__(seed)
        self._params = TASK.preset(difficulty) if params is None else params

    def generate_pattern_matrix(self) -> tuple[list[list[Tile | None]], str]:
        """Return the next matrix, whose last tile is missing, and the type of its rule."""
        puzzle = sample(self._next_rng(), self._params)
        certify(puzzle)
        return _list_rows([*puzzle.tiles[:ANSWER], None]), get_rule_type(puzzle)

    def complete_matrix(self, matrix: Matrix) -> list[list[Tile | None]]:
        """Return the matrix with the tile that follows from its rules."""
        return _list_rows(API.load(matrix).tiles)

    def render_matrix(self, matrix: Matrix, hide_last: bool = False) -> Image.Image:
        """Return the PIL image, 450 x 450. A missing tile is shown as a question mark, and so is the last one with
        ``hide_last``."""
        tiles = _flatten_matrix(matrix)
        cells = [QUESTION if tile is None else Cell(tile) for tile in tiles]
        return Image.fromarray(draw(RavenState((*cells[:ANSWER], QUESTION if hide_last else cells[ANSWER]))))


def _parse_matrix(given: Mapping[str, Any] | Matrix) -> Raven:
    """Return the puzzle of a dict with its fields, or of three rows of tiles."""
    if isinstance(given, Mapping):
        return from_json(Raven, given)
    tiles = _flatten_matrix(given)
    puzzle = complete_puzzle([tile for tile in tiles[:ANSWER] if tile is not None])
    if tiles[ANSWER] not in (None, puzzle.answer):
        raise Uncertified(f"the last tile is {tiles[ANSWER]}; by the rules it must be {puzzle.answer}")
    return puzzle


API = QuestionApi(TASK, "matrix", "RavenGenerator().generate_pattern_matrix()", _parse_matrix)
create_dataset, create_task_pair, generate_prompt = API.create_dataset, API.create_task_pair, API.generate_prompt


def _list_rows(tiles: Sequence[Tile | None]) -> list[list[Tile | None]]:
    return [list(tiles[row : row + 3]) for row in (0, 3, 6)]


def _flatten_matrix(matrix: Matrix) -> list[Tile | None]:
    """Return the nine tiles row by row."""
    if [len(row) for row in matrix] != [3, 3, 3]:
        raise UsageError(f"a matrix has three rows of three tiles; these rows have {[len(row) for row in matrix]}")
    tiles = [tile for row in matrix for tile in row]
    for tile in tiles:
        if tile is not None and not is_known(tile):
            raise UsageError(f"unknown tile {tile}; see SHAPES, NUMBERS, ANGLES_DEG and COLOURS for what can be drawn")
    return tiles
