"""The logic of a raven film: when it is solved, how far it got, and what went wrong on the way. No pixels here."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from operator import eq, ne

from vmevalkit.core.records import Finding
from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER, Raven
from vmevalkit.tasks.raven_task.scene import Cell, RavenState, Reading
from vmevalkit.tasks.raven_task.vocabulary import ATTRIBUTES, Attribute, Tile
from vmevalkit.tasks.task import Checked, Trace, prevailing, readable

BELIEVED = 3
"""So many readings in a row are believed ..."""
BELIEVED_S = 0.2
"""... or fewer, two at least, that span this time."""
NEARLY = 0.9
"""The most that a state can be worth that is no answer."""

Seen = Sequence[tuple[float, tuple[Reading, ...]]]
"""What the cells amount to, by time."""


def accepted(puzzle: Raven, state: RavenState) -> bool:
    """The missing cell shows the answer, and the others are as they were."""
    return state.readings == puzzle.tiles


def progress(puzzle: Raven, state: RavenState) -> float:
    """The share of the changing attributes that the answered tile has right, less a quarter for each of the others
    that it has wrong, and less the share of the given cells that are changed."""
    readings = state.readings
    if readings == puzzle.tiles:
        return 1.0
    answer = readings[ANSWER]
    if not isinstance(answer, Tile):
        return 0.0
    wrong = wrong_attributes(puzzle, answer)
    changing = {rule.attribute for rule in puzzle.rules}
    right = len(changing - wrong) / len(changing)
    lost = len(wrong - changing) / len(ATTRIBUTES) + len(_damaged(puzzle, readings)) / ANSWER
    return min(max(right - lost, 0.0), NEARLY)


def wrong_attributes(puzzle: Raven, tile: Tile) -> set[Attribute]:
    """In which attributes a tile differs from the answer."""
    return {attribute for attribute in ATTRIBUTES if tile.value(attribute) != puzzle.answer.value(attribute)}


def identity(state: RavenState) -> Hashable:
    return state.readings


def settle(states: Sequence[RavenState]) -> RavenState:
    """Cell by cell, the reading that prevails."""
    return RavenState(tuple(_settled(cells) for cells in zip(*(state.cells for state in states), strict=True)))


def _settled(cells: Sequence[Cell]) -> Cell:
    return cells[prevailing([cell.reading for cell in cells])]


def check(puzzle: Raven, trace: Trace[RavenState]) -> Checked:
    seen = [(seconds, state.readings) for seconds, state in readable(trace)]
    findings = [
        *_givens_changed(puzzle, seen),
        *_wrong_tile(puzzle, seen),
        *_unclear(seen),
        *_answer_left(puzzle, seen),
    ]
    return Checked(tuple(findings), _metrics(puzzle, trace, seen))


def _damaged(puzzle: Raven, readings: Sequence[Reading]) -> list[int]:
    """The given cells that are not as they were."""
    return [place for place in range(ANSWER) if readings[place] != puzzle.tiles[place]]


def _givens_changed(puzzle: Raven, seen: Seen) -> Iterator[Finding]:
    """Lasting damage gates; what is restored does not."""
    runs = {place: _runs(seen, place, partial(ne, puzzle.tiles[place])) for place in range(ANSWER)}
    touched = [place for place in range(ANSWER) if runs[place]]
    if not touched:
        return
    lasting = [place for place in touched if runs[place][-1][1] == seen[-1][0]]
    named = lasting or touched
    since = min(runs[place][0][0] for place in named)
    how = "changed" if lasting else "changed for a while and restored"
    cells = ", ".join(f"row {place // 3 + 1} column {place % 3 + 1}" for place in named[:3])
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    detail = f"Given cells are {how}: {cells}{more}."
    yield Finding("given_changed" if lasting else "given_restored", bool(lasting), detail, since)


def _wrong_tile(puzzle: Raven, seen: Seen) -> Iterator[Finding]:
    runs = _runs(seen, ANSWER, lambda reading: isinstance(reading, Tile) and reading != puzzle.answer)
    if not runs:
        return
    latest = next(readings[ANSWER] for seconds, readings in seen if seconds == runs[-1][1])
    assert isinstance(latest, Tile)
    wrong = [attribute for attribute in ATTRIBUTES if attribute in wrong_attributes(puzzle, latest)]
    detail = f"The missing cell shows a wrong tile: wrong in {', '.join(wrong)}."
    yield Finding("wrong_tile", False, detail, runs[0][0])


def _unclear(seen: Seen) -> Iterator[Finding]:
    runs = _runs(seen, ANSWER, partial(eq, "unclear"))
    if runs:
        detail = "The missing cell shows a mark that is no tile of this kind."
        yield Finding("unclear_mark", False, detail, runs[0][0])


def _answer_left(puzzle: Raven, seen: Seen) -> Iterator[Finding]:
    """The answer stood there for two readings, and was changed."""
    stood = False
    for (_, was), (seconds, now) in pairwise(seen):
        stood = stood or was[ANSWER] == now[ANSWER] == puzzle.answer
        if stood and now[ANSWER] != puzzle.answer:
            yield Finding("answer_left", False, "The right answer is changed again.", seconds)
            return


def _runs(seen: Seen, place: int, holds: Callable[[Reading], bool]) -> list[tuple[float, float]]:
    """When something holds in a cell for long enough to be believed: the first and the last reading of each time."""
    runs: list[tuple[float, float]] = []
    spell: list[float] = []

    def end() -> None:
        if len(spell) >= BELIEVED or (len(spell) >= 2 and spell[-1] - spell[0] >= BELIEVED_S):
            runs.append((spell[0], spell[-1]))
        spell.clear()

    for seconds, readings in seen:
        if holds(readings[place]):
            spell.append(seconds)
        else:
            end()
    end()
    return runs


def _metrics(puzzle: Raven, trace: Trace[RavenState], seen: Seen) -> dict[str, float]:
    if not seen:
        return {"readable_share": 0.0}
    final = seen[-1][1]
    answer = final[ANSWER]
    wrong = wrong_attributes(puzzle, answer) if isinstance(answer, Tile) else set(ATTRIBUTES)
    tiles = [readings[ANSWER] for _, readings in seen if isinstance(readings[ANSWER], Tile)]
    return {
        **{f"{attribute}_right": float(attribute not in wrong) for attribute in ATTRIBUTES},
        "question_gone": float(answer != "question"),
        "answer_clear": float(isinstance(answer, Tile)),
        "givens_changed": float(len(_damaged(puzzle, final))),
        "tiles_tried": float(len(set(tiles))),
        "readable_share": round(len(seen) / len(trace), 4),
    }
