"""Knight's path: a chess knight jumps to the marked square over squares that are safe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

from vmevalkit.tasks.kit import PALETTE, Arrangement, Canvas, MoveTask, Part, Piece, Uncertified, UsageError

CELL, MARGIN = 58, 30
Cell = tuple[int, int]
HEAD = [(-13, 21), (15, 21), (15, 8), (13, -6), (6, -17), (1, -20), (-2, -25), (-6, -18), (-12, -11), (-19, 0),
        (-17, 7), (-12, 8), (-6, 2), (0, 1), (-6, 8), (-12, 14)]  # fmt: skip
TOWER = [(-15, 20), (15, 20), (12, 12), (10, -6), (15, -8), (15, -20), (8, -20), (8, -14), (4, -14), (4, -20),
         (-4, -20), (-4, -14), (-8, -14), (-8, -20), (-15, -20), (-15, -8), (-10, -6), (-12, 12)]  # fmt: skip


@dataclass(frozen=True, slots=True)
class KnightParams:
    """Params of the puzzles."""

    side: int = 7
    least_moves: int = 4
    most_moves: int = 5
    holes: int = 0
    """Squares that are missing."""
    rooks: int = 0
    """Rooks, whose rows and columns the knight must not stop in."""

    def __post_init__(self) -> None:
        if not (5 <= self.side <= 8 and 4 <= self.least_moves <= self.most_moves):
            raise UsageError(f"no knight's path with {self}; side is 5 to 8, moves at least 4")
        if not (0 <= self.holes <= self.side**2 // 2 and 0 <= self.rooks <= 2):
            raise UsageError(f"no knight's path with {self}; holes are at most half of the squares, rooks at most 2")


@dataclass(frozen=True, slots=True)
class KnightBoard:
    """A board. Squares are (row, column)."""

    side: int
    knight: Cell
    target: Cell
    holes: tuple[Cell, ...]
    rooks: tuple[Cell, ...]


class KnightsPathTask(MoveTask[KnightBoard, KnightParams]):
    """Which squares are safe is seen (holes), or must be inferred (what rooks attack)."""

    name = "knights_path"
    title = "Knight's Path"
    description = "A chess knight jumps to the marked square"
    group = "planning"
    puzzle_type = KnightBoard
    params_type = KnightParams
    difficulties = {
        "easy": KnightParams(),
        "medium": KnightParams(6, 5, 7, holes=12),
        "hard": KnightParams(8, 6, 10, holes=6, rooks=2),
    }
    video_seconds = 6.0
    cell_px = CELL
    tolerance = 0.2
    is_free_flight = True

    def sample(self, rng: Random, params: KnightParams) -> KnightBoard:
        squares = [(row, column) for row in range(params.side) for column in range(params.side)]
        chosen = rng.sample(squares, params.rooks + params.holes)
        rooks, holes = tuple(sorted(chosen[: params.rooks])), tuple(sorted(chosen[params.rooks :]))
        safe = sorted(_list_safe(params.side, holes, rooks))
        puzzle = KnightBoard(params.side, rng.choice(safe), rng.choice(safe), holes, rooks)
        if not params.least_moves <= len(self.path(puzzle)) - 1 <= params.most_moves:
            raise Uncertified("too short or too long")
        return puzzle

    def check_puzzle(self, puzzle: KnightBoard) -> None:
        if not {puzzle.knight, puzzle.target} <= _list_safe(puzzle.side, puzzle.holes, puzzle.rooks):
            raise ValueError(f"the knight or the target is not on a safe square: {puzzle}")

    def measure_difficulty(self, puzzle: KnightBoard) -> dict[str, float]:
        safe = len(_list_safe(puzzle.side, puzzle.holes, puzzle.rooks))
        return super().measure_difficulty(puzzle) | {"unsafe_squares": puzzle.side**2 - safe}

    def prompt(self, puzzle: KnightBoard) -> str:
        rules = []
        if puzzle.holes:
            rules.append("It must not land on a dark hole.")
        if puzzle.rooks:
            rooks = "the purple rook" if len(puzzle.rooks) == 1 else "a purple rook"
            rules.append(f"It must never land in the row or in the column of {rooks}.")
        return " ".join([
            "Move the green chess knight to the square with the red ring. In one jump it goes two squares along a row "
            "or a column and one square to the side, as in chess, and it may jump over anything.", *rules,
            "Everything else stays as it is. Stop when the knight is on the square with the red ring. The camera does "
            "not move."])  # fmt: skip

    def size(self, puzzle: KnightBoard) -> tuple[int, int]:
        return (2 * MARGIN + CELL * puzzle.side,) * 2

    def ground(self, puzzle: KnightBoard, canvas: Canvas) -> None:
        span = CELL * puzzle.side
        canvas.rectangle(MARGIN - 10, MARGIN - 10, span + 20, span + 20, PALETTE.INK)
        for row, column in product(range(puzzle.side), repeat=2):
            fill = PALETTE.SHADE if (row + column) % 2 else PALETTE.BOARD
            fill = PALETTE.INK if (row, column) in puzzle.holes else fill
            canvas.rectangle(MARGIN + CELL * column, MARGIN + CELL * row, CELL, CELL, fill)
        x, y = self.position(puzzle, Piece("", ""), puzzle.target)
        canvas.circle(x, y, 21, stroke=PALETTE.RED, width=5)
        for rook in puzzle.rooks:
            x, y = self.position(puzzle, Piece("", ""), rook)
            canvas.polygon([(x + dx, y + dy) for dx, dy in TOWER], PALETTE.PURPLE, PALETTE.INK, PALETTE.LINE)

    def paint(self, canvas: Canvas, part: Part) -> None:
        head = [(part.x + dx, part.y + 2 + dy) for dx, dy in HEAD]
        canvas.polygon(head, PALETTE.GREEN, PALETTE.INK, PALETTE.LINE)
        canvas.circle(part.x - 4, part.y - 6, 2.5, fill=PALETTE.PAPER)

    def pieces(self, puzzle: KnightBoard) -> tuple[Piece, ...]:
        return (Piece("knight", "knight"),)

    def places(self, puzzle: KnightBoard, piece: Piece) -> Iterator[Cell]:
        return ((row, column) for row in range(puzzle.side) for column in range(puzzle.side))

    def position(self, puzzle: KnightBoard, piece: Piece, place: Any) -> tuple[float, float]:
        return MARGIN + CELL * (place[1] + 0.5), MARGIN + CELL * (place[0] + 0.5)

    def start(self, puzzle: KnightBoard) -> Arrangement:
        return (puzzle.knight,)

    def is_goal(self, puzzle: KnightBoard, at: Arrangement) -> bool:
        return at == (puzzle.target,)

    def moves(self, puzzle: KnightBoard, at: Arrangement) -> Iterator[Arrangement]:
        safe = _list_safe(puzzle.side, puzzle.holes, puzzle.rooks)
        for down, across in product((-2, -1, 1, 2), repeat=2):
            to = at[0][0] + down, at[0][1] + across
            if abs(down) != abs(across) and to in safe:
                yield (to,)


@lru_cache(maxsize=256)
def _list_safe(side: int, holes: tuple[Cell, ...], rooks: tuple[Cell, ...]) -> frozenset[Cell]:
    """Return the squares on which the knight may be."""
    rows, columns = {row for row, _ in rooks}, {column for _, column in rooks}
    squares = [(row, column) for row in range(side) for column in range(side)]
    return frozenset(cell for cell in squares if cell not in holes and not (cell[0] in rows or cell[1] in columns))


TASK = KnightsPathTask()
