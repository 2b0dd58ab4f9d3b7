"""Graph route: the fewest moves again, by relaxing all lines until nothing changes."""

from __future__ import annotations

from itertools import combinations

import pytest

from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.puzzles.graph_route import TASK, Network


def count_moves(puzzle: Network) -> float:
    """Return the length of the shortest way, in lines (Bellman and Ford)."""
    far = dict.fromkeys(range(len(puzzle.nodes)), float("inf")) | {puzzle.token: 0}
    lines = [*puzzle.lines, *((two, one) for one, two in puzzle.lines), *puzzle.arrows]
    for _ in puzzle.nodes:
        for one, two in lines:
            if two not in puzzle.closed:
                far[two] = min(far[two], far[one] + 1)
    return far[puzzle.target]


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_the_fewest_moves_are_those_of_another_solver(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    for puzzle in plan(TASK, 20, 4, params):
        measured = TASK.measure_difficulty(puzzle)
        assert count_moves(puzzle) == measured["moves"] and measured["detour"] >= params.detour
        assert params.least_moves <= measured["moves"] <= params.most_moves


def test_lines_do_not_cross() -> None:
    def turn(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> bool:
        return (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0])

    for puzzle in plan(TASK, 10, 5, TASK.preset("hard")):
        for one, two in combinations((*puzzle.lines, *puzzle.arrows), 2):
            if set(one).isdisjoint(two):
                a, b, c, d = (puzzle.nodes[i] for i in (*one, *two))
                assert turn(a, b, c) == turn(a, b, d) or turn(c, d, a) == turn(c, d, b)


def test_the_prompt_has_a_rule_for_all_that_the_picture_shows() -> None:
    for difficulty in ("easy", "medium", "hard"):
        [puzzle] = plan(TASK, 1, 4, TASK.preset(difficulty))
        prompt = TASK.prompt(puzzle)
        assert ("arrow" in prompt) == bool(puzzle.arrows) and ("cross" in prompt) == bool(puzzle.closed)
