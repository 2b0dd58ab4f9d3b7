"""The logic of a raven video: when it is solved, how far it got, and what went wrong on the way. No pixels here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import eq, ne

from vmevalkit.core.records import Finding
from vmevalkit.tasks.evidence import Span, find_spans
from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER, Raven
from vmevalkit.tasks.raven_task.scene import Cell, CellReading, RavenState
from vmevalkit.tasks.raven_task.vocabulary import ATTRIBUTES, Attribute, Tile
from vmevalkit.tasks.task import CheckResult, Trace, readable

LEFT_OPACITY, LEFT_QUESTION = 0.5, 0.5
"""Opacities of the answer below which, and of the question mark from which on, the answer has left its cell. They are
well away from those at which it arrives, so that a reading that trembles during a dissolve is not a change."""
MAX_UNSOLVED = 0.9
"""The greatest progress of a state that is not an answer."""

Readings = Sequence[tuple[float, RavenState]]
"""The readable states by time."""


def accepted(puzzle: Raven, state: RavenState) -> bool:
    """Return whether the missing cell shows the answer and the given cells are unchanged."""
    return state.readings == puzzle.tiles


def progress(puzzle: Raven, state: RavenState) -> float:
    """Return the share of the changing attributes that are right in the missing cell, less a quarter for each other
    attribute that is wrong, and less an eighth for each given cell that is changed."""
    readings = state.readings
    if readings == puzzle.tiles:
        return 1.0
    answer = readings[ANSWER]
    if not isinstance(answer, Tile):
        return 0.0
    wrong = find_wrong_attributes(puzzle, answer)
    changing = {rule.attribute for rule in puzzle.rules}
    right = len(changing - wrong) / len(changing)
    lost = len(wrong - changing) / len(ATTRIBUTES) + len(_find_changed_givens(puzzle, state)) / ANSWER
    return min(max(right - lost, 0.0), MAX_UNSOLVED)


def find_wrong_attributes(puzzle: Raven, tile: Tile) -> set[Attribute]:
    """Return the attributes in which a tile differs from the answer."""
    return {attribute for attribute in ATTRIBUTES if tile.value(attribute) != puzzle.answer.value(attribute)}


def check(puzzle: Raven, trace: Trace[RavenState]) -> CheckResult:
    """Return the findings and metrics of a whole video."""
    states = readable(trace)
    findings = [
        *_check_givens(puzzle, states),
        *_check_wrong_tile(puzzle, states),
        *_check_unclear_mark(states),
        *_check_answer_left(puzzle, states),
    ]
    return CheckResult(tuple(findings), _compute_metrics(puzzle, trace, states))


def _find_changed_givens(puzzle: Raven, state: RavenState) -> list[int]:
    """Return the indices of the given cells that are not as they were."""
    return [index for index in range(ANSWER) if state.cells[index].reading != puzzle.tiles[index]]


def _check_givens(puzzle: Raven, states: Readings) -> Iterator[Finding]:
    """Changed given cells gate if they stay changed to the end, and do not if they are restored."""
    intervals = {index: _find_intervals(states, index, partial(ne, puzzle.tiles[index])) for index in range(ANSWER)}
    changed = [index for index in range(ANSWER) if intervals[index]]
    if not changed:
        return
    lasting = [index for index in changed if intervals[index][-1].reaches_end]
    listed = lasting or changed
    since = min(intervals[index][0].start_s for index in listed)
    how = "changed" if lasting else "changed for a while and restored"
    cells = ", ".join(f"row {index // 3 + 1} column {index % 3 + 1}" for index in listed[:3])
    more = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
    detail = f"Given cells are {how}: {cells}{more}."
    yield Finding("given_changed" if lasting else "given_restored", bool(lasting), detail, since)


def _check_wrong_tile(puzzle: Raven, states: Readings) -> Iterator[Finding]:
    intervals = _find_intervals(states, ANSWER, lambda reading: isinstance(reading, Tile) and reading != puzzle.answer)
    if not intervals:
        return
    latest = next(state.readings[ANSWER] for seconds, state in states if seconds == intervals[-1].end_s)
    assert isinstance(latest, Tile)
    wrong = [attribute for attribute in ATTRIBUTES if attribute in find_wrong_attributes(puzzle, latest)]
    detail = f"The missing cell shows a wrong tile: wrong in {', '.join(wrong)}."
    yield Finding("wrong_tile", False, detail, intervals[0].start_s)


def _check_unclear_mark(states: Readings) -> Iterator[Finding]:
    intervals = _find_intervals(states, ANSWER, partial(eq, "unclear"))
    if intervals:
        detail = "The missing cell shows a mark that is not a tile of this kind."
        yield Finding("unclear_mark", False, detail, intervals[0].start_s)


def _check_answer_left(puzzle: Raven, states: Readings) -> Iterator[Finding]:
    """Report when the answer was in its cell and then left it, both for long enough to be real."""
    arrivals = _find_intervals(states, ANSWER, partial(eq, puzzle.answer))
    if not arrivals:
        return
    rest = [(seconds, state) for seconds, state in states if seconds > arrivals[0].end_s]
    departures = find_spans(rest, lambda state: _has_left(puzzle, state.cells[ANSWER]))
    if departures:
        yield Finding("answer_left", False, "The right answer is changed again.", departures[0].start_s)


def _has_left(puzzle: Raven, cell: Cell) -> bool:
    """Return whether a cell clearly does not show the answer: more than a dissolve that is nearly done."""
    if cell.scribble or cell.tile != puzzle.answer:
        return True
    return cell.opacity < LEFT_OPACITY or cell.question >= LEFT_QUESTION


def _find_intervals(states: Readings, index: int, condition: Callable[[CellReading], bool]) -> list[Span]:
    """Return when a condition on the content of a cell holds for long enough to be real."""
    return find_spans(states, lambda state: condition(state.cells[index].reading))


def _compute_metrics(puzzle: Raven, trace: Trace[RavenState], states: Readings) -> dict[str, float]:
    if not states:
        return {"readable_share": 0.0}
    final = states[-1][1]
    answer = final.readings[ANSWER]
    wrong = find_wrong_attributes(puzzle, answer) if isinstance(answer, Tile) else set(ATTRIBUTES)
    contents = {state.cells[ANSWER].reading for _, state in states}
    return {
        **{f"{attribute}_right": float(attribute not in wrong) for attribute in ATTRIBUTES},
        "question_gone": float(answer != "question"),
        "answer_clear": float(isinstance(answer, Tile)),
        "givens_changed": float(len(_find_changed_givens(puzzle, final))),
        "tiles_tried": float(sum(isinstance(content, Tile) for content in contents)),
        "readable_share": round(len(states) / len(trace), 4),
    }
