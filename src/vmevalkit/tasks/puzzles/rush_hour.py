"""Rush Hour: slide cars out of the way until the red car is at the exit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

from vmevalkit.tasks.kit import PALETTE, Arrangement, Canvas, MoveTask, Part, Piece, Uncertified, UsageError

SIDE, CELL, MARGIN, EXIT_ROW = 6, 66, 40, 2
WALK = 150
"""Random moves away from a solved lot; the arrangement that looks hardest is taken."""
Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RushParams:
    """Params of the puzzles."""

    cars: int = 5
    least_moves: int = 4
    most_moves: int = 7
    least_others: int = 1
    most_others: int = 2
    """Cars beside the red one that must move in the shortest solution."""

    def __post_init__(self) -> None:
        if not (3 <= self.cars <= 8 and 4 <= self.least_moves <= self.most_moves <= 16):
            raise UsageError(f"no Rush Hour with {self}; cars are 3 to 8, moves 4 to 16")
        if not 1 <= self.least_others <= self.most_others < self.cars:
            raise UsageError(f"no Rush Hour with {self}; the other cars to move are at least 1 and fewer than all cars")


@dataclass(frozen=True, slots=True)
class Lot:
    """A square parking lot. The first car is the red one."""

    cars: tuple[tuple[int, int], ...]
    """Length, and 1 for a car that stands upright, of each car."""
    start: tuple[Cell, ...]
    """Row and column of the upper left cell of each car."""


class RushHourTask(MoveTask[Lot, RushParams]):
    """A car in the way may itself be blocked by others."""

    name = "rush_hour"
    title = "Rush Hour"
    description = "Slide cars out of the way until the red car is at the exit"
    group = "planning"
    puzzle_type = Lot
    params_type = RushParams
    difficulties = {
        "easy": RushParams(),
        "medium": RushParams(7, 7, 10, 2, 3),
        "hard": RushParams(8, 9, 13, 3, 7),
    }
    video_seconds = 7.0
    cell_px = CELL
    tolerance = 0.3

    def sample(self, rng: Random, params: RushParams) -> Lot:
        cars, at = [(2, 0)], [(EXIT_ROW, SIDE - 2)]
        taken = _mask(cars[0], at[0])
        for _ in range(80):
            car = (rng.choice((2, 2, 3)), rng.choice((0, 1, 1)))
            place = (rng.randrange(SIDE), rng.randrange(SIDE))
            mask = _mask(car, place)
            if mask and not mask & taken and (car[1] or place[0] != EXIT_ROW):
                cars, at, taken = [*cars, car], [*at, place], taken | mask
            if len(cars) == params.cars:
                break
        else:
            raise Uncertified("the cars have no room")
        puzzle = Lot(tuple(cars), tuple(at))
        walk = [puzzle.start]
        for _ in range(WALK):
            walk.append(rng.choice(list(self.moves(puzzle, walk[-1])) or [puzzle.start]))
        puzzle = Lot(puzzle.cars, max(walk, key=lambda each: self.estimate(puzzle, each)))
        if not params.least_moves * 2 // 3 <= self.estimate(puzzle, puzzle.start) <= params.most_moves:
            raise Uncertified("the red car is near the exit")
        if not params.least_moves <= len(self.path(puzzle)) - 1 <= params.most_moves:
            raise Uncertified("too short or too long")
        if not params.least_others <= self._count_others(puzzle) <= params.most_others:
            raise Uncertified("too few or too many cars must move")
        return puzzle

    def check_puzzle(self, puzzle: Lot) -> None:
        masks = [_mask(car, at) for car, at in zip(puzzle.cars, puzzle.start, strict=True)]
        if not all(masks) or sum(mask.bit_count() for mask in masks) > sum(masks).bit_count():
            raise ValueError(f"cars overlap or leave the lot: {puzzle}")
        if puzzle.cars[0][1] or puzzle.start[0][0] != EXIT_ROW:
            raise ValueError(f"the red car is not in the row of the exit: {puzzle}")

    def _count_others(self, puzzle: Lot) -> int:
        places = zip(*self.path(puzzle), strict=True)
        return sum(len(set(place)) > 1 for place in places) - 1

    def measure_difficulty(self, puzzle: Lot) -> dict[str, float]:
        return super().measure_difficulty(puzzle) | {"other_cars_to_move": self._count_others(puzzle)}

    def prompt(self, puzzle: Lot) -> str:
        return (
            "Slide the cars of this parking lot until the red car touches the exit, the gap in the right wall. One car "
            "moves at a time. Each car moves only along its own length: long ones from left to right only left and "
            "right, upright ones only up and down. Cars never turn, overlap or pass through each other or the walls. "
            "Stop when the red car is at the exit. The camera does not move."
        )

    def size(self, puzzle: Lot) -> tuple[int, int]:
        return (2 * MARGIN + CELL * SIDE,) * 2

    def ground(self, puzzle: Lot, canvas: Canvas) -> None:
        span = CELL * SIDE
        canvas.rectangle(MARGIN - 14, MARGIN - 14, span + 28, span + 28, PALETTE.INK)
        for row in range(SIDE):
            for column in range(SIDE):
                x, y = MARGIN + CELL * column, MARGIN + CELL * row
                canvas.rectangle(x + 1, y + 1, CELL - 2, CELL - 2, PALETTE.BOARD)
        x, y = MARGIN + span, MARGIN + CELL * EXIT_ROW
        canvas.rectangle(x, y, MARGIN, CELL, PALETTE.BOARD)
        canvas.polygon([(x + 10, y + 20), (x + 28, y + CELL / 2), (x + 10, y + CELL - 20)], PALETTE.RED)

    def paint(self, canvas: Canvas, part: Part) -> None:
        hue, length, is_upright = (int(number) for number in part.look.split("-"))
        along, across = CELL * length / 2 - 8, CELL / 2 - 9
        x, y = along, across
        outline = [(-x, 12 - y), (12 - x, -y), (x - 12, -y), (x, 12 - y), (x, y - 12), (x - 12, y), (12 - x, y),
                   (-x, y - 12)]  # fmt: skip
        front, side = along - 22, across - 9
        window = [(front - 14, -side), (front, -side), (front, side), (front - 14, side)]
        for corners, fill in ((outline, PALETTE.HUES[hue]), (window, PALETTE.PAPER)):
            turned = [(part.x + (b if is_upright else a), part.y + (a if is_upright else b)) for a, b in corners]
            canvas.polygon(turned, fill, PALETTE.INK, PALETTE.LINE)

    def pieces(self, puzzle: Lot) -> tuple[Piece, ...]:
        return tuple(
            Piece(f"car{i}", f"{i}-{length}-{is_upright}") for i, (length, is_upright) in enumerate(puzzle.cars)
        )

    def places(self, puzzle: Lot, piece: Piece) -> Iterator[Cell]:
        index = int(piece.name[3:])
        (length, is_upright), (row, column) = puzzle.cars[index], puzzle.start[index]
        return ((i, column) if is_upright else (row, i) for i in range(SIDE - length + 1))

    def position(self, puzzle: Lot, piece: Piece, place: Any) -> tuple[float, float]:
        length, is_upright = puzzle.cars[int(piece.name[3:])]
        tall, wide = (length, 1) if is_upright else (1, length)
        return MARGIN + CELL * (place[1] + wide / 2), MARGIN + CELL * (place[0] + tall / 2)

    def start(self, puzzle: Lot) -> Arrangement:
        return puzzle.start

    def is_goal(self, puzzle: Lot, at: Arrangement) -> bool:
        return bool(at[0][1] + puzzle.cars[0][0] == SIDE)

    def estimate(self, puzzle: Lot, at: Arrangement) -> int:
        """Return the way of the red car, and that of each car in its row to one side of it."""
        end: int = at[0][1] + puzzle.cars[0][0]
        count = SIDE - end
        for (length, is_upright), (row, column) in zip(puzzle.cars, at, strict=True):
            if is_upright and row <= EXIT_ROW < row + length and column >= end:
                up, down = row + length - EXIT_ROW, EXIT_ROW + 1 - row
                count += down if up > row else up if row + down + length > SIDE else min(up, down)
        return count

    def moves(self, puzzle: Lot, at: Arrangement) -> Iterator[Arrangement]:
        masks = [_mask(car, place) for car, place in zip(puzzle.cars, at, strict=True)]
        taken = sum(masks)
        for index, ((_, is_upright), (row, column)) in enumerate(zip(puzzle.cars, at, strict=True)):
            for step in (-1, 1):
                to = (row + step, column) if is_upright else (row, column + step)
                mask = _mask(puzzle.cars[index], to)
                if mask and not mask & (taken ^ masks[index]):
                    yield (*at[:index], to, *at[index + 1 :])


@lru_cache(maxsize=2048)
def _mask(car: tuple[int, int], at: Cell) -> int:
    """Return the cells of a car as bits; 0 where it would leave the lot."""
    (length, is_upright), (row, column) = car, at
    cells = [(row + i * is_upright, column + i * (1 - is_upright)) for i in range(length)]
    if min(row, column) < 0 or max(max(cell) for cell in cells) >= SIDE:
        return 0
    return sum(1 << (i * SIDE + j) for i, j in cells)


TASK = RushHourTask()
