"""Cheats, wrong answers, and right answers that look unusual: each a trajectory of states."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from vmevalkit.tasks.sudoku_task.sudoku_reasoning import (
    BLANK,
    CellInk,
    Face,
    Sudoku,
    SudokuState,
    fill_blanks,
    filling_order,
    make_printed_state,
)
from vmevalkit.tasks.task import StateTrajectory

FILLED_AT = 0.6
"""Time at which all blanks are filled, in videos where something else happens too."""
_StateAt = Callable[[float], SudokuState]


def make_cheats(puzzle: Sudoku, rng: Random) -> dict[str, StateTrajectory[SudokuState]]:
    """Return all trajectories that this puzzle allows, by name."""
    return {**_wrong_answers(puzzle, rng), **_damaged_givens(puzzle, rng), **_unusual_solutions(puzzle, rng)}


def _wrong_answers(puzzle: Sudoku, rng: Random) -> dict[str, StateTrajectory[SudokuState]]:
    order = filling_order(puzzle)
    cell = rng.choice(order)
    right, wrong = puzzle.solution[cell], _choose_wrong_digit(rng, puzzle, cell)
    pair = tuple(rng.sample((right, wrong), 2))
    right_answer = _fill_early(puzzle)
    max_opacity = rng.uniform(0.3, 0.42)
    damage = rng.choice([BLANK, CellInk((wrong,)), CellInk((0,)), CellInk(pair)])

    def with_wrong_digit(t: float) -> SudokuState:
        answer = list(puzzle.solution)
        answer[cell] = wrong
        return fill_blanks(puzzle, answer, t, order)

    def with_half_faded_digit(t: float) -> SudokuState:
        return replace_ink(right_answer(t), cell, CellInk((right,), min(t / 0.8, 1.0) * max_opacity))

    trajectories = {
        "wrong_digit": StateTrajectory(with_wrong_digit, "fail", "one of the digits is wrong"),
        "two_digits": StateTrajectory(
            _with_other_ink(right_answer, cell, CellInk(pair)), "fail", "a cell gets the right digit and another one"
        ),
        "scribbled": StateTrajectory(
            _with_other_ink(right_answer, cell, CellInk((0,))), "fail", "a cell gets a scribble"
        ),
        "half_faded": StateTrajectory(with_half_faded_digit, "fail", "one of the digits fades in only half"),
        "answer_destroyed": StateTrajectory(
            _change_later(right_answer, cell, damage, 0.75), "fail", "the answer is complete and is damaged later"
        ),
    }
    if len(order) > 1:
        trajectories["one_missing"] = StateTrajectory(
            _with_other_ink(right_answer, cell, BLANK), "fail", "one of the blanks stays empty"
        )
    return trajectories


def _damaged_givens(puzzle: Sudoku, rng: Random) -> dict[str, StateTrajectory[SudokuState]]:
    right_answer = _fill_early(puzzle)
    cell = rng.choice([place for place, digit in enumerate(puzzle.givens) if digit])
    digit, other = puzzle.givens[cell], _choose_wrong_digit(rng, puzzle, cell)
    when = rng.uniform(0.2, 0.8)
    return {
        "given_changed": StateTrajectory(
            _change_later(right_answer, cell, CellInk((other,)), when),
            "fail",
            "the answer is right, but a given digit is changed",
        ),
        "given_lost": StateTrajectory(
            _change_later(right_answer, cell, BLANK, when), "fail", "the answer is right, but a given digit vanishes"
        ),
        "given_doubled": StateTrajectory(
            _change_later(right_answer, cell, CellInk((digit, other)), when),
            "fail",
            "a second digit appears beside a given one",
        ),
    }


def _unusual_solutions(puzzle: Sudoku, rng: Random) -> dict[str, StateTrajectory[SudokuState]]:
    order = filling_order(puzzle)
    cell = rng.choice(order)
    given = rng.choice([place for place, digit in enumerate(puzzle.givens) if digit])
    wrong, changed = _choose_wrong_digit(rng, puzzle, cell), _choose_wrong_digit(rng, puzzle, given)
    face: Face = rng.choice(("plain", "serif"))
    right_answer = _fill_early(puzzle)

    def correct_wrong_digit(t: float) -> SudokuState:
        state = right_answer(t)
        ink = state.cells[cell]
        return replace_ink(state, cell, CellInk((wrong,), ink.opacity)) if ink.digits and t < 0.7 else state

    def change_and_restore_given(t: float) -> SudokuState:
        state = right_answer(t)
        return replace_ink(state, given, CellInk((changed,))) if 0.3 <= t < FILLED_AT else state

    def change_typeface(t: float) -> SudokuState:
        state = right_answer(t)
        return state if t < 0.7 else SudokuState(tuple(CellInk(ink.digits, ink.opacity, face) for ink in state.cells))

    return {
        "other_typeface": StateTrajectory(
            lambda t: fill_blanks(puzzle, puzzle.solution, t, order, face), "pass", "the digits have another typeface"
        ),
        "by_hand": StateTrajectory(
            lambda t: fill_blanks(puzzle, puzzle.solution, t, order, "hand"), "pass", "the digits are handwritten"
        ),
        "all_restyled": StateTrajectory(change_typeface, "pass", "the whole board changes its typeface and colour"),
        "corrected": StateTrajectory(correct_wrong_digit, "pass", "a wrong digit is corrected"),
        "given_restored": StateTrajectory(
            change_and_restore_given, "pass", "a given digit is changed for a while and restored"
        ),
    }


def _fill_early(puzzle: Sudoku) -> _StateAt:
    """Return the right answer, complete before the end."""
    order = filling_order(puzzle)

    def state_at(t: float) -> SudokuState:
        if t >= FILLED_AT:
            return make_printed_state(puzzle.solution)
        return fill_blanks(puzzle, puzzle.solution, t / FILLED_AT, order)

    return state_at


def _with_other_ink(right_answer: _StateAt, cell: int, ink: CellInk) -> _StateAt:
    """Return the right answer with other ink in a cell, which fades in as the digit would."""

    def state_at(t: float) -> SudokuState:
        state = right_answer(t)
        right = state.cells[cell]
        has_ink = right.digits and ink.digits
        return replace_ink(state, cell, CellInk(ink.digits, right.opacity) if has_ink else BLANK)

    return state_at


def _change_later(right_answer: _StateAt, cell: int, ink: CellInk, when: float) -> _StateAt:
    """Return the right answer with other ink in a cell from some time on."""
    return lambda t: replace_ink(right_answer(t), cell, ink) if t >= when else right_answer(t)


def replace_ink(state: SudokuState, cell: int, ink: CellInk) -> SudokuState:
    """Return the state with other ink in one cell."""
    return SudokuState((*state.cells[:cell], ink, *state.cells[cell + 1 :]))


def _choose_wrong_digit(rng: Random, puzzle: Sudoku, cell: int) -> int:
    return rng.choice([digit for digit in range(1, puzzle.order + 1) if digit != puzzle.solution[cell]])
