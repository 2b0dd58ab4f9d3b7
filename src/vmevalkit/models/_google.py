"""Parts that both of Google's APIs share: the input image, and a client without automatic retries."""

from __future__ import annotations

from typing import Any

from vmevalkit.core.records import Request
from vmevalkit.core.settings import setting
from vmevalkit.media.image import Size
from vmevalkit.models._request_params import CONNECT_TIMEOUT_S, response_timeout_s
from vmevalkit.models.input_image import (
    BLACK,
    PreparedImage,
    check_image_bytes,
    choose_nearest_ratio,
    choose_video_size,
    prepare_image,
    read_image_size,
)
from vmevalkit.models.model import ModelSpec

RATIOS = {"16:9": (16, 9), "9:16": (9, 16)}
IMAGE_LIMIT_BYTES = 20 * 1024 * 1024


def make_http_client(spec: ModelSpec) -> Any:
    """Return an HTTP client for the SDK, so that errors and timeouts do not depend on the libraries installed."""
    import httpx2

    return httpx2.AsyncClient(timeout=httpx2.Timeout(response_timeout_s(spec), connect=CONNECT_TIMEOUT_S))


def make_http_options(spec: ModelSpec, client: Any, endpoint: str) -> Any:
    """Return options with one attempt per call. The SDK would try a submit request five times, and each may be
    billed."""
    from google.genai import types

    return types.HttpOptions(
        base_url=setting(endpoint),
        timeout=int(response_timeout_s(spec) * 1000),
        retry_options=types.HttpRetryOptions(attempts=1),
        httpx_async_client=client,
    )


def prepare_google_image(spec: ModelSpec, request: Request) -> tuple[PreparedImage, str, Size | None]:
    """Return the first frame as it is sent, the ratio of the video, and its size where one is requested."""
    size = choose_video_size(spec, request)
    ratio = choose_nearest_ratio(size or read_image_size(request.first_frame), tuple(RATIOS))
    image = prepare_image(spec, request, size or RATIOS[ratio], "pad", BLACK)
    return check_image_bytes(spec, image, IMAGE_LIMIT_BYTES), ratio, size
