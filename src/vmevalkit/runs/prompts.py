"""Prompt variants: the question's own prompt, and changes to it that serve as controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vmevalkit.core.registry import Registry


def _default(prompt: str) -> str:
    return prompt


def _empty(prompt: str) -> str:  # noqa: ARG001
    return ""


def _stepwise(prompt: str) -> str:
    return f"{prompt} Show every step on the way, then hold the final state."


def _still_camera(prompt: str) -> str:
    return f"{prompt} The camera does not move and nothing else changes."


def _variants() -> Mapping[str, Callable[[str], str]]:
    return {"default": _default, "empty": _empty, "stepwise": _stepwise, "still_camera": _still_camera}


VARIANTS: Registry[Callable[[str], str]] = Registry("prompt variant", _variants)
"""By name. ``empty`` is a control: it shows what a model generates from the first frame alone."""
