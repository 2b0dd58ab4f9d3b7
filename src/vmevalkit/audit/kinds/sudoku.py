"""Kinds of sudoku videos: the right digits in other styles, and grids that are wrong at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind, make_honest_kind
from vmevalkit.audit.kinds.timeline import BuildPainter, Painter, clamp, ease, paint_states, rise
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.sudoku_task.render import EM, MARGIN, cell_px, draw_state
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import (
    CellInk,
    Sudoku,
    SudokuState,
    filling_order,
    make_printed_state,
    solution_at,
)
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("sudoku",)
_BLUE = (0.0, 0.0, 1.0)
DrawDigit = Callable[[Canvas, str, float, float, float, float], None]
"""Draws a digit: canvas, digit, centre x and y, side of the cell, share of its appearance from 0 to 1."""


def _locate_cell(puzzle: Sudoku, cell: int) -> tuple[float, float]:
    """Return the centre of a cell in pixels."""
    row, column = divmod(cell, puzzle.order)
    side = cell_px(puzzle.order)
    return MARGIN + (column + 0.5) * side, MARGIN + (row + 0.5) * side


def _draw_blanks(puzzle: Sudoku, t: float, draw_digit: DrawDigit, base: Frame | None = None) -> Frame:
    """Return the question with the answers drawn one after another by a function."""
    frame = draw_state(puzzle.order, make_printed_state(puzzle.givens)) if base is None else base
    order, side = filling_order(puzzle), cell_px(puzzle.order)

    def draw(canvas: Canvas) -> None:
        for place, cell in enumerate(order):
            share = clamp(t * len(order) - place)
            if share > 0:
                draw_digit(canvas, str(puzzle.solution[cell]), *_locate_cell(puzzle, cell), side, share)

    return effects.draw_over(frame, draw)


def _write(draw_digit: DrawDigit) -> BuildPainter:
    """Return a builder of videos in which a function draws the answers."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del task, rng
        return lambda moment: _draw_blanks(puzzle, moment.t, draw_digit)

    return build


def _write_green(canvas: Canvas, digit: str, x: float, y: float, side: float, share: float) -> None:
    del side
    canvas.text(digit, x, y, EM, fill=(0.0, 0.45, 0.15, share), bold=True)


def _write_off_centre(canvas: Canvas, digit: str, x: float, y: float, side: float, share: float) -> None:
    canvas.text(digit, x + 0.07 * side, y - 0.06 * side, 1.05 * EM, fill=(*_BLUE, share), bold=True)


def _write_shrinking(canvas: Canvas, digit: str, x: float, y: float, side: float, share: float) -> None:
    """Let the digit come in at twice its size."""
    del side
    canvas.text(digit, x, y, EM * (2 - ease(share)), fill=(*_BLUE, clamp(2 * share)), bold=True)


def _write_falling(canvas: Canvas, digit: str, x: float, y: float, side: float, share: float) -> None:
    """Let the digit fall from the upper edge of the image into its cell."""
    del side
    canvas.text(digit, x, y * ease(share), EM, fill=_BLUE, bold=True)


def _write_after_notes(canvas: Canvas, digit: str, x: float, y: float, side: float, share: float) -> None:
    """Write a small pencil note in the corner first, which is replaced by the digit."""
    if share < 0.5:
        canvas.text(digit, x - 0.3 * side, y - 0.3 * side, 0.3 * EM, fill=(0.4, 0.4, 0.4))
    else:
        canvas.text(digit, x, y, EM, fill=(*_BLUE, rise(share, 0.5, 0.9)), bold=True)


def _build_all_at_once(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng

    def state_at(t: float) -> SudokuState:
        cells = list(make_printed_state(puzzle.givens).cells)
        for cell in puzzle.blanks if t > 0 else ():
            cells[cell] = CellInk((puzzle.solution[cell],), ease(t))
        return SudokuState(tuple(cells))

    return paint_states(task, puzzle, state_at)


def _build_tinted_cells(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """The cells of the answers are tinted in light yellow."""
    del rng

    def draw_tint(canvas: Canvas, digit: str, x: float, y: float, cell_side: float, share: float) -> None:
        half = cell_side / 2 - 5
        square = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
        canvas.polygon(square, fill=(1.0, 0.9, 0.2, 0.3 * share))
        canvas.text(digit, x, y, EM, fill=(*_BLUE, share), bold=True)

    return lambda moment: _draw_blanks(puzzle, moment.t, draw_tint, task.first_frame(puzzle))


def _show_digits(choose: Callable[[Sudoku, Random], Sequence[int]], start: float = 0.5) -> BuildPainter:
    """Return a builder of videos that solve the puzzle and then show other digits from a time on."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        wrong = make_printed_state(choose(puzzle, rng))

        def state_at(t: float) -> SudokuState:
            return solution_at(puzzle, rise(t, 0, start)) if t < start + 0.1 else wrong

        return paint_states(task, puzzle, state_at)

    return build


def _pick_given(puzzle: Sudoku, rng: Random) -> int:
    return rng.choice([cell for cell, digit in enumerate(puzzle.givens) if digit])


def _change_given(puzzle: Sudoku, rng: Random) -> list[int]:
    digits, cell = list(puzzle.solution), _pick_given(puzzle, rng)
    digits[cell] = digits[cell] % puzzle.order + 1
    return digits


def _erase_given(puzzle: Sudoku, rng: Random) -> list[int]:
    digits = list(puzzle.solution)
    digits[_pick_given(puzzle, rng)] = 0
    return digits


def _leave_blank(puzzle: Sudoku, rng: Random) -> list[int]:
    digits = list(puzzle.solution)
    digits[rng.choice(puzzle.blanks)] = 0
    return digits


def _answer_wrongly(puzzle: Sudoku, rng: Random) -> list[int]:
    digits, cell = list(puzzle.solution), rng.choice(puzzle.blanks)
    digits[cell] = digits[cell] % puzzle.order + 1
    return digits


def _swap_rows(puzzle: Sudoku, rng: Random) -> list[int]:
    """Exchange the first two rows of the solution: the grid is still valid, but the givens have moved."""
    del rng
    n = puzzle.order
    return [*puzzle.solution[n : 2 * n], *puzzle.solution[:n], *puzzle.solution[2 * n :]]


def _relabel(puzzle: Sudoku, rng: Random) -> list[int]:
    """Replace each digit by the next one: the grid is valid, but none of the givens is what it was."""
    del rng
    return [digit % puzzle.order + 1 for digit in puzzle.solution]


def _build_two_digits(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """One of the blanks gets the right digit and another one beside it."""
    cell = rng.choice(puzzle.blanks)
    right = puzzle.solution[cell]

    def state_at(t: float) -> SudokuState:
        cells = list(solution_at(puzzle, t).cells)
        if t > 0.9:
            cells[cell] = CellInk((right, right % puzzle.order + 1))
        return SudokuState(tuple(cells))

    return paint_states(task, puzzle, state_at)


def _write_letter(canvas: Canvas, digit: str, x: float, y: float, side: float, share: float) -> None:
    del side
    canvas.text(" ABCDEFGHK"[int(digit)], x, y, EM, fill=(*_BLUE, share), bold=True)


def _write_speck(canvas: Canvas, digit: str, x: float, y: float, side: float, share: float) -> None:
    del side
    canvas.text(digit, x, y, 0.1 * EM, fill=(*_BLUE, share), bold=True)


def _write_in_margin(canvas: Canvas, digit: str, x: float, y: float, side: float, share: float) -> None:
    """Write the digit into the margin above its column."""
    del y, side
    canvas.text(digit, x, 0.5 * MARGIN, 0.7 * EM, fill=(*_BLUE, share), bold=True)


def _write_and_cross_out(canvas: Canvas, digit: str, x: float, y: float, side: float, share: float) -> None:
    canvas.text(digit, x, y, EM, fill=(*_BLUE, clamp(2 * share)), bold=True)
    if share > 0.6:
        half = 0.32 * side
        for sign in (-1, 1):
            canvas.line([(x - half, y - sign * half), (x + half, y + sign * half)], "#d01020", 0.06 * side)


def _write_bar(canvas: Canvas, digit: str, x: float, y: float, side: float, share: float) -> None:
    """Write a horizontal bar instead of the digit."""
    del digit
    canvas.line([(x - 0.25 * side, y), (x + 0.25 * side * (2 * share - 1), y)], _BLUE, 0.12 * EM)


_honest, _cheat = partial(make_honest_kind, needs=_NEEDS), partial(make_cheat_kind, needs=_NEEDS)

SUDOKU_KINDS: tuple[VideoKind, ...] = (
    _honest("sudoku_green_digits", "The answers are written in dark green.", _write(_write_green)),
    _honest("sudoku_off_centre", "The answers are a little larger and not quite in the middle of their cells.",
            _write(_write_off_centre)),
    _honest("sudoku_shrinking_digits", "The answers come in at twice their size and shrink to it.",
            _write(_write_shrinking)),
    _honest("sudoku_falling_digits", "The answers fall from the upper edge into their cells; the end is exact.",
            _write(_write_falling)),
    _honest("sudoku_pencil_notes", "A small pencil note in each blank is replaced by the answer.",
            _write(_write_after_notes)),
    _honest("sudoku_all_at_once", "All answers fade in at the same time.", _build_all_at_once),
    _honest("sudoku_tinted_cells", "The cells of the answers are tinted in light yellow.", _build_tinted_cells),
    _cheat("sudoku_given_changed", "All blanks are right, but a given digit becomes another one.",
           _show_digits(_change_given)),
    _cheat("sudoku_given_erased", "All blanks are right, but a given digit disappears.", _show_digits(_erase_given)),
    _cheat("sudoku_answer_erased", "One of the answers disappears again at the end.", _show_digits(_leave_blank)),
    _cheat("sudoku_answer_replaced", "One of the answers is replaced by a wrong digit at the end.",
           _show_digits(_answer_wrongly)),
    _cheat("sudoku_rows_exchanged", "Two rows of the solved grid change places: valid, but the givens have moved.",
           _show_digits(_swap_rows)),
    _cheat("sudoku_relabelled", "Every digit becomes the next one: valid, but all givens have changed.",
           _show_digits(_relabel)),
    _cheat("sudoku_two_digits", "One blank holds the right digit and a wrong one beside it.", _build_two_digits),
    _cheat("sudoku_letters", "The blanks are filled with letters.", _write(_write_letter)),
    _cheat("sudoku_specks", "The answers are written so small that they are specks.", _write(_write_speck)),
    _cheat("sudoku_in_margin", "The answers are written in the margin above the grid; the blanks stay empty.",
           _write(_write_in_margin)),
    _cheat("sudoku_crossed_out", "Each answer is written and crossed out with thick red lines.",
           _write(_write_and_cross_out)),
    _cheat("sudoku_dashes", "The blanks are filled with horizontal bars.", _write(_write_bar)),
)  # fmt: skip
