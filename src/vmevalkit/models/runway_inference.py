"""Runway's API: its own models and those of others that it hosts, all by ``image_to_video`` and ``tasks``."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import UsageError
from vmevalkit.core.records import Request
from vmevalkit.core.settings import setting
from vmevalkit.media.picture import Size
from vmevalkit.models._download import by_address, download
from vmevalkit.models._talk import Talk, refuses
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
from vmevalkit.models.preparing import BLACK, film_size, limited, prepare

KEY = "RUNWAYML_API_SECRET"
PICTURE_LIMIT_BYTES = 5 * 1024 * 1024
"""Of a data URI."""
TIERS = (480, 720, 1080)
"""Resolutions of films that take the shape of their first frames."""


class RunwayVideos:
    """Films by Runway, at RUNWAYML_BASE_URL where that is set."""

    def __init__(self, spec: ModelSpec) -> None:
        import httpx
        import runwayml

        self.spec = spec
        self._talk = Talk(spec, KEY)
        timeout = httpx.Timeout(answer_seconds(spec), connect=CONNECT_SECONDS)
        self._client = runwayml.AsyncRunwayML(
            api_key=required(KEY, spec),
            base_url=setting("RUNWAYML_BASE_URL"),
            timeout=timeout,
            max_retries=0,  # the SDK would repeat an order whose answer was lost, and both would be paid for
        )
        self._downloads = httpx.AsyncClient(timeout=timeout)

    async def submit(self, request: Request, key: str) -> Ticket:
        self.spec.allow(request)
        size = film_size(self.spec, request)
        if size is None:
            raise UsageError(f"{self.spec.name} lists no sizes; ask for one with --size")
        picture = prepare(self.spec, request, size, "letterbox", BLACK)
        limited(self.spec, picture, PICTURE_LIMIT_BYTES, encoded=True)
        asked = self._asked(request, size)
        with self._talk.about("the order", ordering=True):
            made = await self._client.image_to_video.create(
                **asked, prompt_image=[{"position": "first", "uri": picture.data_uri}]
            )
        name = self._talk.ordered(getattr(made, "id", None))
        return Ticket(name, picture.placement, {**asked, "prompt_image": picture.summary})

    def _asked(self, request: Request, size: Size) -> dict[str, Any]:
        prompt = prompt_of(self.spec, request, needed=False)
        asked: dict[str, Any] = {
            "model": self.spec.vendor_id,
            **self._shape(size),
            "duration": whole_seconds(self.spec, request),
            **further(self.spec, request, {"negative_prompt": "negative_prompt"}),
        }
        if prompt.strip():
            asked["prompt_text"] = prompt
        if "audio" in self.spec.takes:
            asked["audio"] = bool(request.parameters.get("audio", False))
        if "enhance_prompt" in self.spec.takes:
            asked["prompt_expansion_mode"] = "balanced" if request.parameters.get("enhance_prompt") else "disabled"
        seed = seed_of(self.spec, request)
        return asked if seed is None else {**asked, "seed": seed}

    def _shape(self, size: Size) -> dict[str, str]:
        """The size in the words of the model."""
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

    async def poll(self, ticket: Ticket) -> Pending | Done | Failed:
        with self._talk.about("a question after the film"):
            task = await self._client.tasks.retrieve(ticket.id)
        status = getattr(task, "status", None)
        if status in ("PENDING", "THROTTLED", "RUNNING"):
            return Pending(getattr(task, "progress", None))
        if status not in ("SUCCEEDED", "FAILED", "CANCELLED"):
            raise self._talk.unreadable("a question after the film")
        record = without_queries(task.model_dump(mode="json", by_alias=True, exclude_none=True))
        if status == "SUCCEEDED":
            if not task.output:
                return Failed("the task succeeded without a film", answer=record)
            return Done(ticket, task.output[0], record, self._cost(task))
        if status == "CANCELLED":
            return Failed("the task was cancelled at Runway", answer=record)
        code = task.failure_code or ""
        reason = self._talk.clean(f"{task.failure} ({code})" if code else task.failure)
        return Failed(reason, "SAFETY" in code or refuses("", task.failure), record)

    def _cost(self, task: Any) -> float | None:
        """In dollars, where the row knows what a credit costs."""
        credit, cost = self.spec.options.get("usd_per_credit"), getattr(task, "cost", None)
        return None if credit is None or cost is None else float(cost.credits * credit)

    async def fetch(self, done: Done, into: Path, limit_bytes: int) -> None:
        async def load(url: str) -> None:
            await download(self._downloads, url, into, limit_bytes, self._talk)

        await by_address(done, self.poll, load)

    async def orders(self, since: datetime) -> list[Listed] | None:
        return None  # Runway has no list of tasks

    async def close(self) -> None:
        await self._client.close()
        await self._downloads.aclose()


RunwayWrapper = RunwayVideos
RunwayService = RunwayVideos
