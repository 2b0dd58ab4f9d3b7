"""Trap field: cross an open field to the green mark without entering a trap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from vmevalkit.tasks.kit import (
    PALETTE,
    Arrangement,
    BoardLayout,
    Canvas,
    MoveTask,
    Part,
    Piece,
    Uncertified,
    UsageError,
)

CELL, MARGIN = 56, 28


@dataclass(frozen=True, slots=True)
class TrapFieldParams:
    """Params of the puzzles."""

    side: int = 5
    traps: int = 5
    detour: int = 0
    """Moves by which the shortest way is at least longer than without traps."""

    def __post_init__(self) -> None:
        if not (4 <= self.side <= 10 and 1 <= self.traps <= self.side**2 // 2 and 0 <= self.detour <= 6):
            raise UsageError(
                f"no trap field with {self}; side is 4 to 10, traps at most half of the cells, detour 0 to 6"
            )


@dataclass(frozen=True, slots=True)
class TrapField:
    """A field with cells that must not be entered. Cells are (row, column)."""

    rows: int
    columns: int
    traps: tuple[tuple[int, int], ...]
    start: tuple[int, int]
    goal: tuple[int, int]


class TrapFieldTask(MoveTask[TrapField, TrapFieldParams]):
    """The player goes from cell to cell, any way that has no trap on it."""

    name = "trap_field"
    title = "Trap Field"
    description = "Cross a field without entering a trap"
    group = "planning"
    puzzle_type = TrapField
    params_type = TrapFieldParams
    difficulties = {"easy": TrapFieldParams(), "medium": TrapFieldParams(7, 16), "hard": TrapFieldParams(8, 24, 2)}
    cell_px = CELL

    def sample(self, rng: Random, params: TrapFieldParams) -> TrapField:
        cells = [(row, column) for row in range(params.side) for column in range(params.side)]
        start, goal, *others = rng.sample(cells, len(cells))
        puzzle = TrapField(params.side, params.side, tuple(sorted(others[: params.traps])), start, goal)
        straight = abs(start[0] - goal[0]) + abs(start[1] - goal[1])
        if straight < params.side - 1 or len(self.path(puzzle)) - 1 < straight + params.detour:
            raise Uncertified("the way is too short or too straight")
        return puzzle

    def check_puzzle(self, puzzle: TrapField) -> None:
        self.board(puzzle).check()

    def board(self, puzzle: TrapField) -> BoardLayout:
        return BoardLayout(puzzle.rows, puzzle.columns, "player", puzzle.start, (puzzle.goal,), frozenset(puzzle.traps))

    def prompt(self, puzzle: TrapField) -> str:
        return (
            "Move the blue player step by step to the green mark. The player moves up, down, left or right by one cell "
            "at a time and must never enter a red cell with a cross. The cells and the mark stay as they are. Stop "
            "when the player is on the mark. The camera does not move."
        )

    def size(self, puzzle: TrapField) -> tuple[int, int]:
        return 2 * MARGIN + CELL * puzzle.columns, 2 * MARGIN + CELL * puzzle.rows

    def ground(self, puzzle: TrapField, canvas: Canvas) -> None:
        wide, high = CELL * puzzle.columns, CELL * puzzle.rows
        canvas.rectangle(MARGIN - 3, MARGIN - 3, wide + 6, high + 6, PALETTE.SHADE)
        for row in range(puzzle.rows):
            for column in range(puzzle.columns):
                x, y, is_trap = MARGIN + CELL * column, MARGIN + CELL * row, (row, column) in puzzle.traps
                canvas.rectangle(x + 1, y + 1, CELL - 2, CELL - 2, PALETTE.RED if is_trap else PALETTE.BOARD)
                if is_trap:
                    near, far = 16, CELL - 16
                    canvas.line([(x + near, y + near), (x + far, y + far)], PALETTE.INK, PALETTE.LINE)
                    canvas.line([(x + near, y + far), (x + far, y + near)], PALETTE.INK, PALETTE.LINE)
        goal_x, goal_y = self.position(puzzle, Piece("player", "player"), puzzle.goal)
        canvas.rectangle(goal_x - 14, goal_y - 14, 28, 28, PALETTE.GREEN)

    def paint(self, canvas: Canvas, part: Part) -> None:
        canvas.circle(part.x, part.y, 18, fill=PALETTE.BLUE, stroke=PALETTE.INK, width=PALETTE.LINE)

    def pieces(self, puzzle: TrapField) -> tuple[Piece, ...]:
        return (Piece("player", "player"),)

    def places(self, puzzle: TrapField, piece: Piece) -> Iterator[tuple[int, int]]:
        return ((row, column) for row in range(puzzle.rows) for column in range(puzzle.columns))

    def position(self, puzzle: TrapField, piece: Piece, place: Any) -> tuple[float, float]:
        return MARGIN + CELL * (place[1] + 0.5), MARGIN + CELL * (place[0] + 0.5)

    def start(self, puzzle: TrapField) -> Arrangement:
        return (puzzle.start,)

    def is_goal(self, puzzle: TrapField, at: Arrangement) -> bool:
        return at[0] == puzzle.goal  # type: ignore[no-any-return]

    def moves(self, puzzle: TrapField, at: Arrangement) -> Iterator[Arrangement]:
        return ((cell,) for cell in self.board(puzzle).list_neighbours(at[0]))


TASK = TrapFieldTask()
