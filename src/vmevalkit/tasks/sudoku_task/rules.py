"""The logic of a sudoku video: whether it is solved, how far it got, and what went wrong on the way. No pixels here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise

from vmevalkit.core.records import Finding
from vmevalkit.tasks.evidence import Span, find_spans
from vmevalkit.tasks.sudoku_task.grids import count_conflicts
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import BLANK_CELL, UNCLEAR, Sudoku, SudokuState
from vmevalkit.tasks.task import CheckResult, Trace, readable

Readings = Sequence[tuple[float, tuple[int, ...]]]
"""The values of all cells, by time."""


def is_accepted(puzzle: Sudoku, state: SudokuState) -> bool:
    """Return whether every cell holds one digit, the givens are unchanged, and no digit is repeated in a unit."""
    values = state.values
    return (
        all(1 <= value <= puzzle.order for value in values)
        and not _find_changed_givens(puzzle, values)
        and not count_conflicts(puzzle.order, values)
    )


def measure_progress(puzzle: Sudoku, state: SudokuState) -> float:
    """Return the share of the blanks that are filled right, less the share of the givens that are changed."""
    values = state.values
    blanks = puzzle.blanks
    right = sum(values[cell] == puzzle.solution[cell] for cell in blanks)
    damage = len(_find_changed_givens(puzzle, values)) / (len(values) - len(blanks))
    return min(max(right / len(blanks) - damage, 0.0), 1.0)


def check_trace(puzzle: Sudoku, trace: Trace[SudokuState]) -> CheckResult:
    """Return the findings and metrics of a video."""
    readings = [(seconds, state.values) for seconds, state in readable(trace)]
    findings = [
        *_find_damaged_givens(puzzle, readings),
        *_find_wrong_digits(puzzle, readings),
        *_find_unclear_marks(puzzle, readings),
        *_find_answer_left(puzzle, readings),
    ]
    return CheckResult(tuple(findings), _compute_metrics(puzzle, trace, readings))


def _find_changed_givens(puzzle: Sudoku, values: Sequence[int]) -> list[int]:
    return [cell for cell, digit in enumerate(puzzle.givens) if digit and values[cell] != digit]


def _find_damaged_givens(puzzle: Sudoku, readings: Readings) -> Iterator[Finding]:
    """Yield a finding that gates for lasting damage, and one that does not for restored givens."""
    givens = [cell for cell, digit in enumerate(puzzle.givens) if digit]
    spans = _find_cell_spans(readings, givens, lambda cell, value: value != puzzle.givens[cell])
    if not spans:
        return
    lasting = [cell for cell in spans if spans[cell][-1].reaches_end]
    cells = lasting or list(spans)
    since = min(spans[cell][0].start_s for cell in cells)
    how = "changed" if lasting else "changed for a while and restored"
    detail = f"{_name_cells(puzzle, cells)}: the given {'digit is' if len(cells) == 1 else 'digits are'} {how}."
    yield Finding("given_changed" if lasting else "given_restored", bool(lasting), detail, since)


def _find_wrong_digits(puzzle: Sudoku, readings: Readings) -> Iterator[Finding]:
    wrong = _find_cell_spans(readings, puzzle.blanks, lambda cell, value: value > 0 and value != puzzle.solution[cell])
    if wrong:
        since = min(spans[0].start_s for spans in wrong.values())
        yield Finding("wrong_digit", False, f"{_name_cells(puzzle, list(wrong))}: a wrong digit.", since)


def _find_unclear_marks(puzzle: Sudoku, readings: Readings) -> Iterator[Finding]:
    unclear = _find_cell_spans(readings, puzzle.blanks, lambda _cell, value: value == UNCLEAR)
    if unclear:
        since = min(spans[0].start_s for spans in unclear.values())
        detail = f"{_name_cells(puzzle, list(unclear))}: several digits, or a mark that is not a digit."
        yield Finding("unclear_mark", False, detail, since)


def _find_answer_left(puzzle: Sudoku, readings: Readings) -> Iterator[Finding]:
    """Yield a finding if the answer was complete for two readings and was changed."""
    was_complete = False
    for (_, before), (seconds, now) in pairwise(readings):
        was_complete = was_complete or before == now == puzzle.solution
        if was_complete and now != puzzle.solution:
            yield Finding("answer_left", False, "The finished answer is changed again.", seconds)
            return


def _find_cell_spans(
    readings: Readings, cells: Sequence[int], condition: Callable[[int, int], bool]
) -> dict[int, list[Span]]:
    """Return for each cell when it and its value met the condition for long enough, if they ever did."""
    found = {cell: find_spans(readings, partial(_meets, condition, cell)) for cell in cells}
    return {cell: spans for cell, spans in found.items() if spans}


def _meets(condition: Callable[[int, int], bool], cell: int, values: tuple[int, ...]) -> bool:
    return condition(cell, values[cell])


def _name_cells(puzzle: Sudoku, cells: Sequence[int]) -> str:
    """Return the name of the first cell, and the number of others."""
    row, column = divmod(cells[0], puzzle.order)
    others = f" and {len(cells) - 1} more" if len(cells) > 1 else ""
    return f"Row {row + 1}, column {column + 1}{others}"


def _compute_metrics(puzzle: Sudoku, trace: Trace[SudokuState], readings: Readings) -> dict[str, float]:
    if not readings:
        return {"readable_share": 0.0}
    final = readings[-1][1]
    blanks = puzzle.blanks
    digits = [value if value > 0 else 0 for value in final]
    rewritten = sum(
        before[cell] > 0 and now[cell] > 0 and before[cell] != now[cell]
        for (_, before), (_, now) in pairwise(readings)
        for cell in blanks
    )
    return {
        "blanks": float(len(blanks)),
        "blanks_right": float(sum(final[cell] == puzzle.solution[cell] for cell in blanks)),
        "blanks_wrong": float(sum(final[cell] > 0 and final[cell] != puzzle.solution[cell] for cell in blanks)),
        "blanks_empty": float(sum(final[cell] == BLANK_CELL for cell in blanks)),
        "blanks_unclear": float(sum(final[cell] < 0 for cell in blanks)),
        "givens_changed": float(len(_find_changed_givens(puzzle, final))),
        "conflicts": float(count_conflicts(puzzle.order, digits)),
        "digits_rewritten": float(rewritten),
        "readable_share": round(len(readings) / len(trace), 4),
    }
