"""Chat models: rows with prices and what each supports, and any model at a server that speaks OpenAI's API.

``load_chat_model("gpt-4o")`` is at OpenAI, or at the address in OPENAI_BASE_URL;
``load_chat_model("OpenGVLab/InternVL3-8B", "http://localhost:23333/v1")`` at vLLM, LMDeploy, Ollama or the like;
``load_chat_model("azure/my-deployment")`` at Azure, at the address in AZURE_OPENAI_ENDPOINT.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from math import ceil
from types import MappingProxyType
from urllib.parse import urlsplit

from vmevalkit.core.chat import ChatModel, ChatRequest
from vmevalkit.core.endpoint import digest_endpoint
from vmevalkit.core.errors import SetupError, UsageError
from vmevalkit.core.extras import make_install_command
from vmevalkit.core.settings import setting

OPENAI_URL = "https://api.openai.com/v1"
AZURE_PREFIX = "azure/"
SERVICES = frozenset({"openai", "azure", "gemini"})
"""Providers that are known by name. Any other provider is the host of a server."""
_CHARACTERS_PER_TOKEN = 3  # English has about four: an estimate must not be too low
_LIST = "the price list of LiteLLM, citing openai.com/api/pricing"


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """A published price of tokens."""

    input_usd: float
    """Dollars for a million tokens of the request."""
    output_usd: float
    """Dollars for a million tokens of the answer."""
    as_of: str
    """The day it was looked up, such as ``2026-11-18``."""
    source: str

    def compute_usd(self, input_tokens: int, output_tokens: int) -> float:
        return (self.input_usd * input_tokens + self.output_usd * output_tokens) / 1e6


@dataclass(frozen=True, slots=True)
class ChatSpec:
    """One chat model at one service."""

    name: str
    """The name that users write, such as ``gpt-4o``."""
    provider: str = "openai"
    """The service: ``openai``, ``azure``, or the host of another server. Rate limits and keys belong to it."""
    vendor_id: str = ""
    """The name that is sent; empty means the same."""
    vendor: str = ""
    """Who made the model, such as ``OpenAI``; empty where that is unknown."""
    base_url: str | None = None
    """The address of the server; None means the provider's own."""
    price: TokenPrice | None = None
    charged: bool = True
    """Whether answers cost money. False for a server of one's own, unless the caller assumes a price."""
    retired_on: str | None = None
    """The day on which the provider ends the model, where that is known."""
    is_reasoning: bool = False
    """Whether it takes ``max_completion_tokens`` instead of ``max_tokens``, and no temperature."""
    tokens_per_tile: int = 170
    """Tokens for each 512 x 512 pixels of an image, for estimates."""
    tokens_per_image: int = 85

    @property
    def model_id(self) -> str:
        return self.vendor_id or self.name

    @property
    def identity(self) -> str:
        """The model and its service, for cache keys: the provider's name, or a digest of the server's address."""
        return f"{self.model_id}@{self.endpoint or self.provider}"

    @property
    def endpoint(self) -> str:
        """Digest of the server's address; empty for the provider's own."""
        return "" if self.base_url is None else digest_endpoint(self.base_url)

    def estimate_tokens(self, request: ChatRequest) -> tuple[int, int]:
        """Return the tokens of a request and the most that its answer may have: an estimate by OpenAI's rules."""
        text = ceil(len(request.text) / _CHARACTERS_PER_TOKEN)
        images = sum(self.tokens_per_image + self.tokens_per_tile * count_tiles(image.size) for image in request.images)
        return text + images, request.params.max_tokens or 1000

    def estimate_usd(self, request: ChatRequest) -> float | None:
        """Return the highest price of a request; None where it is unknown."""
        return self.compute_usd(*self.estimate_tokens(request))

    def compute_usd(self, input_tokens: int | None, output_tokens: int | None) -> float | None:
        """Return the price of an answer; None where it is unknown."""
        if not self.charged:
            return 0.0
        if self.price is None or input_tokens is None:
            return None
        return self.price.compute_usd(input_tokens, output_tokens or 0)


def count_tiles(size: tuple[int, int]) -> int:
    """Return the number of 512 x 512 tiles of an image, after it is reduced to 2048 x 2048 and a short side of 768."""
    width, height = size
    scale = min(1.0, 2048 / max(width, height))
    scale = min(scale, 768 / min(width, height))
    return ceil(width * scale / 512) * ceil(height * scale / 512)


def _price(input_usd: float, output_usd: float) -> TokenPrice:
    return TokenPrice(input_usd, output_usd, "2026-11-18", _LIST)


CHAT_MODELS: Mapping[str, ChatSpec] = MappingProxyType(
    {
        spec.name: spec
        for spec in (
            ChatSpec("gpt-4o", vendor="OpenAI", price=_price(2.5, 10.0), retired_on="2027-01-14"),
            ChatSpec(
                "gpt-4o-mini", vendor="OpenAI", price=_price(0.15, 0.6), retired_on="2027-01-14",
                tokens_per_tile=5667, tokens_per_image=2833,
            ),
            ChatSpec("gpt-4.1", vendor="OpenAI", price=_price(2.0, 8.0)),
            ChatSpec("gpt-4.1-mini", vendor="OpenAI", price=_price(0.4, 1.6)),
            ChatSpec("gpt-5", vendor="OpenAI", price=_price(1.25, 10.0), is_reasoning=True),
            ChatSpec("gpt-5-mini", vendor="OpenAI", price=_price(0.25, 2.0), is_reasoning=True),
        )
    }
)  # fmt: skip
"""Chat models with known prices. Any other name is sent as it is."""

_VENDORS = {
    "gpt": "OpenAI", "o1": "OpenAI", "o3": "OpenAI", "o4": "OpenAI", "gemini": "Google", "gemma": "Google",
    "internvl": "OpenGVLab", "qwen": "Alibaba", "llava": "LLaVA", "claude": "Anthropic", "pixtral": "Mistral",
}  # fmt: skip


def find_chat_spec(name: str, base_url: str | None = None, deployment: str | None = None) -> ChatSpec:
    """Return the row of a chat model at a server. ``base_url`` replaces the setting OPENAI_BASE_URL.

    ``azure/MODEL`` is at Azure, in the deployment of this name unless ``deployment`` names another."""
    if name.startswith(AZURE_PREFIX):
        if base_url is None and not setting("AZURE_OPENAI_ENDPOINT"):
            raise SetupError(f"{name} needs the address of the Azure resource: set AZURE_OPENAI_ENDPOINT")
        model = name.removeprefix(AZURE_PREFIX)
        row = CHAT_MODELS.get(model, ChatSpec(model, vendor=guess_vendor(model)))
        address = (base_url or setting("AZURE_OPENAI_ENDPOINT") or "").rstrip("/")
        return replace(row, name=name, provider="azure", vendor_id=deployment or model, base_url=address)
    row = CHAT_MODELS.get(name, ChatSpec(name, vendor=guess_vendor(name)))
    address = (base_url or setting("OPENAI_BASE_URL") or OPENAI_URL).rstrip("/")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{address!r} is not the address of a server; it must be like http://localhost:8000/v1")
    if address == OPENAI_URL:
        return row
    is_own = is_own_server(parts.hostname)
    return replace(
        row, provider=parts.hostname, base_url=address, charged=not is_own, price=None if is_own else row.price,
        retired_on=None,
    )  # fmt: skip


def find_endpoint(name: str, base_url: str | None = None) -> str:
    """Return the digest of the address at which a model is asked; empty for the provider's own, or an unset one."""
    if name.startswith(AZURE_PREFIX) and base_url is None and not setting("AZURE_OPENAI_ENDPOINT"):
        return ""
    return find_chat_spec(name, base_url).endpoint


def is_own_provider(provider: str) -> bool:
    """Return whether a provider, as a chat model or an image editor names it, is a server of one's own."""
    return provider == "local" or (provider not in SERVICES and is_own_server(provider))


def is_own_server(host: str) -> bool:
    """Return whether a server is on this machine or in this network: no price is known, and no rate limit."""
    private = ("localhost", "127.", "10.", "192.168.", "[", "::1")
    return host.startswith(private) or "." not in host or host.endswith((".local", ".internal", ".lan"))


def guess_vendor(name: str) -> str:
    """Return who made a model, by the family in its name; empty where no family is known."""
    words = name.lower().rsplit("/", 1)[-1]
    return next((vendor for family, vendor in _VENDORS.items() if words.startswith(family)), "")


_FAMILIES = {
    "OpenAI": ("openai", "sora", "gpt"), "Google": ("google", "veo", "gemini"), "Alibaba": ("wan", "qwen", "alibaba"),
    "OpenGVLab": ("internvl", "opengvlab"), "Tencent": ("hunyuan", "dynamicrafter", "videocrafter"),
}  # fmt: skip
"""By vendor: words in the names of its models."""


def is_same_vendor(vendor: str, model: str) -> bool:
    """Return whether a model, by a word of its name, is of this vendor. Its judge may favour it."""
    words = re.split(r"[^a-z0-9]+", model.lower())
    return any(word.startswith(family) for word in words for family in _FAMILIES.get(vendor, ()))


def load_chat_model(
    name: str, base_url: str | None = None, *, deployment: str | None = None, api_version: str | None = None,
    timeout_s: float = 60.0,
) -> ChatModel:  # fmt: skip
    """Return a chat model. Raises SetupError where the ``openai`` package or the key is missing.

    ``deployment`` and ``api_version`` are those of Azure."""
    return load_chat_spec(find_chat_spec(name, base_url, deployment), timeout_s=timeout_s, api_version=api_version)


def load_chat_spec(
    spec: ChatSpec, *, timeout_s: float = 60.0, api_version: str | None = None, needs_key: bool = True
) -> ChatModel:
    """Return the adapter of a row. Without ``needs_key`` it can estimate prices and ask nothing."""
    if find_spec("openai") is None:
        raise SetupError(f"{spec.name} needs the package openai: {make_install_command('openai')}")
    from vmevalkit.models.openai_chat import OpenAIChat

    return OpenAIChat(spec, timeout_s=timeout_s, api_version=api_version, needs_key=needs_key)
