"""What services accept as images of one request, and larger images reduced to it.

A reduced image keeps its digest: the question and its answer are those of the original.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vmevalkit.core.chat import ChatMessage, ChatRequest, ImagePart
from vmevalkit.core.errors import ModelError
from vmevalkit.media.fitting import resample
from vmevalkit.media.image import encode_jpeg
from vmevalkit.models.chat_images import decode_rgb, make_image_part

_MB = 1024 * 1024
_STEP = 0.8
"""Each further reduction of a file that is too large."""


@dataclass(frozen=True, slots=True)
class ImageLimits:
    """What one request may contain."""

    max_side: int
    """The longest side, in pixels."""
    max_bytes: int
    """The largest file."""
    total_bytes: int
    """All files together, before base64."""
    max_images: int


SERVICE_LIMITS = {
    "openai": ImageLimits(2048, 20 * _MB, 36 * _MB, 500),
    "azure": ImageLimits(2048, 20 * _MB, 36 * _MB, 50),
    "gemini": ImageLimits(3072, 14 * _MB, 14 * _MB, 3000),
}
"""As the services document them. OpenAI reduces to 2048 pixels itself, Gemini to 3072; its requests have 20 MB."""
SERVER_LIMITS = ImageLimits(8192, 20 * _MB, 60 * _MB, 1000)
"""Of any other server: they differ, and large images are reduced by the model's own processor."""
IMAGE_EDIT_LIMITS = ImageLimits(4096, 48 * _MB, 190 * _MB, 16)
"""Of ``images.edit``: 16 images of less than 50 MB."""


def limits_of_service(provider: str) -> ImageLimits:
    """Return the limits of a provider of chat models."""
    return SERVICE_LIMITS.get(provider, SERVER_LIMITS)


def fit_request(request: ChatRequest, limits: ImageLimits) -> ChatRequest:
    """Return the request with images that the service accepts."""
    images = iter(fit_images(request.images, limits))
    messages = tuple(
        ChatMessage(m.role, tuple(next(images) if isinstance(part, ImagePart) else part for part in m.parts))
        for m in request.messages
    )
    return replace(request, messages=messages)


def fit_images(images: Sequence[ImagePart], limits: ImageLimits) -> list[ImagePart]:
    """Return images that the service accepts: those within the limits unchanged. Raises ModelError for too many."""
    if len(images) > limits.max_images:
        raise ModelError(f"the request has {len(images)} images; the service accepts {limits.max_images}")
    fitting = [_fit(image, limits.max_side, limits.max_bytes) for image in images]
    if sum(len(image.data) for image in fitting) <= limits.total_bytes:
        return fitting
    share = limits.total_bytes // len(images)
    return [_fit(image, limits.max_side, share) for image in fitting]


def _fit(image: ImagePart, max_side: int, max_bytes: int) -> ImagePart:
    scale = min(1.0, max_side / max(image.size))
    if scale == 1.0 and len(image.data) <= max_bytes:
        return image
    frame = decode_rgb(image)
    while True:
        size = (max(1, round(image.size[0] * scale)), max(1, round(image.size[1] * scale)))
        pixels = frame if size == image.size else resample(frame, size)
        made = make_image_part(pixels)
        if len(made.data) > max_bytes:  # photographs are far smaller as JPEG
            data = encode_jpeg(pixels)
            made = replace(made, data=data, mime="image/jpeg")
        if len(made.data) <= max_bytes or min(size) <= 16:
            return replace(made, pixel_digest=image.pixel_digest)
        scale *= _STEP
