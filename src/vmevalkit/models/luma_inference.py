"""Luma: Ray 2 by the Dream Machine API, Ray 3.2 by the Agents API. The SDKs differ, the requests are alike.

Dream Machine accepts images by URL only, so the first frame is uploaded to an S3 bucket first.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vmevalkit.core.records import Request
from vmevalkit.core.remote import Failed, Finished, Pending, PreparedRequest, ProviderJob, Ticket
from vmevalkit.core.settings import setting
from vmevalkit.models._download import download_by_url, download_video
from vmevalkit.models._errors import LIST, POLL, SUBMIT, ErrorMapper, is_policy_refusal
from vmevalkit.models._request_params import (
    CONNECT_TIMEOUT_S,
    get_prompt,
    require_setting,
    response_timeout_s,
    strip_url_queries,
)
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
from vmevalkit.models.s3_upload import Bucket

IMAGE_LIMIT_BYTES = 20 * 1024 * 1024
RATIOS = ("16:9", "9:16", "1:1", "4:3", "3:4", "21:9")
PAGE = 100


class _LumaAdapter(ABC):
    """The part that both of Luma's APIs share."""

    def __init__(self, spec: ModelSpec, client: Any, key_name: str) -> None:
        import httpx

        self.spec = spec
        self._client = client
        self._errors = ErrorMapper(spec, key_name)
        self._http = httpx.AsyncClient(timeout=httpx.Timeout(response_timeout_s(spec), connect=CONNECT_TIMEOUT_S))

    async def submit(self, prepared: PreparedRequest, key: str) -> Ticket:
        with self._errors.map_errors(SUBMIT, is_submit=True):
            job = await self._client.generations.create(**prepared.body)
        return Ticket.for_request(self._errors.require_job_id(getattr(job, "id", None)), prepared)

    def _prepare_image(self, request: Request) -> tuple[PreparedImage, str]:
        """Return the image and the ratio, written ``16:9``."""
        size = choose_video_size(self.spec, request)
        ratios = tuple(self.spec.options.get("ratios", RATIOS))
        ratio = choose_nearest_ratio(size or read_image_size(request.first_frame), ratios)
        across, down = ratio.split(":")
        image = prepare_image(self.spec, request, size or (int(across), int(down)), "pad", BLACK)
        return check_image_bytes(self.spec, image, IMAGE_LIMIT_BYTES), ratio

    def _make_failed(self, job: Any, code: str, record: dict[str, Any]) -> Failed:
        message = job.failure_reason or "no reason given"
        reason = self._errors.sanitize(f"{message} ({code})" if code else message)
        return Failed(reason, is_policy_refusal(code, message), record)

    @abstractmethod
    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed: ...

    async def fetch(self, done: Finished, into: Path, limit_bytes: int) -> None:
        async def download(url: str) -> None:
            await download_video(self._http, url, into, limit_bytes, self._errors)

        await download_by_url(done, self.poll, download)

    async def close(self) -> None:
        await self._client.close()
        await self._http.aclose()


class LumaVideos(_LumaAdapter):
    """Adapter for the Dream Machine API. LUMAAI_BASE_URL sets the address."""

    KEY = "LUMAAI_API_KEY"

    def __init__(self, spec: ModelSpec) -> None:
        import httpx
        import lumaai

        self._bucket = Bucket.from_settings(spec)
        client = lumaai.AsyncLumaAI(
            auth_token=require_setting(self.KEY, spec),
            base_url=setting("LUMAAI_BASE_URL"),
            timeout=httpx.Timeout(response_timeout_s(spec), connect=CONNECT_TIMEOUT_S),
            max_retries=0,  # the SDK would repeat a request whose response was lost, and both jobs would be billed
        )
        super().__init__(spec, client, self.KEY)

    async def prepare(self, request: Request) -> PreparedRequest:
        self.spec.validate(request)
        prompt = get_prompt(self.spec, request, required=False)
        image, ratio = await asyncio.to_thread(self._prepare_image, request)
        body: dict[str, Any] = {
            "model": self.spec.vendor_id,
            "aspect_ratio": ratio,
            "duration": f"{request.seconds:g}s",
            "resolution": self.spec.options.get("resolution", "720p"),
            "loop": False,
        }
        if prompt.strip():
            body["prompt"] = prompt
        url = await self._bucket.upload_image(self._http, image, self._errors)
        sent = {**body, "frame0": {**image.summary, "url": strip_url_queries(url)}}
        return PreparedRequest({**body, "keyframes": {"frame0": {"type": "image", "url": url}}}, sent, image.placement)

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        with self._errors.map_errors(POLL):
            job = await self._client.generations.get(ticket.id)
        state = getattr(job, "state", None)
        if state in ("queued", "dreaming"):
            return Pending()
        if state not in ("completed", "failed"):
            raise self._errors.map_unreadable_response(POLL)
        record = strip_url_queries(job.model_dump(mode="json", exclude_none=True))
        if state == "failed":
            return self._make_failed(job, "", record)
        url = job.assets.video if job.assets else None
        return Finished(ticket, url, record) if url else Failed("Luma completed the job without a video", answer=record)

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        found: list[ProviderJob] = []
        offset = 0
        while True:
            with self._errors.map_errors(LIST):
                page = await self._client.generations.list(limit=PAGE, offset=offset)
            offset += len(page.generations)
            for job in page.generations:
                created = job.created_at or datetime.max.replace(tzinfo=UTC)
                if created < since:
                    return found
                if job.model == self.spec.vendor_id:
                    found.append(ProviderJob(job.id, created, getattr(job.request, "prompt", None) or ""))
            if not page.generations or not page.has_more:
                return found


class LumaAgentsVideos(_LumaAdapter):
    """Adapter for the Agents API. LUMA_BASE_URL sets the address."""

    KEY = "LUMA_AGENTS_API_KEY"

    def __init__(self, spec: ModelSpec) -> None:
        import httpx
        import luma_agents

        client = luma_agents.AsyncLuma(
            auth_token=require_setting(self.KEY, spec),
            base_url=setting("LUMA_BASE_URL"),
            timeout=httpx.Timeout(response_timeout_s(spec), connect=CONNECT_TIMEOUT_S),
            max_retries=0,  # the SDK would repeat a request whose response was lost, and both jobs would be billed
        )
        super().__init__(spec, client, self.KEY)

    async def prepare(self, request: Request) -> PreparedRequest:
        self.spec.validate(request)
        image, ratio = await asyncio.to_thread(self._prepare_image, request)
        video = {
            "duration": f"{request.seconds:g}s",
            "resolution": self.spec.options.get("resolution", "720p"),
        }
        body = {
            "type": "video",
            "model": self.spec.vendor_id,
            "prompt": get_prompt(self.spec, request),
            "aspect_ratio": ratio,
        }
        frame = {"data": image.base64, "media_type": image.mime}
        sent = {**body, "video": {**video, "start_frame": image.summary}}
        return PreparedRequest({**body, "video": {**video, "start_frame": frame}}, sent, image.placement)

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        with self._errors.map_errors(POLL):
            job = await self._client.generations.get(ticket.id)
        state = getattr(job, "state", None)
        if state in ("queued", "processing"):
            return Pending()
        if state not in ("completed", "failed"):
            raise self._errors.map_unreadable_response(POLL)
        record = strip_url_queries(job.model_dump(mode="json", exclude_none=True))
        if state == "failed":
            return self._make_failed(job, job.failure_code or "", record)
        videos = [output.url for output in job.output or () if output.type == "video"]
        return (
            Finished(ticket, videos[0], record)
            if videos
            else Failed("Luma completed the job without a video", answer=record)
        )

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        return None  # the Agents API cannot list jobs


LumaWrapper = LumaVideos
LumaService = LumaVideos
