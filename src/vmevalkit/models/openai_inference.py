"""OpenAI's video API, as OpenAI served it and as others still do: Sora and what is compatible with it.

The picture must have exactly the size of the film. Lengths and sizes go as text.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Request
from vmevalkit.core.settings import setting
from vmevalkit.models._download import take
from vmevalkit.models._talk import Talk, refuses
from vmevalkit.models._wishes import CONNECT_SECONDS, answer_seconds, prompt_of, required, whole_seconds
from vmevalkit.models.model import Done, Failed, Listed, ModelSpec, Pending, Ticket
from vmevalkit.models.preparing import GREY, film_size, limited, prepare

KEY = "OPENAI_API_KEY"
PICTURE_LIMIT_BYTES = 10 * 1024 * 1024
PROMPT_LIMIT = 32_000
PAGE = 100


class OpenAIVideos:
    """Films by ``/v1/videos``, at OPENAI_BASE_URL where that is set."""

    def __init__(self, spec: ModelSpec) -> None:
        import openai

        self.spec = spec
        self._talk = Talk(spec, KEY)
        self._client = openai.AsyncOpenAI(
            api_key=required(KEY, spec),
            base_url=setting("OPENAI_BASE_URL"),
            timeout=openai.Timeout(answer_seconds(spec), connect=CONNECT_SECONDS),
            max_retries=0,  # the SDK would repeat an order whose answer was lost, and both would be paid for
        )

    async def submit(self, request: Request, key: str) -> Ticket:
        self.spec.allow(request)
        size = film_size(self.spec, request)
        if size is None:
            raise UsageError(f"{self.spec.name} lists no sizes; ask for one with --size")
        picture = limited(self.spec, prepare(self.spec, request, size, "letterbox", GREY), PICTURE_LIMIT_BYTES)
        asked = {
            "model": self.spec.vendor_id,
            "prompt": prompt_of(self.spec, request, limit=PROMPT_LIMIT),
            "seconds": str(whole_seconds(self.spec, request)),
            "size": f"{size[0]}x{size[1]}",
        }
        file, headers = (picture.filename, picture.data, picture.mime), {"Idempotency-Key": key}
        with self._talk.about("the order", ordering=True):
            made = await _quietly(
                lambda: self._client.videos.create(**asked, input_reference=file, extra_headers=headers)
            )
        name = self._talk.ordered(getattr(made, "id", None))
        return Ticket(name, picture.placement, {**asked, "input_reference": picture.summary})

    async def poll(self, ticket: Ticket) -> Pending | Done | Failed:
        with self._talk.about("a question after the film"):
            video = await _quietly(lambda: self._client.videos.retrieve(ticket.id))
        status = getattr(video, "status", None)
        if status in ("queued", "in_progress"):
            return Pending((video.progress or 0) / 100)
        if status == "completed":
            return Done(ticket, answer=_record(video))
        if status == "failed":
            code, message = (video.error.code, video.error.message) if video.error else ("", "no reason given")
            reason = self._talk.clean(f"{message} ({code})" if code else message)
            return Failed(reason, refuses(code or "", message or ""), _record(video))
        raise self._talk.unreadable("a question after the film")

    async def fetch(self, done: Done, into: Path, limit_bytes: int) -> None:
        content = self._client.videos.with_streaming_response.download_content
        with self._talk.about("the download"):
            async with _quietly(lambda: content(done.ticket.id, variant="video")) as response:
                await take(response.http_response, into, limit_bytes, self._talk)

    async def orders(self, since: datetime) -> list[Listed] | None:
        found = []
        with self._talk.about("its list of jobs"):
            async for video in _quietly(lambda: self._client.videos.list(order="desc", limit=PAGE)):
                created = datetime.fromtimestamp(video.created_at, UTC)
                if created < since.replace(microsecond=0):  # the provider counts in whole seconds
                    break
                if _is_of(video.model, self.spec.vendor_id):
                    found.append(Listed(video.id, created, video.prompt))
        return found

    async def close(self) -> None:
        await self._client.close()


def _record(video: Any) -> dict[str, Any]:
    record: dict[str, Any] = video.model_dump(mode="json", exclude_none=True)
    return record


def _is_of(model: str, vendor_id: str) -> bool:
    """Whether a job is this model's; a list may name the version, such as ``sora-2-2025-10-06``."""
    return model == vendor_id or re.fullmatch(re.escape(vendor_id) + r"-\d{4}-\d\d-\d\d", model) is not None


def _quietly(call: Callable[[], Any]) -> Any:
    """What the call gives. The SDK says at each one that OpenAI's own service is gone; the row has said so already.

    Nothing is awaited in here: the filters of warnings are the whole process's.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The Sora API", DeprecationWarning)
        return call()


OpenAIWrapper = OpenAIVideos
SoraService = OpenAIVideos
