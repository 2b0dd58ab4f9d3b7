from __future__ import annotations

from random import Random
from typing import Any

import pytest
from temporal_videos import LOWERS, make_oracle, play

from vmevalkit.eval.pipeline import read_and_judge
from vmevalkit.eval.temporal import TEMPORAL_METRICS, _measure_clarity, _measure_consistency
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.task import AnyTask

VIDEOS = [*(("maze", name) for name in TEMPORAL_METRICS[:5]), ("object_subtraction", "object_persistence")]


def measure(task: AnyTask, puzzle: Any, make: Any) -> dict[str, float]:
    metrics = read_and_judge(task, puzzle, play(make(task, puzzle))).score.metrics
    return {name: metrics[name] for name in TEMPORAL_METRICS}


@pytest.mark.parametrize(("name", "metric"), VIDEOS)
def test_each_metric_has_a_video_that_lowers_it_alone(name: str, metric: str) -> None:
    task = TASKS[name]
    puzzle = task.sample(Random(3), task.preset("medium"))
    found = measure(task, puzzle, LOWERS[metric])
    assert found[metric] < 0.8
    assert all(found[other] > 0.9 for other in TEMPORAL_METRICS if other != metric), found


FAST_TASKS = ["chess", "maze", "object_subtraction", "raven", "sudoku", "n_queens"]


@pytest.mark.parametrize("name", FAST_TASKS)
def test_the_reference_solution_has_the_maximum_of_each(name: str) -> None:
    task = TASKS[name]
    puzzle = task.sample(Random(3), task.preset())
    found = measure(task, puzzle, make_oracle)
    # A pawn that becomes a queen, and a piece that is taken, change at once.
    jolt = 0.15 if name == "chess" else 0.0
    assert found.pop("temporal_smoothness") >= 1 - jolt - 0.01
    assert all(value == pytest.approx(1.0, abs=0.01) for value in found.values()), found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rotation", "rotation_puzzle"])
def test_so_it_has_in_the_slower_tasks(name: str) -> None:
    test_the_reference_solution_has_the_maximum_of_each(name)


@pytest.mark.parametrize(
    ("progress", "consistency"),
    [
        ([0, 0.2, 0.6, 1], 1.0),
        ([0, 0.2, 0.17, 0.6, 0.57, 1], 1.0),  # jitter
        ([0, 1, 0.5, 1], 0.75),
        ([0, 1, 0], 0.5),
        ([0, 0, 0], 1.0),
        ([], 1.0),
    ],
)
def test_consistency_is_the_share_of_progress(progress: list[float], consistency: float) -> None:
    assert _measure_consistency(progress) == pytest.approx(consistency)


def test_clarity_is_the_share_of_progress_that_is_shown() -> None:
    steps = [(index / 10, index / 10) for index in range(11)]
    assert _measure_clarity(steps, [True] * 11, 0.2) == pytest.approx(1.0)
    assert _measure_clarity([steps[0], steps[1], steps[9], steps[10]], [True] * 4, 0.2) == pytest.approx(0.2)
    assert _measure_clarity([(0.0, 0.0), (0.04, 1.0)], [True] * 2, 0.2) == 0.0
    assert _measure_clarity([(0.0, 0.0), (0.04, 1.0)], [True] * 2, 1.0) == 1.0
    assert _measure_clarity([(0.0, 0.0), (0.04, 0.0)], [True] * 2, 0.2) == 0.0, "nothing was shown"
    damaged = [(0.0, 0.0), (0.04, 0.1), (0.08, 0.1)]
    assert _measure_clarity(damaged, [True, False, True], 0.2) == 1.0, "the only step counts, damage or not"
