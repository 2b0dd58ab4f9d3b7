"""Video by the Gemini API's Interactions, which replaced Veo on that API. Jobs run in the background."""

from __future__ import annotations

import asyncio
import base64
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from vmevalkit.core.errors import ModelError, SetupError
from vmevalkit.core.records import Request
from vmevalkit.core.remote import Failed, Finished, Pending, PreparedRequest, ProviderJob, Ticket
from vmevalkit.core.settings import setting
from vmevalkit.models._download import download_by_url, download_video, save_bytes
from vmevalkit.models._errors import POLL, SUBMIT, ErrorMapper, is_policy_refusal
from vmevalkit.models._google import make_http_client, make_http_options, prepare_google_image
from vmevalkit.models._request_params import get_prompt, get_seed, get_whole_seconds, map_params, strip_url_queries
from vmevalkit.models.model import ModelSpec

KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
HOME = "https://generativelanguage.googleapis.com"


class GeminiVideos:
    """Adapter for the Gemini API. GOOGLE_GEMINI_BASE_URL sets the address."""

    def __init__(self, spec: ModelSpec) -> None:
        from google import genai

        self.spec = spec
        self._errors = ErrorMapper(spec, " or ".join(KEYS))
        self._http = make_http_client(spec)
        self._key = next((value for name in KEYS if (value := setting(name))), "")
        if not self._key:
            raise SetupError(f"{spec.name} needs the setting {KEYS[0]}: set it in the environment or in .env")
        self._client = genai.Client(
            vertexai=False,
            api_key=self._key,
            http_options=make_http_options(spec, self._http, "GOOGLE_GEMINI_BASE_URL"),
        )

    async def prepare(self, request: Request) -> PreparedRequest:
        return await asyncio.to_thread(self._build_request, request)

    def _build_request(self, request: Request) -> PreparedRequest:
        self.spec.validate(request)
        image, ratio, size = prepare_google_image(self.spec, request)
        prompt = get_prompt(self.spec, request)
        seed = get_seed(self.spec, request, 2**31 - 1)
        body: dict[str, Any] = {
            "model": self.spec.vendor_id,
            "response_format": {
                "type": "video",
                "aspect_ratio": ratio,
                "resolution": self.spec.options.get("resolution", "720p" if size is None else f"{min(size)}p"),
                "duration": f"{get_whole_seconds(self.spec, request)}s",
                "delivery": self.spec.options.get("delivery", "inline"),
            },
            "generation_config": {
                "video_config": {"task": "image_to_video"},
                **map_params(self.spec, request, {"temperature": "temperature"}),
                **({} if seed is None else {"seed": seed}),
            },
            "background": True,
        }
        text = {"type": "text", "text": prompt}
        image_part = {"type": "image", "mime_type": image.mime, "data": image.base64}
        summary = {"type": "image", **image.summary}
        return PreparedRequest(
            {**body, "input": [text, image_part]}, {**body, "input": [text, summary]}, image.placement
        )

    async def submit(self, prepared: PreparedRequest, key: str) -> Ticket:
        with self._errors.map_errors(SUBMIT, is_submit=True):
            job = await self._client.aio.interactions.create(**prepared.body)
        return Ticket.for_request(self._errors.require_job_id(getattr(job, "id", None)), prepared)

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        job = await self._get_interaction(ticket)
        record = {"id": job.id, "status": job.status, "model": job.model}
        if job.status in ("queued", "in_progress"):
            return Pending()
        video = _find_video(job)
        if job.status == "completed" and video is not None:
            return Finished(ticket, video.uri, strip_url_queries({**record, "mime_type": video.mime_type}))
        reasons = [(error.code or "", error.message or "") for error in job.errors or ()]
        reasons += [("", text) for text in _find_texts(job)]
        reason = " ".join(message for _, message in reasons) or f"the interaction is {job.status} without a video"
        refused = any(is_policy_refusal(code, message) for code, message in reasons)
        return Failed(self._errors.sanitize(reason), refused, record)

    async def fetch(self, done: Finished, into: Path, limit_bytes: int) -> None:
        if done.url is None:
            video = _find_video(await self._get_interaction(done.ticket))
            if video is None or not video.data:
                raise ModelError(f"the video of {self.spec.name} is no longer in the response of the Gemini API")
            await save_bytes(base64.b64decode(video.data), into, limit_bytes, self.spec.name)
            return

        async def download(url: str) -> None:
            await download_video(self._http, url, into, limit_bytes, self._errors, self._make_key_header(url))

        await download_by_url(done, self.poll, download)

    def _make_key_header(self, url: str) -> dict[str, str]:
        """Return the header with the key for a URL on the API's own host, and no header for any other."""
        home = setting("GOOGLE_GEMINI_BASE_URL") or HOME
        return {"x-goog-api-key": self._key} if urlsplit(url)[:2] == urlsplit(home)[:2] else {}

    async def _get_interaction(self, ticket: Ticket) -> Any:
        with self._errors.map_errors(POLL):
            job = await self._client.aio.interactions.get(ticket.id)
        if not isinstance(getattr(job, "status", None), str):
            raise self._errors.map_unreadable_response(POLL)
        return job

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        return None  # the Gemini API cannot list interactions

    async def close(self) -> None:
        await self._http.aclose()


def _find_parts(job: Any, kind: str) -> list[Any]:
    steps = job.steps or ()
    return [
        part for step in steps for part in getattr(step, "content", None) or () if getattr(part, "type", "") == kind
    ]


def _find_video(job: Any) -> Any:
    videos = [part for part in _find_parts(job, "video") if part.data or part.uri]
    return videos[-1] if videos else None


def _find_texts(job: Any) -> list[str]:
    """Return the text that the model answered. Where it made no video, the text says why."""
    return [part.text for part in _find_parts(job, "text") if part.text]


GeminiWrapper = GeminiVideos
GeminiService = GeminiVideos
