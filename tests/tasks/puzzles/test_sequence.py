"""Sequence: completed again by trying every order of values that could repeat."""

from __future__ import annotations

from itertools import cycle, product

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.sequence import LONGEST, TASK


def complete(known: list[str]) -> set[tuple[str, ...]]:
    """Return every way to go on with the values that are there; a missing one is empty."""
    ways = set()
    for length in range(1, LONGEST + 1):
        for order in product(sorted(set(known) - {""}), repeat=length):
            whole = tuple(value for value, _ in zip(cycle(order), known, strict=False))
            if all(value in ("", other) for value, other in zip(known, whole, strict=True)):
                ways.add(whole)
    return ways


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_one_continuation_is_possible(difficulty: str) -> None:
    for puzzle in plan(TASK, 20, 4, TASK.preset(difficulty)):
        columns = []
        for place in range(3):
            [way] = complete([look.split()[place] if look else "" for look in puzzle.things])
            columns.append(way)
        whole = [" ".join(words) for words in zip(*columns, strict=True)]
        right = {f"thing{i}": whole[i] for i, look in enumerate(puzzle.things) if not look}
        assert [right] == [dict(answer) for answer in TASK.answers(puzzle)]
        assert set(right.values()) <= set(TASK.contents(puzzle))
        assert ("sizes" in TASK.prompt(puzzle)) == (len(set(columns[0])) > 1) == (difficulty == "hard")
