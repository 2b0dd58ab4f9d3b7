"""OpenAI's chat completions, at OpenAI, at Azure and at servers of one's own: strict about everything that is sent.

Further faults of a call, beside those of ``server``:

throttle_bare  429 without Retry-After                refuse    the model refuses, in the field for that
no_choices     an answer without choices              filter    the content filter stops the answer
and any text of ``ODD_ANSWERS``: an answer that is not what was asked for.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import Any

from emulators.server import CANARY, Answer, ApiError, Call, Emulator, Kind, check_bearer, decode_image
from emulators.typed import check

IMAGE_LIMIT_BYTES = 20 * 1024 * 1024
REQUEST_LIMIT_BYTES = 50 * 1024 * 1024
MAX_IMAGES = 500
ODD_ANSWERS = {
    "prose": "The final frame looks mostly right to me, I would say it is close.",
    "string": '{"solution_correctness_score": "four", "explanation": "words"}',
    "out_of_range": '{"solution_correctness_score": 7, "explanation": "too good"}',
    "empty": "",
    "cut": '{"solution_correctness_score": 4, "expl',
    "fraction": '{"solution_correctness_score": 3.5, "explanation": "between"}',
}
REASONING_MODELS = ("gpt-5", "o1", "o3", "o4")

Reply = Callable[[dict[str, Any]], str]
"""Returns the text of the answer to a request's body."""


def give_three(_body: dict[str, Any]) -> str:
    return '{"solution_correctness_score": 3, "explanation": "about half"}'


class ChatEmulator(Emulator):
    """``reply`` makes the text of each answer; ``bodies`` are the bodies of all valid requests."""

    models: tuple[str, ...] | None = ("gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-5")
    """The models that exist; None accepts any name, as a server of one's own does for the model that it loaded."""
    snapshot = "-2024-11-20"
    has_json_schema = True
    """Whether the server supports structured output."""
    key = CANARY
    entra_token = ""
    """A token that Azure takes in place of the key."""
    reasoning_tokens = 0
    """Tokens that the model thinks for before its answer: a request that allows fewer gets an empty answer."""

    def __init__(self, reply: Reply = give_three) -> None:
        super().__init__()
        self.reply = reply
        self.bodies: list[dict[str, Any]] = []
        self.answered = 0

    def settings(self) -> dict[str, str]:
        return {
            "OPENAI_API_KEY": CANARY, "OPENAI_BASE_URL": f"{self.url}/v1",
            "AZURE_OPENAI_API_KEY": CANARY, "AZURE_OPENAI_ENDPOINT": self.url,
        }  # fmt: skip

    def is_azure_login(self, call: Call) -> bool:
        if self.entra_token:
            return call.headers.get("authorization") == f"Bearer {self.entra_token}"
        return call.headers.get("api-key") == self.key

    def kind(self, call: Call) -> Kind:
        return "create" if call.method == "POST" else "other"

    def error(self, status: int, message: str, param: str | None = None, code: str | None = None) -> Answer:
        kind = "invalid_request_error" if status < 500 else "server_error"
        return Answer(status, {"error": {"message": message, "type": kind, "param": param, "code": code}})

    def make_refusal(self) -> Answer:
        message = "The response was filtered due to the prompt triggering the content management policy."
        return self.error(400, message, "prompt", "content_filter")

    def answer(self, call: Call) -> Answer:
        with self._lock:
            planned = self.faults.create
            fault = planned[0] if planned and self.kind(call) == "create" else None
            own = fault in ("throttle_bare", "refuse", "no_choices", "filter", *ODD_ANSWERS)
            if own:
                planned.pop(0)
                self.calls.append(call)
        if not own:
            return super().answer(call)
        if fault == "throttle_bare":
            return self.error(429, "Too many requests.", code="rate_limit_exceeded")
        answer = self._respond(call)
        if answer.status != 200:
            return answer
        choice = answer.body["choices"][0]
        match fault:
            case "refuse":
                choice["message"] |= {"content": None, "refusal": "I'm sorry, I can't assist with that."}
            case "filter":
                choice["message"]["content"] = ""
                choice["finish_reason"] = "content_filter"
            case "no_choices":
                answer.body["choices"] = []
            case str():
                choice["message"]["content"] = ODD_ANSWERS[fault]
                choice["finish_reason"] = "length" if fault == "cut" else "stop"
        return answer

    def respond(self, call: Call) -> Answer:
        azure = re.fullmatch(r"/openai/deployments/([^/]+)/chat/completions", call.path)
        if azure:
            if not self.is_azure_login(call):
                raise ApiError(401, "Access denied due to invalid subscription key or wrong API endpoint.")
            if not re.fullmatch(r"20\d\d-\d\d-\d\d(-preview)?", call.query.get("api-version", "")):
                raise ApiError(404, "Resource not found")
        elif call.path == "/v1/chat/completions":
            check_bearer(call, self.key)
        else:
            raise ApiError(404, f"Invalid URL ({call.method} {call.path})")
        body = self._check(call, deployment=azure[1] if azure else None)
        with self._lock:
            self.bodies.append(body)
            self.answered += 1
            number = self.answered
        text = self.reply(body)
        usage = {"prompt_tokens": 1300, "completion_tokens": 40, "total_tokens": 1340}
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        limit = body.get("max_completion_tokens") or body.get("max_tokens")
        if limit is not None and limit < self.reasoning_tokens:
            message["content"], choice["finish_reason"] = "", "length"
        head = {"id": f"chatcmpl-{number:06d}", "object": "chat.completion", "created": 1_700_000_000}
        return Answer(200, {**head, "model": body["model"] + self.snapshot, "choices": [choice], "usage": usage})

    def _check(self, call: Call, deployment: str | None) -> dict[str, Any]:
        from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming

        if len(call.body) > REQUEST_LIMIT_BYTES:
            raise ApiError(413, "The request is too large.")
        body: dict[str, Any] = call.json
        check(CompletionCreateParamsNonStreaming, {**body, "model": "gpt-4o", "messages": []})
        model = body["model"]
        if deployment is not None and model != deployment:
            raise ApiError(400, "The model must be the deployment.", "model")
        if self.models is not None and model not in self.models:
            raise ApiError(404, f"The model `{model}` does not exist or you do not have access to it.", "model")
        temperature = body.get("temperature", 1)
        if not 0 <= temperature <= 2:
            raise ApiError(400, "Invalid 'temperature'.", "temperature")
        if model.startswith(REASONING_MODELS):
            for name in ("max_tokens", "temperature"):
                if name in body:
                    raise ApiError(400, f"Unsupported parameter: '{name}'.", name, "unsupported_parameter")
        if not body["messages"]:
            raise ApiError(400, "Empty 'messages'.", "messages")
        images = [image for message in body["messages"] for image in _check_message(message)]
        if len(images) > MAX_IMAGES:
            raise ApiError(400, "Too many images.", "messages")
        self._check_format(body.get("response_format"))
        return body

    def _check_format(self, response_format: Any) -> None:
        if response_format is None:
            return
        if not self.has_json_schema:
            raise ApiError(400, "response_format is not supported by this server.")
        schema = response_format.get("json_schema")
        if response_format.get("type") != "json_schema" or not isinstance(schema, dict):
            raise ApiError(400, "Invalid 'response_format'.", "response_format")
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", schema.get("name", "")) or schema.get("strict") is not True:
            raise ApiError(400, "Invalid 'response_format.json_schema'.", "response_format.json_schema")
        _check_strict(schema["schema"])


def _check_message(message: dict[str, Any]) -> list[bytes]:
    """Return the images of a message. Raises ApiError where a part is not as documented."""
    if set(message) - {"role", "content", "name"} or message.get("role") not in ("system", "user", "assistant"):
        raise ApiError(400, "Invalid message.", "messages")
    content = message.get("content")
    if isinstance(content, str):
        return []
    if not isinstance(content, list) or not content:
        raise ApiError(400, "Invalid 'content'.", "messages")
    if message["role"] == "system" and any(part.get("type") != "text" for part in content):
        raise ApiError(400, "Image URLs are only allowed for messages with role 'user'.", "messages")
    images = []
    for part in content:
        if part.get("type") == "text" and set(part) == {"type", "text"} and isinstance(part["text"], str):
            continue
        if part.get("type") != "image_url" or set(part) != {"type", "image_url"}:
            raise ApiError(400, "Invalid content part.", "messages")
        if set(part["image_url"]) - {"url", "detail"}:
            raise ApiError(400, "Unknown parameter of 'image_url'.", "messages")
        images.append(_decode_data_uri(part["image_url"]["url"]))
    return images


def _decode_data_uri(url: str) -> bytes:
    found = re.fullmatch(r"data:(image/(?:png|jpeg|webp|gif));base64,([A-Za-z0-9+/]+=*)", url)
    if not found:
        raise ApiError(400, "Invalid image URL: expected a base64-encoded data URL.", "messages", "invalid_image_url")
    try:
        data = base64.b64decode(found[2], validate=True)
    except binascii.Error:
        raise ApiError(400, "Invalid base64 image_url.", "messages", "invalid_base64") from None
    if len(data) > IMAGE_LIMIT_BYTES:
        raise ApiError(400, "The image is too large.", "messages", "image_too_large")
    decode_image(data, found[1], "messages")
    return data


def _check_strict(schema: Any, place: str = "schema") -> None:
    """Raise ApiError where a schema is not of the strict form: all properties required, and no others."""
    kind = schema.get("type")
    if kind == "object":
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False:
            raise ApiError(400, f"{place}: 'additionalProperties' must be false.", "response_format")
        if sorted(schema.get("required", [])) != sorted(properties):
            raise ApiError(400, f"{place}: 'required' must list every property.", "response_format")
        for name, inner in properties.items():
            _check_strict(inner, f"{place}.{name}")
    elif kind == "array":
        _check_strict(schema["items"], f"{place}[]")
    elif kind not in ("string", "integer", "number", "boolean", "null"):
        raise ApiError(400, f"{place}: unknown type {kind!r}.", "response_format")
