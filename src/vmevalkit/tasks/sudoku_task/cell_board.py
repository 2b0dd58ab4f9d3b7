"""A sudoku as a board of cells, for reading it in other people's pictures."""

from __future__ import annotations

from collections.abc import Hashable

from vmevalkit.media.image import Frame
from vmevalkit.tasks.kit.digit_network import NO_DIGIT
from vmevalkit.tasks.kit.glyphs import read_digit
from vmevalkit.tasks.pictures.cells import CellBoard
from vmevalkit.tasks.sudoku_task.render import SIDE, box_of_cell, draw_state
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import (
    BLANK,
    BLANK_CELL,
    UNCLEAR,
    CellInk,
    Sudoku,
    SudokuState,
    make_printed_state,
)

_UNKNOWN = CellInk((NO_DIGIT,))


def make_cell_board(puzzle: Sudoku) -> CellBoard[SudokuState]:
    """Return the board of a puzzle. Digits that its pictures do not show are read in any typeface."""
    order = puzzle.order
    boxes = [box_of_cell(order, cell) for cell in range(order**2)]

    def draw_digit(content: Hashable) -> Frame:
        drawn = draw_state(order, make_printed_state([int(str(content))] * order**2))
        left, top, right, bottom = (round(side * SIDE) for side in boxes[0])
        return drawn[top:bottom, left:right]

    return CellBoard(
        order, order, boxes, puzzle.givens, puzzle.solution, BLANK_CELL, UNCLEAR, _make_state,
        lambda state: state.values, draw_digit, read_digit,
    )  # fmt: skip


def _make_state(contents: tuple[Hashable, ...], hidden: frozenset[int]) -> SudokuState:
    return SudokuState(tuple(map(_make_ink, contents)), hidden)


def _make_ink(content: Hashable) -> CellInk:
    assert isinstance(content, int)
    return BLANK if content == BLANK_CELL else CellInk((content,)) if content > 0 else _UNKNOWN
