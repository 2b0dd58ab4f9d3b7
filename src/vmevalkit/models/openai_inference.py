"""OpenAI's video API (Sora), which OpenAI has shut down and other services still offer.

The image must have exactly the size of the video. Lengths and sizes are sent as text.
"""

from __future__ import annotations

import asyncio
import re
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Request
from vmevalkit.core.remote import Failed, Finished, Pending, PreparedRequest, ProviderJob, Ticket
from vmevalkit.core.settings import setting
from vmevalkit.models._download import save_response
from vmevalkit.models._errors import DOWNLOAD, LIST, POLL, SUBMIT, ErrorMapper, is_policy_refusal
from vmevalkit.models._request_params import (
    CONNECT_TIMEOUT_S,
    get_prompt,
    get_whole_seconds,
    require_setting,
    response_timeout_s,
)
from vmevalkit.models.input_image import GREY, check_image_bytes, choose_video_size, prepare_image
from vmevalkit.models.model import ModelSpec

KEY = "OPENAI_API_KEY"
IMAGE_LIMIT_BYTES = 10 * 1024 * 1024
PROMPT_LIMIT = 32_000
PAGE = 100


class OpenAIVideos:
    """Adapter for ``/v1/videos``. OPENAI_BASE_URL sets the address."""

    def __init__(self, spec: ModelSpec) -> None:
        import openai

        self.spec = spec
        self._errors = ErrorMapper(spec, KEY)
        self._client = openai.AsyncOpenAI(
            api_key=require_setting(KEY, spec),
            base_url=setting("OPENAI_BASE_URL"),
            timeout=openai.Timeout(response_timeout_s(spec), connect=CONNECT_TIMEOUT_S),
            max_retries=0,  # the SDK would repeat a request whose response was lost, and both jobs would be billed
        )

    async def prepare(self, request: Request) -> PreparedRequest:
        return await asyncio.to_thread(self._build_request, request)

    def _build_request(self, request: Request) -> PreparedRequest:
        self.spec.validate(request)
        size = choose_video_size(self.spec, request)
        if size is None:
            raise UsageError(f"{self.spec.name} lists no sizes; choose one with --size")
        image = prepare_image(self.spec, request, size, "letterbox", GREY)
        check_image_bytes(self.spec, image, IMAGE_LIMIT_BYTES)
        body = {
            "model": self.spec.vendor_id,
            "prompt": get_prompt(self.spec, request, limit=PROMPT_LIMIT),
            "seconds": str(get_whole_seconds(self.spec, request)),
            "size": f"{size[0]}x{size[1]}",
        }
        file = (image.filename, image.data, image.mime)
        return PreparedRequest(
            {**body, "input_reference": file}, {**body, "input_reference": image.summary}, image.placement
        )

    async def submit(self, prepared: PreparedRequest, key: str) -> Ticket:
        headers = {"Idempotency-Key": key}
        with self._errors.map_errors(SUBMIT, is_submit=True):
            job = await _call_without_warning(
                lambda: self._client.videos.create(**prepared.body, extra_headers=headers)
            )
        return Ticket.for_request(self._errors.require_job_id(getattr(job, "id", None)), prepared)

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        with self._errors.map_errors(POLL):
            video = await _call_without_warning(lambda: self._client.videos.retrieve(ticket.id))
        status = getattr(video, "status", None)
        if status in ("queued", "in_progress"):
            return Pending((video.progress or 0) / 100)
        if status == "completed":
            return Finished(ticket, answer=_to_record(video))
        if status == "failed":
            code, message = (video.error.code, video.error.message) if video.error else ("", "no reason given")
            reason = self._errors.sanitize(f"{message} ({code})" if code else message)
            return Failed(reason, is_policy_refusal(code or "", message or ""), _to_record(video))
        raise self._errors.map_unreadable_response(POLL)

    async def fetch(self, done: Finished, into: Path, limit_bytes: int) -> None:
        content = self._client.videos.with_streaming_response.download_content
        with self._errors.map_errors(DOWNLOAD):
            async with _call_without_warning(lambda: content(done.ticket.id, variant="video")) as response:
                await save_response(response.http_response, into, limit_bytes, self._errors)

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        found = []
        with self._errors.map_errors(LIST):
            async for video in _call_without_warning(lambda: self._client.videos.list(order="desc", limit=PAGE)):
                created = datetime.fromtimestamp(video.created_at, UTC)
                if created < since.replace(microsecond=0):  # the API's times are whole seconds
                    break
                if _is_same_model(video.model, self.spec.vendor_id):
                    found.append(ProviderJob(video.id, created, video.prompt))
        return found

    async def close(self) -> None:
        await self._client.close()


def _to_record(video: Any) -> dict[str, Any]:
    record: dict[str, Any] = video.model_dump(mode="json", exclude_none=True)
    return record


def _is_same_model(model: str, vendor_id: str) -> bool:
    """Return whether a listed job is of this model. A list may name the version, such as ``sora-2-2025-10-06``."""
    return model == vendor_id or re.fullmatch(re.escape(vendor_id) + r"-\d{4}-\d\d-\d\d", model) is not None


def _call_without_warning(call: Callable[[], Any]) -> Any:
    """Call without the SDK's warning that OpenAI's own service has ended: the catalogue shows that already.

    Nothing is awaited in here, because warning filters belong to the whole process.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The Sora API", DeprecationWarning)
        return call()


OpenAIWrapper = OpenAIVideos
SoraService = OpenAIVideos
