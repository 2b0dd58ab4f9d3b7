"""Fill the blanks of a Latin square or a sudoku."""

from vmevalkit.tasks.sudoku_task.generator import (
    SudokuGenerator,
    create_board_image,
    create_dataset,
    create_puzzle,
    create_task_pair,
    generate_prompt,
    generate_solved_sudoku,
)
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import CellInk, Sudoku, SudokuParams, SudokuState
from vmevalkit.tasks.sudoku_task.task import TASK

__all__ = [
    "TASK",
    "CellInk",
    "Sudoku",
    "SudokuGenerator",
    "SudokuParams",
    "SudokuState",
    "create_board_image",
    "create_dataset",
    "create_puzzle",
    "create_task_pair",
    "generate_prompt",
    "generate_solved_sudoku",
]
