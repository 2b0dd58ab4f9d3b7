"""Tic-tac-toe: the whole catalogue, played again with a magic square, in which lines sum to 15."""

from __future__ import annotations

from itertools import combinations

import pytest

from vmevalkit.tasks.puzzles.tic_tac_toe import TASK

NUMBERS = (2, 7, 6, 9, 5, 1, 4, 3, 8)


def has_won(numbers: set[int]) -> bool:
    return any(sum(three) == 15 for three in combinations(numbers, 3))


def list_wins(mine: set[int], others: set[int]) -> set[int]:
    return {n for n in set(NUMBERS) - mine - others if has_won(mine | {n})}


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_every_winning_move_is_accepted_and_no_other(difficulty: str) -> None:
    catalogue = TASK.catalogue(TASK.preset(difficulty))
    assert len(catalogue) == len(set(catalogue)) > 200
    for puzzle in catalogue:
        mine, others = (
            {number for number, mark in zip(NUMBERS, puzzle.board, strict=True) if mark == who}
            for who in (puzzle.mark, "XO".replace(puzzle.mark, ""))
        )
        right = list_wins(mine, others)
        assert bool(right) == (difficulty != "hard")
        if difficulty == "hard":
            free = set(NUMBERS) - mine - others
            right = {
                n for n in free
                if all(list_wins(mine | {n}, others | {m}) and not has_won(others | {m}) for m in free - {n})
            }  # fmt: skip
        else:
            assert bool(list_wins(others, mine)) == (difficulty == "medium")
        cells = {f"r{NUMBERS.index(n) // 3}c{NUMBERS.index(n) % 3}" for n in right}
        assert [{cell: puzzle.mark} for cell in sorted(cells)] == [dict(answer) for answer in TASK.answers(puzzle)]
