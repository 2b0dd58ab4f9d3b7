"""Making sudokus by hand: a solved grid, a puzzle of it, a picture, a question, or a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import isqrt
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.randomness import rng_for
from vmevalkit.media.picture import encode_png
from vmevalkit.store import layout
from vmevalkit.store.commit import write_file
from vmevalkit.tasks.dataset import CUSTOM, create_task_dataset, write_question
from vmevalkit.tasks.sudoku_task.grids import conflicts, dig, random_grid
from vmevalkit.tasks.sudoku_task.render import draw
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import Sudoku, SudokuKnobs, certify, printed
from vmevalkit.tasks.sudoku_task.task import TASK

_TRIES = 200


class SudokuGenerator:
    """Makes one sudoku after the other. Two generators of one seed make the same ones."""

    def __init__(self, seed: int = 42) -> None:
        self._seed, self._made = seed, 0

    def generate_solved_sudoku(self, order: int = 3) -> list[int]:
        """The next full grid."""
        return generate_solved_sudoku(order, seed=self._next_seed())

    def create_puzzle(self, solution: Sequence[int], difficulty_level: int = 1) -> list[int | None]:
        """The next puzzle of this solution."""
        return create_puzzle(solution, difficulty_level, seed=self._next_seed())

    def create_board_image(self, sudoku_array: Sequence[int | None], filepath: Path | str) -> Path:
        return create_board_image(sudoku_array, filepath)

    def _next_seed(self) -> str:
        self._made += 1
        return f"{self._seed}:{self._made}"


def generate_solved_sudoku(order: int = 3, *, seed: int | str = 42) -> list[int]:
    """One of the 12 Latin squares of order 3, or a full grid of order 4 or 9: its digits row by row."""
    SudokuKnobs(order=order)  # refuses other orders
    return list(random_grid(rng_for("sudoku", "solved", seed), order))


def create_puzzle(solution: Sequence[int], difficulty_level: int = 1, *, seed: int | str = 42) -> list[int | None]:
    """The solution with None for ``difficulty_level`` of its digits; it stays the only one."""
    order, grid = isqrt(len(solution)), tuple(solution)
    SudokuKnobs(order=order, blanks=difficulty_level)
    if set(grid) != set(range(1, order + 1)) or len(grid) != order * order or conflicts(order, grid):
        raise UsageError(f"this is no solved sudoku: {list(grid)}; generate_solved_sudoku() makes one")
    rng = rng_for("sudoku", "puzzle", seed)
    for _ in range(_TRIES):
        dug = dig(rng, order, grid, difficulty_level)
        if dug is not None:
            return [digit or None for digit in dug]
    raise UsageError(
        f"{difficulty_level} blanks leave more than one solution in {_TRIES} tries; choose a lower difficulty_level"
    )


def create_board_image(sudoku_array: Sequence[int | None], filepath: Path | str) -> Path:
    """Write the picture of a grid, solved or not, as a PNG of 600 x 600."""
    order = isqrt(len(sudoku_array))
    SudokuKnobs(order=order)
    digits = [digit or 0 for digit in sudoku_array]
    if len(digits) != order * order or not all(0 <= digit <= order for digit in digits):
        raise UsageError(f"this is no {order} x {order} grid of digits: {list(sudoku_array)}")
    path = Path(filepath)
    write_file(path, encode_png(draw(order, printed(digits))))
    return path


create_dataset = partial(create_task_dataset, TASK)
"""Questions without duplicates: see ``create_task_dataset``. By default there are 108 of them."""


def create_task_pair(
    sudoku: Sudoku | Mapping[str, Any], task_id: str, output_dir: Path | str | None = None
) -> dict[str, Any]:
    """Write the question of one sudoku; returns its record. See ``generate_prompt`` for what may be given."""
    root = layout.QUESTIONS if output_dir is None else Path(output_dir)
    return write_question(TASK, _sudoku_of(sudoku), task_id, root, difficulty=CUSTOM, seed=None)


def generate_prompt(sudoku: Sudoku | Mapping[str, Any]) -> str:
    """What a model is told about a sudoku: a Sudoku, a dict with its fields, or one with ``puzzle`` and ``solution``
    as lists."""
    return TASK.prompt(_sudoku_of(sudoku))


def _sudoku_of(given: Sudoku | Mapping[str, Any]) -> Sudoku:
    """A sudoku that is certified."""
    try:
        sudoku = given if isinstance(given, Sudoku) else _revived(given)
        certify(sudoku)
    except (TypeError, ValueError, KeyError, Uncertified) as error:
        raise UsageError(
            f"this is no sudoku: {error}; create_puzzle() makes its 'puzzle', generate_solved_sudoku() its 'solution'"
        ) from error
    return sudoku


def _revived(fields: Mapping[str, Any]) -> Sudoku:
    if "puzzle" not in fields:
        return from_json(Sudoku, fields)
    givens = tuple(digit or 0 for digit in fields["puzzle"])
    return Sudoku(isqrt(len(givens)), givens, tuple(fields["solution"]))
