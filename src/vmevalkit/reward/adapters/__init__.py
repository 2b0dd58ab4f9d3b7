"""Adapters from ``RewardFunction`` to the calls of trainers: one small file for each.

Trainers pass prompts and metadata, and a reward needs to know the question. It is the ``question_id`` of a sample's
metadata; else the mark ``[question maze_0007]`` in its prompt, which ``mark_prompt`` writes; else the only question
with that prompt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from vmevalkit.core.errors import UsageError
from vmevalkit.reward.reward_function import RewardFunction

KEY = "question_id"
_MARK = re.compile(r"\s*\[question ([^\[\]\s]+)\]")


def mark_prompt(prompt: str, question_id: str) -> str:
    """Return a prompt that names its question, for trainers that pass no metadata to rewards."""
    return f"{prompt} [question {question_id}]"


def find_question_id(reward: RewardFunction, prompt: str | None, metadata: Any = None) -> str:
    """Return the id of the question of a sample. Raises UsageError where neither metadata nor prompt tells."""
    if isinstance(metadata, Mapping) and KEY in metadata:
        return str(metadata[KEY])
    marked = _MARK.search(prompt or "")
    if marked:
        return marked[1]
    text = "" if prompt is None else prompt.strip()
    same = [name for name, question in reward.questions.items() if question.prompt == text]
    if len(same) != 1:
        raise UsageError(
            f"{len(same)} questions have the prompt {str(prompt)[:60]!r}; give each sample a {KEY} in its metadata, or "
            "write it into the prompt: vmevalkit.reward.adapters.mark_prompt"
        )
    return same[0]
