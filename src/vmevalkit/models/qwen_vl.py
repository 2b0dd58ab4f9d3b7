"""Qwen2.5-VL on this machine, by transformers: batches of requests, each with several images.

The images are processed by the slow processor, which needs Pillow only: transformers' combined processor would need
torchvision.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from vmevalkit.core.chat import ChatAnswer, ChatMessage, ChatRequest, ImagePart, TextPart
from vmevalkit.core.errors import ModelError, SetupError, UsageError
from vmevalkit.core.extras import make_install_command
from vmevalkit.models.chat_images import decode_rgb

VISION = "<|vision_start|><|image_pad|><|vision_end|>"
IMAGE_PAD = "<|image_pad|>"
SYSTEM = "You are a helpful assistant."
DEFAULT_MAX_TOKENS = 8192


class QwenVL:
    """A BatchModel. Answers are greedy unless the request sets a temperature above 0."""

    def __init__(
        self,
        pretrained: str,
        *,
        device: str | None = None,
        dtype: str = "auto",
        min_pixels: int | None = None,
        max_pixels: int | None = None,
        device_map: str | None = None,
        attn_implementation: str | None = None,
    ) -> None:
        """``device_map`` (such as ``auto``) spreads the weights over devices, which needs accelerate; it replaces
        ``device``. ``attn_implementation`` is transformers' (``sdpa``, ``flash_attention_2``, ``eager``)."""
        if device_map and device:
            raise UsageError(f"device={device} and device_map={device_map} exclude each other; give one")
        needed = ("torch", "transformers", *(["accelerate"] if device_map else []))
        missing = [package for package in needed if find_spec(package) is None]
        if missing:
            raise SetupError(f"qwen2_5_vl needs {', '.join(missing)}: {make_install_command('local')}")
        import torch
        from transformers import AutoTokenizer, Qwen2_5_VLForConditionalGeneration
        from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

        is_local = Path(pretrained).expanduser().is_dir()
        place = str(Path(pretrained).expanduser().resolve()) if is_local else pretrained
        options = {"device_map": device_map, "attn_implementation": attn_implementation}
        options = {name: value for name, value in options.items() if value is not None}
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(place, padding_side="left", local_files_only=is_local)
            self._images = Qwen2VLImageProcessorPil.from_pretrained(place, local_files_only=is_local)
            self._model = Qwen2_5_VLForConditionalGeneration.from_pretrained(
                place, dtype=dtype, local_files_only=is_local, **options
            ).eval()
        except (OSError, ValueError, ImportError) as error:
            raise SetupError(
                f"Qwen2.5-VL cannot be loaded from {pretrained!r} ({error}); give pretrained= the folder of its weights"
            ) from error
        if min_pixels or max_pixels:
            size = dict(self._images.size)
            size.update({"shortest_edge": min_pixels} if min_pixels else {})
            size.update({"longest_edge": max_pixels} if max_pixels else {})
            self._images.size = size
        if device_map:
            self._device = self._model.device
        else:
            self._device = device or ("cuda" if torch.cuda.is_available() else "cpu")
            self._model.to(self._device)
        self._pad_id = self._tokenizer.convert_tokens_to_ids(IMAGE_PAD)
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self.name = f"qwen2_5_vl {Path(pretrained).name}"
        arguments = f"min={min_pixels} max={max_pixels} dtype={dtype} attention={attn_implementation}"
        self.identity = f"{place}@transformers {arguments}"

    def answer(self, requests: Sequence[ChatRequest]) -> list[ChatAnswer]:
        """Return the answers of one batch. All requests must have the same parameters."""
        import torch

        params = requests[0].params
        if any(request.params != params for request in requests):
            raise UsageError("a batch of qwen2_5_vl has requests with different parameters; use one task file for all")
        inputs = self._encode(requests)
        is_sampled = bool(params.temperature)
        options: dict[str, Any] = {"temperature": None, "top_p": None, "top_k": None}
        if is_sampled:
            options = {"temperature": params.temperature, **({} if params.top_p is None else {"top_p": params.top_p})}
        if params.seed is not None:
            torch.manual_seed(params.seed)
        try:
            with torch.inference_mode():
                output = self._model.generate(
                    **inputs,
                    max_new_tokens=params.max_tokens or DEFAULT_MAX_TOKENS,
                    do_sample=is_sampled,
                    pad_token_id=self._tokenizer.pad_token_id,
                    **options,
                )
        except torch.cuda.OutOfMemoryError as error:
            raise ModelError(
                f"qwen2_5_vl ran out of memory with {len(requests)} requests; lower --batch_size"
            ) from error
        length = inputs["input_ids"].shape[1]
        texts = self._tokenizer.batch_decode(output[:, length:], skip_special_tokens=True)
        tokens = inputs["attention_mask"].sum(dim=1).tolist()
        ends = [self._find_end(row) for row in output[:, length:].tolist()]
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return [
            ChatAnswer(
                text.strip(), model=self.name, answered_at=now, input_tokens=int(count), usd=0.0,
                output_tokens=written, finish_reason="stop" if has_ended else "length",
                sent={"max_tokens": params.max_tokens, "do_sample": is_sampled, "batch": len(requests)},
            )
            for text, count, (written, has_ended) in zip(texts, tokens, ends, strict=True)
        ]  # fmt: skip

    def close(self) -> None:
        del self._model

    def _find_end(self, tokens: Sequence[int]) -> tuple[int, bool]:
        """Return how many tokens an answer has, and whether the model ended it; else it was cut off at the limit."""
        found = self._model.generation_config.eos_token_id
        stops = {self._tokenizer.eos_token_id, *(found if isinstance(found, list) else [found])} - {None}
        place = next((i for i, token in enumerate(tokens) if token in stops), None)
        return (len(tokens), False) if place is None else (place + 1, True)

    def _encode(self, requests: Sequence[ChatRequest]) -> dict[str, Any]:
        """Return the tensors of a batch. The placeholder of each image is repeated once for each of its patches."""
        from PIL import Image

        pictures = [Image.fromarray(decode_rgb(image)) for request in requests for image in request.images]
        pixels = self._images(images=pictures, return_tensors="pt") if pictures else {}
        per_patch = self._images.merge_size**2
        grids = pixels["image_grid_thw"].prod(dim=1) // per_patch if pictures else []
        counts = iter([int(count) for count in grids])
        texts = []
        for request in requests:
            first, *rest = self._format(request).split(IMAGE_PAD)
            if len(rest) != len(request.images):
                raise UsageError(f"the text of a question contains {IMAGE_PAD}; remove it")
            texts.append(first + "".join(IMAGE_PAD * next(counts) + part for part in rest))
        encoded = self._tokenizer(texts, padding=True, return_tensors="pt")
        inputs = {"input_ids": encoded["input_ids"], "attention_mask": encoded["attention_mask"], **pixels}
        if pictures:
            inputs["mm_token_type_ids"] = (encoded["input_ids"] == self._pad_id).int()
        return {name: value.to(self._device) for name, value in inputs.items()}

    def _format(self, request: ChatRequest) -> str:
        """Return the conversation as text, with a placeholder for each image."""
        if self._tokenizer.chat_template:
            messages = [
                {"role": message.role, "content": [_describe(part) for part in message.parts]}
                for message in request.messages
            ]
            text: str = self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
            return text
        system = [] if request.messages[0].role == "system" else [ChatMessage("system", (TextPart(SYSTEM),))]
        turns = [_format_message(message) for message in [*system, *request.messages]]
        return "".join(turns) + "<|im_start|>assistant\n"


def _describe(part: TextPart | ImagePart) -> dict[str, str]:
    return {"type": "text", "text": part.text} if isinstance(part, TextPart) else {"type": "image"}


def _format_message(message: ChatMessage) -> str:
    content = "".join(part.text if isinstance(part, TextPart) else VISION for part in message.parts)
    return f"<|im_start|>{message.role}\n{content}<|im_end|>\n"
