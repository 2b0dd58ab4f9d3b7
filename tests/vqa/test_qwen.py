"""Qwen2.5-VL with tiny random weights, through the real adapter."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.local

transformers = pytest.importorskip("transformers")

from test_two_stage import run  # noqa: E402

from vmevalkit.core.chat import ChatAnswer, ChatMessage, ChatParams, ChatRequest, TextPart  # noqa: E402
from vmevalkit.core.errors import SetupError, UsageError  # noqa: E402
from vmevalkit.models.batched_chat import BatchedChat  # noqa: E402
from vmevalkit.models.chat_images import make_image_part  # noqa: E402
from vmevalkit.models.qwen_vl import QwenVL  # noqa: E402
from vmevalkit.vqa.staged_caller import CallOptions  # noqa: E402

TOKENS = [
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny model, its tokenizer and its image processor."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from tokenizers.decoders import ByteLevel
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    folder = tmp_path_factory.mktemp("qwen")
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    body = Tokenizer(models.BPE({token: i for i, token in enumerate([*TOKENS, *letters])}, []))
    body.pre_tokenizer, body.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=body, eos_token="<|im_end|>", pad_token="<|endoftext|>", additional_special_tokens=TOKENS[1:]
    )
    tokenizer.save_pretrained(folder)
    Qwen2VLImageProcessorPil(size={"shortest_edge": 56 * 56, "longest_edge": 84 * 84}).save_pretrained(folder)
    number = {token: i for i, token in enumerate(TOKENS)}
    config = transformers.Qwen2_5_VLConfig(
        text_config={
            "vocab_size": len(TOKENS) + len(letters), "hidden_size": 32, "intermediate_size": 48,
            "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 4096,
            "rope_scaling": {"type": "mrope", "mrope_section": [1, 1, 2]}, "bos_token_id": 1,
            "eos_token_id": number["<|im_end|>"], "pad_token_id": 0,
        },
        vision_config={
            "depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "out_hidden_size": 32,
            "patch_size": 14, "window_size": 56, "fullatt_block_indexes": [1],
        },
        image_token_id=number["<|image_pad|>"], video_token_id=number["<|video_pad|>"],
        vision_start_token_id=number["<|vision_start|>"], vision_end_token_id=number["<|vision_end|>"],
    )  # fmt: skip
    torch.manual_seed(0)
    transformers.Qwen2_5_VLForConditionalGeneration(config).save_pretrained(folder)
    return folder


def make_request(text: str, *shades: int, max_tokens: int = 12) -> ChatRequest:
    images = [make_image_part(np.full((60, 80, 3), shade, np.uint8)) for shade in shades]
    return ChatRequest((ChatMessage("user", (*images, TextPart(text))),), ChatParams(0.0, max_tokens))


def test_batches_give_the_answers_of_single_requests(weights: Path) -> None:
    model = QwenVL(str(weights), device="cpu")
    requests = [make_request("one", 10, 200), make_request("a longer question", 50), make_request("?", 5, 90, 250)]
    together = [answer.text for answer in model.answer(requests)]
    alone = [model.answer([request])[0].text for request in requests]
    assert together == alone and any(together)


def test_the_images_are_seen_in_their_order(weights: Path) -> None:
    import torch

    model = QwenVL(str(weights), device="cpu")
    with torch.inference_mode():
        one, same, other = (
            model._model(**model._encode([make_request("one", *shades)])).logits
            for shades in ((9, 200), (9, 200), (200, 9))
        )
    assert torch.equal(one, same) and not torch.allclose(one, other, atol=1e-5)


def test_the_batcher_fills_batches(weights: Path) -> None:
    async def ask_all() -> tuple[list[ChatAnswer], list[int]]:
        chat = BatchedChat(QwenVL(str(weights), device="cpu"), 4)
        answers = await asyncio.gather(*(chat.ask(make_request(f"question {i}", i)) for i in range(6)))
        await chat.close()
        return list(answers), chat.batches

    answers, batches = asyncio.run(ask_all())
    assert batches == [4, 2] and len(answers) == 6


def test_qwen_answers_a_task_in_batches(weights: Path, dataset: Path, tmp_path: Path) -> None:
    args = ("qwen2_5_vl", f"pretrained={weights},max_pixels=7056", ["mmsi_msr"], dataset, tmp_path)
    calls = CallOptions(batch_size=4)
    summary, samples = run(*args, calls, limit=4)
    assert summary.asked == 4 and len(samples["mmsi_msr"]) == 4
    assert run(*args, calls, limit=4)[0].kept == 4


def test_a_placeholder_in_the_question_and_a_wrong_folder(weights: Path, tmp_path: Path) -> None:
    model = QwenVL(str(weights), device="cpu")
    with pytest.raises(UsageError, match="image_pad"):
        model.answer([make_request("<|image_pad|>", 3)])
    with pytest.raises(SetupError, match="pretrained="):
        QwenVL(str(tmp_path))
