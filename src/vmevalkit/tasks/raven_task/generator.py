"""Making matrices by hand: one matrix, one picture, one question, or a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.randomness import rng_for
from vmevalkit.media.picture import Frame
from vmevalkit.store import layout
from vmevalkit.tasks.dataset import CUSTOM, create_task_dataset, write_question
from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER, Raven, RavenKnobs, certify, completed, sample
from vmevalkit.tasks.raven_task.render import draw
from vmevalkit.tasks.raven_task.scene import QUESTION, Cell, RavenState
from vmevalkit.tasks.raven_task.task import TASK, rule_type
from vmevalkit.tasks.raven_task.vocabulary import Tile, is_known

Matrix = Sequence[Sequence[Tile | None]]
"""Three rows of three tiles; None is the missing one."""


class RavenGenerator:
    """Makes one matrix after the other. Two generators of one seed make the same ones."""

    def __init__(self, seed: int = 42, difficulty: str | None = None, knobs: RavenKnobs | None = None) -> None:
        self._knobs = TASK.preset(difficulty) if knobs is None else knobs
        self._seed, self._made = seed, 0

    def generate_pattern_matrix(self) -> tuple[list[list[Tile | None]], str]:
        """The next matrix, whose last tile is missing, and the type of its rule."""
        puzzle = sample(rng_for("raven", "generator", self._seed, self._made), self._knobs)
        self._made += 1
        certify(puzzle)
        shown: list[Tile | None] = [*puzzle.tiles[:ANSWER], None]
        return [shown[row : row + 3] for row in (0, 3, 6)], rule_type(puzzle)

    def complete_matrix(self, matrix: Matrix) -> list[list[Tile | None]]:
        """The matrix with the tile that its rules demand."""
        tiles: list[Tile | None] = list(_puzzle_of(matrix).tiles)
        return [tiles[row : row + 3] for row in (0, 3, 6)]

    def render_matrix(self, matrix: Matrix, hide_last: bool = False) -> Frame:
        """The picture, 450 x 450: a missing tile is a question mark, and so is the last one if it is to be hidden."""
        tiles = _tiles_of(matrix)
        cells = [QUESTION if tile is None else Cell(tile) for tile in tiles]
        return draw(RavenState((*cells[:ANSWER], QUESTION if hide_last else cells[ANSWER])))


create_dataset = partial(create_task_dataset, TASK)
"""Questions without duplicates: see ``create_task_dataset``."""


def create_task_pair(
    matrix: Raven | Mapping[str, Any] | Matrix, task_id: str, output_dir: Path | str | None = None
) -> dict[str, Any]:
    """Write the question of one matrix; returns its record. See ``generate_prompt`` for what may be given."""
    root = layout.QUESTIONS if output_dir is None else Path(output_dir)
    return write_question(TASK, _puzzle_of(matrix), task_id, root, difficulty=CUSTOM, seed=None)


def generate_prompt(matrix: Raven | Mapping[str, Any] | Matrix) -> str:
    """What a model is told about a matrix: a Raven, a dict with its fields, or three rows of tiles. All share one."""
    return TASK.prompt(_puzzle_of(matrix))


def _puzzle_of(given: Raven | Mapping[str, Any] | Matrix) -> Raven:
    """A puzzle that is certified."""
    try:
        if isinstance(given, Raven | Mapping):
            puzzle = given if isinstance(given, Raven) else from_json(Raven, given)
            certify(puzzle)
            return puzzle
        tiles = _tiles_of(given)
        puzzle = completed([tile for tile in tiles[:ANSWER] if tile is not None])
        if tiles[ANSWER] not in (None, puzzle.answer):
            raise Uncertified(f"the last tile is {tiles[ANSWER]}; the rules demand {puzzle.answer}")
    except (TypeError, ValueError, KeyError, Uncertified) as error:
        raise UsageError(f"this is no matrix: {error}; RavenGenerator().generate_pattern_matrix() makes one") from error
    return puzzle


def _tiles_of(matrix: Matrix) -> list[Tile | None]:
    """The nine tiles row by row."""
    if [len(row) for row in matrix] != [3, 3, 3]:
        raise UsageError(f"a matrix has three rows of three tiles, not {[len(row) for row in matrix]}")
    tiles = [tile for row in matrix for tile in row]
    for tile in tiles:
        if tile is not None and not is_known(tile):
            raise UsageError(f"no tile {tile}; see SHAPES, NUMBERS, ANGLES_DEG and COLOURS for what can be drawn")
    return tiles
