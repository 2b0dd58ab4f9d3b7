"""Veo on Vertex AI: ``predictLongRunning`` and ``fetchPredictOperation``. The video is inside the last response.

Google's SDK supports Veo on Vertex AI only. Credentials come from GOOGLE_APPLICATION_CREDENTIALS, or from
``gcloud auth application-default login``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import ModelError, SetupError, Unreachable
from vmevalkit.core.records import Request
from vmevalkit.core.remote import Failed, Finished, Pending, PreparedRequest, ProviderJob, Ticket
from vmevalkit.core.settings import setting
from vmevalkit.models._download import save_bytes
from vmevalkit.models._errors import POLL, SUBMIT, ErrorMapper, is_policy_refusal
from vmevalkit.models._google import make_http_client, make_http_options, prepare_google_image
from vmevalkit.models._request_params import get_prompt, get_seed, get_whole_seconds, map_params, require_setting
from vmevalkit.models.model import ModelSpec

PROJECT = "GOOGLE_CLOUD_PROJECT"
CREDENTIALS = "GOOGLE_APPLICATION_CREDENTIALS"
SCOPE = "https://www.googleapis.com/auth/cloud-platform"


class VeoVideos:
    """Adapter for Veo in a project on Vertex AI. GOOGLE_VERTEX_BASE_URL sets the address."""

    def __init__(self, spec: ModelSpec) -> None:
        from google import genai

        self.spec = spec
        self._errors = ErrorMapper(spec, CREDENTIALS)
        self._http = make_http_client(spec)
        self._client = genai.Client(
            vertexai=True,
            project=require_setting(PROJECT, spec),
            location=setting("GOOGLE_CLOUD_LOCATION") or "us-central1",
            credentials=_load_credentials(),
            http_options=make_http_options(spec, self._http, "GOOGLE_VERTEX_BASE_URL"),
        )

    async def prepare(self, request: Request) -> PreparedRequest:
        return await asyncio.to_thread(self._build_request, request)

    def _build_request(self, request: Request) -> PreparedRequest:
        from google.genai import types

        self.spec.validate(request)
        image, ratio, size = prepare_google_image(self.spec, request)
        prompt = get_prompt(self.spec, request, required=False)
        body = self._build_body(request, ratio, size)
        source = types.GenerateVideosSource(
            prompt=prompt or None, image=types.Image(image_bytes=image.data, mime_type=image.mime)
        )
        sent = {"model": self.spec.vendor_id, "prompt": prompt, **body, "image": image.summary}
        arguments = {"source": source, "config": types.GenerateVideosConfig(**body)}
        return PreparedRequest({"model": self.spec.vendor_id, **arguments}, sent, image.placement)

    async def submit(self, prepared: PreparedRequest, key: str) -> Ticket:
        with self._map_errors(SUBMIT, is_submit=True):
            operation = await self._client.aio.models.generate_videos(**prepared.body)
        return Ticket.for_request(self._errors.require_job_id(operation.name), prepared)

    def _build_body(self, request: Request, ratio: str, size: tuple[int, int] | None) -> dict[str, Any]:
        body: dict[str, Any] = {
            "number_of_videos": 1,
            "duration_seconds": get_whole_seconds(self.spec, request),
            "aspect_ratio": ratio,
            "resolution": self.spec.options.get("resolution", "720p" if size is None else f"{min(size)}p"),
            **map_params(
                self.spec, request, {"enhance_prompt": "enhance_prompt", "negative_prompt": "negative_prompt"}
            ),
        }
        if "audio" in self.spec.supported_params:
            body["generate_audio"] = bool(request.parameters.get("audio", False))
        seed = get_seed(self.spec, request)
        return body if seed is None else {**body, "seed": seed}

    async def poll(self, ticket: Ticket) -> Pending | Finished | Failed:
        operation = await self._get_operation(ticket)
        if not operation.done:
            return Pending()
        if operation.error:
            code, message = str(operation.error.get("code", "")), str(operation.error.get("message", "no reason given"))
            return Failed(self._errors.sanitize(message), is_policy_refusal(code, message), dict(operation.error))
        response = operation.response
        filtered = (response.rai_media_filtered_count or 0) if response else 0
        if response is None or not response.generated_videos:
            reasons = " ".join((response.rai_media_filtered_reasons or ()) if response else ())
            return Failed(self._errors.sanitize(reasons or "Vertex AI made no video"), filtered > 0)
        video = response.generated_videos[0].video
        return Finished(ticket, answer={"name": operation.name, "mime_type": video.mime_type, "uri": video.uri})

    async def fetch(self, done: Finished, into: Path, limit_bytes: int) -> None:
        """Request the operation once more. The bytes are not kept between poll and fetch, to save memory."""
        response = (await self._get_operation(done.ticket)).response
        video = response.generated_videos[0].video if response and response.generated_videos else None
        if video is None or not video.video_bytes:
            uri = video.uri if video and video.uri else None
            raise ModelError(
                f"the video of {self.spec.name} is no longer in the response of Vertex AI"
                if uri is None
                else f"Vertex AI wrote the video of {self.spec.name} to a bucket, which this adapter does not read. "
                f"Download it with: gcloud storage cp {uri} ."
            )
        await save_bytes(video.video_bytes, into, limit_bytes, self.spec.name)

    async def _get_operation(self, ticket: Ticket) -> Any:
        from google.genai import types

        with self._map_errors(POLL):
            return await self._client.aio.operations.get(types.GenerateVideosOperation(name=ticket.id))

    async def list_jobs(self, since: datetime) -> list[ProviderJob] | None:
        return None  # Vertex AI cannot list the operations of published models

    async def close(self) -> None:
        await self._http.aclose()

    @contextmanager
    def _map_errors(self, action: str, *, is_submit: bool = False) -> Iterator[None]:
        """Map errors as ErrorMapper does. Without an access token no request was sent at all."""
        from google.auth.exceptions import GoogleAuthError

        with self._errors.map_errors(action, is_submit=is_submit):
            try:
                yield
            except GoogleAuthError as error:
                message = self._errors.sanitize(f"no access to Vertex AI for {self.spec.name}: {error}")
                if error.retryable:
                    raise Unreachable(message) from None
                raise ModelError(f"{message}; check {CREDENTIALS}") from None


def _load_credentials() -> Any:
    """Return the credentials in the key file that the settings name; None leaves the choice to the SDK."""
    path = setting(CREDENTIALS)
    if not path:
        return None
    from google.oauth2 import credentials, service_account

    try:
        kind = json.loads(Path(path).read_text("utf-8")).get("type")
    except (OSError, ValueError, AttributeError) as error:
        raise SetupError(f"cannot read {path} as a key file, which {CREDENTIALS} names: {error}") from error
    if kind == "service_account":
        return service_account.Credentials.from_service_account_file(path, scopes=[SCOPE])
    if kind == "authorized_user":
        return credentials.Credentials.from_authorized_user_file(path, scopes=[SCOPE])
    return None


VeoWrapper = VeoVideos
VeoService = VeoVideos
