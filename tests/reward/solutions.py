"""Videos of solutions for tests of rewards."""

from __future__ import annotations

import numpy as np

from vmevalkit.reward import RewardFunction
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.puzzle_loading import load_puzzle

FRAMES = 30


def show_solution(reward: RewardFunction, name: str, until: float = 1.0) -> np.ndarray:
    """Return the frames of the reference solution, up to a share of it."""
    question = reward.questions[name]
    task = TASKS[question.domain]
    puzzle = load_puzzle(task, question.metadata["puzzle"], name)
    times = [min(max((index - 3) / (FRAMES - 10), 0.0), 1.0) for index in range(FRAMES)]
    return np.stack([task.draw(puzzle, task.solution(puzzle, until * t)) for t in times])
