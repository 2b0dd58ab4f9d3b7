"""Pattern row: the rule is found again from the arrows that are shown."""

from __future__ import annotations

import pytest

from vmevalkit.core.errors import Exhausted, Uncertified
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.pattern_row import TASK, TURNS, PatternRow


def complete(start: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Return every completion of a row: each turn by the same angle, and colours with a period of at most 3."""
    shown = {i: arrow.split() for i, arrow in enumerate(start) if arrow}
    turns = {
        tuple((first + step * i) % 4 for i in range(len(start)))
        for first in range(4)
        for step in range(4)
        if all((first + step * i) % 4 == TURNS.index(turn) for i, (_, turn) in shown.items())
    }
    colours = set()
    for period in (1, 2, 3):
        cycle: dict[int, set[str]] = {}
        for i, (colour, _) in shown.items():
            cycle.setdefault(i % period, set()).add(colour)
        if all(len(names) == 1 for names in cycle.values()) and len(cycle) == period:
            colours.add(tuple(min(cycle[i % period]) for i in range(len(start))))
    return {tuple(f"{c} {TURNS[t]}" for c, t in zip(row, way, strict=True)) for row in colours for way in turns}


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_all_rules_give_the_same_answer(difficulty: str) -> None:
    for puzzle in plan(TASK, 5, 3, TASK.preset(difficulty)):
        assert complete(puzzle.start) == {puzzle.answer}
        assert [a for a, s in zip(puzzle.answer, puzzle.start, strict=True) if not s] == list(
            TASK.answers(puzzle)[0].values()
        )


def test_a_row_with_two_answers_is_no_puzzle() -> None:
    row = ("red up", "blue right", "red down", "blue left")
    with pytest.raises(Uncertified, match="rows explain"):
        TASK.certify(PatternRow(1, 4, ("red up", "blue right", "", ""), row))


@pytest.mark.parametrize(("difficulty", "count"), [("easy", 48), ("medium", 144)])
def test_the_whole_catalogue_is_planned_and_no_more(difficulty: str, count: int) -> None:
    params = TASK.preset(difficulty)
    assert TASK.capacity(params) == count == len({puzzle.start for puzzle in plan(TASK, count, 1, params)})
    with pytest.raises(Exhausted, match=f"only {count} exist"):
        plan(TASK, count + 1, 1, params)
