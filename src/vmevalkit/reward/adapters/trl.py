"""TRL: a reward function of ``GRPOTrainer`` and ``RLOOTrainer``.

Read at huggingface/trl 1.16.0, ``trl/trainer/grpo_trainer.py``: ``reward_func(prompts=..., completions=...,
completion_ids=..., **columns)`` returns a list of float or None, one for each completion. ``columns`` are those of the
dataset and settings of the trainer. Completions are texts (or lists of messages): ``render`` makes a video of one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vmevalkit.reward.reward_function import RewardFunction


def make_trl_reward(
    reward: RewardFunction, render: Callable[[Any, str], Any], fps: float = 24.0
) -> Callable[..., list[float]]:
    """Return a reward function for a dataset with a column ``question_id``.

    ``render(completion, question_id)`` returns frames or a path; one that raises gives the reward 0."""

    def vmevalkit_reward(
        prompts: Sequence[Any], completions: Sequence[Any], *, question_id: Sequence[str], **columns: Any
    ) -> list[float]:
        videos = [_try_to_render(render, each, name) for each, name in zip(completions, question_id, strict=True)]
        return reward(videos, list(question_id), fps).rewards

    return vmevalkit_reward


def _try_to_render(render: Callable[[Any, str], Any], completion: Any, question_id: str) -> Any:
    try:
        return render(completion, question_id)
    except Exception:  # noqa: BLE001  - a completion that is no video is a bad one, and not the end of a training
        return None
