"""A step of TRL's own trainer with our reward, on the real library: a tiny language model with random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.reward.solutions import show_solution
from vmevalkit.reward import RewardFunction
from vmevalkit.reward.adapters.trl import make_trl_reward

pytestmark = [pytest.mark.local, pytest.mark.filterwarnings("ignore")]
WORDS = ["<pad>", "<eos>", "turn", "the", "hand", "stop"]


def test_a_step_of_grpo_is_trained_with_the_reward(tmp_path: Path) -> None:
    trl = pytest.importorskip("trl")
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    from datasets import Dataset

    words = Tokenizer(WordLevel({word: index for index, word in enumerate(WORDS)}, unk_token="<pad>"))
    words.pre_tokenizer = Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>")
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=len(WORDS), n_positions=64, n_embd=16, n_layer=1, n_head=2, bos_token_id=1, eos_token_id=1
        )
    )
    reward = RewardFunction(tasks=["clock"], n=1, seed=4)
    seen: list[str] = []

    def render(completion: str, question_id: str) -> np.ndarray:
        """Turn the hand as far as the completion says."""
        seen.append(question_id)
        return show_solution(reward, question_id, min(1.0, completion.count("turn") / 3))

    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    options: Any = trl.GRPOConfig(
        output_dir=str(tmp_path), max_steps=1, num_generations=4, per_device_train_batch_size=4,
        max_completion_length=8, learning_rate=0.1, use_cpu=True, bf16=False, report_to=[],
        seed=1, save_strategy="no", beta=0.0, generation_kwargs={"min_new_tokens": 8},
    )  # fmt: skip
    rows = Dataset.from_list([{"prompt": "turn the hand", "question_id": "clock_0000"}] * 4)
    trainer = trl.GRPOTrainer(
        model=model, reward_funcs=make_trl_reward(reward, render, 12.0), args=options, train_dataset=rows,
        processing_class=tokenizer,
    )  # fmt: skip
    trainer.train()
    assert seen == ["clock_0000"] * 4
    [log] = [row for row in trainer.state.log_history if "rewards/vmevalkit_reward/mean" in row]
    assert 0.0 < log["rewards/vmevalkit_reward/mean"] <= 1.0 and log["reward_std"] > 0.0
    assert any(not value.equal(before[name]) for name, value in model.named_parameters())
