"""Ball sort: the fewest moves again, by flooding sets of strings, where the order of the tubes does not matter."""

from __future__ import annotations

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.ball_sort import NAMES, TASK, Tubes


def count_moves(puzzle: Tubes) -> int:
    """Return the fewest moves, by flooding sorted tuples of tubes in rounds."""
    frontier = {tuple(sorted("".join(map(str, tube)) for tube in puzzle.tubes))}
    seen, rounds = set(frontier), 0
    while not any(all(len(set(tube)) < 2 and len(tube) in (0, puzzle.depth) for tube in at) for at in frontier):
        found = set()
        for at in frontier:
            for i, tube in enumerate(at):
                for j, other in enumerate(at):
                    if tube and i != j and len(other) < puzzle.depth and other[-1:] in ("", tube[-1]):
                        rest = [each for k, each in enumerate(at) if k not in (i, j)]
                        found.add(tuple(sorted([*rest, tube[:-1], other + tube[-1]])))
        frontier = found - seen
        seen |= found
        rounds += 1
        assert frontier, "not solvable"
    return rounds


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_fewest_moves_are_those_of_another_solver(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    for puzzle in plan(TASK, 10, 4, params):
        moves = count_moves(puzzle)
        assert moves == TASK.measure_difficulty(puzzle)["moves"]
        assert params.least_moves <= moves <= params.most_moves


def test_the_prompt_names_the_colours_of_the_picture() -> None:
    [puzzle] = plan(TASK, 1, 4, TASK.preset("hard"))
    for index, name in enumerate(NAMES):
        assert (name in TASK.prompt(puzzle).replace("sorted", "")) == any(index in tube for tube in puzzle.tubes)
