"""Scorers: rules, pictures, VLM judges, and people's labels."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PLACES = {
    "GPT4OEvaluator": "vmevalkit.eval.gpt4o_eval",
    "HumanEvaluator": "vmevalkit.eval.annotation.human",
}


def __getattr__(name: str) -> Any:
    """Load what the specification names when it is used: a judge needs packages that rules do not."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
