"""What both of Google's APIs share: the picture, and a client that never repeats an order by itself."""

from __future__ import annotations

from typing import Any

from vmevalkit.core.records import Request
from vmevalkit.core.settings import setting
from vmevalkit.media.picture import Size
from vmevalkit.models._wishes import CONNECT_SECONDS, answer_seconds
from vmevalkit.models.model import ModelSpec
from vmevalkit.models.preparing import BLACK, Prepared, film_size, limited, nearest_ratio, picture_size, prepare

RATIOS = {"16:9": (16, 9), "9:16": (9, 16)}
PICTURE_LIMIT_BYTES = 20 * 1024 * 1024


def http_client(spec: ModelSpec) -> Any:
    """Ours, so that the errors and timeouts do not depend on which HTTP libraries happen to be installed."""
    import httpx2

    return httpx2.AsyncClient(timeout=httpx2.Timeout(answer_seconds(spec), connect=CONNECT_SECONDS))


def http_options(spec: ModelSpec, client: Any, endpoint: str) -> Any:
    """One attempt a call: Interactions would be tried five times, and each may be paid for."""
    from google.genai import types

    return types.HttpOptions(
        base_url=setting(endpoint),
        timeout=int(answer_seconds(spec) * 1000),
        retry_options=types.HttpRetryOptions(attempts=1),
        httpx_async_client=client,
    )


def pictured(spec: ModelSpec, request: Request) -> tuple[Prepared, str, Size | None]:
    """The first frame as it is sent, the ratio of the film, and its size where one is asked for."""
    size = film_size(spec, request)
    ratio = nearest_ratio(size or picture_size(request.first_frame), tuple(RATIOS))
    picture = prepare(spec, request, size or RATIOS[ratio], "pad", BLACK)
    return limited(spec, picture, PICTURE_LIMIT_BYTES), ratio, size
