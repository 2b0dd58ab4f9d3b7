"""The visible scene: what each of the nine cells shows, and the reference solution."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER, Raven
from vmevalkit.tasks.raven_task.vocabulary import Tile

VISIBLE, FULL = 0.25, 0.6
"""An opacity below VISIBLE counts as nothing. Between the two something is fading, and is not an answer yet."""
FADE = (0.1, 0.9)
"""When the dissolve from the question mark to the answer begins and ends in the reference solution."""

Arrangement = Literal["usual", "other"]
CellReading: TypeAlias = Tile | Literal["empty", "question", "fading", "unclear"]
"""The content of a cell: a tile; nothing; the question mark; something that fades in or out, or a tile together with
the question mark; a mark that is not a tile."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one cell shows."""

    tile: Tile | None = None
    opacity: float = 1.0
    """Opacity of the tile, from 0 to 1."""
    question: float = 0.0
    """Opacity of a question mark."""
    scribble: bool = False
    """Whether the cell shows a mark that is not a tile."""
    arrangement: Arrangement = "usual"
    """How the shapes are arranged. It is not read back: three shapes in a row count as three, too."""
    scale: float = 1.0
    """Relative size of the shapes. It is not read back either."""

    @property
    def reading(self) -> CellReading:
        """The content of the cell, with opacities reduced to present, fading or absent."""
        if self.scribble:
            return "unclear"
        has_question, has_tile = self.question >= VISIBLE, self.tile is not None and self.opacity >= VISIBLE
        if self.tile is None or not has_tile:
            return "question" if self.question >= FULL else "fading" if has_question else "empty"
        return self.tile if self.opacity >= FULL and not has_question else "fading"


EMPTY, QUESTION, SCRIBBLE = Cell(), Cell(question=1.0), Cell(scribble=True)


@dataclass(frozen=True, slots=True)
class RavenState:
    """The whole scene at one time."""

    cells: tuple[Cell, ...]
    """Row by row."""
    unseen: frozenset[int] = field(default=frozenset(), compare=False)
    """Cells that something hid. They are taken to be as they were last seen."""

    @property
    def readings(self) -> tuple[CellReading, ...]:
        """The content of each cell."""
        return tuple(cell.reading for cell in self.cells)

    def with_cell(self, index: int, cell: Cell) -> RavenState:
        """Return the same scene with another cell."""
        return RavenState((*self.cells[:index], cell, *self.cells[index + 1 :]))


def initial_state(puzzle: Raven) -> RavenState:
    """Return the question: eight tiles and the question mark."""
    return RavenState((*(Cell(tile) for tile in puzzle.tiles[:ANSWER]), QUESTION))


def solution(puzzle: Raven, t: float) -> RavenState:
    """Return the reference solution at time t: the question mark dissolves into the answer."""
    return initial_state(puzzle).with_cell(ANSWER, dissolve_into(puzzle.answer, t))


def dissolve_into(tile: Tile, t: float, begin: float = FADE[0], end: float = FADE[1]) -> Cell:
    """Return the missing cell at time t of a dissolve from the question mark to a tile."""
    share = min(max((t - begin) / (end - begin), 0.0), 1.0)
    if share == 0:
        return QUESTION
    return Cell(tile) if share == 1 else Cell(tile, share, 1 - share)
