"""A request in the words of a provider: what it has a place for, checked before money is spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vmevalkit.core.errors import SetupError, UsageError
from vmevalkit.core.records import Request
from vmevalkit.core.settings import setting
from vmevalkit.models.model import ModelSpec

ANSWER_SECONDS = 120.0
"""How long a provider may be silent: an order carries a picture of some megabytes. A row's ``timeout_s`` overrides."""
CONNECT_SECONDS = 20.0


def required(name: str, spec: ModelSpec) -> str:
    """A setting without which the model cannot be asked."""
    value = setting(name)
    if not value:
        raise SetupError(f"{spec.name} needs the setting {name}: set it in the environment or in .env")
    return value


def answer_seconds(spec: ModelSpec) -> float:
    return float(spec.options.get("timeout_s", ANSWER_SECONDS))


def seed_of(spec: ModelSpec, request: Request, largest: int = 2**32 - 1) -> int | None:
    """The seed to send; None where there is none, where it is -1 (any), or where the provider has no place for it."""
    seed = request.seed
    if seed is None or seed == -1 or "seed" not in spec.takes:
        return None
    if not 0 <= seed <= largest:
        raise UsageError(f"the seed {seed} is not one that {spec.name} takes; use 0 to {largest}, or -1 for any")
    return seed


def whole_seconds(spec: ModelSpec, request: Request) -> int:
    """The film's length for a provider that counts in whole seconds."""
    if request.seconds != int(request.seconds):
        raise UsageError(f"{spec.name} makes films of whole seconds, not of {request.seconds:g} s")
    return int(request.seconds)


def prompt_of(spec: ModelSpec, request: Request, *, limit: int | None = None, needed: bool = True) -> str:
    """The prompt, once it is known to be one that the provider takes. Its length is counted in UTF-16 units."""
    prompt, limit = request.prompt, spec.options.get("prompt_limit", limit)
    if not prompt.strip() and spec.options.get("prompt_needed", needed):
        raise UsageError(f"{spec.name} takes no empty prompt; leave it out of this comparison")
    units = len(prompt.encode("utf-16-le")) // 2
    if limit is not None and units > limit:
        raise UsageError(f"the prompt is {units} characters long and {spec.name} takes {limit}; shorten it")
    return prompt


def further(spec: ModelSpec, request: Request, names: Mapping[str, str]) -> dict[str, Any]:
    """Further wishes under the provider's names: those that were made and that the row has a place for."""
    wishes = request.parameters
    return {
        theirs: wishes[ours] for ours, theirs in names.items() if ours in spec.takes and wishes.get(ours) is not None
    }


def without_queries(answer: Any) -> Any:
    """The same with the queries of addresses cut off: they hold signatures, and a record is for everybody."""
    if isinstance(answer, Mapping):
        return {str(name): without_queries(value) for name, value in answer.items()}
    if isinstance(answer, list | tuple):
        return [without_queries(value) for value in answer]
    if isinstance(answer, str) and answer.startswith(("http://", "https://")):
        return answer.partition("?")[0]
    return answer
