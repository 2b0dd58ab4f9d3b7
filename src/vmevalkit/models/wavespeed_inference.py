"""WaveSpeed over plain HTTP: its own SDK cannot order a film without waiting for it.

A row's ``sends`` names what its endpoint takes beside prompt, picture and seed: endpoints differ and are strict.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from vmevalkit.core.records import Request
from vmevalkit.core.settings import setting
from vmevalkit.media.picture import Size
from vmevalkit.models._download import by_address, download
from vmevalkit.models._talk import Said, Talk, refuses
from vmevalkit.models._wishes import (
    CONNECT_SECONDS,
    answer_seconds,
    further,
    prompt_of,
    required,
    seed_of,
    whole_seconds,
    without_queries,
)
from vmevalkit.models.model import Done, Failed, Listed, ModelSpec, Pending, Ticket
from vmevalkit.models.preparing import BLACK, film_size, limited, nearest_ratio, prepare

KEY = "WAVESPEED_API_KEY"
HOME = "https://api.wavespeed.ai"
PICTURE_LIMIT_BYTES = 50 * 1024 * 1024
LARGEST_SEED = 2**31 - 1
PAGE = 100
LISTED_DAYS = 7
"""How far back the provider's list reaches."""


class WaveSpeedVideos:
    """Films by WaveSpeed, at WAVESPEED_BASE_URL where that is set."""

    def __init__(self, spec: ModelSpec) -> None:
        import httpx

        self.spec = spec
        self._talk = Talk(spec, KEY)
        timeout = httpx.Timeout(answer_seconds(spec), connect=CONNECT_SECONDS)
        home = (setting("WAVESPEED_BASE_URL") or HOME).rstrip("/")
        self._client = httpx.AsyncClient(
            base_url=f"{home}/api/v3/", headers={"Authorization": f"Bearer {required(KEY, spec)}"}, timeout=timeout
        )
        self._downloads = httpx.AsyncClient(timeout=timeout)

    async def submit(self, request: Request, key: str) -> Ticket:
        self.spec.allow(request)
        size = film_size(self.spec, request)
        picture = limited(self.spec, prepare(self.spec, request, size, "as_it_is", BLACK), PICTURE_LIMIT_BYTES)
        asked = self._asked(request, size or picture.size)
        job = await self._call("POST", self.spec.vendor_id, "the order", {**asked, "image": picture.data_uri}, True)
        return Ticket(self._talk.ordered(job.get("id")), picture.placement, {**asked, "image": picture.summary})

    def _asked(self, request: Request, size: Size) -> dict[str, Any]:
        spec = self.spec
        seconds = whole_seconds(spec, request)
        can_send = {
            "duration": seconds,
            "size": f"{size[0]}*{size[1]}",
            "aspect_ratio": nearest_ratio(size, ("16:9", "9:16")),
            "resolution": spec.options.get("resolution", f"{min(size)}p"),
            "generate_audio": False,  # a sound track costs more, and nobody hears it
            "enable_audio": False,
        }
        asked = {
            "prompt": prompt_of(spec, request, needed=False),
            **{name: can_send[name] for name in spec.options.get("sends", ("duration",))},
            **further(
                spec, request, {"negative_prompt": "negative_prompt", "enhance_prompt": "enable_prompt_expansion"}
            ),
            **further(spec, request, {"loras": "loras"}),
        }
        seed = seed_of(spec, request, LARGEST_SEED)
        return asked if seed is None else {**asked, "seed": seed}

    async def poll(self, ticket: Ticket) -> Pending | Done | Failed:
        job = await self._call("GET", f"predictions/{ticket.id}/result", "a question after the film")
        status, record = job.get("status"), without_queries(job)
        if status in ("created", "processing"):
            return Pending()
        if status == "completed":
            outputs = job.get("outputs") or []
            return Done(ticket, str(outputs[0]), record) if outputs else Failed("it made no film", answer=record)
        if status in ("failed", "cancelled", "timeout", "deleted"):
            reason = self._talk.clean(str(job.get("error") or f"the job is {status} at WaveSpeed"))
            return Failed(reason, refuses(str(job.get("code", "")), reason), record)
        raise self._talk.unreadable("a question after the film")

    async def fetch(self, done: Done, into: Path, limit_bytes: int) -> None:
        async def load(url: str) -> None:
            await download(self._downloads, url, into, limit_bytes, self._talk)

        await by_address(done, self.poll, load)

    async def orders(self, since: datetime) -> list[Listed] | None:
        """The jobs of this model; the list names no prompts."""
        if datetime.now(since.tzinfo) - since > timedelta(days=LISTED_DAYS):
            return None
        found: list[Listed] = []
        page = 0
        while True:
            page += 1
            asked = {"page": page, "page_size": PAGE}
            items = (await self._call("POST", "predictions", "its list of jobs", asked)).get("items") or []
            for job in items:
                created = datetime.fromisoformat(job["created_at"])
                if created < since:
                    return found
                if job.get("model") == self.spec.vendor_id:
                    found.append(Listed(job["id"], created))
            if len(items) < PAGE:
                return found

    async def close(self) -> None:
        await self._client.aclose()
        await self._downloads.aclose()

    async def _call(
        self, method: str, path: str, what: str, body: dict[str, Any] | None = None, ordering: bool = False
    ) -> dict[str, Any]:
        """One call, and the ``data`` of its answer. WaveSpeed says a failure by status, or by ``code`` in a 200."""
        with self._talk.about(what, ordering=ordering):
            response = await self._client.request(method, path, json=body)
            if response.status_code >= 400:
                raise self._talk.answer(
                    Said.of(response.status_code, response.headers, response.text), what, ordering=ordering
                )
            answer = response.json()
            code = answer.get("code", 200) if isinstance(answer, dict) else None
            if isinstance(code, int) and code >= 400:
                raise self._talk.answer(Said.of(code, response.headers, answer), what, ordering=ordering)
            if not isinstance(answer, dict) or not isinstance(answer.get("data"), dict):
                raise self._talk.unreadable(what, ordering=ordering)
            data: dict[str, Any] = answer["data"]
            return data


WaveSpeedWrapper = WaveSpeedVideos
WaveSpeedService = WaveSpeedVideos
