"""OpenAI's chat completions, at OpenAI, at Azure, or at any server with the same API (vLLM, LMDeploy, Ollama)."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from vmevalkit.core.chat import ChatAnswer, ChatMessage, ChatParams, ChatRequest, TextPart
from vmevalkit.core.errors import Refused, SetupError
from vmevalkit.core.settings import setting
from vmevalkit.models import _azure
from vmevalkit.models._errors import ErrorMapper, extract_response
from vmevalkit.models._request_params import CONNECT_TIMEOUT_S
from vmevalkit.models.chat import OPENAI_URL, ChatSpec
from vmevalkit.models.image_limits import fit_request, limits_of_service

CHAT = "the chat request"
OPTIONAL_PARAMS = ("response_format", "temperature", "max_tokens", "max_completion_tokens", "seed")
"""Parameters that a server may reject; the request is then sent without them, and the answer says so."""


class OpenAIChat:
    """Adapter for ``/chat/completions``. It makes one call and does not retry.

    OPENAI_API_KEY goes to OpenAI or to the server that OPENAI_BASE_URL names. A server that was named by the call gets
    CHAT_API_KEY, or no key: a key of OpenAI must not reach another service by accident.
    """

    def __init__(
        self, spec: ChatSpec, *, timeout_s: float = 60.0, api_version: str | None = None, needs_key: bool = True
    ) -> None:
        """``api_version`` is that of Azure, in place of the setting OPENAI_API_VERSION. Without ``needs_key`` prices
        can be estimated on a machine without keys."""
        import openai

        self.spec = spec
        self.name, self.provider, self.identity = spec.name, spec.provider, spec.identity
        timeout = openai.Timeout(timeout_s, connect=min(timeout_s, CONNECT_TIMEOUT_S))
        self._unsupported: set[str] = set()
        if spec.provider == "azure" and needs_key:
            self._key_name = _azure.KEY
            self._client: Any = _azure.make_azure_client(spec.base_url or "", spec.model_id, api_version, timeout)
        else:
            self._key_name = "OPENAI_API_KEY" if _is_openai(spec) else "CHAT_API_KEY"
            self._client = openai.AsyncOpenAI(
                api_key=self._require_key() if needs_key else "none",
                base_url=spec.base_url or OPENAI_URL,
                timeout=timeout,
                max_retries=0,
            )
        self._errors = ErrorMapper(spec, self._key_name)

    def estimate_usd(self, request: ChatRequest) -> float | None:
        return self.spec.estimate_usd(request)

    async def ask(self, request: ChatRequest) -> ChatAnswer:
        request = fit_request(request, limits_of_service(self.provider))
        messages = [make_message(message) for message in request.messages]
        while True:
            params = self._make_params(request.params)
            try:
                with self._errors.map_errors(CHAT):
                    try:
                        completion = await self._client.chat.completions.create(
                            model=self.spec.model_id, messages=messages, **params
                        )
                    except Exception as error:
                        if self._drop_unsupported(error, params):
                            continue
                        raise
                    return self._read(completion, request, params)
            except Refused as error:
                return ChatAnswer("", answered_at=_now(), refusal=str(error), finish_reason="content_filter")

    async def close(self) -> None:
        await self._client.close()

    def _require_key(self) -> str:
        key = setting(self._key_name)
        if key:
            return key
        if self._key_name == "CHAT_API_KEY":
            return "none"
        raise SetupError(f"{self.spec.name} needs the setting {self._key_name}: set it in the environment or in .env")

    def _make_params(self, params: ChatParams) -> dict[str, Any]:
        limit = "max_completion_tokens" if self.spec.is_reasoning or "max_tokens" in self._unsupported else "max_tokens"
        values = {
            "temperature": None if self.spec.is_reasoning else params.temperature,
            limit: params.max_tokens,
            "seed": params.seed,
            "top_p": params.top_p,
            "reasoning_effort": params.reasoning_effort,
            "response_format": None if params.schema is None else {
                "type": "json_schema",
                "json_schema": {"name": params.schema.name, "strict": True, "schema": dict(params.schema.schema)},
            },
        }  # fmt: skip
        return {name: value for name, value in values.items() if value is not None and name not in self._unsupported}

    def _drop_unsupported(self, error: Exception, params: dict[str, Any]) -> bool:
        """Whether the server rejects a parameter that can be left out. It is left out from now on."""
        response = extract_response(error)
        if response is None or response.status not in (400, 404, 422, 501):
            return False
        body = getattr(error, "body", None)
        named = str(body.get("param") or "") if isinstance(body, dict) else ""
        for name in OPTIONAL_PARAMS:
            if name in params and (named.split(".")[0] == name or (not named and name in response.message)):
                self._unsupported.add(name)
                return True
        return False

    def _read(self, completion: Any, request: ChatRequest, params: dict[str, Any]) -> ChatAnswer:
        if not completion.choices:
            raise self._errors.map_unreadable_response(CHAT)
        choice = completion.choices[0]
        text = choice.message.content or ""
        refusal = getattr(choice.message, "refusal", None)
        if refusal is None and choice.finish_reason == "content_filter":
            refusal = "the provider's content filter stopped the answer"
        usage = completion.usage
        tokens = (usage.prompt_tokens, usage.completion_tokens) if usage else (None, None)
        sent = {name: value for name, value in params.items() if name != "response_format"}
        return ChatAnswer(
            text=text,
            parsed=None if request.params.schema is None else find_json_object(text),
            model=str(completion.model or ""),
            answered_at=_now(),
            input_tokens=tokens[0],
            output_tokens=tokens[1],
            usd=self.spec.compute_usd(*tokens),
            refusal=refusal,
            finish_reason=choice.finish_reason,
            sent={**sent, "structured": "response_format" in params},
        )


def make_message(message: ChatMessage) -> dict[str, Any]:
    """Return a message as the API takes it: plain text for a single text part, else a list of parts."""
    if len(message.parts) == 1 and isinstance(message.parts[0], TextPart):
        return {"role": message.role, "content": message.parts[0].text}
    parts = [
        {"type": "text", "text": part.text}
        if isinstance(part, TextPart)
        else {"type": "image_url", "image_url": {"url": part.data_uri}}
        for part in message.parts
    ]
    return {"role": message.role, "content": parts}


def find_json_object(text: str) -> dict[str, Any] | None:
    """Return the last JSON object in an answer, whatever surrounds it: prose, a code block, the text of a reasoning."""
    decoder, found, position = json.JSONDecoder(), None, 0
    text = re.sub(r"<think>.*?</think>", "", text, flags=re.DOTALL)
    while (start := text.find("{", position)) >= 0:
        try:
            value, position = decoder.raw_decode(text, start)
        except ValueError:
            position = start + 1
            continue
        if isinstance(value, dict):
            found = value
    return found


def _is_openai(spec: ChatSpec) -> bool:
    """Whether the key of OpenAI belongs to this server."""
    hosts = {urlsplit(OPENAI_URL).netloc, urlsplit(setting("OPENAI_BASE_URL") or OPENAI_URL).netloc}
    return urlsplit(spec.base_url or OPENAI_URL).netloc in hosts


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
