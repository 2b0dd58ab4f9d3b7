"""verl and verl-omni: ``compute_score`` of a custom reward.

Read at volcengine/verl, commit 0df61dc51b07fa4146f733069c5d59ff2a57bb98, ``verl/workers/reward_manager/naive.py``:
``compute_score(data_source=..., solution_str=..., ground_truth=..., extra_info=...)`` returns a number or a dict with
``reward``; and at verl-project/verl-omni, commit 0ef63e57e2af137519e24aeb375b9717dd018826,
``verl_omni/utils/reward_score/jpeg_compressibility.py``: ``solution_image`` is a tensor of (time, channels, height,
width), and the result a number or a dict with ``score``. The file that ``custom_reward_function.path`` names contains
``compute_score = make_compute_score(RewardFunction(...))``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vmevalkit.core.errors import UsageError
from vmevalkit.reward.adapters import find_question_id
from vmevalkit.reward.reward_function import RewardFunction


def make_compute_score(reward: RewardFunction, fps: float = 16.0) -> Callable[..., dict[str, float]]:
    """Return the function. The question is ``extra_info["question_id"]``, or the ground truth."""

    def compute_score(
        data_source: str | None = None, solution_str: Any = None, ground_truth: Any = None, extra_info: Any = None,
        solution_image: Any = None, **kwargs: Any,
    ) -> dict[str, float]:  # fmt: skip
        video = solution_str if solution_image is None else solution_image
        if video is None:
            raise UsageError("compute_score got neither solution_image (frames) nor solution_str (the path of a video)")
        known = str(ground_truth) in reward.questions
        name = str(ground_truth) if known else find_question_id(reward, None, extra_info)
        [part] = reward([video], [name], fps)
        return {
            "score": part.reward, "reward": part.reward, "passed": float(part.passed),
            "outcome": part.outcome or 0.0, "legal_progress": part.legal_progress or 0.0,
        }  # fmt: skip

    return compute_score
