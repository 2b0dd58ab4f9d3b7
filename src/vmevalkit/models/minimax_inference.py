"""Hailuo at MiniMax: create a task, query it, then ask for the address of its file."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from vmevalkit.core.records import Request
from vmevalkit.core.remote import Failed, Finished, Pending, PreparedRequest, ProviderJob, Ticket
from vmevalkit.core.settings import setting
from vmevalkit.models._errors import POLL, SUBMIT, ErrorResponse
from vmevalkit.models._json_api import JsonApiVideos
from vmevalkit.models._request_params import get_prompt, get_whole_seconds, require_setting, strip_url_queries
from vmevalkit.models.input_image import BLACK, check_image_bytes, check_image_shape, choose_video_size, prepare_image
from vmevalkit.models.model import ModelSpec

KEY = "MINIMAX_API_KEY"
HOME = "https://api.minimax.io"
IMAGE_LIMIT_BYTES = 20 * 1024 * 1024
SMALLEST_SIDE, WIDEST_RATIO = 301, 2.5
PROMPT_LIMIT = 2000
REFUSED = (1026, 1027)
"""The prompt, the image or the video is sensitive."""
_STATUSES = {1000: 500, 1001: 504, 1002: 429, 1004: 401, 1008: 402, 1013: 500, 1024: 500, 1033: 500, 2049: 401}
"""MiniMax answers errors with status 200 and a code: the HTTP status that means the same. Others are invalid
requests."""


class MiniMaxVideos(JsonApiVideos):
    """Adapter for MiniMax. MINIMAX_BASE_URL sets the address, without ``/v1``."""

    def __init__(self, spec: ModelSpec) -> None:
        super().__init__(spec, KEY, (setting("MINIMAX_BASE_URL") or HOME).rstrip("/") + "/v1")
        self._key = require_setting(KEY, spec)

    def _make_headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._key}"}

    def _find_error(self, answer: Mapping[str, Any]) -> ErrorResponse | None:
        if answer.get("status") == "Fail":
            return None  # the task failed, and not the call
        status = answer.get("base_resp")
        code = status.get("status_code") if isinstance(status, Mapping) else None
        if not isinstance(status, Mapping) or not isinstance(code, int) or code == 0:
            return None
        word = "sensitive" if code in REFUSED else ""
        return ErrorResponse(_STATUSES.get(code, 400), f"{code}: {status.get('status_msg', '')}", word)

    def _build_request(self, request: Request) -> PreparedRequest:
        spec = self.spec
        spec.validate(request)
        size = choose_video_size(spec, request)
        image = prepare_image(spec, request, size, "unchanged", BLACK)
        check_image_bytes(spec, image, IMAGE_LIMIT_BYTES, as_data_uri=True)
        check_image_shape(spec, image, SMALLEST_SIDE, WIDEST_RATIO)
        fields: dict[str, Any] = {
            "model": spec.vendor_id,
            "prompt": get_prompt(spec, request, limit=PROMPT_LIMIT),
            "duration": get_whole_seconds(spec, request),
            "resolution": spec.options["resolution"].upper(),
            # Off unless it is asked for: the prompt of the question is what is compared.
            "prompt_optimizer": bool(request.parameters.get("enhance_prompt", False)),
        }
        return PreparedRequest(
            {**fields, "first_frame_image": image.data_uri}, {**fields, "first_frame_image": image.summary},
            image.placement,
        )  # fmt: skip

    async def submit(self, prepared: PreparedRequest, key: str) -> Ticket:
        task = await self._call("POST", "video_generation", SUBMIT, prepared.body, is_submit=True)
        return Ticket.for_request(self._errors.require_job_id(task.get("task_id")), prepared)

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        task = await self._call("GET", "query/video_generation", POLL, query={"task_id": ticket.id})
        status, record = task.get("status"), strip_url_queries(task)
        if status in ("Preparing", "Queueing", "Processing"):
            return Pending()
        if status == "Fail":
            error = task.get("base_resp") or {}
            reason = self._errors.sanitize(str(error.get("status_msg") or "the task failed at MiniMax"))
            return Failed(reason, error.get("status_code") in REFUSED, record)
        if status != "Success" or not task.get("file_id"):
            raise self._errors.map_unreadable_response(POLL)
        found = await self._call("GET", "files/retrieve", POLL, query={"file_id": str(task["file_id"])})
        url = (found.get("file") or {}).get("download_url")
        return Finished(ticket, url, record) if url else Failed("MiniMax has no file of the video", answer=record)

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        return None  # there is no list of tasks
