"""flow_grpo: a scoring function as ``flow_grpo.rewards.multi_score`` returns it.

Read at yifan123/flow_grpo, commit 54809b5fcf4d3930d2a17fa553928704bd0b719e, ``flow_grpo/rewards.py``:
``_fn(images, prompts, metadata, ref_images=None, only_strict=True)`` returns a dict of lists, of which ``avg`` is
trained on, and a dict. Videos are tensors of (batch, time, channels, height, width) from 0 to 1; ``metadata`` has a
dict for each sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vmevalkit.reward.adapters import find_question_id
from vmevalkit.reward.reward_function import RewardFunction


def make_flow_grpo_reward(
    reward: RewardFunction, fps: float = 16.0
) -> Callable[..., tuple[dict[str, list[float]], dict[str, Any]]]:
    """Return a function that takes the place of ``multi_score(device, score_dict)``."""

    def score(
        images: Any, prompts: Sequence[str], metadata: Any, ref_images: Any = None, only_strict: bool = True
    ) -> tuple[dict[str, list[float]], dict[str, Any]]:
        rows = metadata if isinstance(metadata, Sequence) else [None] * len(prompts)
        names = [find_question_id(reward, *pair) for pair in zip(prompts, rows, strict=True)]
        batch = reward(images, names, fps)
        details = {"vmevalkit": batch.rewards, "passed": [float(each) for each in batch.passed], "avg": batch.rewards}
        return details, {}

    return score
