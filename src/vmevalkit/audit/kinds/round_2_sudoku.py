"""Kinds of the second round for the sudoku."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeAlias

from vmevalkit.audit.kinds.effects import draw_over, scale_levels
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind, make_honest_kind
from vmevalkit.audit.kinds.timeline import Moment, Painter, Timing, rise
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.sudoku_task.render import box_of_cell
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import BLANK, CellInk, Sudoku, SudokuState
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("sudoku",)
FillGrid: TypeAlias = Callable[[Sudoku, Random], Sequence[int]]


def _make_state(digits: Sequence[int]) -> SudokuState:
    return SudokuState(tuple(CellInk((digit,)) if digit else BLANK for digit in digits))


def _get_pixels(frame: Frame, puzzle: Sudoku, cell: int) -> tuple[int, int, int, int]:
    height, width = frame.shape[:2]
    left, top, right, bottom = box_of_cell(puzzle.order, cell)
    return round(left * width), round(top * height), round(right * width), round(bottom * height)


def _fill_in_order(fill: FillGrid) -> Callable[[AnyTask, Sudoku, Random], Painter]:
    """Return a builder of videos in which the cells change one after another to those of another grid."""

    def build(task: AnyTask, puzzle: Sudoku, rng: Random) -> Painter:
        end = list(fill(puzzle, rng))
        changed = [cell for cell, digit in enumerate(puzzle.givens) if digit != end[cell]]

        def paint(moment: Moment) -> Frame:
            done = set(changed[: round(rise(moment.t, 0.1, 0.9) * len(changed))])
            digits = [end[cell] if cell in done else digit for cell, digit in enumerate(puzzle.givens)]
            return task.draw(puzzle, _make_state(digits))

        return paint

    return build


def _copy_neighbours(puzzle: Sudoku, rng: Random) -> list[int]:
    """Return the grid in which each blank has a digit that is already in its row, or in its column."""
    del rng
    order, end = puzzle.order, list(puzzle.givens)
    for cell in puzzle.blanks:
        row = [puzzle.givens[other] for other in range(cell // order * order, (cell // order + 1) * order)]
        column = [puzzle.givens[other] for other in range(cell % order, order * order, order)]
        known = [digit for digit in row + column if digit]
        end[cell] = known[0] if known else puzzle.solution[cell] % order + 1
    return end


def _swap_answer_with_given(puzzle: Sudoku, rng: Random) -> list[int]:
    order, end = puzzle.order, list(puzzle.solution)
    pairs = [
        (cell, other)
        for cell in puzzle.blanks
        for other in range(order * order)
        if puzzle.givens[other] and other // order == cell // order
    ]
    cell, other = rng.choice(pairs)
    end[cell], end[other] = end[other], end[cell]
    return end


def _one_digit_everywhere(puzzle: Sudoku, rng: Random) -> list[int]:
    return [rng.randrange(1, puzzle.order + 1)] * puzzle.order**2


def _empty_grid(puzzle: Sudoku, rng: Random) -> list[int]:
    """Return the grid with the answers only."""
    del rng
    return [0 if given else digit for given, digit in zip(puzzle.givens, puzzle.solution, strict=True)]


def _write_marks(text: str) -> Callable[[AnyTask, Sudoku, Random], Painter]:
    """Return a builder of videos in which the same sign is written into every blank."""

    def build(task: AnyTask, puzzle: Sudoku, rng: Random) -> Painter:
        del rng
        question = task.draw(puzzle, task.solution(puzzle, 0.0))

        def paint(moment: Moment) -> Frame:
            count = round(rise(moment.t, 0.1, 0.9) * len(puzzle.blanks))

            def draw(canvas: Canvas) -> None:
                for cell in puzzle.blanks[:count]:
                    left, top, right, bottom = _get_pixels(question, puzzle, cell)
                    size = min(33.0, 0.55 * (right - left))
                    canvas.text(text, (left + right) / 2, (top + bottom) / 2, size, fill="#1d4ed8", bold=True)

            return draw_over(question, draw)

        return paint

    return build


def _walk_blanks(task: AnyTask, puzzle: Sudoku, change: Callable[[Frame, int], Frame]) -> Painter:
    """Return a painter of videos in which the blanks are filled in reading order, with something at the current one."""

    def paint(moment: Moment) -> Frame:
        place = rise(moment.t, 0.0, 0.9) * len(puzzle.blanks)
        done = set(puzzle.blanks[: int(place + 0.4)])
        digits = [puzzle.solution[cell] if cell in done else given for cell, given in enumerate(puzzle.givens)]
        frame = task.draw(puzzle, _make_state(digits))
        is_busy = moment.t > 0 and place < len(puzzle.blanks)
        return change(frame, puzzle.blanks[int(place)]) if is_busy else frame

    return paint


def _select_cells(task: AnyTask, puzzle: Sudoku, rng: Random) -> Painter:
    del rng

    def change(frame: Frame, cell: int) -> Frame:
        left, top, right, bottom = _get_pixels(frame, puzzle, cell)
        gap = 0.08 * (right - left)
        corners = [
            (left + gap, top + gap),
            (right - gap, top + gap),
            (right - gap, bottom - gap),
            (left + gap, bottom - gap),
        ]
        return draw_over(frame, lambda canvas: canvas.polygon(corners, stroke="#f97316", width=2.5))

    return _walk_blanks(task, puzzle, change)


def _tint_lines(task: AnyTask, puzzle: Sudoku, rng: Random) -> Painter:
    del rng

    def change(frame: Frame, cell: int) -> Frame:
        tinted = frame.copy()
        order = puzzle.order
        for other in range(order * order):
            if other // order == cell // order or other % order == cell % order:
                left, top, right, bottom = _get_pixels(frame, puzzle, other)
                tinted[top:bottom, left:right] = scale_levels(frame[top:bottom, left:right], (0.85, 0.93, 1.0))
        return tinted

    return _walk_blanks(task, puzzle, change)


def _count_up(task: AnyTask, puzzle: Sudoku, rng: Random) -> Painter:
    del rng

    def paint(moment: Moment) -> Frame:
        digits = list(puzzle.givens)
        for number, cell in enumerate(puzzle.blanks):
            stop = 0.3 + 0.6 * (number + 1) / len(puzzle.blanks)
            trial = (moment.index // 2 + cell) % puzzle.order + 1
            digits[cell] = puzzle.solution[cell] if moment.t >= stop else trial if moment.t > 0 else 0
        return task.draw(puzzle, _make_state(digits))

    return paint


def _reveal_upwards(task: AnyTask, puzzle: Sudoku, rng: Random) -> Painter:
    del rng
    before, after = task.draw(puzzle, task.solution(puzzle, 0.0)), task.draw(puzzle, task.solution(puzzle, 1.0))

    def paint(moment: Moment) -> Frame:
        frame = before.copy()
        share = rise(moment.t, 0.1, 0.9)
        for cell in puzzle.blanks:
            left, top, right, bottom = _get_pixels(frame, puzzle, cell)
            edge = round(bottom - share * (bottom - top))
            frame[edge:bottom, left:right] = after[edge:bottom, left:right]
        return frame if share < 1 else after

    return paint


ROUND_2_SUDOKU: tuple[VideoKind, ...] = (
    make_honest_kind(
        "sudoku_cell_selected",
        "An orange frame goes from blank to blank while these are filled, and is gone at the end.",
        _select_cells,
        _NEEDS,
    ),
    make_honest_kind(
        "sudoku_lines_tinted",
        "Row and column of the blank in question are light blue, as in apps; the end is plain.",
        _tint_lines,
        _NEEDS,
    ),
    make_honest_kind(
        "sudoku_counts_up",
        "Digits run through every blank like on a counter until the right one stays.",
        _count_up,
        _NEEDS,
        Timing(0.25, 3.0, 1.2),
    ),
    make_honest_kind(
        "sudoku_revealed_upwards", "All answers are uncovered from below at the same time.", _reveal_upwards, _NEEDS
    ),
    make_cheat_kind(
        "sudoku_repeats_line",
        "Each blank gets a digit that is already in its row or column.",
        _fill_in_order(_copy_neighbours),
        _NEEDS,
    ),
    make_cheat_kind(
        "sudoku_swapped_with_given",
        "All blanks are filled, but an answer and a given digit of its row have changed places.",
        _fill_in_order(_swap_answer_with_given),
        _NEEDS,
    ),
    make_cheat_kind(
        "sudoku_one_digit_everywhere",
        "All cells show the same digit at the end.",
        _fill_in_order(_one_digit_everywhere),
        _NEEDS,
    ),
    make_cheat_kind(
        "sudoku_givens_gone",
        "The answers are right, but all given digits are gone.",
        _fill_in_order(_empty_grid),
        _NEEDS,
    ),
    make_cheat_kind("sudoku_question_marks", "The blanks are filled with question marks.", _write_marks("?"), _NEEDS),
    make_cheat_kind(
        "sudoku_zeros",
        "The blanks are filled with zeros, which are no digits of the puzzle.",
        _write_marks("0"),
        _NEEDS,
    ),
)
"""Kinds of the second round for the sudoku."""
