"""DanceGRPO: an object in the place of its ``VideoVLMRewardInference``.

Read at hokindeng/DanceGRPO, commit c7c70f96bab41f3bdfbcdb3ed2154e5e65b7e2cf, ``fastvideo/train_grpo_hunyuan.py``:
``inferencer.reward([path], [caption], use_norm=True)`` returns a dict for each video, of which ``VQ`` and ``MQ`` are
trained on, weighted by ``vq_coef`` and ``mq_coef``. Captions must name their questions: ``mark_prompt``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vmevalkit.reward.adapters import find_question_id
from vmevalkit.reward.reward_function import RewardFunction


class DanceGrpoReward:
    """Gives ``VQ`` (the reward) and ``MQ`` (1 for a pass, else 0) of video files."""

    def __init__(self, reward: RewardFunction) -> None:
        self._reward = reward

    def reward(
        self, video_paths: Sequence[str], prompts: Sequence[str], use_norm: bool = True
    ) -> list[dict[str, float]]:
        """Return the rewards of videos. They are from 0 to 1 already, so ``use_norm`` changes nothing."""
        names = [find_question_id(self._reward, prompt) for prompt in prompts]
        batch = self._reward([Path(path) for path in video_paths], names)
        return [
            {"VQ": part.reward, "MQ": float(part.passed), "TA": part.reward, "Overall": part.reward} for part in batch
        ]
