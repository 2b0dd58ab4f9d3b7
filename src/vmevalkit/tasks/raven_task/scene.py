"""The visible scene: what each of the nine cells shows, and the solution film."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER, Raven
from vmevalkit.tasks.raven_task.vocabulary import Tile

VISIBLE, FULL = 0.25, 0.6
"""What is weaker is nothing; what is between the two is on its way in or out, and no answer yet."""
FADE = (0.1, 0.9)
"""When the question mark begins to give way to the answer in the solution film, and when it is gone."""

Arrangement = Literal["usual", "other"]
Reading: TypeAlias = Tile | Literal["empty", "question", "fading", "unclear"]
"""What a cell amounts to: a tile; nothing; the question mark; something on its way in or out, or a tile together with
the question mark; a mark that is no tile."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one cell shows."""

    tile: Tile | None = None
    opacity: float = 1.0
    """Of the tile: 0 is nothing, 1 is as strong as in the question."""
    question: float = 0.0
    """Opacity of a question mark."""
    scribble: bool = False
    """Whether there is a mark that is no tile."""
    arrangement: Arrangement = "usual"
    """How the shapes are placed. It is not read back: three are three in a row, too."""
    scale: float = 1.0
    """Size of the shapes. It is not read back either."""

    @property
    def reading(self) -> Reading:
        if self.scribble:
            return "unclear"
        asks, shows = self.question >= VISIBLE, self.tile is not None and self.opacity >= VISIBLE
        if self.tile is None or not shows:
            return "question" if self.question >= FULL else "fading" if asks else "empty"
        return self.tile if self.opacity >= FULL and not asks else "fading"


EMPTY, QUESTION, SCRIBBLE = Cell(), Cell(question=1.0), Cell(scribble=True)


@dataclass(frozen=True, slots=True)
class RavenState:
    """The whole scene at one time."""

    cells: tuple[Cell, ...]
    """Row by row."""

    @property
    def readings(self) -> tuple[Reading, ...]:
        """What each cell amounts to."""
        return tuple(cell.reading for cell in self.cells)

    def showing(self, place: int, cell: Cell) -> RavenState:
        """The same scene with another cell."""
        return RavenState((*self.cells[:place], cell, *self.cells[place + 1 :]))


def asked(puzzle: Raven) -> RavenState:
    """The question: eight tiles and the question mark."""
    return RavenState((*(Cell(tile) for tile in puzzle.tiles[:ANSWER]), QUESTION))


def solution(puzzle: Raven, t: float) -> RavenState:
    """The answer comes up in place of the question mark."""
    return asked(puzzle).showing(ANSWER, risen(puzzle.answer, t))


def risen(tile: Tile, t: float, begin: float = FADE[0], end: float = FADE[1]) -> Cell:
    """The missing cell at time t, as a tile takes the place of the question mark."""
    share = min(max((t - begin) / (end - begin), 0.0), 1.0)
    if share == 0:
        return QUESTION
    return Cell(tile) if share == 1 else Cell(tile, share, 1 - share)
