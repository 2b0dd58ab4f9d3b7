"""Luma: Ray 2 by the Dream Machine API, Ray 3.2 by the Agents API. Two SDKs, one shape of request.

Dream Machine takes pictures by address only, so the first frame is put into an S3 bucket first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vmevalkit.core.records import Request
from vmevalkit.core.settings import setting
from vmevalkit.models._download import by_address, download
from vmevalkit.models._talk import Talk, refuses
from vmevalkit.models._wishes import CONNECT_SECONDS, answer_seconds, prompt_of, required, without_queries
from vmevalkit.models.hosting import Bucket
from vmevalkit.models.model import Done, Failed, Listed, ModelSpec, Pending, Ticket
from vmevalkit.models.preparing import BLACK, Prepared, film_size, limited, nearest_ratio, picture_size, prepare

PICTURE_LIMIT_BYTES = 20 * 1024 * 1024
RATIOS = ("16:9", "9:16", "1:1", "4:3", "3:4", "21:9")
PAGE = 100


class _Luma(ABC):
    """What both of Luma's APIs have in common."""

    def __init__(self, spec: ModelSpec, client: Any, key_name: str) -> None:
        import httpx

        self.spec = spec
        self._client = client
        self._talk = Talk(spec, key_name)
        self._http = httpx.AsyncClient(timeout=httpx.Timeout(answer_seconds(spec), connect=CONNECT_SECONDS))

    def _framed(self, request: Request) -> tuple[Prepared, str]:
        """The picture, and the ratio in words."""
        size = film_size(self.spec, request)
        ratios = tuple(self.spec.options.get("ratios", RATIOS))
        ratio = nearest_ratio(size or picture_size(request.first_frame), ratios)
        across, down = ratio.split(":")
        picture = prepare(self.spec, request, size or (int(across), int(down)), "pad", BLACK)
        return limited(self.spec, picture, PICTURE_LIMIT_BYTES), ratio

    def _failed(self, job: Any, code: str, record: dict[str, Any]) -> Failed:
        message = job.failure_reason or "no reason given"
        reason = self._talk.clean(f"{message} ({code})" if code else message)
        return Failed(reason, refuses(code, message), record)

    @abstractmethod
    async def poll(self, ticket: Ticket) -> Pending | Done | Failed: ...

    async def fetch(self, done: Done, into: Path, limit_bytes: int) -> None:
        async def load(url: str) -> None:
            await download(self._http, url, into, limit_bytes, self._talk)

        await by_address(done, self.poll, load)

    async def close(self) -> None:
        await self._client.close()
        await self._http.aclose()


class LumaVideos(_Luma):
    """Films by the Dream Machine API, at LUMAAI_BASE_URL where that is set."""

    KEY = "LUMAAI_API_KEY"

    def __init__(self, spec: ModelSpec) -> None:
        import httpx
        import lumaai

        self._bucket = Bucket.from_settings(spec)
        client = lumaai.AsyncLumaAI(
            auth_token=required(self.KEY, spec),
            base_url=setting("LUMAAI_BASE_URL"),
            timeout=httpx.Timeout(answer_seconds(spec), connect=CONNECT_SECONDS),
            max_retries=0,  # the SDK would repeat an order whose answer was lost, and both would be paid for
        )
        super().__init__(spec, client, self.KEY)

    async def submit(self, request: Request, key: str) -> Ticket:
        self.spec.allow(request)
        prompt = prompt_of(self.spec, request, needed=False)
        picture, ratio = self._framed(request)
        asked: dict[str, Any] = {
            "model": self.spec.vendor_id,
            "aspect_ratio": ratio,
            "duration": f"{request.seconds:g}s",
            "resolution": self.spec.options.get("resolution", "720p"),
            "loop": False,
        }
        if prompt.strip():
            asked["prompt"] = prompt
        url = await self._bucket.publish(self._http, picture, self._talk)
        with self._talk.about("the order", ordering=True):
            made = await self._client.generations.create(**asked, keyframes={"frame0": {"type": "image", "url": url}})
        name = self._talk.ordered(getattr(made, "id", None))
        return Ticket(name, picture.placement, {**asked, "frame0": {**picture.summary, "url": without_queries(url)}})

    async def poll(self, ticket: Ticket) -> Pending | Done | Failed:
        with self._talk.about("a question after the film"):
            job = await self._client.generations.get(ticket.id)
        state = getattr(job, "state", None)
        if state in ("queued", "dreaming"):
            return Pending()
        if state not in ("completed", "failed"):
            raise self._talk.unreadable("a question after the film")
        record = without_queries(job.model_dump(mode="json", exclude_none=True))
        if state == "failed":
            return self._failed(job, "", record)
        url = job.assets.video if job.assets else None
        return Done(ticket, url, record) if url else Failed("Luma completed the job without a film", answer=record)

    async def orders(self, since: datetime) -> list[Listed] | None:
        found: list[Listed] = []
        seen = 0
        while True:
            with self._talk.about("its list of jobs"):
                page = await self._client.generations.list(limit=PAGE, offset=seen)
            seen += len(page.generations)
            for job in page.generations:
                created = job.created_at or datetime.max.replace(tzinfo=UTC)
                if created < since:
                    return found
                if job.model == self.spec.vendor_id:
                    found.append(Listed(job.id, created, getattr(job.request, "prompt", None) or ""))
            if not page.generations or not page.has_more:
                return found


class LumaAgentsVideos(_Luma):
    """Films by the Agents API, at LUMA_BASE_URL where that is set."""

    KEY = "LUMA_AGENTS_API_KEY"

    def __init__(self, spec: ModelSpec) -> None:
        import httpx
        import luma_agents

        client = luma_agents.AsyncLuma(
            auth_token=required(self.KEY, spec),
            base_url=setting("LUMA_BASE_URL"),
            timeout=httpx.Timeout(answer_seconds(spec), connect=CONNECT_SECONDS),
            max_retries=0,  # the SDK would repeat an order whose answer was lost, and both would be paid for
        )
        super().__init__(spec, client, self.KEY)

    async def submit(self, request: Request, key: str) -> Ticket:
        self.spec.allow(request)
        picture, ratio = self._framed(request)
        video = {
            "duration": f"{request.seconds:g}s",
            "resolution": self.spec.options.get("resolution", "720p"),
        }
        asked = {
            "type": "video",
            "model": self.spec.vendor_id,
            "prompt": prompt_of(self.spec, request),
            "aspect_ratio": ratio,
        }
        frame = {"data": picture.base64, "media_type": picture.mime}
        with self._talk.about("the order", ordering=True):
            made = await self._client.generations.create(**asked, video={**video, "start_frame": frame})
        name = self._talk.ordered(getattr(made, "id", None))
        return Ticket(name, picture.placement, {**asked, "video": {**video, "start_frame": picture.summary}})

    async def poll(self, ticket: Ticket) -> Pending | Done | Failed:
        with self._talk.about("a question after the film"):
            job = await self._client.generations.get(ticket.id)
        state = getattr(job, "state", None)
        if state in ("queued", "processing"):
            return Pending()
        if state not in ("completed", "failed"):
            raise self._talk.unreadable("a question after the film")
        record = without_queries(job.model_dump(mode="json", exclude_none=True))
        if state == "failed":
            return self._failed(job, job.failure_code or "", record)
        films = [output.url for output in job.output or () if output.type == "video"]
        return (
            Done(ticket, films[0], record) if films else Failed("Luma completed the job without a film", answer=record)
        )

    async def orders(self, since: datetime) -> list[Listed] | None:
        return None  # the Agents API has no list of jobs


LumaWrapper = LumaVideos
LumaService = LumaVideos
LumaInference = LumaVideos
