"""The rotation puzzle as a record: its params, its squares, and the proof that a puzzle is sound."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.core.ranges import Range
from vmevalkit.tasks.rotation_puzzle_task.pipes import (
    KINDS,
    QUARTERS,
    SIDES,
    classify_sides,
    get_sides,
    is_connected,
    name_sides,
    rotate_sides,
)
from vmevalkit.tasks.rotation_puzzle_task.solving import find_cheapest_layout

MAX_ROWS, MAX_COLS = 4, 6


@dataclass(frozen=True, slots=True)
class RotationPuzzleParams:
    """Params of rotation puzzles."""

    rows: int = 2
    """From 2 to 4."""
    cols: int = 2
    """From 2 to 6."""
    kinds: tuple[str, ...] = ("L",)
    """Kinds of pipes: L (bent), I (straight), T."""
    least_turns: int = 1
    """Lower limit of the fewest squares that must be rotated."""
    most_turns: int = 2
    """Upper limit of the fewest squares that must be rotated."""

    def __post_init__(self) -> None:
        if not (2 <= self.rows <= MAX_ROWS and 2 <= self.cols <= MAX_COLS):
            raise UsageError(
                f"rotation_puzzle: a grid of {self.rows} x {self.cols} squares is not supported; "
                f"use 2 to {MAX_ROWS} rows and 2 to {MAX_COLS} columns"
            )
        if not self.kinds or not set(self.kinds) <= set(KINDS) or len(set(self.kinds)) != len(self.kinds):
            raise UsageError(f"rotation_puzzle: kinds={self.kinds!r} is not valid; use some of L, I and T, each once")
        if self.kinds == ("I",) or (self.kinds == ("L",) and min(self.rows, self.cols) > 2):
            raise UsageError(
                f"rotation_puzzle: pipes of the kind {self.kinds[0]} alone cannot connect {self.rows} x {self.cols} "
                "squares; add another kind"
            )
        if not 1 <= self.least_turns <= self.most_turns <= self.rows * self.cols:
            raise UsageError(
                f"rotation_puzzle: {self.least_turns} to {self.most_turns} squares to rotate is not a valid range for "
                f"{self.rows * self.cols} squares; use least_turns >= 1, least_turns <= most_turns <= number of squares"
            )


@dataclass(frozen=True, slots=True)
class Square:
    """One square of a puzzle."""

    sides: tuple[str, ...]
    """The sides to which its pipe opens at 0 degrees: top, right, bottom, left."""
    initial_angle: int
    """Its rotation in the first frame: 0, 90, 180 or 270 degrees, clockwise."""


@dataclass(frozen=True, slots=True)
class RotationPuzzle:
    """Squares with pipes. At 0 degrees all pipes are connected; at the initial angles they are not."""

    rows: Annotated[int, Range(1, MAX_ROWS)]
    """Rows of the grid."""
    cols: Annotated[int, Range(1, MAX_COLS)]
    """Columns of the grid."""
    squares: tuple[Square, ...]
    """The squares, row by row."""

    @property
    def squares_to_turn(self) -> tuple[int, ...]:
        """Numbers of the squares that the reference solution rotates."""
        return tuple(number for number, square in enumerate(self.squares) if square.initial_angle)


@lru_cache(maxsize=256)
def get_target_pieces(puzzle: RotationPuzzle) -> tuple[int, ...]:
    """Return the pieces at 0 degrees."""
    return tuple(_encode_sides(square.sides) for square in puzzle.squares)


@lru_cache(maxsize=256)
def get_start_pieces(puzzle: RotationPuzzle) -> tuple[int, ...]:
    """Return the pieces of the first frame."""
    return tuple(rotate_sides(_encode_sides(square.sides), square.initial_angle // 90) for square in puzzle.squares)


@lru_cache(maxsize=256)
def get_pipe_kinds(puzzle: RotationPuzzle) -> tuple[str, ...]:
    """Return the kind of each square's pipe."""
    return tuple(classify_piece(sides)[0] for sides in get_target_pieces(puzzle))


def classify_piece(sides: int) -> tuple[str, int]:
    """Return the kind of a piece and its quarter turns. Raises Uncertified for sides that no kind has."""
    known = classify_sides(sides)
    if known is None:
        raise Uncertified(f"a pipe that opens to {', '.join(name_sides(sides)) or 'no side'} is neither L, I nor T")
    return known


def _encode_sides(sides: Sequence[str]) -> int:
    return sum({SIDES[side] for side in sides})


def count_fewest_turns(rows: int, cols: int, start: Sequence[int]) -> int | None:
    """Return how many squares must be rotated at least; None where no rotation connects the pipes."""
    return _find_least_cost(rows, cols, start, lambda quarters: min(quarters, 1))


@lru_cache(maxsize=256)
def count_fewest_quarter_turns(rows: int, cols: int, start: tuple[int, ...]) -> int:
    """Return the fewest quarter turns, of all squares together, that connect the pipes; 0 where none do."""
    return _find_least_cost(rows, cols, start, lambda quarters: quarters) or 0


def count_quarter_turns(puzzle: RotationPuzzle) -> int:
    """Return the quarter turns of the reference solution."""
    periods = [QUARTERS[kind] for kind in get_pipe_kinds(puzzle)]
    turns = [square.initial_angle // 90 for square in puzzle.squares]
    return sum(min(turn, period - turn) for turn, period in zip(turns, periods, strict=True))


def _find_least_cost(rows: int, cols: int, start: Sequence[int], cost: Callable[[int], float]) -> int | None:
    """Return the least cost of a connected layout, given what it costs to rotate a square by some quarter turns."""
    options = []
    for sides in start:
        kind, quarters = classify_piece(sides)
        period = QUARTERS[kind]
        options.append(
            [
                (get_sides(kind, other), float(cost(min((other - quarters) % period, (quarters - other) % period))))
                for other in range(period)
            ]
        )
    best = find_cheapest_layout(rows, cols, options)
    return None if best is None else round(best[0])


def build_question_key(puzzle: RotationPuzzle) -> Hashable:
    """Return the same key for puzzles with the same first frame, whichever layout their final frames show."""
    return (puzzle.rows, puzzle.cols, get_start_pieces(puzzle))


def certify(puzzle: RotationPuzzle) -> None:
    """Prove that a puzzle is sound. Raises Uncertified.

    Every square has a pipe, the pipes are connected at 0 degrees and not in the first frame, and no connected layout
    needs fewer squares to be rotated.
    """
    if len(puzzle.squares) != puzzle.rows * puzzle.cols:
        raise Uncertified(f"{len(puzzle.squares)} squares do not fill {puzzle.rows} x {puzzle.cols}")
    for square in puzzle.squares:
        unknown = set(square.sides) - set(SIDES)
        if unknown:
            raise Uncertified(f"{min(unknown)!r} is not a side; use top, right, bottom or left")
        kind, _ = classify_piece(_encode_sides(square.sides))
        if square.initial_angle not in range(0, 90 * QUARTERS[kind], 90):
            raise Uncertified(f"initial_angle={square.initial_angle} is not an angle of a pipe of the kind {kind}")
    if not is_connected(puzzle.rows, puzzle.cols, get_target_pieces(puzzle)):
        raise Uncertified("the pipes are not connected at 0 degrees")
    if is_connected(puzzle.rows, puzzle.cols, get_start_pieces(puzzle)):
        raise Uncertified("the pipes are already connected in the first frame")
    fewest = count_fewest_turns(puzzle.rows, puzzle.cols, get_start_pieces(puzzle))
    if fewest != len(puzzle.squares_to_turn):
        raise Uncertified(f"{len(puzzle.squares_to_turn)} squares are rotated where {fewest} are enough")
