"""Cheats, wrong answers, and right answers that look unusual: each a trajectory of states."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from vmevalkit.tasks.sudoku_task.sudoku_reasoning import (
    BLANK,
    Face,
    Ink,
    Sudoku,
    SudokuState,
    filled,
    filling_order,
    printed,
)
from vmevalkit.tasks.task import Film

DONE = 0.6
"""When the blanks are filled, where something else happens as well."""
_Moves = Callable[[float], SudokuState]


def films(puzzle: Sudoku, rng: Random) -> dict[str, Film[SudokuState]]:
    """The films that this puzzle allows."""
    return {**_wrong_answers(puzzle, rng), **_damages(puzzle, rng), **_unusual(puzzle, rng)}


def _wrong_answers(puzzle: Sudoku, rng: Random) -> dict[str, Film[SudokuState]]:
    order = filling_order(puzzle)
    cell = rng.choice(order)
    right, wrong = puzzle.solution[cell], _other(rng, puzzle, cell)
    pair = tuple(rng.sample((right, wrong), 2))
    fills = _fills(puzzle)
    most = rng.uniform(0.3, 0.42)
    spoilt = rng.choice([BLANK, Ink((wrong,)), Ink((0,)), Ink(pair)])

    def mistaken(t: float) -> SudokuState:
        answer = list(puzzle.solution)
        answer[cell] = wrong
        return filled(puzzle, answer, t, order)

    def half_faded(t: float) -> SudokuState:
        return with_ink(fills(t), cell, Ink((right,), min(t / 0.8, 1.0) * most))

    shown = {
        "wrong_digit": Film(mistaken, "fail", "one of the digits is wrong"),
        "two_digits": Film(_ends(fills, cell, Ink(pair)), "fail", "a cell gets the right digit and another one"),
        "scribbled": Film(_ends(fills, cell, Ink((0,))), "fail", "a cell gets a scribble"),
        "half_faded": Film(half_faded, "fail", "one of the digits comes up only half"),
        "answer_destroyed": Film(
            _later(fills, cell, spoilt, 0.75), "fail", "the answer stands in the middle and is spoilt later"
        ),
    }
    if len(order) > 1:
        shown["one_missing"] = Film(_ends(fills, cell, BLANK), "fail", "one of the blanks stays empty")
    return shown


def _damages(puzzle: Sudoku, rng: Random) -> dict[str, Film[SudokuState]]:
    fills = _fills(puzzle)
    cell = rng.choice([place for place, digit in enumerate(puzzle.givens) if digit])
    digit, other = puzzle.givens[cell], _other(rng, puzzle, cell)
    when = rng.uniform(0.2, 0.8)
    return {
        "given_changed": Film(
            _later(fills, cell, Ink((other,)), when), "fail", "the answer is right, but a given digit is another one"
        ),
        "given_lost": Film(_later(fills, cell, BLANK, when), "fail", "the answer is right, but a given digit is gone"),
        "given_doubled": Film(
            _later(fills, cell, Ink((digit, other)), when), "fail", "a second digit appears beside a given one"
        ),
    }


def _unusual(puzzle: Sudoku, rng: Random) -> dict[str, Film[SudokuState]]:
    order = filling_order(puzzle)
    cell = rng.choice(order)
    given = rng.choice([place for place, digit in enumerate(puzzle.givens) if digit])
    wrong, changed = _other(rng, puzzle, cell), _other(rng, puzzle, given)
    face: Face = rng.choice(("plain", "serif"))
    fills = _fills(puzzle)

    def corrected(t: float) -> SudokuState:
        state = fills(t)
        standing = state.cells[cell]
        return with_ink(state, cell, Ink((wrong,), standing.opacity)) if standing.digits and t < 0.7 else state

    def restored(t: float) -> SudokuState:
        state = fills(t)
        return with_ink(state, given, Ink((changed,))) if 0.3 <= t < DONE else state

    def restyled(t: float) -> SudokuState:
        state = fills(t)
        return state if t < 0.7 else SudokuState(tuple(Ink(ink.digits, ink.opacity, face) for ink in state.cells))

    return {
        "other_typeface": Film(
            lambda t: filled(puzzle, puzzle.solution, t, order, face), "pass", "the digits have another typeface"
        ),
        "by_hand": Film(
            lambda t: filled(puzzle, puzzle.solution, t, order, "hand"), "pass", "the digits are written by hand"
        ),
        "all_restyled": Film(restyled, "pass", "the whole board changes its typeface and colour"),
        "corrected": Film(corrected, "pass", "a wrong digit is corrected"),
        "given_restored": Film(restored, "pass", "a given digit is changed for a while and restored"),
    }


def _fills(puzzle: Sudoku) -> _Moves:
    """The answer, done early."""
    order = filling_order(puzzle)

    def at(t: float) -> SudokuState:
        return printed(puzzle.solution) if t >= DONE else filled(puzzle, puzzle.solution, t / DONE, order)

    return at


def _ends(fills: _Moves, cell: int, ink: Ink) -> _Moves:
    """As it fills, but with other ink in a cell."""

    def at(t: float) -> SudokuState:
        state = fills(t)
        standing = state.cells[cell]
        return with_ink(state, cell, Ink(ink.digits, standing.opacity) if standing.digits and ink.digits else BLANK)

    return at


def _later(fills: _Moves, cell: int, ink: Ink, when: float) -> _Moves:
    """As it fills, but with other ink in a cell from some time on."""
    return lambda t: with_ink(fills(t), cell, ink) if t >= when else fills(t)


def with_ink(state: SudokuState, cell: int, ink: Ink) -> SudokuState:
    return SudokuState((*state.cells[:cell], ink, *state.cells[cell + 1 :]))


def _other(rng: Random, puzzle: Sudoku, cell: int) -> int:
    """A digit that does not belong into the cell."""
    return rng.choice([digit for digit in range(1, puzzle.order + 1) if digit != puzzle.solution[cell]])
