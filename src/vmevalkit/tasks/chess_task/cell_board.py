"""A chess board as a board of cells, for reading it in other people's pictures."""

from __future__ import annotations

from collections.abc import Hashable

from vmevalkit.media.image import Frame
from vmevalkit.tasks.chess_task.board_state import EMPTY, HIDDEN, BoardState
from vmevalkit.tasks.chess_task.chess_reasoning import ChessPuzzle, solution
from vmevalkit.tasks.chess_task.render import BOARD_SIZE, box_of_square, draw
from vmevalkit.tasks.pictures.cells import CellBoard


def make_cell_board(puzzle: ChessPuzzle) -> CellBoard[BoardState]:
    """Return the board of a puzzle. A piece between squares makes them unclear: only where pieces rest is read."""
    boxes = [box_of_square(index) for index in range(64)]

    def draw_piece(content: Hashable) -> Frame:
        left, top, right, bottom = (round(side * BOARD_SIZE) for side in boxes[0])
        return draw(BoardState(str(content) * 64))[top:bottom, left:right]

    return CellBoard(
        8, 8, boxes, tuple(solution(puzzle, 0.0).get_letters()), tuple(solution(puzzle, 1.0).get_letters()), EMPTY,
        HIDDEN, _make_state, lambda state: tuple(state.get_letters()), draw_piece,
    )  # fmt: skip


def _make_state(contents: tuple[Hashable, ...], hidden: frozenset[int]) -> BoardState:
    return BoardState("".join(HIDDEN if index in hidden else str(each) for index, each in enumerate(contents)))
