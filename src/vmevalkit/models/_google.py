"""What both of Google's APIs share: a client that never repeats an order by itself."""

from __future__ import annotations

from typing import Any

from vmevalkit.core.settings import setting
from vmevalkit.models._wishes import CONNECT_SECONDS, answer_seconds
from vmevalkit.models.model import ModelSpec


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
