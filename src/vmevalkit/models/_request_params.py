"""Values of a request as providers expect them, validated before anything is sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vmevalkit.core.errors import SetupError, UsageError
from vmevalkit.core.records import Request
from vmevalkit.core.settings import setting
from vmevalkit.models.model import ModelSpec

RESPONSE_TIMEOUT_S = 120.0
"""How long to wait for a response: a submit request uploads an image of some megabytes. A row's ``timeout_s``
overrides it."""
CONNECT_TIMEOUT_S = 20.0


def require_setting(name: str, spec: ModelSpec) -> str:
    """Return a setting that the model needs. Raises SetupError where it is not set."""
    value = setting(name)
    if not value:
        raise SetupError(f"{spec.name} needs the setting {name}: set it in the environment or in .env")
    return value


def response_timeout_s(spec: ModelSpec) -> float:
    return float(spec.options.get("timeout_s", RESPONSE_TIMEOUT_S))


def get_seed(spec: ModelSpec, request: Request, largest: int = 2**32 - 1) -> int | None:
    """Return the seed to send; None where none is set, where it is -1 (random), or where it is not supported."""
    seed = request.seed
    if seed is None or seed == -1 or "seed" not in spec.supported_params:
        return None
    if not 0 <= seed <= largest:
        raise UsageError(f"{spec.name} does not accept the seed {seed}; use 0 to {largest}, or -1 for a random one")
    return seed


def get_whole_seconds(spec: ModelSpec, request: Request) -> int:
    """Return the length of the video for a provider that accepts only whole seconds."""
    if request.seconds != int(request.seconds):
        raise UsageError(f"{spec.name} makes videos of whole seconds only, not of {request.seconds:g} s")
    return int(request.seconds)


def get_prompt(spec: ModelSpec, request: Request, *, limit: int | None = None, required: bool = True) -> str:
    """Return the prompt. Raises UsageError where the provider does not accept it.

    The length is counted in UTF-16 units, as the providers count it.
    """
    prompt, limit = request.prompt, spec.options.get("prompt_limit", limit)
    if not prompt.strip() and spec.options.get("prompt_required", required):
        raise UsageError(f"{spec.name} does not accept an empty prompt; leave it out of this comparison")
    units = len(prompt.encode("utf-16-le")) // 2
    if limit is not None and units > limit:
        raise UsageError(f"the prompt has {units} characters and {spec.name} accepts {limit}; shorten it")
    return prompt


def map_params(spec: ModelSpec, request: Request, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the parameters that the request sets and the model supports, under the provider's names."""
    params = request.parameters
    return {
        theirs: params[ours]
        for ours, theirs in names.items()
        if ours in spec.supported_params and params.get(ours) is not None
    }


def strip_url_queries(value: Any) -> Any:
    """Return the value with the query strings of all URLs in it removed: they hold signatures."""
    if isinstance(value, Mapping):
        return {str(name): strip_url_queries(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [strip_url_queries(inner) for inner in value]
    if isinstance(value, str) and value.startswith(("http://", "https://")):
        return value.partition("?")[0]
    return value
