"""Google's ``generate_content``: a model that draws an image from images and a prompt, and one that answers in text."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from vmevalkit.core.chat import ChatAnswer, ChatRequest, ImagePart, TextPart
from vmevalkit.core.endpoint import digest_endpoint
from vmevalkit.core.errors import Refused, SetupError
from vmevalkit.core.image_edit import EditedImage, EditRequest
from vmevalkit.core.settings import setting
from vmevalkit.models._errors import ErrorMapper
from vmevalkit.models._google import make_http_client, make_http_options
from vmevalkit.models._provider_settings import require_valid_url
from vmevalkit.models.gemini_inference import KEYS
from vmevalkit.models.image_limits import fit_images, limits_of_service
from vmevalkit.models.model import ModelSpec

CONTENT = "the content request"
IMAGE_MODEL = "gemini-2.5-flash-image"
TEXT_MODEL = "gemini-2.5-flash"
_BLOCKED = {
    "SAFETY",
    "PROHIBITED_CONTENT",
    "BLOCKLIST",
    "SPII",
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "RECITATION",
}


class _GeminiContent:
    """What both models share: the client, and one call without retries. GOOGLE_GEMINI_BASE_URL sets the address."""

    def __init__(self, name: str, timeout_s: float = 300.0) -> None:
        from google import genai

        spec = ModelSpec(name, "gemini", name, "Gemini", options={"timeout_s": timeout_s})
        address = require_valid_url("GOOGLE_GEMINI_BASE_URL")
        service = spec.provider if address is None else digest_endpoint(address)
        self.name, self.provider, self.identity = name, spec.provider, f"{name}@{service}"
        key = next((value for each in KEYS if (value := setting(each))), "")
        if not key:
            raise SetupError(f"{name} needs the setting {KEYS[0]}: set it in the environment or in .env")
        self._errors = ErrorMapper(spec, " or ".join(KEYS))
        self._http = make_http_client(spec)
        options = make_http_options(spec, self._http, "GOOGLE_GEMINI_BASE_URL")
        self._client = genai.Client(vertexai=False, api_key=key, http_options=options)

    async def close(self) -> None:
        await self._http.aclose()

    async def _generate(self, parts: list[ImagePart | str], **config: Any) -> Any:
        from google.genai import types

        images = iter(fit_images([part for part in parts if isinstance(part, ImagePart)], limits_of_service("gemini")))
        parts = [part if isinstance(part, str) else next(images) for part in parts]
        contents = [
            types.Part.from_text(text=part)
            if isinstance(part, str)
            else types.Part.from_bytes(data=part.data, mime_type=part.mime)
            for part in parts
        ]
        with self._errors.map_errors(CONTENT):
            return await self._client.aio.models.generate_content(
                model=self.name, contents=contents, config=types.GenerateContentConfig(**config)
            )

    def _read_parts(self, response: Any) -> tuple[list[Any], str]:
        """Return the parts of the answer, and why it ended. Raises Refused where a policy blocked it."""
        feedback = getattr(response, "prompt_feedback", None)
        if feedback is not None and feedback.block_reason:
            raise Refused(f"gemini blocked the request for {self.name}: {_word(feedback.block_reason)}")
        candidates = response.candidates or []
        if not candidates:
            raise self._errors.map_unreadable_response(CONTENT)
        reason = _word(candidates[0].finish_reason)
        parts = list(candidates[0].content.parts or []) if candidates[0].content else []
        if not parts and reason in _BLOCKED:
            raise Refused(f"gemini blocked the answer of {self.name}: {reason}")
        return [part for part in parts if not getattr(part, "thought", None)], reason


class GeminiImages(_GeminiContent):
    """An image editor: all images and the prompt in one request, with TEXT and IMAGE as the modalities."""

    async def edit(self, request: EditRequest) -> EditedImage:
        sent = {"response_modalities": ["TEXT", "IMAGE"], "images": len(request.images)}
        try:
            response = await self._generate([*request.images, request.prompt], response_modalities=["TEXT", "IMAGE"])
            parts, reason = self._read_parts(response)
        except Refused as error:
            return EditedImage(b"", refusal=str(error), sent=sent)
        text = "".join(part.text for part in parts if part.text)
        images = [part.inline_data.data for part in parts if part.inline_data and part.inline_data.data]
        if not images:
            words = f": {text[:200]}" if text else ""
            return EditedImage(b"", text, refusal=f"{self.name} answered without an image ({reason}){words}", sent=sent)
        return EditedImage(images[-1], text, getattr(response, "model_version", None) or self.name, sent=sent)


class GeminiChat(_GeminiContent):
    """A chat model for one message of images and text."""

    def estimate_usd(self, request: ChatRequest) -> float | None:
        return None

    async def ask(self, request: ChatRequest) -> ChatAnswer:
        parts = [part.text if isinstance(part, TextPart) else part for m in request.messages for part in m.parts]
        params = {"temperature": request.params.temperature, "max_output_tokens": request.params.max_tokens,
                  "seed": request.params.seed, "top_p": request.params.top_p}  # fmt: skip
        sent = {name: value for name, value in params.items() if value is not None}
        now = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            response = await self._generate(list(parts), **sent)
            answer, reason = self._read_parts(response)
        except Refused as error:
            return ChatAnswer("", answered_at=now, refusal=str(error), finish_reason="content_filter", sent=sent)
        usage = getattr(response, "usage_metadata", None)
        return ChatAnswer(
            text="".join(part.text for part in answer if part.text),
            model=getattr(response, "model_version", None) or self.name,
            answered_at=now,
            input_tokens=usage.prompt_token_count if usage else None,
            output_tokens=usage.candidates_token_count if usage else None,
            finish_reason=reason.lower(),
            sent=sent,
        )


def _word(value: Any) -> str:
    """Return the name of an enum's value."""
    return str(getattr(value, "value", value) or "")
