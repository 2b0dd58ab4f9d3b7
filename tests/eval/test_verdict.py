"""The rules that all tasks share, on hand-made traces of a counter that shall go from 0 to 4."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from vmevalkit.core.records import Finding
from vmevalkit.eval.verdict import judge
from vmevalkit.media.image import Frame
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.task import CheckResult, FrameReading, Reader, StateTrajectory, Task, Trace, readable

MAZE = TASKS["maze"]


@dataclass(frozen=True, slots=True)
class Counter:
    goal: int = 4


class CounterTask(Task[Counter, int, None]):
    """States are whole numbers; a step by more than one is a jump, 3 is a blemish, negative numbers are rubble."""

    name = "counter"
    version = "7"

    def sample(self, rng: Random, params: None) -> Counter:
        return Counter()

    def key(self, puzzle: Counter) -> Hashable:
        return puzzle

    def certify(self, puzzle: Counter) -> None: ...

    def prompt(self, puzzle: Counter) -> str:
        return "Count."

    def metadata(self, puzzle: Counter) -> dict[str, Any]:
        return {}

    def size(self, puzzle: Counter) -> tuple[int, int]:
        return (8, 8)

    def solution(self, puzzle: Counter, t: float) -> int:
        return round(t * puzzle.goal)

    def draw(self, puzzle: Counter, state: int) -> Frame:
        raise AssertionError("a verdict needs no pixels")

    def reader(self, puzzle: Counter) -> Reader[int]:
        raise AssertionError("a verdict needs no pixels")

    def accepted(self, puzzle: Counter, state: int) -> bool:
        return state == puzzle.goal

    def progress(self, puzzle: Counter, state: int) -> float:
        return max(0.0, 1 - abs(puzzle.goal - state) / puzzle.goal)

    def check(self, puzzle: Counter, trace: Trace[int]) -> CheckResult:
        read = readable(trace)
        jumps = [now_s for (_, was), (now_s, now) in pairwise(read) if abs(now - was) > 1]
        findings = [Finding("jump", True, "It jumps.", jumps[0])] if jumps else []
        if any(state == 3 for _, state in read):
            findings.append(Finding("three", False, "It shows a three."))
        return CheckResult(tuple(findings), {"steps": len(read)})

    def cheats(self, puzzle: Counter, rng: Random) -> dict[str, StateTrajectory[int]]:
        return {}


TASK = CounterTask()


def verdict(*states: int | None, step_s: float = 0.25, is_card: bool = True) -> Any:
    """Return the verdict on a trace of states. Unreadable frames are fades or still cards, unless said otherwise."""
    trace = [FrameReading(index * step_s, state, is_card=is_card) for index, state in enumerate(states)]
    return judge(TASK, Counter(), trace, "RuleEvaluator")


def test_solved_without_a_finding_is_a_5() -> None:
    class Plain(CounterTask):
        def check(self, puzzle: Counter, trace: Trace[int]) -> CheckResult:
            return CheckResult()

    trace = [FrameReading(i * 0.25, s) for i, s in enumerate([0, 1, 2, 4, 4, 4])]
    score = judge(Plain(), Counter(), trace, "RuleEvaluator")
    assert (score.value, score.solved, score.passed, score.outcome, score.process) == (5, True, True, 1.0, 1.0)
    assert score.failure_mode == "none"
    assert score.version == "7"


def test_a_finding_that_does_not_gate_leaves_a_4() -> None:
    score = verdict(0, 1, 2, 3, 4, 4, 4)
    assert (score.value, score.passed) == (4, True)
    assert score.metrics == {"steps": 7.0}


def test_a_gating_finding_makes_a_solved_video_a_2() -> None:
    score = verdict(0, 0, 4, 4, 4)
    assert (score.value, score.solved, score.passed) == (2, True, False)
    assert score.failure_mode == "illegal_process"
    assert score.first_violation_s == 0.5
    assert score.process == 0.5


def test_a_still_video_has_zero_everywhere() -> None:
    score = verdict(0, 0, 0, 0, 0)
    assert (score.value, score.outcome, score.process, score.failure_mode) == (1, 0.0, 0.0, "static")
    assert not score.ever_solved


def test_the_trembling_of_readings_is_no_progress() -> None:
    class Trembling(CounterTask):
        def state_key(self, puzzle: Counter, state: int) -> Hashable:
            return state // 2

    trace = [FrameReading(i * 0.25, s) for i, s in enumerate([0, 1, 0, 1, 1, 1])]
    score = judge(Trembling(), Counter(), trace, "RuleEvaluator")
    assert (score.value, score.outcome, score.failure_mode) == (1, 0.0, "static")


@pytest.mark.parametrize(("last", "value"), [(1, 2), (2, 3)])
def test_part_of_the_way_is_partial(last: int, value: int) -> None:
    score = verdict(0, 0, 1, last, last, last)
    assert (score.value, score.failure_mode) == (value, "partial")
    assert score.outcome == last / 4


def test_solved_and_then_left_is_an_incorrect_termination() -> None:
    score = verdict(0, 1, 2, 3, 4, 4, 4, 3, 2, 2, 2, 2)
    assert not score.solved
    assert score.ever_solved
    assert score.solved_at_s == 1.0
    assert score.failure_mode == "incorrect_termination"


def test_a_single_misreading_does_not_count_as_solved_once() -> None:
    assert not verdict(0, 0, 1, 4, 1, 1, 1, 1).ever_solved


def test_the_answer_stays_until_the_end() -> None:
    assert verdict(0, 1, 2, 3, 4, 4, 4, 4, 4, step_s=0.125).solved
    assert verdict(0, 1, 2, 3, 4, 4, 4, 3, 4, 4, 4, step_s=0.0625).solved, "one reading may be a misreading"
    assert not verdict(0, 1, 2, 3, 4, 4, 4, 4, 3, step_s=0.125).solved, "it is taken back"
    assert not verdict(0, 1, 2, 3, 4, 0, 4, 0, 4, step_s=0.125).solved, "it strobes"


def test_an_answer_counts_once_it_is_held() -> None:
    wrong_then_right = [0, 1, 2, *(number % 3 for number in range(24))]
    assert not verdict(*wrong_then_right, 4, step_s=1 / 24).solved, "another answer in every frame is no answer"
    assert not verdict(*wrong_then_right, *[4] * 5, step_s=1 / 24).solved, "five frames are 0.21 s"
    assert verdict(*wrong_then_right, *[4] * 6, step_s=1 / 24).solved, "six frames are a quarter of a second"
    assert verdict(0, 1, 2, 4, 4, step_s=0.125).solved
    fleeting = verdict(0, 1, 2, 3, 4, step_s=0.125)
    assert not fleeting.solved and "too late or too briefly to be held" in fleeting.explanation


def test_one_reading_in_five_may_be_a_misreading() -> None:
    assert verdict(0, 1, *[4] * 10, 1, 4, 4, 4, 4, step_s=0.0625).solved
    assert not verdict(0, 1, *[4] * 10, 1, 1, 4, 4, 4, step_s=0.0625).solved


def test_noise_at_the_end_is_no_end_card() -> None:
    assert verdict(0, 1, 2, 3, 4, 4, 4, None, None, None, None).passed
    assert not verdict(0, 1, 2, 3, 4, 4, 4, None, None, None, None, is_card=False).solved


def test_an_end_card_of_a_second_is_passed_over() -> None:
    assert verdict(0, 1, 2, 3, 4, 4, 4, None, None, None, None).passed


def test_a_longer_unreadable_end_is_scene_broken() -> None:
    score = verdict(0, 1, 2, 3, 4, 4, 4, None, None, None, None, None)
    assert (score.value, score.failure_mode) == (1, "scene_broken")
    assert "after 1.50 s" in score.explanation


def test_a_video_that_cannot_be_read_at_all_is_scene_broken() -> None:
    score = verdict(None, None)
    assert (score.value, score.failure_mode) == (1, "scene_broken")


def test_a_video_that_starts_at_the_answer_does_not_pass() -> None:
    score = verdict(4, 4, 4, 4)
    assert score.solved
    assert not score.passed
    assert [finding.name for finding in score.findings] == ["wrong_start"]


def test_how_long_the_answer_was_held() -> None:
    assert verdict(0, 1, 2, 3, 4, 4, 4, 4).held_s == 0.75


def test_a_jump_is_reported_once() -> None:
    """The maze reports a jump as a teleport; the rules that all tasks share see the same one."""
    [maze] = plan(MAZE, 1, 3, MAZE.preset())
    way = [MAZE.solution(maze, index / 47) for index in range(48)]
    frames = [*way[:12], *way[36:], *[way[-1]] * 24]
    score = judge(MAZE, maze, [FrameReading(index / 24, state) for index, state in enumerate(frames)], "rules")
    assert [finding.name for finding in score.findings if finding.gating] == ["teleport"]
