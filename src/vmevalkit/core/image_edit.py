"""The contract between the call dispatcher in ``jobs`` and an image editor: images and a prompt, one new image.

    edit(request) -> EditedImage

The models of the image-question track that answer in two stages draw their visualization this way.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Protocol

from vmevalkit.core.chat import ImagePart


@dataclass(frozen=True, slots=True)
class EditRequest:
    """What an image editor is asked."""

    images: tuple[ImagePart, ...]
    """All images that the new one is drawn from."""
    prompt: str
    size: str | None = None
    """Size of the new image, such as ``1024x1024``; None leaves it to the service."""

    def compute_key(self, model_identity: str) -> str:
        """Return the key of the image in a cache: pixels, prompt, size and model."""
        content = [model_identity, [image.pixel_digest for image in self.images], self.prompt, self.size]
        return sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


@dataclass(frozen=True, slots=True, repr=False)
class EditedImage:
    """What an image editor returned."""

    data: bytes
    """The encoded image; empty where the service made none."""
    text: str = ""
    """What the model wrote beside the image."""
    model: str = ""
    """The model's id as the service reports it."""
    usd: float | None = None
    """The price; None where it is unknown."""
    refusal: str | None = None
    """Why there is no image; None where there is one."""
    sent: dict[str, Any] = field(default_factory=dict)
    """The parameters as they were sent."""


class ImageEditor(Protocol):
    """An image editor. ``edit`` makes one call and does not retry: that is the dispatcher's task."""

    @property
    def name(self) -> str:
        """The name that users write."""
        ...

    @property
    def provider(self) -> str:
        """The service: rate limits belong to it."""
        ...

    @property
    def identity(self) -> str:
        """The model and its service: what distinguishes its images from those of others in a cache."""
        ...

    async def edit(self, request: EditRequest) -> EditedImage:
        """Return the image. Throttled and Unreachable mean that the call may be repeated; every other ModelError is
        final. A refusal is an answer."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...
