"""Sokoban: solved again by a search over pushes that shares nothing with the kit's."""

from __future__ import annotations

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.sokoban import TASK, Sokoban


def count_moves(puzzle: Sokoban) -> int:
    """Return the fewest steps, by flooding states of (boxes, player) in rounds."""
    reached = {(frozenset(puzzle.boxes), puzzle.player)}
    frontier, rounds = set(reached), 0
    while not any(boxes == frozenset(puzzle.marks) for boxes, _ in frontier):
        rounds += 1
        found = set()
        for boxes, (y, x) in frontier:
            for step in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                ahead, behind = (y + step[0], x + step[1]), (y + 2 * step[0], x + 2 * step[1])
                solid = [c for c in (ahead, behind) if not (0 <= c[0] < puzzle.side and 0 <= c[1] < puzzle.side)]
                if ahead in solid or ahead in puzzle.walls:
                    continue
                if ahead in boxes:
                    if behind in solid or behind in puzzle.walls or behind in boxes:
                        continue
                    found.add((boxes - {ahead} | {behind}, ahead))
                else:
                    found.add((boxes, ahead))
        frontier = found - reached
        reached |= found
        assert frontier, "not solvable"
    return rounds


@pytest.mark.parametrize("difficulty", ["easy", "medium"])
def test_the_fewest_moves_are_those_of_another_solver(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    for puzzle in plan(TASK, 12, 4, params):
        moves = count_moves(puzzle)
        assert moves == TASK.measure_difficulty(puzzle)["moves"]
        assert params.least_moves <= moves <= params.most_moves


def test_the_prompt_names_what_the_picture_shows() -> None:
    [puzzle] = plan(TASK, 1, 4, TASK.preset("hard"))
    assert "every orange box" in TASK.prompt(puzzle) and "a red mark" in TASK.prompt(puzzle)
    [puzzle] = plan(TASK, 1, 4, TASK.preset("easy"))
    assert "the orange box" in TASK.prompt(puzzle)
