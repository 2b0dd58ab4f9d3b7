"""Sokoban: push boxes onto marked cells."""

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

CELL, MARGIN = 60, 30


@dataclass(frozen=True, slots=True)
class SokobanParams:
    """Params of the puzzles."""

    side: int = 5
    boxes: int = 1
    least_moves: int = 4
    most_moves: int = 6

    def __post_init__(self) -> None:
        if not (4 <= self.side <= 8 and 1 <= self.boxes <= 3 and 4 <= self.least_moves <= self.most_moves):
            raise UsageError(f"no Sokoban with {self}; side is 4 to 8, boxes 1 to 3, moves at least 4")


@dataclass(frozen=True, slots=True)
class Sokoban:
    """A room with walls, boxes and marks. Cells are (row, column)."""

    side: int
    walls: tuple[tuple[int, int], ...]
    marks: tuple[tuple[int, int], ...]
    boxes: tuple[tuple[int, int], ...]
    player: tuple[int, int]
    columns: int | None = None
    """Where the room is not a square; ``side`` is then its rows."""

    @property
    def width(self) -> int:
        """Cells from left to right."""
        return self.columns or self.side


class SokobanTask(MoveTask[Sokoban, SokobanParams]):
    """Boxes can be pushed, one at a time, and not pulled."""

    name = "sokoban"
    title = "Sokoban"
    description = "Push boxes onto marked cells"
    group = "planning"
    puzzle_type = Sokoban
    params_type = SokobanParams
    difficulties = {
        "easy": SokobanParams(),
        "medium": SokobanParams(6, 1, 7, 9),
        "hard": SokobanParams(6, 2, 8, 12),
    }
    cell_px = CELL

    def sample(self, rng: Random, params: SokobanParams) -> Sokoban:
        cells = [(row, column) for row in range(params.side) for column in range(params.side)]
        rng.shuffle(cells)
        n, walls = params.boxes, params.side
        puzzle = Sokoban(
            params.side,
            tuple(sorted(cells[:walls])),
            tuple(sorted(cells[-n:])),
            tuple(cells[-2 * n : -n]),
            cells[walls],
        )
        if not params.least_moves <= len(self.path(puzzle)) - 1 <= params.most_moves:
            raise Uncertified("too short or too long")
        return puzzle

    def check_puzzle(self, puzzle: Sokoban) -> None:
        if len(set(puzzle.boxes)) != len(puzzle.boxes) or len(puzzle.boxes) != len(set(puzzle.marks)):
            raise ValueError("there must be as many boxes as marks, each in a cell of its own")
        self.board(puzzle).check()

    def board(self, puzzle: Sokoban) -> BoardLayout:
        pushed = tuple((f"box{index}", cell) for index, cell in enumerate(puzzle.boxes))
        return BoardLayout(
            puzzle.side, puzzle.width, "player", puzzle.player, puzzle.marks, frozenset(puzzle.walls), pushed=pushed
        )

    def prompt(self, puzzle: Sokoban) -> str:
        boxes, marks = (
            ("the orange box", "the red mark") if len(puzzle.boxes) == 1 else ("every orange box", "a red mark")
        )
        return (
            f"Move the green player step by step to push {boxes} onto {marks}. The player moves up, down, left or "
            f"right by one "
            "cell at a time, can push one box at a time, cannot pull, and cannot pass through the dark walls. Walls "
            "and "
            "marks stay as they are. Stop when it is done. The camera does not move."
        )

    def size(self, puzzle: Sokoban) -> tuple[int, int]:
        return 2 * MARGIN + CELL * puzzle.width, 2 * MARGIN + CELL * puzzle.side

    def ground(self, puzzle: Sokoban, canvas: Canvas) -> None:
        wide, high = CELL * puzzle.width, CELL * puzzle.side
        canvas.rectangle(MARGIN - 12, MARGIN - 12, wide + 24, high + 24, PALETTE.INK)
        for row in range(puzzle.side):
            for column in range(puzzle.width):
                fill = PALETTE.INK if (row, column) in puzzle.walls else PALETTE.BOARD
                canvas.rectangle(MARGIN + CELL * column + 1, MARGIN + CELL * row + 1, CELL - 2, CELL - 2, fill)
        for row, column in puzzle.marks:
            canvas.circle(MARGIN + CELL * (column + 0.5), MARGIN + CELL * (row + 0.5), 9, fill=PALETTE.RED)

    def paint(self, canvas: Canvas, part: Part) -> None:
        x, y = part.x, part.y
        if part.look == "box":
            corners = [(x - 22, y - 22), (x + 22, y - 22), (x + 22, y + 22), (x - 22, y + 22)]
            canvas.polygon(corners, PALETTE.ORANGE, PALETTE.BROWN, 5)
            canvas.line([(x - 18, y - 18), (x + 18, y + 18)], PALETTE.BROWN, 4)
        else:
            canvas.circle(x, y, 20, fill=PALETTE.GREEN, stroke=PALETTE.INK, width=PALETTE.LINE)

    def pieces(self, puzzle: Sokoban) -> tuple[Piece, ...]:
        return (*(Piece(f"box{i}", "box") for i in range(len(puzzle.boxes))), Piece("player", "player"))

    def places(self, puzzle: Sokoban, piece: Piece) -> Iterator[tuple[int, int]]:
        return ((row, column) for row in range(puzzle.side) for column in range(puzzle.width))

    def position(self, puzzle: Sokoban, piece: Piece, place: Any) -> tuple[float, float]:
        return MARGIN + CELL * (place[1] + 0.5), MARGIN + CELL * (place[0] + 0.5)

    def start(self, puzzle: Sokoban) -> Arrangement:
        return (*puzzle.boxes, puzzle.player)

    def is_goal(self, puzzle: Sokoban, at: Arrangement) -> bool:
        return set(at[:-1]) == set(puzzle.marks)

    def moves(self, puzzle: Sokoban, at: Arrangement) -> Iterator[Arrangement]:
        *boxes, (row, column) = at

        def is_free(cell: tuple[int, int]) -> bool:
            is_inside = 0 <= cell[0] < puzzle.side and 0 <= cell[1] < puzzle.width
            return is_inside and cell not in puzzle.walls

        for dr, dc in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            to, beyond = (row + dr, column + dc), (row + 2 * dr, column + 2 * dc)
            if not is_free(to):
                continue
            if to not in boxes:
                yield (*boxes, to)
            elif is_free(beyond) and beyond not in boxes:
                yield (*(beyond if box == to else box for box in boxes), to)


TASK = SokobanTask()
