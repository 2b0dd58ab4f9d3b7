"""Seedance at ByteDance's ModelArk: tasks with create, get and list."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from vmevalkit.core.records import Request
from vmevalkit.core.remote import Failed, Finished, Pending, PreparedRequest, ProviderJob, Ticket
from vmevalkit.core.settings import setting
from vmevalkit.models._errors import LIST, POLL, SUBMIT, is_policy_refusal
from vmevalkit.models._json_api import JsonApiVideos
from vmevalkit.models._request_params import (
    get_prompt,
    get_seed,
    get_whole_seconds,
    require_setting,
    strip_url_queries,
)
from vmevalkit.models.input_image import (
    BLACK,
    check_image_bytes,
    choose_nearest_ratio,
    choose_video_size,
    prepare_image,
    read_image_size,
)
from vmevalkit.models.model import ModelSpec

KEY = "ARK_API_KEY"
HOME = "https://ark.ap-southeast.bytepluses.com/api/v3"
TASKS = "contents/generations/tasks"
IMAGE_LIMIT_BYTES = 10 * 1024 * 1024
LARGEST_SEED = 2**31 - 1
PAGE = 100


class SeedanceVideos(JsonApiVideos):
    """Adapter for ModelArk. ARK_BASE_URL sets the address, such as that of another region."""

    def __init__(self, spec: ModelSpec) -> None:
        super().__init__(spec, KEY, setting("ARK_BASE_URL") or HOME)
        self._key = require_setting(KEY, spec)

    def _make_headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}"}

    def _build_request(self, request: Request) -> PreparedRequest:
        spec = self.spec
        spec.validate(request)
        size = choose_video_size(spec, request)
        image = prepare_image(spec, request, size, "letterbox", BLACK)
        check_image_bytes(spec, image, IMAGE_LIMIT_BYTES, as_data_uri=True)
        ratio = choose_nearest_ratio(size or read_image_size(request.first_frame), spec.options["ratios"])
        fields: dict[str, Any] = {
            "model": spec.vendor_id,
            "resolution": f"{spec.choose_tier(size)}p",
            "ratio": ratio,
            "duration": get_whole_seconds(spec, request),
            "watermark": False,
        }
        seed = get_seed(spec, request, LARGEST_SEED)
        if seed is not None:
            fields["seed"] = seed
        if "audio" in spec.supported_params:  # it costs more, and no scorer uses it
            fields["generate_audio"] = bool(request.parameters.get("audio", False))
        prompt = get_prompt(spec, request)

        def content(url: object) -> list[dict[str, Any]]:
            picture = {"type": "image_url", "image_url": {"url": url}, "role": "first_frame"}
            return [{"type": "text", "text": prompt}, picture]

        return PreparedRequest(
            {**fields, "content": content(image.data_uri)}, {**fields, "content": content(image.summary)},
            image.placement,
        )  # fmt: skip

    async def submit(self, prepared: PreparedRequest, key: str) -> Ticket:
        task = await self._call("POST", TASKS, SUBMIT, prepared.body, is_submit=True)
        return Ticket.for_request(self._errors.require_job_id(task.get("id")), prepared)

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        task = await self._call("GET", f"{TASKS}/{ticket.id}", POLL)
        status, record = task.get("status"), strip_url_queries(task)
        if status in ("queued", "running"):
            return Pending()
        if status == "succeeded":
            url = (task.get("content") or {}).get("video_url")
            return Finished(ticket, url, record) if url else Failed("ModelArk made no video", answer=record)
        if status in ("failed", "cancelled", "expired"):
            error = task.get("error") or {}
            reason = self._errors.sanitize(str(error.get("message") or f"the task is {status} at ModelArk"))
            return Failed(reason, is_policy_refusal(str(error.get("code", "")), reason), record)
        raise self._errors.map_unreadable_response(POLL)

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        """Return the tasks of this model. The list has no prompts."""
        found: list[ProviderJob] = []
        page = 0
        while True:
            page += 1
            query = {"page_num": page, "page_size": PAGE, "filter.model": self.spec.vendor_id}
            items = (await self._call("GET", TASKS, LIST, query=query)).get("items") or []
            jobs = [ProviderJob(task["id"], datetime.fromtimestamp(task["created_at"], UTC)) for task in items]
            found += [job for job in jobs if job.created_at >= since]
            if len(items) < PAGE:
                return found
