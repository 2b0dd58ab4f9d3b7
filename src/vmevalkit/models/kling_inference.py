"""Kling's own API: image2video tasks with create, get and list. A token is signed with the secret key for each call."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from datetime import UTC, datetime
from typing import Any

from vmevalkit.core.records import Request
from vmevalkit.core.remote import Failed, Finished, Pending, PreparedRequest, ProviderJob, Ticket
from vmevalkit.core.settings import setting
from vmevalkit.models._errors import LIST, POLL, SUBMIT, ErrorResponse, is_policy_refusal
from vmevalkit.models._json_api import JsonApiVideos
from vmevalkit.models._request_params import (
    get_prompt,
    get_whole_seconds,
    map_params,
    require_setting,
    strip_url_queries,
)
from vmevalkit.models.input_image import BLACK, check_image_bytes, check_image_shape, choose_video_size, prepare_image
from vmevalkit.models.model import ModelSpec

KEY, SECRET = "KLING_ACCESS_KEY", "KLING_SECRET_KEY"
HOME = "https://api-singapore.klingai.com"
TASKS = "videos/image2video"
IMAGE_LIMIT_BYTES = 10 * 1024 * 1024
SMALLEST_SIDE, WIDEST_RATIO = 300, 2.5
PROMPT_LIMIT = 2500
PAGE = 500
NO_CREDIT, POLICY = (1100, 1101, 1102), (1300, 1301)
"""Codes of an account that is closed, in arrears or without units, and of a refusal by a content policy."""


class KlingVideos(JsonApiVideos):
    """Adapter for Kling. KLING_BASE_URL sets the address, without ``/v1``."""

    def __init__(self, spec: ModelSpec) -> None:
        super().__init__(spec, KEY, (setting("KLING_BASE_URL") or HOME).rstrip("/") + "/v1")
        self._key, self._secret = require_setting(KEY, spec), require_setting(SECRET, spec)

    def _make_headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {sign_token(self._key, self._secret, time.time())}"}

    def _read_error(self, response: Any) -> ErrorResponse:
        """Return the error. Kling answers 429 also where no call will be accepted any more."""
        error = super()._read_error(response)
        code = _find_code(response)
        status = 402 if code in NO_CREDIT else error.status
        word = "content_policy" if code in POLICY else error.code
        return ErrorResponse(status, f"{code}: {error.message}" if code else error.message, word, error.retry_after_s)

    def _build_request(self, request: Request) -> PreparedRequest:
        spec = self.spec
        spec.validate(request)
        image = prepare_image(spec, request, choose_video_size(spec, request), "unchanged", BLACK)
        check_image_bytes(spec, image, IMAGE_LIMIT_BYTES)
        check_image_shape(spec, image, SMALLEST_SIDE, WIDEST_RATIO)
        fields: dict[str, Any] = {
            "model_name": spec.vendor_id,
            "mode": spec.options["mode"],
            "prompt": get_prompt(spec, request, limit=PROMPT_LIMIT),
            "duration": str(get_whole_seconds(spec, request)),
            **map_params(spec, request, {"negative_prompt": "negative_prompt"}),
        }
        if "audio" in spec.supported_params:  # it costs more, and no scorer uses it
            fields["sound"] = "on" if request.parameters.get("audio") else "off"
        return PreparedRequest({**fields, "image": image.base64}, {**fields, "image": image.summary}, image.placement)

    async def submit(self, prepared: PreparedRequest, key: str) -> Ticket:
        answer = await self._call("POST", TASKS, SUBMIT, prepared.body, is_submit=True)
        return Ticket.for_request(self._errors.require_job_id((answer.get("data") or {}).get("task_id")), prepared)

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        task = (await self._call("GET", f"{TASKS}/{ticket.id}", POLL)).get("data") or {}
        status, record = task.get("task_status"), strip_url_queries(task)
        if status in ("submitted", "processing"):
            return Pending()
        if status == "succeed":
            videos = (task.get("task_result") or {}).get("videos") or [{}]
            url = videos[0].get("url")
            return Finished(ticket, url, record) if url else Failed("Kling made no video", answer=record)
        if status == "failed":
            reason = self._errors.sanitize(str(task.get("task_status_msg") or "the task failed at Kling"))
            return Failed(reason, is_policy_refusal("", reason) or "risk control" in reason.lower(), record)
        raise self._errors.map_unreadable_response(POLL)

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        """Return the tasks of this account. The list has neither prompts nor models."""
        found: list[ProviderJob] = []
        page = 0
        while True:
            page += 1
            tasks = (await self._call("GET", TASKS, LIST, query={"pageNum": page, "pageSize": PAGE})).get("data") or []
            jobs = [ProviderJob(task["task_id"], _parse_time(task["created_at"])) for task in tasks]
            found += [job for job in jobs if job.created_at >= since]
            if len(tasks) < PAGE:
                return found


def sign_token(key: str, secret: str, now: float) -> str:
    """Return a JSON Web Token (HS256) that is valid for half an hour."""
    head = {"alg": "HS256", "typ": "JWT"}
    claims = {"iss": key, "exp": int(now) + 1800, "nbf": int(now) - 5}
    text = ".".join(_encode(json.dumps(part, separators=(",", ":")).encode()) for part in (head, claims))
    return f"{text}.{_encode(hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest())}"


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def _find_code(response: Any) -> int:
    """Return Kling's own code in an answer; 0 where there is none."""
    try:
        code = response.json()["code"]
    except (ValueError, TypeError, LookupError):
        return 0
    return code if isinstance(code, int) else 0


def _parse_time(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
