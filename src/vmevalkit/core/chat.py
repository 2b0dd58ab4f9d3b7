"""The contract between the call dispatcher in ``jobs`` and a chat model: one request with text and images, one answer.

    ask(request) -> ChatAnswer

Judges of videos and the models of the image-question track are chat models.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal, Protocol

from vmevalkit.core.jsonable import dumps

Role = Literal["system", "user", "assistant"]
CUT_OFF = ("length", "max_tokens")
"""Finish reasons of an answer that ended at the token limit."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text of a message."""

    text: str


@dataclass(frozen=True, slots=True, repr=False)
class ImagePart:
    """An encoded image of a message. ``models.chat_images`` makes one from pixels or from a file's bytes."""

    data: bytes
    mime: str
    """``image/png``, ``image/jpeg`` or ``image/webp``."""
    size: tuple[int, int]
    """Width and height."""
    pixel_digest: str
    """Digest of the decoded pixels: the same image in another file is the same question."""

    @property
    def data_uri(self) -> str:
        return f"data:{self.mime};base64,{base64.b64encode(self.data).decode('ascii')}"

    def __repr__(self) -> str:
        return f"ImagePart({self.mime}, {self.size[0]}x{self.size[1]}, {self.pixel_digest[:8]})"


ChatPart = TextPart | ImagePart


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a conversation. A message of a single text part is sent as plain text."""

    role: Role
    parts: tuple[ChatPart, ...]


@dataclass(frozen=True, slots=True)
class AnswerSchema:
    """The form that an answer must have. Servers that support it enforce it; others are asked for it by the prompt."""

    name: str
    schema: Mapping[str, Any]
    """A JSON schema whose objects list all properties as required and allow no others."""


@dataclass(frozen=True, slots=True)
class ChatParams:
    """Parameters of one request. None leaves a value to the server."""

    temperature: float | None = None
    max_tokens: int | None = None
    """The longest answer."""
    seed: int | None = None
    schema: AnswerSchema | None = None
    top_p: float | None = None
    reasoning_effort: str | None = None
    """Such as ``low`` or ``high``, for models that reason."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What a chat model is asked. It contains no name of the model, so that several can be asked the same."""

    messages: tuple[ChatMessage, ...]
    params: ChatParams = ChatParams()
    vote: int = 0
    """Number of the repetition: each vote is asked for on its own, and has an answer of its own in the cache."""

    @property
    def images(self) -> tuple[ImagePart, ...]:
        return tuple(part for message in self.messages for part in message.parts if isinstance(part, ImagePart))

    @property
    def text(self) -> str:
        """All text of the request."""
        return "\n".join(part.text for message in self.messages for part in message.parts if isinstance(part, TextPart))

    def compute_key(self, model_identity: str) -> str:
        """Return the key of the answer in a cache: pixels, prompt, parameters, model and vote."""
        messages = [
            [message.role, [part.text if isinstance(part, TextPart) else [part.pixel_digest] for part in message.parts]]
            for message in self.messages
        ]
        params = json.loads(dumps(self.params))
        for name in ("top_p", "reasoning_effort"):  # keys of answers that were asked for without them stay as they are
            if params[name] is None:
                del params[name]
        content = [model_identity, messages, params, self.vote]
        return sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """What a chat model answered. All fields are JSON values: an answer is kept in the cache as it is."""

    text: str
    """The answer as it was received; empty where the model refused."""
    parsed: dict[str, Any] | None = None
    """The JSON object in the text, where a schema was given and the text contains one."""
    model: str = ""
    """The model's id as the server reports it, such as ``gpt-4o-2024-11-20``."""
    answered_at: str = ""
    """Time in ISO format."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    usd: float | None = None
    """The price of the tokens; None where it is unknown."""
    refusal: str | None = None
    """Why the model or the content policy of its provider refuses to answer; None where it answered."""
    finish_reason: str | None = None
    """``stop``, ``length``, ``content_filter``, ... as the server reports it."""
    sent: dict[str, Any] = field(default_factory=dict)
    """The parameters as they were sent: a server may not support all that were asked for."""

    @property
    def is_cut_off(self) -> bool:
        """Whether the answer ended at the token limit."""
        return self.finish_reason in CUT_OFF


class ChatModel(Protocol):
    """A chat model behind a service. ``ask`` makes one call and does not retry: that is the dispatcher's task."""

    @property
    def name(self) -> str:
        """The name that users write."""
        ...

    @property
    def provider(self) -> str:
        """The service: rate limits belong to it."""
        ...

    @property
    def identity(self) -> str:
        """The model and its service: what distinguishes its answers from those of others in a cache."""
        ...

    def estimate_usd(self, request: ChatRequest) -> float | None:
        """Return the highest price of the answer; None where it is unknown."""
        ...

    async def ask(self, request: ChatRequest) -> ChatAnswer:
        """Return the answer. Throttled and Unreachable mean that the call may be repeated; every other ModelError is
        final. A refusal is an answer."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...
