"""Puzzles in the records of others' questions, for tasks that are ours too."""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt
from typing import Any

from vmevalkit.core.errors import TaskError
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import Sudoku
from vmevalkit.tasks.task import AnyTask


def find_puzzle(domain: str, metadata: Mapping[str, Any]) -> tuple[AnyTask, Any] | None:
    """Return the task and the puzzle of a question that the reference implementation made; None where its record does
    not contain a whole puzzle, or the puzzle is not a legal one. Chess and sudoku records contain it."""
    try:
        if domain == "chess":
            TASKS[domain]  # raises where its package is missing
            from vmevalkit.tasks.chess_task.chess_reasoning import make_puzzle

            puzzle: Any = make_puzzle(str(metadata["chess_data"]["initial_fen"]))
        elif domain == "sudoku":
            givens = [digit or 0 for digit in metadata["sudoku_data"]["puzzle"]]
            solution = metadata["sudoku_data"]["solution"]
            puzzle = Sudoku(order=isqrt(len(givens)), givens=tuple(givens), solution=tuple(solution))
        else:
            return None
        TASKS[domain].certify(puzzle)
    except (KeyError, TypeError, ValueError, TaskError):
        return None
    return TASKS[domain], puzzle
