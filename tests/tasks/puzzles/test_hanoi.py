"""Tower of Hanoi: every question of the catalogue, by the rule of the recursion."""

from __future__ import annotations

import pytest

from vmevalkit.tasks.puzzles.hanoi import TASK, Hanoi


def count_moves(pegs: tuple[int, ...], goal: int) -> int:
    """Return the fewest moves by recursion on the largest disc."""
    if not pegs:
        return 0
    if pegs[0] == goal:
        return count_moves(pegs[1:], goal)
    return count_moves(pegs[1:], 3 - pegs[0] - goal) + 2 ** (len(pegs) - 1)


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_fewest_moves_are_those_of_the_recursion(difficulty: str) -> None:
    catalogue = TASK.catalogue(TASK.preset(difficulty))
    assert len(catalogue) == len(set(catalogue)) > 50
    for puzzle in catalogue[::7]:
        assert len(TASK.path(puzzle)) - 1 == count_moves(puzzle.pegs, puzzle.goal)


def test_no_disc_is_ever_on_a_smaller_one() -> None:
    puzzle = Hanoi((0, 0, 0, 0), 2)
    for at in TASK.path(puzzle):
        for peg in range(3):
            levels = [level for disc_peg, level in at if disc_peg == peg]  # largest disc first
            assert levels == list(range(len(levels)))
    assert len(TASK.path(puzzle)) - 1 == 15
