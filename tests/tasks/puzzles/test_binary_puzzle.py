"""Binary puzzle: solved again square by square, checked by regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.binary_puzzle import COLOURS, TASK


def fill(board: str, side: int) -> Iterator[str]:
    """Yield every full board; a board is one string."""
    lines = [board[i * side : (i + 1) * side] for i in range(side)] + [board[i::side] for i in range(side)]
    if any(re.search("bbb|ooo", line) or max(map(line.count, "bo")) > side / 2 for line in lines):
        return
    if "." not in board:
        yield board
        return
    for letter in "bo":
        yield from fill(board.replace(".", letter, 1), side)


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_one_board_is_right(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    for puzzle in plan(TASK, 12, 4, params):
        start, side = "".join(puzzle.rows), params.side
        [board] = fill(start, side)
        blanks = [place for place, letter in enumerate(start) if letter == "."]
        expected = {f"r{place // side}c{place % side}": COLOURS[board[place]] for place in blanks}
        assert [expected] == [dict(answer) for answer in TASK.answers(puzzle)]
        measured = TASK.measure_difficulty(puzzle)
        assert (measured["cells_that_need_whole_lines"] > 0) == params.needs_whole_lines
        assert f"{side // 2} blue and {side // 2} orange" in TASK.prompt(puzzle)
