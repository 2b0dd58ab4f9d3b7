"""Replicate's predictions: create, get, list. Any official model by its id ``owner/name``."""

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
from vmevalkit.models._errors import LIST, POLL, SUBMIT, ErrorMapper, ErrorResponse, is_policy_refusal
from vmevalkit.models._request_params import CONNECT_TIMEOUT_S, require_setting, response_timeout_s, strip_url_queries
from vmevalkit.models.input_image import check_image_bytes
from vmevalkit.models.model import ModelSpec

KEY = "REPLICATE_API_TOKEN"
HOME = "https://api.replicate.com"
IMAGE_LIMIT_BYTES = 256 * 1024
"""Replicate recommends data URIs up to this size."""


class ReplicateVideos:
    """Adapter for Replicate. REPLICATE_BASE_URL sets the address, without ``/v1``."""

    def __init__(self, spec: ModelSpec) -> None:
        import httpx

        self.spec = spec
        self._errors = ErrorMapper(spec, KEY)
        timeout = httpx.Timeout(response_timeout_s(spec), connect=CONNECT_TIMEOUT_S)
        self._client = httpx.AsyncClient(
            base_url=(setting("REPLICATE_BASE_URL") or HOME).rstrip("/") + "/v1/",
            headers={"Authorization": f"Bearer {require_setting(KEY, spec)}"},
            timeout=timeout,
        )
        self._downloads = httpx.AsyncClient(timeout=timeout)

    async def prepare(self, request: Request) -> PreparedRequest:
        return await asyncio.to_thread(self._build_request, request)

    def _build_request(self, request: Request) -> PreparedRequest:
        body, field, image = build_input(self.spec, request)
        check_image_bytes(self.spec, image, IMAGE_LIMIT_BYTES, as_data_uri=True)
        sent = {"model": self.spec.vendor_id, "input": {**body, field: image.summary}}
        return PreparedRequest({"input": {**body, field: image.data_uri}}, sent, image.placement)

    async def submit(self, prepared: PreparedRequest, key: str) -> Ticket:
        path = f"models/{self.spec.vendor_id}/predictions"
        job = await self._call("POST", path, SUBMIT, prepared.body, is_submit=True)
        return Ticket.for_request(self._errors.require_job_id(job.get("id")), prepared)

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        job = await self._call("GET", f"predictions/{ticket.id}", POLL)
        status = job.get("status")
        record = strip_url_queries({name: value for name, value in job.items() if name not in ("input", "logs")})
        if status in ("starting", "processing"):
            return Pending()
        if status == "succeeded":
            url = find_video_url(job.get("output"))
            if url is not None:
                return Finished(ticket, url, record)
            gone = "Replicate has removed the video" if job.get("data_removed") else "Replicate made no video"
            return Failed(gone, answer=record)
        if status in ("failed", "canceled", "aborted"):
            reason = self._errors.sanitize(str(job.get("error") or f"the prediction is {status} at Replicate"))
            return Failed(reason, is_policy_refusal("", reason), record)
        raise self._errors.map_unreadable_response(POLL)

    async def fetch(self, done: Finished, into: Path, limit_bytes: int) -> None:
        async def download(url: str) -> None:
            await download_video(self._downloads, url, into, limit_bytes, self._errors)

        await download_by_url(done, self.poll, download)

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        """Return the predictions of this model. The newest come first."""
        prompt_field = self.spec.options["fields"]["prompt"]
        found: list[ProviderJob] = []
        path: str | None = "predictions"
        while path is not None:
            page = await self._call("GET", path, LIST)
            for job in page.get("results") or []:
                created = datetime.fromisoformat(job["created_at"])
                if created < since:
                    return found
                if job.get("model") == self.spec.vendor_id:
                    prompt = (job.get("input") or {}).get(prompt_field)
                    found.append(ProviderJob(job["id"], created, prompt if isinstance(prompt, str) else None))
            path = self._next_path(page.get("next"))
        return found

    @staticmethod
    def _next_path(address: Any) -> str | None:
        """Return the next page of the list at our own address, whatever host the provider names."""
        _, found, query = str(address or "").partition("?")
        return f"predictions?{query}" if found else None

    async def close(self) -> None:
        await self._client.aclose()
        await self._downloads.aclose()

    async def _call(
        self, method: str, path: str, action: str, body: Mapping[str, Any] | None = None, *, is_submit: bool = False
    ) -> Mapping[str, Any]:
        with self._errors.map_errors(action, is_submit=is_submit):
            response = await self._client.request(method, path, json=body)
            if response.status_code >= 400:
                error = ErrorResponse.parse(response.status_code, response.headers, response.text)
                raise self._errors.map_response(error, action, is_submit=is_submit)
            answer = response.json()
            if not isinstance(answer, Mapping):
                raise self._errors.map_unreadable_response(action, is_submit=is_submit)
            return answer
