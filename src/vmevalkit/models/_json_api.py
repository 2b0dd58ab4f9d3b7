"""What adapters of plain JSON services share: the client, one call with its errors mapped, and the download."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vmevalkit.core.records import Request
from vmevalkit.core.remote import Failed, Finished, Pending, PreparedRequest, Ticket
from vmevalkit.models._download import download_by_url, download_video
from vmevalkit.models._errors import ErrorMapper, ErrorResponse
from vmevalkit.models._request_params import CONNECT_TIMEOUT_S, response_timeout_s
from vmevalkit.models.model import ModelSpec


class JsonApiVideos:
    """Base of adapters whose service takes and gives JSON, over plain HTTP with ``httpx``."""

    def __init__(self, spec: ModelSpec, key_name: str, base_url: str) -> None:
        import httpx

        self.spec = spec
        self._errors = ErrorMapper(spec, key_name)
        timeout = httpx.Timeout(response_timeout_s(spec), connect=CONNECT_TIMEOUT_S)
        self._client = httpx.AsyncClient(base_url=base_url.rstrip("/") + "/", timeout=timeout)
        self._downloads = httpx.AsyncClient(timeout=timeout)

    def _build_request(self, request: Request) -> PreparedRequest:
        raise NotImplementedError

    def _make_headers(self) -> dict[str, str]:
        """Return the headers of a call: those with the key."""
        raise NotImplementedError

    def _find_error(self, answer: Mapping[str, Any]) -> ErrorResponse | None:
        """Return the error that a service reports in an answer with status 200; None where there is none."""
        return None

    def _read_error(self, response: Any) -> ErrorResponse:
        """Return the error of an answer of 400 or above."""
        return ErrorResponse.parse(response.status_code, response.headers, response.text)

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        raise NotImplementedError

    async def prepare(self, request: Request) -> PreparedRequest:
        return await asyncio.to_thread(self._build_request, request)

    async def fetch(self, done: Finished, into: Path, limit_bytes: int) -> None:
        async def download(url: str) -> None:
            await download_video(self._downloads, url, into, limit_bytes, self._errors)

        await download_by_url(done, self.poll, download)

    async def close(self) -> None:
        await self._client.aclose()
        await self._downloads.aclose()

    async def _call(
        self, method: str, path: str, action: str, body: Any = None, *, query: Mapping[str, Any] | None = None,
        is_submit: bool = False,
    ) -> Mapping[str, Any]:  # fmt: skip
        with self._errors.map_errors(action, is_submit=is_submit):
            response = await self._client.request(method, path, json=body, params=query, headers=self._make_headers())
            if response.status_code >= 400:
                raise self._errors.map_response(self._read_error(response), action, is_submit=is_submit)
            answer = response.json()
            if not isinstance(answer, Mapping):
                raise self._errors.map_unreadable_response(action, is_submit=is_submit)
            error = self._find_error(answer)
            if error is not None:
                raise self._errors.map_response(error, action, is_submit=is_submit)
            return answer
