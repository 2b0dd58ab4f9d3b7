"""Veo on Vertex AI: ``predictLongRunning`` and ``fetchPredictOperation``. The film comes inside the last answer.

Google's SDK no longer has Veo outside Vertex. The credentials are those of GOOGLE_APPLICATION_CREDENTIALS, or what
``gcloud auth application-default login`` left.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import ModelError, SetupError, Unreachable
from vmevalkit.core.records import Request
from vmevalkit.core.settings import setting
from vmevalkit.models._download import save_whole
from vmevalkit.models._google import http_client, http_options, pictured
from vmevalkit.models._talk import Talk, refuses
from vmevalkit.models._wishes import further, prompt_of, required, seed_of, whole_seconds
from vmevalkit.models.model import Done, Failed, Listed, ModelSpec, Pending, Ticket

PROJECT = "GOOGLE_CLOUD_PROJECT"
CREDENTIALS = "GOOGLE_APPLICATION_CREDENTIALS"
SCOPE = "https://www.googleapis.com/auth/cloud-platform"


class VeoVideos:
    """Films by Veo in a project on Vertex AI, at GOOGLE_VERTEX_BASE_URL where that is set."""

    def __init__(self, spec: ModelSpec) -> None:
        from google import genai

        self.spec = spec
        self._talk = Talk(spec, CREDENTIALS)
        self._http = http_client(spec)
        self._client = genai.Client(
            vertexai=True,
            project=required(PROJECT, spec),
            location=setting("GOOGLE_CLOUD_LOCATION") or "us-central1",
            credentials=_credentials(),
            http_options=http_options(spec, self._http, "GOOGLE_VERTEX_BASE_URL"),
        )

    async def submit(self, request: Request, key: str) -> Ticket:
        from google.genai import types

        self.spec.allow(request)
        picture, ratio, size = pictured(self.spec, request)
        prompt = prompt_of(self.spec, request, needed=False)
        asked = self._asked(request, ratio, size)
        source = types.GenerateVideosSource(
            prompt=prompt or None, image=types.Image(image_bytes=picture.data, mime_type=picture.mime)
        )
        with self._about("the order", ordering=True):
            made = await self._client.aio.models.generate_videos(
                model=self.spec.vendor_id, source=source, config=types.GenerateVideosConfig(**asked)
            )
        name = self._talk.ordered(made.name)
        sent = {"model": self.spec.vendor_id, "prompt": prompt, **asked, "image": picture.summary}
        return Ticket(name, picture.placement, sent)

    def _asked(self, request: Request, ratio: str, size: tuple[int, int] | None) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "number_of_videos": 1,
            "duration_seconds": whole_seconds(self.spec, request),
            "aspect_ratio": ratio,
            "resolution": self.spec.options.get("resolution", "720p" if size is None else f"{min(size)}p"),
            **further(self.spec, request, {"enhance_prompt": "enhance_prompt", "negative_prompt": "negative_prompt"}),
        }
        if "audio" in self.spec.takes:
            asked["generate_audio"] = bool(request.parameters.get("audio", False))
        seed = seed_of(self.spec, request)
        return asked if seed is None else {**asked, "seed": seed}

    async def poll(self, ticket: Ticket) -> Pending | Done | Failed:
        operation = await self._operation(ticket)
        if not operation.done:
            return Pending()
        if operation.error:
            code, message = str(operation.error.get("code", "")), str(operation.error.get("message", "no reason given"))
            return Failed(self._talk.clean(message), refuses(code, message), dict(operation.error))
        response = operation.response
        filtered = (response.rai_media_filtered_count or 0) if response else 0
        if response is None or not response.generated_videos:
            reasons = " ".join((response.rai_media_filtered_reasons or ()) if response else ())
            return Failed(self._talk.clean(reasons or "Vertex made no film"), filtered > 0)
        video = response.generated_videos[0].video
        return Done(ticket, answer={"name": operation.name, "mime_type": video.mime_type, "uri": video.uri})

    async def fetch(self, done: Done, into: Path, limit_bytes: int) -> None:
        """Ask once more: the bytes are not kept between poll and fetch, so that many films can be under way."""
        response = (await self._operation(done.ticket)).response
        film = response.generated_videos[0].video if response and response.generated_videos else None
        if film is None or not film.video_bytes:
            where = film.uri if film and film.uri else None
            raise ModelError(
                f"the film of {self.spec.name} is no longer in Vertex's answer"
                if where is None
                else f"Vertex put the film of {self.spec.name} into a bucket, which is not read here; it was paid for: "
                f"gcloud storage cp {where} ."
            )
        await save_whole(film.video_bytes, into, limit_bytes, self.spec.name)

    async def _operation(self, ticket: Ticket) -> Any:
        from google.genai import types

        with self._about("a question after the film"):
            return await self._client.aio.operations.get(types.GenerateVideosOperation(name=ticket.id))

    async def orders(self, since: datetime) -> list[Listed] | None:
        return None  # Vertex lists no operations of published models

    async def close(self) -> None:
        await self._http.aclose()

    @contextmanager
    def _about(self, what: str, *, ordering: bool = False) -> Iterator[None]:
        """As Talk has it, but a token that could not be had means that nothing was asked at all."""
        from google.auth.exceptions import GoogleAuthError

        with self._talk.about(what, ordering=ordering):
            try:
                yield
            except GoogleAuthError as error:
                words = self._talk.clean(f"no access to Vertex for {self.spec.name}: {error}")
                if error.retryable:
                    raise Unreachable(words) from None
                raise ModelError(f"{words}; check {CREDENTIALS}") from None


def _credentials() -> Any:
    """Those of the file that the settings name, if it is of a kind that holds a key; None leaves it to the SDK."""
    path = setting(CREDENTIALS)
    if not path:
        return None
    from google.oauth2 import credentials, service_account

    try:
        kind = json.loads(Path(path).read_text("utf-8")).get("type")
    except (OSError, ValueError, AttributeError) as error:
        raise SetupError(f"{CREDENTIALS} names {path}, which cannot be read as a key file: {error}") from error
    if kind == "service_account":
        return service_account.Credentials.from_service_account_file(path, scopes=[SCOPE])
    if kind == "authorized_user":
        return credentials.Credentials.from_authorized_user_file(path, scopes=[SCOPE])
    return None


VeoWrapper = VeoVideos
VeoService = VeoVideos
