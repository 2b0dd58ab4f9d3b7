"""Connect Four: played again on a board of text."""

from __future__ import annotations

import re

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.connect_four import TASK

GAPS = (0, 6, 7, 8)
"""Letters between neighbours in a column, a falling diagonal, a row, and a rising diagonal of the text."""


def has_won(board: list[str], who: str) -> bool:
    """Whether four are in a line; columns are joined by a bar, and the topmost hole has one of its own."""
    text = "|".join(column.ljust(6, ".") for column in board) + "|"
    return any(re.search(f"{who}(?:.{{{max(gap - 1, 0)}}}{who}){{3}}", text) for gap in GAPS)


def play(board: list[str], who: str) -> dict[int, list[str]]:
    return {
        c: [*board[:c], board[c] + who, *board[c + 1 :]] for c in range(7) if len(board[c]) < 6
    }  # fmt: skip


def list_wins(board: list[str], who: str) -> set[int]:
    return {c for c, after in play(board, who).items() if has_won(after, who)}


def list_forks(board: list[str], who: str, other: str) -> set[int]:
    return {
        c for c, after in play(board, who).items()
        if all(list_wins(reply, who) and not has_won(reply, other) for reply in play(after, other).values())
    }  # fmt: skip


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_every_winning_disc_is_accepted_and_no_other(difficulty: str) -> None:
    for puzzle in plan(TASK, 8, 4, TASK.preset(difficulty)):
        board, who = list(puzzle.board), puzzle.colour
        other = "ry".replace(who, "")
        assert not has_won(board, who) and not has_won(board, other)
        right = list_wins(board, who)
        if difficulty == "hard":
            assert not right
            right = list_forks(board, who, other)
        name = {"r": "red", "y": "yellow"}[who]
        cells = [{f"c{column}r{len(board[column])}": name} for column in sorted(right)]
        assert cells == [dict(answer) for answer in TASK.answers(puzzle)]
        assert f"Add one {name} disc" in TASK.prompt(puzzle)
        assert bool(list_wins(board, other)) == (difficulty == "medium") or difficulty == "hard"
