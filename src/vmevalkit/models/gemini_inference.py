"""Video by the Gemini API's Interactions, which took Veo's place there. A job runs in the background."""

from __future__ import annotations

import base64
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from vmevalkit.core.errors import ModelError, SetupError
from vmevalkit.core.records import Request
from vmevalkit.core.settings import setting
from vmevalkit.models._download import by_address, download, save_whole
from vmevalkit.models._google import http_client, http_options, pictured
from vmevalkit.models._talk import Talk, refuses
from vmevalkit.models._wishes import further, prompt_of, seed_of, whole_seconds, without_queries
from vmevalkit.models.model import Done, Failed, Listed, ModelSpec, Pending, Ticket

KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
HOME = "https://generativelanguage.googleapis.com"


class GeminiVideos:
    """Films by the Gemini API, at GOOGLE_GEMINI_BASE_URL where that is set."""

    def __init__(self, spec: ModelSpec) -> None:
        from google import genai

        self.spec = spec
        self._talk = Talk(spec, " or ".join(KEYS))
        self._http = http_client(spec)
        self._key = next((value for name in KEYS if (value := setting(name))), "")
        if not self._key:
            raise SetupError(f"{spec.name} needs the setting {KEYS[0]}: set it in the environment or in .env")
        self._client = genai.Client(
            vertexai=False,
            api_key=self._key,
            http_options=http_options(spec, self._http, "GOOGLE_GEMINI_BASE_URL"),
        )

    async def submit(self, request: Request, key: str) -> Ticket:
        self.spec.allow(request)
        picture, ratio, size = pictured(self.spec, request)
        prompt = prompt_of(self.spec, request)
        seed = seed_of(self.spec, request, 2**31 - 1)
        asked: dict[str, Any] = {
            "model": self.spec.vendor_id,
            "response_format": {
                "type": "video",
                "aspect_ratio": ratio,
                "resolution": self.spec.options.get("resolution", "720p" if size is None else f"{min(size)}p"),
                "duration": f"{whole_seconds(self.spec, request)}s",
                "delivery": self.spec.options.get("delivery", "inline"),
            },
            "generation_config": {
                "video_config": {"task": "image_to_video"},
                **further(self.spec, request, {"temperature": "temperature"}),
                **({} if seed is None else {"seed": seed}),
            },
            "background": True,
        }
        text = {"type": "text", "text": prompt}
        image = {"type": "image", "mime_type": picture.mime, "data": picture.base64}
        with self._talk.about("the order", ordering=True):
            made = await self._client.aio.interactions.create(**asked, input=[text, image])
        name = self._talk.ordered(getattr(made, "id", None))
        return Ticket(name, picture.placement, {**asked, "input": [text, {"type": "image", **picture.summary}]})

    async def poll(self, ticket: Ticket) -> Pending | Done | Failed:
        job = await self._interaction(ticket)
        record = {"id": job.id, "status": job.status, "model": job.model}
        if job.status in ("queued", "in_progress"):
            return Pending()
        film = _film(job)
        if job.status == "completed" and film is not None:
            return Done(ticket, film.uri, without_queries({**record, "mime_type": film.mime_type}))
        told = [(error.code or "", error.message or "") for error in job.errors or ()]
        told += [("", words) for words in _texts(job)]
        reason = " ".join(message for _, message in told) or f"the interaction is {job.status} without a film"
        refused = any(refuses(code, message) for code, message in told)
        return Failed(self._talk.clean(reason), refused, record)

    async def fetch(self, done: Done, into: Path, limit_bytes: int) -> None:
        if done.url is None:
            film = _film(await self._interaction(done.ticket))
            if film is None or not film.data:
                raise ModelError(f"the film of {self.spec.name} is no longer in the answer of the Gemini API")
            await save_whole(base64.b64decode(film.data), into, limit_bytes, self.spec.name)
            return

        async def load(url: str) -> None:
            await download(self._http, url, into, limit_bytes, self._talk, self._key_for(url))

        await by_address(done, self.poll, load)

    def _key_for(self, url: str) -> dict[str, str]:
        """The key goes to the API's own host and to no other."""
        home = setting("GOOGLE_GEMINI_BASE_URL") or HOME
        return {"x-goog-api-key": self._key} if urlsplit(url)[:2] == urlsplit(home)[:2] else {}

    async def _interaction(self, ticket: Ticket) -> Any:
        with self._talk.about("a question after the film"):
            job = await self._client.aio.interactions.get(ticket.id)
        if not isinstance(getattr(job, "status", None), str):
            raise self._talk.unreadable("a question after the film")
        return job

    async def orders(self, since: datetime) -> list[Listed] | None:
        return None  # the Gemini API lists no interactions

    async def close(self) -> None:
        await self._http.aclose()


def _contents(job: Any, kind: str) -> list[Any]:
    steps = job.steps or ()
    return [
        part for step in steps for part in getattr(step, "content", None) or () if getattr(part, "type", "") == kind
    ]


def _film(job: Any) -> Any:
    films = [part for part in _contents(job, "video") if part.data or part.uri]
    return films[-1] if films else None


def _texts(job: Any) -> list[str]:
    """What the model said in words: where it made no film, that is the reason."""
    return [part.text for part in _contents(job, "text") if part.text]


GeminiWrapper = GeminiVideos
GeminiService = GeminiVideos
