"""Show the move that gives mate."""

from vmevalkit.tasks.chess_task.board_state import BoardState, Flyer
from vmevalkit.tasks.chess_task.chess_reasoning import ChessKnobs, ChessPuzzle
from vmevalkit.tasks.chess_task.generator import (
    ChessGenerator,
    create_dataset,
    create_task_pair,
    generate_chess_board_png,
    generate_prompt,
)
from vmevalkit.tasks.chess_task.task import TASK

__all__ = [
    "TASK",
    "BoardState",
    "ChessGenerator",
    "ChessKnobs",
    "ChessPuzzle",
    "Flyer",
    "create_dataset",
    "create_task_pair",
    "generate_chess_board_png",
    "generate_prompt",
]
