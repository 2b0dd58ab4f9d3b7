"""Functions for positions, single images and questions, and for datasets."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import chess

from vmevalkit.core.errors import UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.tasks.chess_task.board_state import make_state
from vmevalkit.tasks.chess_task.chess_reasoning import ChessParams, ChessPuzzle, make_puzzle
from vmevalkit.tasks.chess_task.families import MATE_PATTERNS
from vmevalkit.tasks.chess_task.render import BOARD_SIZE, draw
from vmevalkit.tasks.chess_task.task import TASK
from vmevalkit.tasks.chess_task.text import describe_mate, get_side, list_sans, list_tags
from vmevalkit.tasks.dataset import CUSTOM, question_id
from vmevalkit.tasks.planning import iterate_puzzles
from vmevalkit.tasks.spec_api import QuestionApi, write_png

MIN_BOARD_SIZE = 80


class ChessGenerator:
    """Generates positions in which one move gives mate. Two generators with the same seed generate the same ones."""

    def __init__(self, seed: int = 42, difficulty: str | None = None, params: ChessParams | None = None) -> None:
        self._difficulty = (difficulty or TASK.default_difficulty) if params is None else CUSTOM
        self._puzzles = iterate_puzzles(TASK, seed, params or TASK.preset(difficulty))
        self.generated_positions: list[dict[str, Any]] = []
        """All positions that were generated so far."""

    @property
    def position_hashes(self) -> set[str]:
        """The FENs of the positions that were generated so far: none comes twice."""
        return {position["fen"] for position in self.generated_positions}

    def generate_mate_positions(self, num_positions: int = 150) -> list[dict[str, Any]]:
        """Return the next positions, without duplicates: dicts with puzzle_id, fen, mate_moves, difficulty, tags,
        side_to_move and description."""
        if num_positions < 1:
            raise UsageError(f"{num_positions} positions were asked for; ask for at least 1")
        first = len(self.generated_positions)
        self.generated_positions += [
            {
                "puzzle_id": question_id(TASK.name, first + i),
                "fen": puzzle.fen,
                "mate_moves": list_sans(puzzle),
                "difficulty": self._difficulty,
                "tags": list_tags(puzzle),
                "side_to_move": get_side(puzzle),
                "description": describe_mate(puzzle),
            }
            for i, puzzle in enumerate(islice(self._puzzles, num_positions))
        ]
        return self.generated_positions[first:]


def generate_chess_board_png(fen: str, output_path: Path | str, board_size: int = BOARD_SIZE) -> Path:
    """Write the image of a position, legal or not, as a PNG of ``board_size`` x ``board_size``."""
    if board_size < MIN_BOARD_SIZE:
        raise UsageError(f"board_size={board_size} is too small to be readable; use {MIN_BOARD_SIZE} or more")
    try:
        board = chess.Board(fen)
    except ValueError as error:
        raise UsageError(f"{fen!r} is not a position in Forsyth-Edwards notation: {error}") from error
    return write_png(draw(make_state(board), board_size), output_path)


def _parse_position(given: Mapping[str, Any]) -> ChessPuzzle:
    """Return the puzzle of a dict with its fields, or with its ``fen``. Moves in it must be mates; others are added."""
    if "mates" in given:
        return from_json(ChessPuzzle, given)
    family = next((tag for tag in given.get("tags", ()) if tag in MATE_PATTERNS), "given")
    puzzle = make_puzzle(given["fen"], family)
    known = list_sans(puzzle)
    wrong = [move for move in given.get("mate_moves", ()) if move not in known]
    if wrong:
        raise UsageError(f"{wrong[0]} is not a mate in {puzzle.fen!r}; the mates are {', '.join(known)}")
    return puzzle


API = QuestionApi(TASK, "mate in one", "ChessGenerator().generate_mate_positions()", _parse_position)
create_dataset, create_task_pair, generate_prompt = API.create_dataset, API.create_task_pair, API.generate_prompt
