"""Puzzles to choose from: one built from its first frame, a random one, or the list of all of a small grid."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from random import Random
from typing import overload

import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.errors import Uncertified
from vmevalkit.core.randomness import rng_for
from vmevalkit.tasks.rotation_puzzle_task.pipes import (
    QUARTERS,
    get_sides,
    is_connected,
    is_matched,
    name_sides,
    rotate_sides,
)
from vmevalkit.tasks.rotation_puzzle_task.puzzle import (
    RotationPuzzle,
    RotationPuzzleParams,
    Square,
    classify_piece,
    count_fewest_quarter_turns,
    count_quarter_turns,
    get_start_pieces,
)
from vmevalkit.tasks.rotation_puzzle_task.solving import find_cheapest_layout

MAX_LISTED_SQUARES = 4
"""Puzzles with at most this many squares are few enough to be listed."""
_SQUARE_COST, _QUARTER_COST = 1_000_000, 1_000
_BRANCH_COST = 0.3
"""Layouts with many T have many loops, which stay connected when a square is rotated, so few of them make a puzzle."""


@lru_cache(maxsize=256)
def build_puzzle(rows: int, cols: int, start: tuple[int, ...]) -> RotationPuzzle:
    """Return the puzzle whose first frame shows these pieces.

    Its 0 degrees are, of the connected layouts in which every end meets another or the edge of the grid, the one with
    the fewest squares rotated, and of these one with the fewest quarter turns. A random choice between equals depends
    on the pieces alone. Raises Uncertified where nothing connects them.
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
    best = find_cheapest_layout(rows, cols, options, matched=True)
    if best is None:
        raise Uncertified(f"the pipes {start} of {rows} x {cols} squares cannot be connected")
    squares = []
    for sides, end in zip(start, best[1], strict=True):
        (kind, initial), (_, final) = classify_piece(sides), classify_piece(end)
        squares.append(Square(name_sides(end), 90 * ((initial - final) % QUARTERS[kind])))
    return RotationPuzzle(rows, cols, tuple(squares))


def sample_puzzle(rng: Random, params: RotationPuzzleParams) -> RotationPuzzle:
    """Return a puzzle from a connected layout with some squares rotated.

    Raises Uncertified where fewer or more squares have to be rotated than the params allow. Whether a layout with loose
    ends is nearer is left to ``certify``.
    """
    pieces = _sample_solved_layout(rng, params)
    for place in rng.sample(range(len(pieces)), rng.randint(params.least_turns, params.most_turns)):
        pieces[place] = rotate_sides(pieces[place], rng.randrange(1, QUARTERS[classify_piece(pieces[place])[0]]))
    puzzle = build_puzzle(params.rows, params.cols, tuple(pieces))
    count = len(puzzle.squares_to_turn)
    if not params.least_turns <= count <= params.most_turns:
        raise Uncertified(
            f"{count} squares have to be rotated; the params ask for {params.least_turns} to {params.most_turns}"
        )
    if not _is_nearest(puzzle):
        raise Uncertified("a layout with loose ends is nearer than the one without")
    return puzzle


def _is_nearest(puzzle: RotationPuzzle) -> bool:
    """Return whether no connected layout needs fewer quarter turns than the reference solution: on its way the pipes
    then come nearer to an answer with every turn."""
    return count_quarter_turns(puzzle) == count_fewest_quarter_turns(puzzle.rows, puzzle.cols, get_start_pieces(puzzle))


def _sample_solved_layout(rng: Random, params: RotationPuzzleParams) -> list[int]:
    """Return the pieces of a connected layout without loose ends: the cheapest one where costs are random."""
    options = [
        [
            (get_sides(kind, quarters), rng.random() + _BRANCH_COST * (kind == "T"))
            for kind in params.kinds
            for quarters in range(QUARTERS[kind])
        ]
        for _ in range(params.rows * params.cols)
    ]
    best = find_cheapest_layout(params.rows, params.cols, options, matched=True)
    if best is None:
        kinds = ", ".join(params.kinds)
        raise Uncertified(f"pipes of the kinds {kinds} do not connect {params.rows} x {params.cols} squares")
    return list(best[1])


class PipePuzzleList(Sequence[RotationPuzzle]):
    """Every puzzle of a small grid, each built on access."""

    def __init__(self, params: RotationPuzzleParams) -> None:
        self._rows, self._cols = params.rows, params.cols
        self._starts: list[tuple[int, ...]] = []
        for kinds in product(params.kinds, repeat=params.rows * params.cols):
            for quarters in np.argwhere(_select_starts(params, kinds)).tolist():
                start = tuple(map(get_sides, kinds, quarters))
                if _is_nearest(build_puzzle(params.rows, params.cols, start)):
                    self._starts.append(start)

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


def _select_starts(params: RotationPuzzleParams, kinds: Sequence[str]) -> NDArray[np.bool_]:
    """Return for each orientation of pipes of these kinds whether its fewest turns are within the params, and as many
    lead to a layout without loose ends."""
    connected = np.full([QUARTERS[kind] for kind in kinds], len(kinds) + 1)
    matched = connected.copy()
    for quarters in np.ndindex(*connected.shape):
        pieces = list(map(get_sides, kinds, quarters))
        if is_connected(params.rows, params.cols, pieces):
            connected[quarters] = 0
            if is_matched(params.rows, params.cols, pieces):
                matched[quarters] = 0
    fewest = _count_turns(connected)
    within = (fewest >= params.least_turns) & (fewest <= params.most_turns)
    return np.asarray(within & (_count_turns(matched) == fewest))


def _count_turns(turns: NDArray[np.int_]) -> NDArray[np.int_]:
    """Return for each orientation the fewest squares to rotate to one that has 0."""
    # A square reaches any of its orientations in one turn, so one pass over each axis is enough.
    for axis in range(turns.ndim):
        turns = np.minimum(turns, turns.min(axis=axis, keepdims=True) + 1)
    return turns


@lru_cache(maxsize=16)
def list_puzzles(params: RotationPuzzleParams) -> PipePuzzleList | None:
    """Return every puzzle with these params, or None where there are too many to list."""
    return PipePuzzleList(params) if params.rows * params.cols <= MAX_LISTED_SQUARES else None
