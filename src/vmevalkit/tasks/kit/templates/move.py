"""Cross the field: a player walks around stones to the flag."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from vmevalkit.tasks.kit import PALETTE, Arrangement, Canvas, MoveTask, Part, Piece

CELL, MARGIN = 60, 30


@dataclass(frozen=True, slots=True)
class StoneFieldParams:
    """What can be chosen with ``--set``."""

    side: int = 4
    stones: int = 3


@dataclass(frozen=True, slots=True)
class StoneField:
    """All that defines one question. It is written to question_metadata.json."""

    side: int
    stones: tuple[tuple[int, int], ...]
    player: tuple[int, int]
    flag: tuple[int, int]


class StoneFieldTask(MoveTask[StoneField, StoneFieldParams]):
    """A piece moves, and every move must be legal and visible."""

    name = "stone_field"
    title = "Stone Field"
    description = "Walk around stones to the flag"
    group = "planning"
    puzzle_type = StoneField
    params_type = StoneFieldParams
    difficulties = {"easy": StoneFieldParams(), "medium": StoneFieldParams(5, 7), "hard": StoneFieldParams(6, 12)}
    cell_px = CELL

    def sample(self, rng: Random, params: StoneFieldParams) -> StoneField:
        cells = [(row, column) for row in range(params.side) for column in range(params.side)]
        player, flag, *stones = rng.sample(cells, 2 + params.stones)
        return StoneField(params.side, tuple(sorted(stones)), player, flag)

    def prompt(self, puzzle: StoneField) -> str:
        return (
            "Move the blue player to the red flag, one cell at a time, up, down, left or right. It cannot enter cells "
            "with a grey stone. Stones and flag stay where they are. The camera does not move."
        )

    # -- the picture ---------------------------------------------------------------------------------------------

    def size(self, puzzle: StoneField) -> tuple[int, int]:
        return (2 * MARGIN + CELL * puzzle.side,) * 2

    def ground(self, puzzle: StoneField, canvas: Canvas) -> None:
        span = CELL * puzzle.side
        canvas.rectangle(MARGIN - 4, MARGIN - 4, span + 8, span + 8, PALETTE.INK)
        for row in range(puzzle.side):
            for column in range(puzzle.side):
                canvas.rectangle(MARGIN + CELL * column + 1, MARGIN + CELL * row + 1, CELL - 2, CELL - 2, PALETTE.BOARD)
        for cell in puzzle.stones:
            canvas.circle(*locate(cell), 22, fill="#6b7280", stroke=PALETTE.INK, width=PALETTE.LINE)
        x, y = locate(puzzle.flag)
        canvas.line([(x - 10, y + 22), (x - 10, y - 22)], PALETTE.INK, 3)
        canvas.polygon([(x - 9, y - 22), (x + 16, y - 14), (x - 9, y - 5)], PALETTE.RED)

    def paint(self, canvas: Canvas, part: Part) -> None:
        canvas.circle(part.x, part.y, 17, fill=PALETTE.BLUE, stroke=PALETTE.INK, width=PALETTE.LINE)

    # -- the rules -----------------------------------------------------------------------------------------------

    def pieces(self, puzzle: StoneField) -> tuple[Piece, ...]:
        return (Piece("player", "player"),)

    def places(self, puzzle: StoneField, piece: Piece) -> Iterator[tuple[int, int]]:
        return ((row, column) for row in range(puzzle.side) for column in range(puzzle.side))

    def position(self, puzzle: StoneField, piece: Piece, place: Any) -> tuple[float, float]:
        return locate(place)

    def start(self, puzzle: StoneField) -> Arrangement:
        return (puzzle.player,)

    def is_goal(self, puzzle: StoneField, at: Arrangement) -> bool:
        return bool(at[0] == puzzle.flag)

    def moves(self, puzzle: StoneField, at: Arrangement) -> Iterator[Arrangement]:
        row, column = at[0]
        for to in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= to[0] < puzzle.side and 0 <= to[1] < puzzle.side and to not in puzzle.stones:
                yield (to,)


def locate(cell: tuple[int, int]) -> tuple[float, float]:
    """Return the middle of a cell, in pixels."""
    return MARGIN + CELL * (cell[1] + 0.5), MARGIN + CELL * (cell[0] + 0.5)


TASK = StoneFieldTask()
