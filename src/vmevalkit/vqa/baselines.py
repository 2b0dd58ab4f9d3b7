"""Baselines without which a score means little: answers by chance, and a model that does not see the images."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vmevalkit.core.chat import ChatAnswer, ChatMessage, ChatModel, ChatRequest, ImagePart
from vmevalkit.core.image_edit import EditedImage, EditRequest
from vmevalkit.core.randomness import rng_for
from vmevalkit.media.fitting import fit
from vmevalkit.media.image import encode_png
from vmevalkit.models.chat_images import decode_rgb, digest_pixels
from vmevalkit.vqa.task_files.mmsi import LETTERS

SHEET_SIDE = 384


class RandomChoice:
    """A chat model that answers with a random letter. The same question always gets the same letter."""

    provider = "local"

    def __init__(self, seed: int = 0) -> None:
        self.name, self.identity, self._seed = "random", f"random@{seed}", seed

    def estimate_usd(self, request: ChatRequest) -> float | None:
        return 0.0

    async def ask(self, request: ChatRequest) -> ChatAnswer:
        pixels = [digest_pixels(decode_rgb(image)) for image in request.images]
        letter = rng_for("vqa", "random", self._seed, request.text, *pixels).choice(LETTERS)
        return ChatAnswer(f"``{letter}``", model=self.name, usd=0.0)

    async def close(self) -> None:
        pass


class ContactSheet:
    """An image editor that puts all images side by side, and draws nothing: the visualization of a baseline."""

    name, provider, identity = "contact_sheet", "local", f"contact_sheet@{SHEET_SIDE}"

    async def edit(self, request: EditRequest) -> EditedImage:
        tiles = [
            fit(decode_rgb(image), (SHEET_SIDE, SHEET_SIDE), "letterbox", (255, 255, 255))[0]
            for image in request.images
        ]
        return EditedImage(encode_png(np.concatenate(tiles, axis=1)), model=self.name, usd=0.0)

    async def close(self) -> None:
        pass


class Blind:
    """Another chat model that gets the text alone. What it scores is what the images are not needed for."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.name, self.provider, self.identity = f"blind {model.name}", model.provider, f"blind {model.identity}"

    def estimate_usd(self, request: ChatRequest) -> float | None:
        return self._model.estimate_usd(remove_images(request))

    async def ask(self, request: ChatRequest) -> ChatAnswer:
        return await self._model.ask(remove_images(request))

    async def close(self) -> None:
        await self._model.close()


def remove_images(request: ChatRequest) -> ChatRequest:
    """Return the request with its text alone."""
    messages = tuple(
        ChatMessage(message.role, tuple(part for part in message.parts if not isinstance(part, ImagePart)))
        for message in request.messages
    )
    return replace(request, messages=messages)
