"""Making chess questions by hand: positions, one picture, one question, or a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import chess

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.core.jsonable import from_json
from vmevalkit.media.picture import encode_png
from vmevalkit.store import layout
from vmevalkit.store.commit import write_file
from vmevalkit.tasks.chess_task.board_state import state_of
from vmevalkit.tasks.chess_task.chess_reasoning import ChessKnobs, ChessPuzzle, certify, posed
from vmevalkit.tasks.chess_task.describing import description_of, sans_of, side_of, tags_of
from vmevalkit.tasks.chess_task.families import RECIPES
from vmevalkit.tasks.chess_task.render import BOARD_SIZE, draw
from vmevalkit.tasks.chess_task.task import TASK
from vmevalkit.tasks.dataset import create_task_dataset, question_id, write_question
from vmevalkit.tasks.planning import puzzles

HAND_MADE = "custom"
SMALLEST_BOARD = 80


class ChessGenerator:
    """Makes positions in which one move gives mate. Two generators of one seed make the same ones."""

    def __init__(self, seed: int = 42, difficulty: str | None = None, knobs: ChessKnobs | None = None) -> None:
        self._difficulty = (difficulty or TASK.default_difficulty) if knobs is None else HAND_MADE
        self._made = puzzles(TASK, seed, knobs or TASK.preset(difficulty))
        self.generated_positions: list[dict[str, Any]] = []
        """All that were made so far."""

    def generate_mate_positions(self, num_positions: int = 150) -> list[dict[str, Any]]:
        """The next positions, each new: dicts with puzzle_id, fen, mate_moves, difficulty, tags, side_to_move and
        description."""
        if num_positions < 1:
            raise UsageError(f"{num_positions} positions were asked for; ask for at least 1")
        first = len(self.generated_positions)
        self.generated_positions += [
            {
                "puzzle_id": question_id(TASK.name, first + i),
                "fen": puzzle.fen,
                "mate_moves": sans_of(puzzle),
                "difficulty": self._difficulty,
                "tags": tags_of(puzzle),
                "side_to_move": side_of(puzzle),
                "description": description_of(puzzle),
            }
            for i, puzzle in enumerate(islice(self._made, num_positions))
        ]
        return self.generated_positions[first:]


def generate_chess_board_png(fen: str, output_path: Path | str, board_size: int = BOARD_SIZE) -> Path:
    """Write the picture of a position, legal or not, as a PNG of ``board_size`` x ``board_size``."""
    if board_size < SMALLEST_BOARD:
        raise UsageError(f"a board of {board_size} pixels cannot be read; ask for {SMALLEST_BOARD} or more")
    try:
        board = chess.Board(fen)
    except ValueError as error:
        raise UsageError(f"{fen!r} is no position in Forsyth-Edwards notation: {error}") from error
    path = Path(output_path)
    write_file(path, encode_png(draw(state_of(board), board_size)))
    return path


create_dataset = partial(create_task_dataset, TASK)
"""Questions without duplicates: see ``create_task_dataset``."""


def create_task_pair(
    position: ChessPuzzle | Mapping[str, Any], task_id: str, output_dir: Path | str | None = None
) -> dict[str, Any]:
    """Write the question of one position; returns its record. A position may be given as a dict with its ``fen``."""
    puzzle = _puzzle_of(position)
    root = layout.QUESTIONS if output_dir is None else Path(output_dir)
    return write_question(TASK, puzzle, task_id, root, difficulty=HAND_MADE, seed=None)


def generate_prompt(position: ChessPuzzle | Mapping[str, Any]) -> str:
    """What a model is told about a position."""
    return TASK.prompt(_puzzle_of(position))


def _puzzle_of(given: ChessPuzzle | Mapping[str, Any]) -> ChessPuzzle:
    """A puzzle that is certified. Mates that a dict names must be such; all that exist are accepted as answers."""
    try:
        if isinstance(given, ChessPuzzle) or "mates" in given:
            puzzle = given if isinstance(given, ChessPuzzle) else from_json(ChessPuzzle, given)
            certify(puzzle)
            return puzzle
        family = next((tag for tag in given.get("tags", ()) if tag in RECIPES), "given")
        puzzle = posed(given["fen"], family)
    except (TypeError, ValueError, KeyError, Uncertified) as error:
        raise UsageError(f"this is no mate in one: {error}; ChessGenerator makes some") from error
    known = sans_of(puzzle)
    wrong = [move for move in given.get("mate_moves", ()) if move not in known]
    if wrong:
        raise UsageError(f"{wrong[0]} is no mate in {puzzle.fen!r}; {', '.join(known)} is")
    return puzzle
