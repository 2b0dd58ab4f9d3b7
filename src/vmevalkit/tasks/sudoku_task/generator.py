"""Sudokus on request: a solved grid, a puzzle of it, an image, a question, or a dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isqrt
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.core.randomness import rng_for
from vmevalkit.tasks.spec_api import QuestionApi, write_png
from vmevalkit.tasks.sudoku_task.grids import count_conflicts, remove_digits, sample_grid
from vmevalkit.tasks.sudoku_task.render import draw_state
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import Sudoku, SudokuParams, make_printed_state
from vmevalkit.tasks.sudoku_task.task import TASK

_MAX_TRIES = 200


class SudokuGenerator:
    """Generates a sequence of sudokus. Two generators with the same seed generate the same sequence."""

    def __init__(self, seed: int = 42) -> None:
        self._seed, self._count = seed, 0

    def generate_solved_sudoku(self, order: int = 3) -> list[int]:
        """Return the next full grid."""
        return generate_solved_sudoku(order, seed=self._next_seed())

    def create_puzzle(self, solution: Sequence[int], difficulty_level: int = 1) -> list[int | None]:
        """Return the next puzzle of this solution."""
        return create_puzzle(solution, difficulty_level, seed=self._next_seed())

    def create_board_image(self, sudoku_array: Sequence[int | None], filepath: Path | str) -> Path:
        """Write the image of a grid, solved or not, as a PNG of 600 x 600."""
        return create_board_image(sudoku_array, filepath)

    def _next_seed(self) -> str:
        self._count += 1
        return f"{self._seed}:{self._count}"


def generate_solved_sudoku(order: int = 3, *, seed: int | str = 42) -> list[int]:
    """Return one of the 12 Latin squares of order 3, or a full grid of order 4 or 9: its digits row by row."""
    SudokuParams(order=order)  # raises UsageError for other orders
    return list(sample_grid(rng_for("sudoku", "solved", seed), order))


def create_puzzle(solution: Sequence[int], difficulty_level: int = 1, *, seed: int | str = 42) -> list[int | None]:
    """Return the solution with None for ``difficulty_level`` of its digits; it stays the only solution."""
    order, grid = isqrt(len(solution)), tuple(solution)
    SudokuParams(order=order, blanks=difficulty_level)
    if set(grid) != set(range(1, order + 1)) or len(grid) != order * order or count_conflicts(order, grid):
        raise UsageError(f"not a solved sudoku: {list(grid)}; generate_solved_sudoku() generates one")
    rng = rng_for("sudoku", "puzzle", seed)
    for _ in range(_MAX_TRIES):
        givens = remove_digits(rng, order, grid, difficulty_level)
        if givens is not None:
            return [digit or None for digit in givens]
    raise UsageError(
        f"{difficulty_level} blanks leave more than one solution in {_MAX_TRIES} tries; choose a lower difficulty_level"
    )


def create_board_image(sudoku_array: Sequence[int | None], filepath: Path | str) -> Path:
    """Write the image of a grid, solved or not, as a PNG of 600 x 600."""
    order = isqrt(len(sudoku_array))
    SudokuParams(order=order)
    digits = [digit or 0 for digit in sudoku_array]
    if len(digits) != order * order or not all(0 <= digit <= order for digit in digits):
        raise UsageError(
            f"not a {order} x {order} grid of digits: {list(sudoku_array)}; "
            f"give {order * order} cells with 1 to {order}, or None for a blank"
        )
    return write_png(draw_state(order, make_printed_state(digits)), filepath)


def _parse_fields(fields: Mapping[str, Any]) -> Sudoku:
    """Return the sudoku of a dict with its fields, or with ``puzzle`` and ``solution`` as lists."""
    if "puzzle" not in fields:
        return from_json(Sudoku, fields)
    givens = tuple(digit or 0 for digit in fields["puzzle"])
    return Sudoku(isqrt(len(givens)), givens, tuple(fields["solution"]))


API = QuestionApi(TASK, "sudoku", "create_puzzle(generate_solved_sudoku())", _parse_fields)
create_dataset, create_task_pair, generate_prompt = API.create_dataset, API.create_task_pair, API.generate_prompt
