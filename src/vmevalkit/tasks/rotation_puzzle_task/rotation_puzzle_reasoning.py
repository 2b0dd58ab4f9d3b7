"""Making rotation puzzles: knobs, the puzzle, sampling, listing, the proof that a puzzle is sound, its solution."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from random import Random
from typing import overload

import numpy as np

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.core.randomness import rng_for
from vmevalkit.tasks.rotation_puzzle_task.pipes import (
    KINDS,
    QUARTERS,
    SIDES,
    connected,
    lying,
    names,
    sides_of,
    turned,
)
from vmevalkit.tasks.rotation_puzzle_task.scene import Pipe, Point, Scene, layout_of, scene_of
from vmevalkit.tasks.rotation_puzzle_task.solving import cheapest
from vmevalkit.tasks.rotation_puzzle_task.targets import target

MOST_ROWS, MOST_COLS = 4, 6
LISTED = 4
"""Puzzles with so many squares are few enough to be listed."""
_SQUARE_COST, _QUARTER_COST = 1_000_000, 1_000


@dataclass(frozen=True, slots=True)
class RotationPuzzleKnobs:
    """What can be turned about rotation puzzles."""

    rows: int = 2
    """From 2 to 4."""
    cols: int = 2
    """From 2 to 6."""
    kinds: tuple[str, ...] = ("L",)
    """Of the pipes: L (bent), I (straight), T."""
    least_turns: int = 1
    """The fewest squares that must be turned: this many at least ..."""
    most_turns: int = 2
    """... and this many at most."""

    def __post_init__(self) -> None:
        if not (2 <= self.rows <= MOST_ROWS and 2 <= self.cols <= MOST_COLS):
            raise UsageError(
                f"rotation_puzzle: {self.rows} x {self.cols} squares are impossible; "
                f"wanted 2 to {MOST_ROWS} rows and 2 to {MOST_COLS} columns"
            )
        if not self.kinds or not set(self.kinds) <= set(KINDS) or len(set(self.kinds)) != len(self.kinds):
            raise UsageError(
                f"rotation_puzzle: kinds={self.kinds!r} is impossible; wanted some of L, I and T, each once"
            )
        if self.kinds == ("I",) or (self.kinds == ("L",) and min(self.rows, self.cols) > 2):
            raise UsageError(
                f"rotation_puzzle: pipes of the kind {self.kinds[0]} alone cannot connect {self.rows} x {self.cols} "
                "squares; add another kind"
            )
        if not 1 <= self.least_turns <= self.most_turns <= self.rows * self.cols:
            raise UsageError(
                f"rotation_puzzle: {self.least_turns} to {self.most_turns} squares to turn are impossible with "
                f"{self.rows * self.cols} squares; wanted 1 or more, in order, and no more than there are squares"
            )


@dataclass(frozen=True, slots=True)
class Square:
    """One square of a puzzle."""

    sides: tuple[str, ...]
    """The sides to which its pipe opens at 0 degrees: top, right, bottom, left."""
    initial_angle: int
    """How far it is turned in the first frame: 0, 90, 180 or 270 degrees, clockwise."""


@dataclass(frozen=True, slots=True)
class RotationPuzzle:
    """Squares, listed row by row. At 0 degrees all pipes are connected; as they are turned at first they are not."""

    rows: int
    cols: int
    squares: tuple[Square, ...]

    @property
    def to_turn(self) -> tuple[int, ...]:
        """The numbers of the squares that the reference solution turns."""
        return tuple(number for number, square in enumerate(self.squares) if square.initial_angle)


def _bits(sides: Sequence[str]) -> int:
    return sum({SIDES[side] for side in sides})


@lru_cache(maxsize=256)
def target_of(puzzle: RotationPuzzle) -> tuple[int, ...]:
    """The pieces at 0 degrees."""
    return tuple(_bits(square.sides) for square in puzzle.squares)


@lru_cache(maxsize=256)
def start_of(puzzle: RotationPuzzle) -> tuple[int, ...]:
    """The pieces of the first frame."""
    return tuple(turned(_bits(square.sides), square.initial_angle // 90) for square in puzzle.squares)


@lru_cache(maxsize=256)
def kinds_of(puzzle: RotationPuzzle) -> tuple[str, ...]:
    """The kind of each square's pipe."""
    return tuple(_lying(sides)[0] for sides in target_of(puzzle))


def _lying(sides: int) -> tuple[str, int]:
    known = lying(sides)
    if known is None:
        raise Uncertified(f"a pipe that opens to {', '.join(names(sides)) or 'no side'} is neither L, I nor T")
    return known


@lru_cache(maxsize=256)
def posed(rows: int, cols: int, start: tuple[int, ...]) -> RotationPuzzle:
    """The puzzle that begins like this. Its 0 degrees are the connected arrangement with the fewest squares turned,
    and of these one with the fewest quarter turns; the rest is chance, the same each time.

    Raises Uncertified where there is none.
    """
    chance = rng_for("rotation_puzzle", "target", rows, cols, start)
    options = []
    for sides in start:
        kind, quarters = _lying(sides)
        period = QUARTERS[kind]
        costs = []
        for other in range(period):
            apart = min((other - quarters) % period, (quarters - other) % period)
            cost = _SQUARE_COST * (apart > 0) + _QUARTER_COST * apart + chance.randrange(_QUARTER_COST // 50)
            costs.append((sides_of(kind, other), cost))
        options.append(costs)
    best = cheapest(rows, cols, options)
    if best is None:
        raise Uncertified(f"the pipes {start} of {rows} x {cols} squares cannot be connected")
    squares = []
    for sides, end in zip(start, best[1], strict=True):
        (kind, was), (_, shall) = _lying(sides), _lying(end)
        squares.append(Square(names(end), 90 * ((was - shall) % QUARTERS[kind])))
    return RotationPuzzle(rows, cols, tuple(squares))


def fewest_turns(rows: int, cols: int, start: Sequence[int]) -> int | None:
    """How many squares must be turned at least; None where turning does not help."""
    options = []
    for sides in start:
        kind, quarters = _lying(sides)
        options.append([(sides_of(kind, other), float(other != quarters)) for other in range(QUARTERS[kind])])
    best = cheapest(rows, cols, options)
    return None if best is None else round(best[0])


def sample(rng: Random, knobs: RotationPuzzleKnobs) -> RotationPuzzle:
    """A connected arrangement with some squares turned away. Raises Uncertified where others connect it sooner."""
    pieces = list(target(rng, knobs.rows, knobs.cols, knobs.kinds))
    for place in rng.sample(range(len(pieces)), rng.randint(knobs.least_turns, knobs.most_turns)):
        pieces[place] = turned(pieces[place], rng.randrange(1, QUARTERS[_lying(pieces[place])[0]]))
    puzzle = posed(knobs.rows, knobs.cols, tuple(pieces))
    if not knobs.least_turns <= len(puzzle.to_turn) <= knobs.most_turns:
        raise Uncertified(
            f"{len(puzzle.to_turn)} squares are to be turned; wanted {knobs.least_turns} to {knobs.most_turns}"
        )
    return puzzle


class Listing(Sequence[RotationPuzzle]):
    """Every puzzle of a small grid, each made when it is asked for."""

    def __init__(self, knobs: RotationPuzzleKnobs) -> None:
        self._rows, self._cols = knobs.rows, knobs.cols
        self._starts: list[tuple[int, ...]] = []
        for kinds in product(knobs.kinds, repeat=knobs.rows * knobs.cols):
            for quarters in np.argwhere(_within(knobs, kinds)).tolist():
                self._starts.append(tuple(map(sides_of, kinds, quarters)))

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> RotationPuzzle: ...
    @overload
    def __getitem__(self, index: slice) -> list[RotationPuzzle]: ...
    def __getitem__(self, index: int | slice) -> RotationPuzzle | list[RotationPuzzle]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return posed(self._rows, self._cols, self._starts[index])


def _within(knobs: RotationPuzzleKnobs, kinds: Sequence[str]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """For each way in which pipes of these kinds can lie, whether as many squares are to be turned as the knobs say."""
    fewest = np.full([QUARTERS[kind] for kind in kinds], len(kinds) + 1)
    for quarters in np.ndindex(*fewest.shape):
        if connected(knobs.rows, knobs.cols, list(map(sides_of, kinds, quarters))):
            fewest[quarters] = 0
    # A square can be turned to any of its positions at once, so each axis is gone through once.
    for axis in range(len(kinds)):
        fewest = np.minimum(fewest, fewest.min(axis=axis, keepdims=True) + 1)
    return np.asarray((fewest >= knobs.least_turns) & (fewest <= knobs.most_turns))


@lru_cache(maxsize=16)
def listing(knobs: RotationPuzzleKnobs) -> Listing | None:
    """Every puzzle with these knobs, or None where they are too many to list."""
    return Listing(knobs) if knobs.rows * knobs.cols <= LISTED else None


def key(puzzle: RotationPuzzle) -> Hashable:
    """Puzzles that begin alike are one question, whatever arrangement their final frames show."""
    return (puzzle.rows, puzzle.cols, start_of(puzzle))


def certify(puzzle: RotationPuzzle) -> None:
    """Raises Uncertified unless the puzzle is made of pipes, connected at 0 degrees, not connected at first, and no
    connected arrangement can be had with fewer squares turned."""
    if len(puzzle.squares) != puzzle.rows * puzzle.cols:
        raise Uncertified(f"{len(puzzle.squares)} squares do not fill {puzzle.rows} x {puzzle.cols}")
    for square in puzzle.squares:
        unknown = set(square.sides) - set(SIDES)
        if unknown:
            raise Uncertified(f"{min(unknown)!r} is no side; wanted top, right, bottom or left")
        kind, _ = _lying(_bits(square.sides))
        if square.initial_angle not in range(0, 90 * QUARTERS[kind], 90):
            raise Uncertified(f"initial_angle={square.initial_angle} is no angle of a pipe of the kind {kind}")
    if not connected(puzzle.rows, puzzle.cols, target_of(puzzle)):
        raise Uncertified("the pipes are not connected at 0 degrees")
    if connected(puzzle.rows, puzzle.cols, start_of(puzzle)):
        raise Uncertified("the pipes are connected at the start already")
    fewest = fewest_turns(puzzle.rows, puzzle.cols, start_of(puzzle))
    if fewest != len(puzzle.to_turn):
        raise Uncertified(f"{len(puzzle.to_turn)} squares are turned where {fewest} are enough")


def home_pipe(puzzle: RotationPuzzle, number: int, angle_deg: float) -> Pipe:
    """A square's own pipe in its place, turned by this angle from the 0 degrees of the puzzle."""
    return _pipe_at(layout_of(puzzle.rows, puzzle.cols).homes[number], number, target_of(puzzle)[number], angle_deg)


def _pipe_at(home: Point, number: int, sides: int, angle_deg: float) -> Pipe:
    kind, quarters = _lying(sides)
    return Pipe(number, kind, (90 * quarters + angle_deg) % (90 * QUARTERS[kind]), *home)


def arranged(puzzle: RotationPuzzle, angles_deg: Sequence[float]) -> Scene:
    """Every square in its place, turned by its angle."""
    homes, targets = layout_of(puzzle.rows, puzzle.cols).homes, target_of(puzzle)
    return scene_of(
        _pipe_at(home, number, sides, angle)
        for number, (home, sides, angle) in enumerate(zip(homes, targets, angles_deg, strict=True))
    )


def turns_of(puzzle: RotationPuzzle) -> list[tuple[int, float, float]]:
    """The turns of the reference solution, in order: the square, and its angle before and after, the short way."""
    turns = []
    for number in puzzle.to_turn:
        angle, period = puzzle.squares[number].initial_angle, 90 * QUARTERS[kinds_of(puzzle)[number]]
        turns.append((number, float(angle), 0.0 if 2 * angle < period else float(period)))
    return turns


def played(puzzle: RotationPuzzle, turns: Sequence[tuple[int, float, float]], t: float) -> list[float]:
    """The angles at time t of a film in which one square after the other is turned, each easing in and out."""
    angles = [float(square.initial_angle) for square in puzzle.squares]
    whole = sum(abs(end - start) for _, start, end in turns)
    began = 0.0
    for number, start, end in turns:
        lasts = abs(end - start) / whole
        share = eased((t - began) / lasts)
        if share > 0:
            angles[number] = start + share * (end - start)
        began += lasts
    return angles


def eased(x: float) -> float:
    """From 0 to 1, slower at both ends."""
    x = min(max(x, 0.0), 1.0)
    return 0.5 * x + 0.5 * x * x * (3 - 2 * x)


def solution(puzzle: RotationPuzzle, t: float) -> Scene:
    """One square after the other turns to 0 degrees, the short way."""
    if t >= 1:
        return arranged(puzzle, [0.0] * len(puzzle.squares))
    return arranged(puzzle, played(puzzle, turns_of(puzzle), t))
