"""The logic of a sudoku film: when it is solved, how far it got, and what went wrong on the way. No pixels here."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import groupby, pairwise

from vmevalkit.core.records import Finding
from vmevalkit.tasks.sudoku_task.grids import conflicts
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import BLANK_CELL, UNCLEAR, Ink, Sudoku, SudokuState
from vmevalkit.tasks.task import Checked, Trace, prevailing, readable

BELIEVED = 3
"""So many readings in a row are believed ..."""
BELIEVED_S = 0.2
"""... or fewer, two at least, that span this time."""

Seen = Sequence[tuple[float, tuple[int, ...]]]
"""What the cells amount to, by time."""
Run = tuple[float, float]
"""The first and the last of several readings."""


def accepted(puzzle: Sudoku, state: SudokuState) -> bool:
    """Every cell holds one digit, the givens are as they were, and no row, column or box has a digit twice."""
    values = state.values
    return (
        all(1 <= value <= puzzle.order for value in values)
        and not _damaged(puzzle, values)
        and not conflicts(puzzle.order, values)
    )


def progress(puzzle: Sudoku, state: SudokuState) -> float:
    """The share of the blanks that are filled right, less the share of the givens that are changed."""
    values = state.values
    blanks = puzzle.blanks
    right = sum(values[cell] == puzzle.solution[cell] for cell in blanks)
    damage = len(_damaged(puzzle, values)) / (len(values) - len(blanks))
    return min(max(right / len(blanks) - damage, 0.0), 1.0)


def identity(state: SudokuState) -> Hashable:
    return state.values


def settle(states: Sequence[SudokuState]) -> SudokuState:
    """Cell by cell, the reading that prevails."""
    return SudokuState(tuple(_settled(inks) for inks in zip(*(state.cells for state in states), strict=True)))


def _settled(inks: Sequence[Ink]) -> Ink:
    return inks[prevailing([ink.value for ink in inks])]


def check(puzzle: Sudoku, trace: Trace[SudokuState]) -> Checked:
    seen = [(seconds, state.values) for seconds, state in readable(trace)]
    findings = [
        *_givens_changed(puzzle, seen),
        *_wrong_digits(puzzle, seen),
        *_unclear(puzzle, seen),
        *_answer_left(puzzle, seen),
    ]
    return Checked(tuple(findings), _metrics(puzzle, trace, seen))


def _damaged(puzzle: Sudoku, values: Sequence[int]) -> list[int]:
    """The givens that are not as they were."""
    return [cell for cell, digit in enumerate(puzzle.givens) if digit and values[cell] != digit]


def _givens_changed(puzzle: Sudoku, seen: Seen) -> Iterator[Finding]:
    """Lasting damage gates; what is restored does not."""
    given = [cell for cell, digit in enumerate(puzzle.givens) if digit]
    runs = _runs(seen, given, lambda cell, value: value != puzzle.givens[cell])
    if not runs:
        return
    touched = list(runs)
    lasting = [cell for cell in touched if runs[cell][-1][1] == seen[-1][0]]
    named = lasting or touched
    since = min(runs[cell][0][0] for cell in named)
    how = "changed" if lasting else "changed for a while and restored"
    detail = f"{_cells(puzzle, named)}: the given {'digit is' if len(named) == 1 else 'digits are'} {how}."
    yield Finding("given_changed" if lasting else "given_restored", bool(lasting), detail, since)


def _wrong_digits(puzzle: Sudoku, seen: Seen) -> Iterator[Finding]:
    wrong = _runs(seen, puzzle.blanks, lambda cell, value: value > 0 and value != puzzle.solution[cell])
    if wrong:
        since = min(runs[0][0] for runs in wrong.values())
        yield Finding("wrong_digit", False, f"A wrong digit stands in {_cells(puzzle, list(wrong))}.", since)


def _unclear(puzzle: Sudoku, seen: Seen) -> Iterator[Finding]:
    unclear = _runs(seen, puzzle.blanks, lambda _cell, value: value == UNCLEAR)
    if unclear:
        since = min(runs[0][0] for runs in unclear.values())
        detail = f"{_cells(puzzle, list(unclear))}: several digits, or a mark that is no digit."
        yield Finding("unclear_mark", False, detail, since)


def _answer_left(puzzle: Sudoku, seen: Seen) -> Iterator[Finding]:
    """The answer stood there for two readings, and was changed."""
    stood = False
    for (_, was), (seconds, now) in pairwise(seen):
        stood = stood or was == now == puzzle.solution
        if stood and now != puzzle.solution:
            yield Finding("answer_left", False, "The finished answer is changed again.", seconds)
            return


def _runs(seen: Seen, cells: Sequence[int], holds: Callable[[int, int], bool]) -> dict[int, list[Run]]:
    """When something holds of a cell and its value for long enough to be believed; only cells where it ever does."""
    found = {cell: _believed([(seconds, holds(cell, values[cell])) for seconds, values in seen]) for cell in cells}
    return {cell: runs for cell, runs in found.items() if runs}


def _believed(told: Sequence[tuple[float, bool]]) -> list[Run]:
    runs = []
    for holds, group in groupby(told, key=lambda reading: reading[1]):
        times = [seconds for seconds, _ in group]
        lasts = len(times) >= BELIEVED or (len(times) >= 2 and times[-1] - times[0] >= BELIEVED_S)
        if holds and lasts:
            runs.append((times[0], times[-1]))
    return runs


def _cells(puzzle: Sudoku, cells: Sequence[int]) -> str:
    """The first of the cells by name, and how many more there are."""
    row, column = divmod(cells[0], puzzle.order)
    more = f" and {len(cells) - 1} more" if len(cells) > 1 else ""
    return f"Row {row + 1}, column {column + 1}{more}"


def _metrics(puzzle: Sudoku, trace: Trace[SudokuState], seen: Seen) -> dict[str, float]:
    if not seen:
        return {"readable_share": 0.0}
    final = seen[-1][1]
    blanks = puzzle.blanks
    digits = [value if value > 0 else 0 for value in final]
    rewritten = sum(
        was[cell] > 0 and now[cell] > 0 and was[cell] != now[cell]
        for (_, was), (_, now) in pairwise(seen)
        for cell in blanks
    )
    return {
        "blanks": float(len(blanks)),
        "blanks_right": float(sum(final[cell] == puzzle.solution[cell] for cell in blanks)),
        "blanks_wrong": float(sum(final[cell] > 0 and final[cell] != puzzle.solution[cell] for cell in blanks)),
        "blanks_empty": float(sum(final[cell] == BLANK_CELL for cell in blanks)),
        "blanks_unclear": float(sum(final[cell] < 0 for cell in blanks)),
        "givens_changed": float(len(_damaged(puzzle, final))),
        "conflicts": float(conflicts(puzzle.order, digits)),
        "digits_rewritten": float(rewritten),
        "readable_share": round(len(seen) / len(trace), 4),
    }
