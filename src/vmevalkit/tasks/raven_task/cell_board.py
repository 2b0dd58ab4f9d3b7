"""A matrix as a board of cells, for reading it in other people's pictures."""

from __future__ import annotations

from collections.abc import Hashable

from vmevalkit.media.image import Frame
from vmevalkit.tasks.pictures.cells import CellBoard
from vmevalkit.tasks.raven_task.raven_reasoning import Raven
from vmevalkit.tasks.raven_task.render import TILE, box_of_cell, draw
from vmevalkit.tasks.raven_task.scene import EMPTY, QUESTION, SCRIBBLE, Cell, RavenState, initial_state
from vmevalkit.tasks.raven_task.vocabulary import Tile


def make_cell_board(puzzle: Raven) -> CellBoard[RavenState]:
    """Return the board of a puzzle. A picture may leave the missing cell blank."""
    return CellBoard(
        3, 3, [box_of_cell(cell) for cell in range(9)], initial_state(puzzle).readings, puzzle.tiles, "empty",
        "unclear", _make_state, lambda state: state.readings, _draw_tile, may_be_blank=frozenset({"question"}),
    )  # fmt: skip


def _make_state(contents: tuple[Hashable, ...], hidden: frozenset[int]) -> RavenState:
    return RavenState(tuple(map(_make_cell, contents)), hidden)


def _make_cell(content: Hashable) -> Cell:
    if isinstance(content, Tile):
        return Cell(content)
    return {"empty": EMPTY, "question": QUESTION}.get(str(content), SCRIBBLE)


def _draw_tile(content: Hashable) -> Frame:
    return draw(RavenState((_make_cell(content),) * 9))[:TILE, :TILE]
