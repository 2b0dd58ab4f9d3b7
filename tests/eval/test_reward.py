"""Rewards of failed videos, over all tricks of all tasks, on traces of states: no frame is drawn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from vmevalkit.core.records import Score
from vmevalkit.eval.verdict import judge
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.kit.move_task import MoveTask
from vmevalkit.tasks.kit.scene_task import SceneTask
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.task import AnyTask, FrameReading

FPS = 12
LEAD, MOVING, HOLD = 3, 48, 9
"""Frames of the first state, of the motion and of the last state."""
TOLERANCE = 0.001
"""Scores are rounded."""

StateAt = Callable[[float], Any]
TASKS_WITH_WAY = [name for name in sorted(TASKS) if TASKS[name].motion is not None]


def list_states(state_at: StateAt) -> list[Any]:
    return [state_at(0.0)] * LEAD + [state_at(index / MOVING) for index in range(MOVING + 1)]


def score_states(task: AnyTask, puzzle: Any, states: list[Any]) -> Score:
    """Score a video that shows these states and then holds the last one."""
    held = [*states, *[states[-1]] * HOLD]
    return judge(task, puzzle, [FrameReading(index / FPS, state) for index, state in enumerate(held)], "RuleEvaluator")


def play_until(task: AnyTask, puzzle: Any, share: float) -> StateAt:
    """Play the reference solution up to a share of it, and stop there."""
    return lambda t: task.solution(puzzle, min(t, share))


def list_puzzles(task: AnyTask) -> list[Any]:
    return plan(task, 1 if isinstance(task, SceneTask) else 2, 31, task.preset())


def list_tricks(task: AnyTask, puzzle: Any, seed: int) -> dict[str, list[Any]]:
    """Return the states of the task's own tricks that must fail, and of the generic ones that are states."""
    solution = partial(task.solution, puzzle)
    generic: dict[str, StateAt] = {
        "cut_at_90": lambda t: solution(0.0 if t < 0.9 else 0.9),
        "cut_to_final": lambda t: solution(0.0 if t < 0.5 else 1.0),
        "half_then_cut": lambda t: solution(t if t < 0.5 else 1.0),
        "back_then_cut": lambda t: solution(min(t, 0.8 - t) if t < 0.8 else 1.0),
        "starts_solved": lambda _: solution(1.0),
        "reversed": lambda t: solution(1.0 - t),
    }
    cheats = {n: c.state_at for n, c in task.cheats(puzzle, Random(seed)).items() if c.expected == "fail"}
    return {name: list_states(state_at) for name, state_at in {**generic, **cheats}.items()}


def score_before_cheat(task: AnyTask, puzzle: Any, states: list[Any], violation_s: float | None) -> Score | None:
    """Return the score of the longest video that is cut off before the first violation; None where none is."""
    for end in range(len(states) if violation_s is None else round(violation_s * FPS), 0, -1):
        score = score_states(task, puzzle, states[:end])
        if not any(finding.gating for finding in score.findings):
            return score
    return None


@pytest.mark.parametrize("name", TASKS_WITH_WAY)
def test_a_cheat_never_earns_more_than_the_video_cut_off_before_it(name: str) -> None:
    task = TASKS[name]
    for index, puzzle in enumerate(list_puzzles(task)):
        for trick, states in list_tricks(task, puzzle, index).items():
            score = score_states(task, puzzle, states)
            if not any(finding.gating for finding in score.findings):
                continue  # a wrong answer, not a cheat
            before = score_before_cheat(task, puzzle, states, score.first_violation_s)
            most = before.reward if before is not None else 0.0
            assert not score.passed, trick
            assert score.reward <= most + TOLERANCE, (trick, score, before)


@pytest.mark.parametrize("name", sorted(set(TASKS) - set(TASKS_WITH_WAY)))
def test_where_only_the_final_state_matters_the_outcome_alone_is_paid(name: str) -> None:
    task = TASKS[name]
    for index, puzzle in enumerate(list_puzzles(task)):
        for trick, states in list_tricks(task, puzzle, index).items():
            score = score_states(task, puzzle, states)
            if score.passed:
                assert "cut" in trick
            elif any(finding.name == "wrong_start" for finding in score.findings):
                assert score.reward == 0.0, trick
            else:
                assert score.reward == pytest.approx(0.5 * (score.outcome or 0.0)), trick


@pytest.mark.parametrize("name", sorted(TASKS))
def test_more_honest_progress_never_earns_less(name: str) -> None:
    task = TASKS[name]
    for puzzle in list_puzzles(task):
        # A piece in flight may be over a place where it does not stop, so puzzles of moves are stopped between two.
        stops = len(task.path(puzzle)) - 1 if isinstance(task, MoveTask) else 16
        rewards = [
            score_states(task, puzzle, list_states(play_until(task, puzzle, index / stops))).reward
            for index in range(stops + 1)
        ]
        assert rewards[0] == 0.0
        assert rewards[-1] == 1.0
        assert all(less <= more + TOLERANCE for less, more in pairwise(rewards)), rewards


@pytest.mark.parametrize("name", sorted(TASKS))
def test_reaching_the_answer_and_going_back_to_the_start_earns_nothing(name: str) -> None:
    task = TASKS[name]
    for puzzle in list_puzzles(task):
        whole = play_until(task, puzzle, 1.0)
        states = [*list_states(whole), *reversed(list_states(whole))]
        assert score_states(task, puzzle, states).reward == 0.0


@pytest.mark.parametrize("name", TASKS_WITH_WAY)
def test_a_cut_after_a_still_frame_earns_nothing_and_an_honest_half_something(name: str) -> None:
    task = TASKS[name]
    for index, puzzle in enumerate(list_puzzles(task)):
        cut = score_states(task, puzzle, list_tricks(task, puzzle, index)["cut_at_90"])
        half = score_states(task, puzzle, list_states(play_until(task, puzzle, 0.5)))
        assert cut.reward == 0.0
        assert half.reward > 0.1
