"""Sliding puzzle: slide numbered tiles until the board looks like the goal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from vmevalkit.tasks.kit import PALETTE, Arrangement, Canvas, MoveTask, Part, Piece, Uncertified, UsageError

CELL, MARGIN, SMALL, GAP = 80, 30, 42, 56
Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SlidingParams:
    """Params of the puzzles."""

    rows: int = 2
    columns: int = 3
    least_moves: int = 4
    most_moves: int = 6
    detours: int = 0
    """Moves, at least, that take a tile away from its place in the goal. With 0 there are none."""

    def __post_init__(self) -> None:
        if not (self.rows in (2, 3) and self.columns in (2, 3) and 4 <= self.least_moves <= self.most_moves <= 16):
            raise UsageError(f"no sliding puzzle with {self}; rows and columns are 2 or 3, moves 4 to 16")


@dataclass(frozen=True, slots=True)
class Sliding:
    """Where each tile is and where it must go. Cells are (row, column), in the order of the numbers."""

    rows: int
    columns: int
    start: tuple[Cell, ...]
    goal: tuple[Cell, ...]


class SlidingTask(MoveTask[Sliding, SlidingParams]):
    """One cell is empty, and a tile beside it slides into it."""

    name = "sliding_puzzle"
    title = "Sliding Puzzle"
    description = "Slide numbered tiles until the board looks like the goal"
    group = "planning"
    puzzle_type = Sliding
    params_type = SlidingParams
    difficulties = {
        "easy": SlidingParams(),
        "medium": SlidingParams(3, 3, 7, 9),
        "hard": SlidingParams(3, 3, 9, 13, 2),
    }
    video_seconds = 6.0
    cell_px = CELL
    tolerance = 0.25

    def sample(self, rng: Random, params: SlidingParams) -> Sliding:
        cells = [(row, column) for row in range(params.rows) for column in range(params.columns)]
        rng.shuffle(cells)
        goal = tuple(cells[1:])
        before, at = goal, goal
        shape = Sliding(params.rows, params.columns, goal, goal)
        for _ in range(rng.randint(params.least_moves, params.most_moves)):  # backwards from the goal
            before, at = at, rng.choice([other for other in self.moves(shape, at) if other != before])
        puzzle = Sliding(params.rows, params.columns, at, goal)
        detours = _count_detours(self, puzzle)
        if not params.least_moves <= len(self.path(puzzle)) - 1 <= params.most_moves:
            raise Uncertified("too short or too long")
        if detours < params.detours or (detours and not params.detours):
            raise Uncertified(f"{detours} moves away from the goal")
        return puzzle

    def check_puzzle(self, puzzle: Sliding) -> None:
        cells = {(row, column) for row in range(puzzle.rows) for column in range(puzzle.columns)}
        for at in (puzzle.start, puzzle.goal):
            if not (set(at) < cells and len(set(at)) == len(at) == len(cells) - 1 <= 8):
                raise ValueError(f"no sliding puzzle: {puzzle}")

    def measure_difficulty(self, puzzle: Sliding) -> dict[str, float]:
        return super().measure_difficulty(puzzle) | {"detours": _count_detours(self, puzzle)}

    def prompt(self, puzzle: Sliding) -> str:
        return (
            "Slide the numbered tiles of the large board until they are arranged as on the small board under the word "
            "GOAL. Only a tile beside the empty cell can move, up, down, left or right into the empty cell, one tile "
            "at a time. Tiles keep their numbers and colours, and the small board stays as it is. Stop when both "
            "boards look alike. The camera does not move."
        )

    def size(self, puzzle: Sliding) -> tuple[int, int]:
        columns, rows = puzzle.columns, puzzle.rows
        return 2 * MARGIN + columns * (CELL + SMALL) + GAP, 2 * MARGIN + CELL * rows

    def ground(self, puzzle: Sliding, canvas: Canvas) -> None:
        columns, rows = puzzle.columns, puzzle.rows
        left, top = MARGIN + CELL * columns + GAP, MARGIN + (CELL - SMALL) * rows // 2 + 12
        for x, y, cell, frame in ((MARGIN, MARGIN, CELL, 12), (left, top, SMALL, 6)):
            canvas.rectangle(x - frame, y - frame, cell * columns + 2 * frame, cell * rows + 2 * frame, PALETTE.INK)
            canvas.rectangle(x, y, cell * columns, cell * rows, PALETTE.BOARD)
        canvas.text("GOAL", left + SMALL * columns / 2, top - 26, 20, PALETTE.INK, bold=True)
        for number, (row, column) in enumerate(puzzle.goal):
            _paint_tile(canvas, number, left + SMALL * (column + 0.5), top + SMALL * (row + 0.5), SMALL / CELL)

    def paint(self, canvas: Canvas, part: Part) -> None:
        _paint_tile(canvas, int(part.look) - 1, part.x, part.y, 1.0)

    def pieces(self, puzzle: Sliding) -> tuple[Piece, ...]:
        return tuple(Piece(f"tile{number + 1}", str(number + 1)) for number in range(len(puzzle.goal)))

    def places(self, puzzle: Sliding, piece: Piece) -> Iterator[Cell]:
        return ((row, column) for row in range(puzzle.rows) for column in range(puzzle.columns))

    def position(self, puzzle: Sliding, piece: Piece, place: Any) -> tuple[float, float]:
        return MARGIN + CELL * (place[1] + 0.5), MARGIN + CELL * (place[0] + 0.5)

    def start(self, puzzle: Sliding) -> Arrangement:
        return puzzle.start

    def is_goal(self, puzzle: Sliding, at: Arrangement) -> bool:
        return at == puzzle.goal

    def estimate(self, puzzle: Sliding, at: Arrangement) -> int:
        return sum(abs(one[0] - two[0]) + abs(one[1] - two[1]) for one, two in zip(at, puzzle.goal, strict=True))

    def moves(self, puzzle: Sliding, at: Arrangement) -> Iterator[Arrangement]:
        cells = {(row, column) for row in range(puzzle.rows) for column in range(puzzle.columns)}
        for empty in cells.difference(at):
            for tile, (row, column) in enumerate(at):
                if abs(row - empty[0]) + abs(column - empty[1]) == 1:
                    yield (*at[:tile], empty, *at[tile + 1 :])


def _paint_tile(canvas: Canvas, number: int, x: float, y: float, scale: float) -> None:
    half, hue = 34 * scale, PALETTE.HUES[number]
    corners = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
    canvas.polygon(corners, hue, PALETTE.INK, PALETTE.LINE * scale)
    text = PALETTE.INK if hue in (PALETTE.YELLOW, PALETTE.ORANGE, PALETTE.TEAL) else PALETTE.PAPER
    canvas.text(str(number + 1), x, y, 40 * scale, text, bold=True)


def _count_detours(task: SlidingTask, puzzle: Sliding) -> int:
    """Return how many moves of the solution take a tile away from its place in the goal."""
    return (len(task.path(puzzle)) - 1 - task.estimate(puzzle, puzzle.start)) // 2


TASK = SlidingTask()
