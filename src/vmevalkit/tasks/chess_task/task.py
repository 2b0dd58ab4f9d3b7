"""Chess as a task: the contract, filled from the modules of this folder."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from vmevalkit.media.picture import Frame
from vmevalkit.tasks.chess_task import chess_reasoning, films, rules
from vmevalkit.tasks.chess_task.board_state import BoardState
from vmevalkit.tasks.chess_task.chess_reasoning import ChessKnobs, ChessPuzzle
from vmevalkit.tasks.chess_task.describing import description_of, sans_of, side_of, tags_of
from vmevalkit.tasks.chess_task.PROMPTS import VIDEO_PROMPT
from vmevalkit.tasks.chess_task.reading import BoardReader
from vmevalkit.tasks.chess_task.render import BOARD_SIZE, draw
from vmevalkit.tasks.chess_task.sprites import READING_SCALE
from vmevalkit.tasks.task import ANSWER_COUNTS, Checked, Film, Task, Trace

GENERATION_METHOD = "constructed mates, proven with python-chess"


class ChessTask(Task[ChessPuzzle, BoardState, ChessKnobs]):
    """Show the move that gives mate."""

    name = "chess"
    title = "Chess"
    category = "Chess"
    description = "Chess positions in which one move gives mate"
    version = "1"
    puzzle_type = ChessPuzzle
    knobs_type = ChessKnobs
    difficulties: ClassVar[Mapping[str, ChessKnobs]] = {
        "easy": ChessKnobs(extra_pieces=(1, 5)),
        "medium": ChessKnobs(extra_pieces=(6, 10)),
        "hard": ChessKnobs(extra_pieces=(12, 18), unique=False),
    }
    reading_scale = READING_SCALE
    tricks = ANSWER_COUNTS

    def sample(self, rng: Random, knobs: ChessKnobs) -> ChessPuzzle:
        return chess_reasoning.sample(rng, knobs)

    def key(self, puzzle: ChessPuzzle) -> Hashable:
        return chess_reasoning.key(puzzle)

    def certify(self, puzzle: ChessPuzzle) -> None:
        chess_reasoning.certify(puzzle)

    def prompt(self, puzzle: ChessPuzzle) -> str:
        return VIDEO_PROMPT.format(side=side_of(puzzle).capitalize())

    def metadata(self, puzzle: ChessPuzzle) -> dict[str, Any]:
        mates = sans_of(puzzle)
        return {
            "chess_data": {
                "generation_method": GENERATION_METHOD,
                "initial_fen": puzzle.fen,
                "mate_moves": mates,
                "pattern_tags": tags_of(puzzle),
            },
            "side_to_move": side_of(puzzle),
            "mate_moves": mates,
            "pattern_description": description_of(puzzle),
        }

    def size(self, puzzle: ChessPuzzle) -> tuple[int, int]:
        return BOARD_SIZE, BOARD_SIZE

    def solution(self, puzzle: ChessPuzzle, t: float) -> BoardState:
        return chess_reasoning.solution(puzzle, t)

    def draw(self, puzzle: ChessPuzzle, state: BoardState) -> Frame:
        return draw(state)

    def reader(self, puzzle: ChessPuzzle) -> BoardReader:
        return BoardReader()

    def accepted(self, puzzle: ChessPuzzle, state: BoardState) -> bool:
        return rules.accepted(puzzle, state)

    def progress(self, puzzle: ChessPuzzle, state: BoardState) -> float:
        return rules.progress(puzzle, state)

    def check(self, puzzle: ChessPuzzle, trace: Trace[BoardState]) -> Checked:
        return rules.check(puzzle, trace)

    def settle(self, puzzle: ChessPuzzle, states: Sequence[BoardState]) -> BoardState:
        return rules.settle(states)

    def identity(self, puzzle: ChessPuzzle, state: BoardState) -> Hashable:
        return rules.identity(puzzle, state)

    def films(self, puzzle: ChessPuzzle, rng: Random) -> dict[str, Film[BoardState]]:
        return films.films(puzzle, rng)


TASK = ChessTask()
