"""Puzzles to choose from: one built from its first frame, a random one, or the list of all of a small grid."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from random import Random
from typing import overload

import numpy as np

from vmevalkit.core.errors import Uncertified
from vmevalkit.core.randomness import rng_for
from vmevalkit.tasks.rotation_puzzle_task.pipes import QUARTERS, get_sides, is_connected, name_sides, rotate_sides
from vmevalkit.tasks.rotation_puzzle_task.puzzle import RotationPuzzle, RotationPuzzleParams, Square, classify_piece
from vmevalkit.tasks.rotation_puzzle_task.solved_layouts import sample_connected_layout
from vmevalkit.tasks.rotation_puzzle_task.solving import find_cheapest_layout

MAX_LISTED_SQUARES = 4
"""Puzzles with at most this many squares are few enough to be listed."""
_SQUARE_COST, _QUARTER_COST = 1_000_000, 1_000


@lru_cache(maxsize=256)
def build_puzzle(rows: int, cols: int, start: tuple[int, ...]) -> RotationPuzzle:
    """Return the puzzle whose first frame shows these pieces.

    Its 0 degrees are the connected layout with the fewest squares rotated, and of these one with the fewest quarter
    turns. A random choice between equals depends on the pieces alone. Raises Uncertified where nothing connects them.
    """
    rng = rng_for("rotation_puzzle", "target", rows, cols, start)
    options = []
    for sides in start:
        kind, quarters = classify_piece(sides)
        period = QUARTERS[kind]
        costs = []
        for other in range(period):
            distance = min((other - quarters) % period, (quarters - other) % period)
            cost = _SQUARE_COST * (distance > 0) + _QUARTER_COST * distance + rng.randrange(_QUARTER_COST // 50)
            costs.append((get_sides(kind, other), cost))
        options.append(costs)
    best = find_cheapest_layout(rows, cols, options)
    if best is None:
        raise Uncertified(f"the pipes {start} of {rows} x {cols} squares cannot be connected")
    squares = []
    for sides, end in zip(start, best[1], strict=True):
        (kind, initial), (_, final) = classify_piece(sides), classify_piece(end)
        squares.append(Square(name_sides(end), 90 * ((initial - final) % QUARTERS[kind])))
    return RotationPuzzle(rows, cols, tuple(squares))


def sample_puzzle(rng: Random, params: RotationPuzzleParams) -> RotationPuzzle:
    """Return a puzzle from a connected layout with some squares rotated.

    Raises Uncertified where fewer or more squares have to be rotated than the params allow.
    """
    pieces = list(sample_connected_layout(rng, params.rows, params.cols, params.kinds))
    for place in rng.sample(range(len(pieces)), rng.randint(params.least_turns, params.most_turns)):
        pieces[place] = rotate_sides(pieces[place], rng.randrange(1, QUARTERS[classify_piece(pieces[place])[0]]))
    puzzle = build_puzzle(params.rows, params.cols, tuple(pieces))
    count = len(puzzle.squares_to_turn)
    if not params.least_turns <= count <= params.most_turns:
        raise Uncertified(
            f"{count} squares have to be rotated; the params ask for {params.least_turns} to {params.most_turns}"
        )
    return puzzle


class PipePuzzleList(Sequence[RotationPuzzle]):
    """Every puzzle of a small grid, each built on access."""

    def __init__(self, params: RotationPuzzleParams) -> None:
        self._rows, self._cols = params.rows, params.cols
        self._starts: list[tuple[int, ...]] = []
        for kinds in product(params.kinds, repeat=params.rows * params.cols):
            for quarters in np.argwhere(_select_starts(params, kinds)).tolist():
                self._starts.append(tuple(map(get_sides, kinds, quarters)))

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> RotationPuzzle: ...
    @overload
    def __getitem__(self, index: slice) -> list[RotationPuzzle]: ...
    def __getitem__(self, index: int | slice) -> RotationPuzzle | list[RotationPuzzle]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return build_puzzle(self._rows, self._cols, self._starts[index])


def _select_starts(
    params: RotationPuzzleParams, kinds: Sequence[str]
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return for each orientation of pipes of these kinds whether its fewest turns are within the params."""
    fewest = np.full([QUARTERS[kind] for kind in kinds], len(kinds) + 1)
    for quarters in np.ndindex(*fewest.shape):
        if is_connected(params.rows, params.cols, list(map(get_sides, kinds, quarters))):
            fewest[quarters] = 0
    # A square reaches any of its orientations in one turn, so one pass over each axis is enough.
    for axis in range(len(kinds)):
        fewest = np.minimum(fewest, fewest.min(axis=axis, keepdims=True) + 1)
    return np.asarray((fewest >= params.least_turns) & (fewest <= params.most_turns))


@lru_cache(maxsize=16)
def list_puzzles(params: RotationPuzzleParams) -> PipePuzzleList | None:
    """Return every puzzle with these params, or None where there are too many to list."""
    return PipePuzzleList(params) if params.rows * params.cols <= MAX_LISTED_SQUARES else None
