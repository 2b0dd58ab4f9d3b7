"""fal's queue: submit, status, result. Any model of fal by its id; a row maps a request to the model's fields."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from vmevalkit.core.records import Request
from vmevalkit.core.remote import Failed, Finished, Pending, PreparedRequest, ProviderJob, Ticket
from vmevalkit.core.settings import setting
from vmevalkit.models._aggregator import build_input, find_video_url
from vmevalkit.models._download import download_by_url, download_video
from vmevalkit.models._errors import POLL, SUBMIT, ErrorMapper, ErrorResponse, is_policy_refusal
from vmevalkit.models._request_params import CONNECT_TIMEOUT_S, require_setting, response_timeout_s, strip_url_queries
from vmevalkit.models.input_image import check_image_bytes
from vmevalkit.models.model import ModelSpec

KEY = "FAL_KEY"
HOME = "https://queue.fal.run"
IMAGE_LIMIT_BYTES = 10 * 1024 * 1024


class FalVideos:
    """Adapter for fal. FAL_QUEUE_URL sets the address."""

    def __init__(self, spec: ModelSpec) -> None:
        import httpx

        self.spec = spec
        self._errors = ErrorMapper(spec, KEY)
        timeout = httpx.Timeout(response_timeout_s(spec), connect=CONNECT_TIMEOUT_S)
        self._client = httpx.AsyncClient(
            base_url=(setting("FAL_QUEUE_URL") or HOME).rstrip("/") + "/",
            headers={"Authorization": f"Key {require_setting(KEY, spec)}"},
            timeout=timeout,
        )
        self._downloads = httpx.AsyncClient(timeout=timeout)

    async def prepare(self, request: Request) -> PreparedRequest:
        return await asyncio.to_thread(self._build_request, request)

    def _build_request(self, request: Request) -> PreparedRequest:
        body, field, image = build_input(self.spec, request)
        check_image_bytes(self.spec, image, IMAGE_LIMIT_BYTES, as_data_uri=True)
        sent = {"model": self.spec.vendor_id, **body, field: image.summary}
        return PreparedRequest({**body, field: image.data_uri}, sent, image.placement)

    async def submit(self, prepared: PreparedRequest, key: str) -> Ticket:
        with self._errors.map_errors(SUBMIT, is_submit=True):
            response = await self._client.post(self.spec.vendor_id, json=prepared.body)
            if response.status_code >= 400:
                error = ErrorResponse.parse(response.status_code, response.headers, response.text)
                raise self._errors.map_response(error, SUBMIT, is_submit=True)
            answer = response.json()
            job_id = answer.get("request_id") if isinstance(answer, Mapping) else None
        return Ticket.for_request(self._errors.require_job_id(job_id), prepared)

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        # The address of a request has only the first two parts of the model's id.
        requests = "/".join(self.spec.vendor_id.split("/")[:2]) + f"/requests/{ticket.id}"
        status = await self._get(f"{requests}/status")
        match status.get("status"):
            case "IN_QUEUE" | "IN_PROGRESS":
                return Pending()
            case "COMPLETED" if status.get("error"):
                return self._fail(str(status["error"]), str(status.get("error_type", "")), status)
            case "COMPLETED":
                return await self._get_result(requests, ticket)
        raise self._errors.map_unreadable_response(POLL)

    async def _get_result(self, requests: str, ticket: Ticket) -> Finished | Failed:
        """Return the result. A model that refused its input gives the result an error status, with the reason."""
        with self._errors.map_errors(POLL):
            response = await self._client.get(requests)
            kind = response.headers.get("x-fal-error-type")
            if response.status_code in (400, 422) or (response.status_code >= 400 and kind):
                error = ErrorResponse.parse(response.status_code, response.headers, response.text)
                return self._fail(error.message, f"{error.code} {kind or ''}", {"status": response.status_code})
            answer = self._read_json(response)
        url = find_video_url(answer)
        record = strip_url_queries(answer)
        return Failed("fal made no video", answer=record) if url is None else Finished(ticket, url, record)

    def _fail(self, message: str, code: str, answer: Mapping[str, Any]) -> Failed:
        return Failed(self._errors.sanitize(message), is_policy_refusal(code, message), strip_url_queries(answer))

    async def _get(self, path: str) -> Mapping[str, Any]:
        with self._errors.map_errors(POLL):
            return self._read_json(await self._client.get(path))

    def _read_json(self, response: Any) -> Mapping[str, Any]:
        if response.status_code >= 400:
            error = ErrorResponse.parse(response.status_code, response.headers, response.text)
            raise self._errors.map_response(error, POLL)
        answer = response.json()
        if not isinstance(answer, Mapping):
            raise self._errors.map_unreadable_response(POLL)
        return answer

    async def fetch(self, done: Finished, into: Path, limit_bytes: int) -> None:
        async def download(url: str) -> None:
            await download_video(self._downloads, url, into, limit_bytes, self._errors)

        await download_by_url(done, self.poll, download)

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        return None  # the queue has no list of requests

    async def close(self) -> None:
        await self._client.aclose()
        await self._downloads.aclose()
