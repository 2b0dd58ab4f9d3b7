"""Mate in one: find the move that gives mate, and show it."""

from vmevalkit.tasks.chess_task.board_state import BoardState, MovingPiece
from vmevalkit.tasks.chess_task.chess_reasoning import ChessParams, ChessPuzzle
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
    "ChessParams",
    "ChessPuzzle",
    "MovingPiece",
    "create_dataset",
    "create_task_pair",
    "generate_chess_board_png",
    "generate_prompt",
]
