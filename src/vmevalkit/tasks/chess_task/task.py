"""The chess task: the task contract, bound to the modules of this package."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, ClassVar

from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Box
from vmevalkit.tasks.chess_task import cheats, chess_reasoning, rules
from vmevalkit.tasks.chess_task.board_state import BoardState
from vmevalkit.tasks.chess_task.cell_board import make_cell_board
from vmevalkit.tasks.chess_task.chess_reasoning import ChessParams, ChessPuzzle
from vmevalkit.tasks.chess_task.outcomes import list_answers
from vmevalkit.tasks.chess_task.PROMPTS import JUDGE_HINT, VIDEO_PROMPT
from vmevalkit.tasks.chess_task.reading import BoardReader
from vmevalkit.tasks.chess_task.render import BOARD_SIZE, box_of_square, draw
from vmevalkit.tasks.chess_task.sprites import READING_SCALE
from vmevalkit.tasks.chess_task.text import describe_mate, get_side, list_sans, list_tags
from vmevalkit.tasks.complexity import Complexity
from vmevalkit.tasks.kit.question_pictures import Pictures
from vmevalkit.tasks.pictures.cells import CellScene, find_cell_scene
from vmevalkit.tasks.task import FINAL_STATE_MATTERS, Offer, Task

GENERATION_METHOD = "constructed mates, proven with python-chess"


class ChessTask(Task[ChessPuzzle, BoardState, ChessParams]):
    """Show the move that gives mate."""

    name = "chess"
    title = "Chess"
    category = "Chess"
    group = "planning"
    description = "Chess positions in which one move gives mate"
    version = "3"
    puzzle_type = ChessPuzzle
    params_type = ChessParams
    difficulties: ClassVar[Mapping[str, ChessParams]] = {
        "easy": ChessParams(extra_pieces=(1, 5)),
        "medium": ChessParams(extra_pieces=(6, 10)),
        "hard": ChessParams(extra_pieces=(12, 18), unique=False),
    }
    reading_scale = READING_SCALE
    tricks = FINAL_STATE_MATTERS
    judge_hint = JUDGE_HINT
    offers = frozenset(
        {
            Offer.FREE_CAMERA,
            Offer.STILL_EDGES,
            Offer.QUICK,
            Offer.ASYMMETRIC,
            Offer.FREE_HUES,
            Offer.WHOLE,
            Offer.SOLID_ANSWER,
        }
    )
    may_have_trails = True
    complexity = Complexity(10**15, 6, 1.0, "high")

    sample = staticmethod(chess_reasoning.sample)
    key = staticmethod(chess_reasoning.key)
    certify = staticmethod(chess_reasoning.certify)
    solution = staticmethod(chess_reasoning.solution)
    accepted = staticmethod(rules.accepted)
    progress = staticmethod(rules.progress)
    check = staticmethod(rules.check)
    is_intact = staticmethod(rules.is_intact)
    state_key = staticmethod(rules.state_key)
    cheats = staticmethod(cheats.cheats)

    def check_puzzle(self, puzzle: ChessPuzzle) -> None:
        chess_reasoning.check_moves(puzzle)

    def prompt(self, puzzle: ChessPuzzle) -> str:
        return VIDEO_PROMPT.format(side=get_side(puzzle).capitalize())

    def metadata(self, puzzle: ChessPuzzle) -> dict[str, Any]:
        mates = list_sans(puzzle)
        return {
            "chess_data": {
                "generation_method": GENERATION_METHOD,
                "initial_fen": puzzle.fen,
                "mate_moves": mates,
                "pattern_tags": list_tags(puzzle),
            },
            "side_to_move": get_side(puzzle),
            "mate_moves": mates,
            "pattern_description": describe_mate(puzzle),
        }

    def size(self, puzzle: ChessPuzzle) -> tuple[int, int]:
        return BOARD_SIZE, BOARD_SIZE

    def draw(self, puzzle: ChessPuzzle, state: BoardState) -> Frame:
        return draw(state)

    def reader(self, puzzle: ChessPuzzle) -> BoardReader:
        return BoardReader()

    def learn_looks(self, puzzle: ChessPuzzle, pictures: Pictures) -> CellScene[BoardState]:
        return find_cell_scene(make_cell_board(puzzle), pictures, self.size(puzzle), self.reading_size(puzzle))

    def highlight_boxes(self, puzzle: ChessPuzzle) -> list[Box]:
        return [box_of_square(index) for index in range(64)]

    def unseen_boxes(self, puzzle: ChessPuzzle, state: BoardState) -> dict[Hashable, Box]:
        return {index: box_of_square(index) for index in rules.list_unseen_squares(state)}

    def accepted_states(self, puzzle: ChessPuzzle) -> list[BoardState]:
        return [BoardState(answer.letters) for answer in list_answers(puzzle)]

    def consensus_state(self, puzzle: ChessPuzzle, states: Sequence[BoardState]) -> BoardState:
        return rules.merge_states(states)


TASK = ChessTask()
