"""Rewards for training: a function over batches of videos, a service, and adapters for trainers."""

from __future__ import annotations

from vmevalkit.reward.records import RewardBatch, RewardParts
from vmevalkit.reward.reward_function import RewardFunction

__all__ = ["RewardBatch", "RewardFunction", "RewardParts"]
