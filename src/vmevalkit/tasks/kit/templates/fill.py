"""Complete the row: a pattern of coloured discs repeats, and the last ones are missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from vmevalkit.tasks.kit import PALETTE, Canvas, FillTask, Part

COLOURS = {"red": PALETTE.RED, "green": PALETTE.GREEN, "blue": PALETTE.BLUE, "orange": PALETTE.ORANGE}
CELL, MARGIN, TOP = 60, 30, 90


@dataclass(frozen=True, slots=True)
class DiscRowParams:
    """What can be chosen with ``--set``."""

    period: int = 3
    missing: int = 2


@dataclass(frozen=True, slots=True)
class DiscRow:
    """All that defines one question. It is written to question_metadata.json."""

    pattern: tuple[str, ...]
    given: int
    """Discs that are there at first, of three patterns."""


class DiscRowTask(FillTask[DiscRow, DiscRowParams]):
    """Cells are filled, and only the final state matters."""

    name = "disc_row"
    title = "Disc Row"
    description = "Continue a row of coloured discs"
    group = "deduction"
    puzzle_type = DiscRow
    params_type = DiscRowParams
    difficulties = {"easy": DiscRowParams(), "medium": DiscRowParams(4, 3), "hard": DiscRowParams(5, 5)}

    def sample(self, rng: Random, params: DiscRowParams) -> DiscRow:
        pattern = tuple(rng.choice(list(COLOURS)) for _ in range(params.period))
        return DiscRow(pattern, 3 * params.period - params.missing)

    def prompt(self, puzzle: DiscRow) -> str:
        return (
            "The colours of the discs repeat from left to right. Fill each empty ring with a disc of the right colour. "
            "The discs that are there stay as they are. The camera does not move."
        )

    # -- the picture ---------------------------------------------------------------------------------------------

    def size(self, puzzle: DiscRow) -> tuple[int, int]:
        return 2 * MARGIN + 3 * CELL * len(puzzle.pattern), 2 * TOP

    def ground(self, puzzle: DiscRow, canvas: Canvas) -> None:
        width, height = self.size(puzzle)
        canvas.rectangle(10, 10, width - 20, height - 20, PALETTE.BOARD)
        for cell in self.cells(puzzle):
            canvas.circle(cell.x, cell.y, 24, fill=PALETTE.PAPER, stroke=PALETTE.INK, width=PALETTE.LINE)

    def paint(self, canvas: Canvas, part: Part) -> None:
        canvas.circle(part.x, part.y, 24, fill=COLOURS[part.look], stroke=PALETTE.INK, width=PALETTE.LINE)

    # -- the rules -----------------------------------------------------------------------------------------------

    def cells(self, puzzle: DiscRow) -> tuple[Part, ...]:
        row = puzzle.pattern * 3
        return tuple(
            Part(f"disc{i}", MARGIN + CELL * (i + 0.5), TOP, look if i < puzzle.given else "")
            for i, look in enumerate(row)
        )

    def contents(self, puzzle: DiscRow) -> tuple[str, ...]:
        return tuple(COLOURS)

    def solve(self, puzzle: DiscRow) -> Iterator[Mapping[str, str]]:
        row = puzzle.pattern * 3
        yield {f"disc{i}": row[i] for i in range(puzzle.given, len(row))}


TASK = DiscRowTask()
