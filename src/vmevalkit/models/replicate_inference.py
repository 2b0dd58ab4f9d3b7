"""Replicate's predictions: create, get, list. Any official model by its id ``owner/name``."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from vmevalkit.core.records import Request
from vmevalkit.core.remote import Failed, Finished, Pending, PreparedRequest, ProviderJob, Ticket
from vmevalkit.core.settings import setting
from vmevalkit.models._aggregator import build_input, find_video_url
from vmevalkit.models._errors import LIST, POLL, SUBMIT, is_policy_refusal
from vmevalkit.models._json_api import JsonApiVideos
from vmevalkit.models._request_params import require_setting, strip_url_queries
from vmevalkit.models.input_image import check_image_bytes
from vmevalkit.models.model import ModelSpec

KEY = "REPLICATE_API_TOKEN"
HOME = "https://api.replicate.com"
IMAGE_LIMIT_BYTES = 256 * 1024
"""Replicate recommends data URIs up to this size."""


class ReplicateVideos(JsonApiVideos):
    """Adapter for Replicate. REPLICATE_BASE_URL sets the address, without ``/v1``."""

    def __init__(self, spec: ModelSpec) -> None:
        super().__init__(spec, KEY, (setting("REPLICATE_BASE_URL") or HOME).rstrip("/") + "/v1")
        self._key = require_setting(KEY, spec)

    def _make_headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}"}

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
