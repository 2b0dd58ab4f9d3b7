"""``--gen-kwargs``: parameters of the answers in place of those of the task files."""

from __future__ import annotations

from dataclasses import dataclass, replace

from vmevalkit.core.chat import ChatParams
from vmevalkit.core.errors import UnknownName, UsageError

_NAMES = ("max_new_tokens", "temperature", "top_p", "seed", "reasoning_effort", "do_sample")


@dataclass(frozen=True, slots=True)
class GenerationOptions:
    """Parameters that replace those of a task file; None leaves its value."""

    max_new_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: str | None = None

    @property
    def text(self) -> str:
        """The parameters that are set, as ``key=value,key=value``."""
        return ",".join(f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
                        for name in _NAMES if (value := getattr(self, name, None)) is not None)  # fmt: skip

    def apply(self, params: ChatParams) -> ChatParams:
        """Return a task's parameters with these in their place."""
        return replace(
            params,
            max_tokens=params.max_tokens if self.max_new_tokens is None else self.max_new_tokens,
            temperature=params.temperature if self.temperature is None else self.temperature,
            top_p=self.top_p,
            seed=self.seed,
            reasoning_effort=self.reasoning_effort,
        )


def parse_gen_kwargs(text: str) -> GenerationOptions:
    """Parse ``key=value,key=value``. Raises UnknownName or UsageError."""
    values: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise UsageError(f"--gen-kwargs has {part!r}; write key=value, several separated by commas")
        if name not in _NAMES:
            raise UnknownName("generation parameter", name, _NAMES)
        values[name] = value
    try:
        options = GenerationOptions(
            int(values["max_new_tokens"]) if "max_new_tokens" in values else None,
            float(values["temperature"]) if "temperature" in values else None,
            float(values["top_p"]) if "top_p" in values else None,
            int(values["seed"]) if "seed" in values else None,
            values.get("reasoning_effort"),
        )
    except ValueError as error:
        raise UsageError(f"--gen-kwargs {text} has a value that is not a number: {error}") from None
    if options.max_new_tokens is not None and options.max_new_tokens < 1:
        raise UsageError(f"--gen-kwargs max_new_tokens={options.max_new_tokens} leaves no answer; use 1 or more")
    if options.temperature is not None and not 0 <= options.temperature <= 2:
        raise UsageError(f"--gen-kwargs temperature={options.temperature:g} is not valid; use 0 to 2")
    if options.top_p is not None and not 0 < options.top_p <= 1:
        raise UsageError(f"--gen-kwargs top_p={options.top_p:g} is not valid; use more than 0, at most 1")
    is_sampled = {"true": True, "false": False}.get(values.get("do_sample", "").lower())
    if is_sampled is False and options.temperature is None:
        options = replace(options, temperature=0.0)
    if is_sampled and not options.temperature:
        raise UsageError("--gen-kwargs do_sample=true needs a temperature above 0")
    return options
