"""Parts that may turn together: legality on traces made by hand, and which trick videos follow."""

from __future__ import annotations

from random import Random

from vmevalkit.tasks.kit.legality import check_moves
from vmevalkit.tasks.puzzles.clock import TASK as CLOCK
from vmevalkit.tasks.puzzles.clock import Clock
from vmevalkit.tasks.puzzles.mirrors import TASK as MIRRORS
from vmevalkit.tasks.puzzles.mirrors import Mirrors
from vmevalkit.tasks.task import FrameReading

PUZZLE = Mirrors(4, ((0, 1), (1, 1), (2, 2)), (0, 0, 1), 0, (4, 3))


def find(angles: list[tuple[float, float, float]]) -> set[str]:
    start = MIRRORS.stage(PUZZLE).start
    trace = []
    for index, turned in enumerate(each for each in angles for _ in range(3)):
        parts = [type(p)(p.name, p.x, p.y, p.look, angle) for p, angle in zip(start.parts, turned, strict=True)]
        trace.append(FrameReading(index / 12, start.change(*parts)))
    return {finding.name for finding in check_moves(MIRRORS, PUZZLE, trace).findings}


def test_mirrors_may_turn_at_the_same_time() -> None:
    assert find([(0, 0, 90), (20, 30, 90), (40, 60, 90), (90, 90, 90)]) == set()
    assert find([(0, 0, 90), (90, 90, 0)]) == set()


def test_hands_that_every_move_turns_together_have_no_shortcut_by_doing_so() -> None:
    assert "all_at_once" not in CLOCK.cheats(Clock(0, 25), Random(1))  # the straight way is the legal one
    assert CLOCK.cheats(Clock(0, 45), Random(1))["all_at_once"].expected == "fail"  # it is the way back
