"""Runway's API: Runway's own models and hosted ones, through ``image_to_video`` and ``tasks``."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Request
from vmevalkit.core.remote import Failed, Finished, Pending, PreparedRequest, ProviderJob, Ticket
from vmevalkit.core.settings import setting
from vmevalkit.media.image import Size
from vmevalkit.models._download import download_by_url, download_video
from vmevalkit.models._errors import POLL, SUBMIT, ErrorMapper, is_policy_refusal
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
from vmevalkit.models.input_image import BLACK, check_image_bytes, choose_video_size, prepare_image
from vmevalkit.models.model import ModelSpec

KEY = "RUNWAYML_API_SECRET"
IMAGE_LIMIT_BYTES = 5 * 1024 * 1024
"""Limit for the data URI of the image."""
TIERS = (480, 720, 1080)
"""Resolutions of videos that take the aspect ratio of their first frames."""


class RunwayVideos:
    """Adapter for Runway. RUNWAYML_BASE_URL sets the address."""

    def __init__(self, spec: ModelSpec) -> None:
        import httpx
        import runwayml

        self.spec = spec
        self._errors = ErrorMapper(spec, KEY)
        timeout = httpx.Timeout(response_timeout_s(spec), connect=CONNECT_TIMEOUT_S)
        self._client = runwayml.AsyncRunwayML(
            api_key=require_setting(KEY, spec),
            base_url=setting("RUNWAYML_BASE_URL"),
            timeout=timeout,
            max_retries=0,  # the SDK would repeat a request whose response was lost, and both jobs would be billed
        )
        self._downloads = httpx.AsyncClient(timeout=timeout)

    async def prepare(self, request: Request) -> PreparedRequest:
        return await asyncio.to_thread(self._build_request, request)

    def _build_request(self, request: Request) -> PreparedRequest:
        self.spec.validate(request)
        size = choose_video_size(self.spec, request)
        if size is None:
            raise UsageError(f"{self.spec.name} lists no sizes; choose one with --size")
        image = prepare_image(self.spec, request, size, "letterbox", BLACK)
        check_image_bytes(self.spec, image, IMAGE_LIMIT_BYTES, as_data_uri=True)
        body = self._build_body(request, size)
        prompt_image = [{"position": "first", "uri": image.data_uri}]
        return PreparedRequest(
            {**body, "prompt_image": prompt_image}, {**body, "prompt_image": image.summary}, image.placement
        )

    async def submit(self, prepared: PreparedRequest, key: str) -> Ticket:
        with self._errors.map_errors(SUBMIT, is_submit=True):
            job = await self._client.image_to_video.create(**prepared.body)
        return Ticket.for_request(self._errors.require_job_id(getattr(job, "id", None)), prepared)

    def _build_body(self, request: Request, size: Size) -> dict[str, Any]:
        prompt = get_prompt(self.spec, request, required=False)
        body: dict[str, Any] = {
            "model": self.spec.vendor_id,
            **self._size_params(size),
            "duration": get_whole_seconds(self.spec, request),
            **map_params(self.spec, request, {"negative_prompt": "negative_prompt"}),
        }
        if prompt.strip():
            body["prompt_text"] = prompt
        if "audio" in self.spec.supported_params:
            body["audio"] = bool(request.parameters.get("audio", False))
        if "enhance_prompt" in self.spec.supported_params:
            body["prompt_expansion_mode"] = "balanced" if request.parameters.get("enhance_prompt") else "disabled"
        seed = get_seed(self.spec, request)
        return body if seed is None else {**body, "seed": seed}

    def _size_params(self, size: Size) -> dict[str, str]:
        """Return the size as this model's parameters."""
        options = self.spec.options
        if "ratios" in options:
            ratio = str(options["ratios"][self.spec.sizes.index(size)])
            return {"ratio": ratio, "resolution": str(options["resolution"])}
        tier = min(options.get("tiers", TIERS), key=lambda tier: abs(tier * tier * 16 / 9 - size[0] * size[1]))
        match options.get("follows"):
            case "ratio":
                return {"ratio": f"auto_{tier}p"}
            case "resolution":
                return {"resolution": f"{tier}p"}
            case "nothing":
                return {}
        return {"ratio": f"{size[0]}:{size[1]}"}

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        with self._errors.map_errors(POLL):
            task = await self._client.tasks.retrieve(ticket.id)
        status = getattr(task, "status", None)
        if status in ("PENDING", "THROTTLED", "RUNNING"):
            return Pending(getattr(task, "progress", None))
        if status not in ("SUCCEEDED", "FAILED", "CANCELLED"):
            raise self._errors.map_unreadable_response(POLL)
        record = strip_url_queries(task.model_dump(mode="json", by_alias=True, exclude_none=True))
        if status == "SUCCEEDED":
            if not task.output:
                return Failed("the task succeeded without a video", answer=record)
            return Finished(ticket, task.output[0], record, self._compute_cost_usd(task))
        if status == "CANCELLED":
            return Failed("the task was cancelled at Runway", answer=record)
        code = task.failure_code or ""
        reason = self._errors.sanitize(f"{task.failure} ({code})" if code else task.failure)
        return Failed(reason, "SAFETY" in code or is_policy_refusal("", task.failure), record)

    def _compute_cost_usd(self, task: Any) -> float | None:
        """Return the cost of a task; None where the row has no price of a credit."""
        credit, cost = self.spec.options.get("usd_per_credit"), getattr(task, "cost", None)
        return None if credit is None or cost is None else float(cost.credits * credit)

    async def fetch(self, done: Finished, into: Path, limit_bytes: int) -> None:
        async def download(url: str) -> None:
            await download_video(self._downloads, url, into, limit_bytes, self._errors)

        await download_by_url(done, self.poll, download)

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        return None  # Runway cannot list tasks

    async def close(self) -> None:
        await self._client.close()
        await self._downloads.aclose()


RunwayWrapper = RunwayVideos
RunwayService = RunwayVideos
