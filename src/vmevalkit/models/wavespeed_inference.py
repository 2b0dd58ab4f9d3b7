"""WaveSpeed over plain HTTP: its own SDK cannot submit a request without waiting for the video.

A row's ``sends`` names the fields that its endpoint accepts beside prompt, image and seed: endpoints differ, and reject
unknown fields.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from vmevalkit.core.records import Request
from vmevalkit.core.remote import Failed, Finished, Pending, PreparedRequest, ProviderJob, Ticket
from vmevalkit.core.settings import setting
from vmevalkit.media.image import Size
from vmevalkit.models._download import download_by_url, download_video
from vmevalkit.models._errors import LIST, POLL, SUBMIT, ErrorMapper, ErrorResponse, is_policy_refusal
from vmevalkit.models._request_params import (
    CONNECT_TIMEOUT_S,
    get_prompt,
    get_seed,
    get_whole_seconds,
    map_params,
    require_setting,
    response_timeout_s,
    strip_url_queries,
)
from vmevalkit.models.input_image import (
    BLACK,
    check_image_bytes,
    choose_nearest_ratio,
    choose_video_size,
    prepare_image,
)
from vmevalkit.models.model import ModelSpec

KEY = "WAVESPEED_API_KEY"
HOME = "https://api.wavespeed.ai"
IMAGE_LIMIT_BYTES = 50 * 1024 * 1024
LARGEST_SEED = 2**31 - 1
PAGE = 100
LISTED_DAYS = 7
"""Days that the provider's job list goes back."""


class WaveSpeedVideos:
    """Adapter for WaveSpeed. WAVESPEED_BASE_URL sets the address."""

    def __init__(self, spec: ModelSpec) -> None:
        import httpx

        self.spec = spec
        self._errors = ErrorMapper(spec, KEY)
        timeout = httpx.Timeout(response_timeout_s(spec), connect=CONNECT_TIMEOUT_S)
        home = (setting("WAVESPEED_BASE_URL") or HOME).rstrip("/")
        self._client = httpx.AsyncClient(
            base_url=f"{home}/api/v3/",
            headers={"Authorization": f"Bearer {require_setting(KEY, spec)}"},
            timeout=timeout,
        )
        self._downloads = httpx.AsyncClient(timeout=timeout)

    async def prepare(self, request: Request) -> PreparedRequest:
        return await asyncio.to_thread(self._build_request, request)

    def _build_request(self, request: Request) -> PreparedRequest:
        self.spec.validate(request)
        size = choose_video_size(self.spec, request)
        image = prepare_image(self.spec, request, size, "unchanged", BLACK)
        check_image_bytes(self.spec, image, IMAGE_LIMIT_BYTES)
        body = self._build_body(request, size or image.size)
        return PreparedRequest({**body, "image": image.data_uri}, {**body, "image": image.summary}, image.placement)

    async def submit(self, prepared: PreparedRequest, key: str) -> Ticket:
        job = await self._call("POST", self.spec.vendor_id, SUBMIT, prepared.body, True)
        return Ticket.for_request(self._errors.require_job_id(job.get("id")), prepared)

    def _build_body(self, request: Request, size: Size) -> dict[str, Any]:
        spec = self.spec
        seconds = get_whole_seconds(spec, request)
        fields = {
            "duration": seconds,
            "size": f"{size[0]}*{size[1]}",
            "aspect_ratio": choose_nearest_ratio(size, ("16:9", "9:16")),
            "resolution": spec.options.get("resolution", f"{min(size)}p"),
            "generate_audio": False,  # audio costs more, and no scorer uses it
            "enable_audio": False,
        }
        body = {
            "prompt": get_prompt(spec, request, required=False),
            **{name: fields[name] for name in spec.options.get("sends", ("duration",))},
            **map_params(
                spec, request, {"negative_prompt": "negative_prompt", "enhance_prompt": "enable_prompt_expansion"}
            ),
            **map_params(spec, request, {"loras": "loras"}),
        }
        seed = get_seed(spec, request, LARGEST_SEED)
        return body if seed is None else {**body, "seed": seed}

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        job = await self._call("GET", f"predictions/{ticket.id}/result", POLL)
        status, record = job.get("status"), strip_url_queries(job)
        if status in ("created", "processing"):
            return Pending()
        if status == "completed":
            outputs = job.get("outputs") or []
            return (
                Finished(ticket, str(outputs[0]), record)
                if outputs
                else Failed("WaveSpeed made no video", answer=record)
            )
        if status in ("failed", "cancelled", "timeout", "deleted"):
            reason = self._errors.sanitize(str(job.get("error") or f"the job is {status} at WaveSpeed"))
            return Failed(reason, is_policy_refusal(str(job.get("code", "")), reason), record)
        raise self._errors.map_unreadable_response(POLL)

    async def fetch(self, done: Finished, into: Path, limit_bytes: int) -> None:
        async def download(url: str) -> None:
            await download_video(self._downloads, url, into, limit_bytes, self._errors)

        await download_by_url(done, self.poll, download)

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        """Return the jobs of this model. The list has no prompts."""
        if datetime.now(since.tzinfo) - since > timedelta(days=LISTED_DAYS):
            return None
        found: list[ProviderJob] = []
        page = 0
        while True:
            page += 1
            items = (await self._call("POST", "predictions", LIST, {"page": page, "page_size": PAGE})).get(
                "items"
            ) or []
            for job in items:
                created = datetime.fromisoformat(job["created_at"])
                if created < since:
                    return found
                if job.get("model") == self.spec.vendor_id:
                    found.append(ProviderJob(job["id"], created))
            if len(items) < PAGE:
                return found

    async def close(self) -> None:
        await self._client.aclose()
        await self._downloads.aclose()

    async def _call(
        self, method: str, path: str, action: str, body: dict[str, Any] | None = None, is_submit: bool = False
    ) -> dict[str, Any]:
        """Make one call and return the ``data`` of its response. An error is in the status, or in ``code`` of a
        200."""
        with self._errors.map_errors(action, is_submit=is_submit):
            response = await self._client.request(method, path, json=body)
            if response.status_code >= 400:
                error = ErrorResponse.parse(response.status_code, response.headers, response.text)
                raise self._errors.map_response(error, action, is_submit=is_submit)
            answer = response.json()
            code = answer.get("code", 200) if isinstance(answer, dict) else None
            if isinstance(code, int) and code >= 400:
                error = ErrorResponse.parse(code, response.headers, answer)
                raise self._errors.map_response(error, action, is_submit=is_submit)
            if not isinstance(answer, dict) or not isinstance(answer.get("data"), dict):
                raise self._errors.map_unreadable_response(action, is_submit=is_submit)
            data: dict[str, Any] = answer["data"]
            return data


WaveSpeedWrapper = WaveSpeedVideos
WaveSpeedService = WaveSpeedVideos
