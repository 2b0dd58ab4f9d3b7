"""The models in the form of the specification, made from the catalogue: a new row appears automatically."""

from __future__ import annotations

from typing import Any

from vmevalkit.models.catalogue import MODELS
from vmevalkit.models.model import ModelSpec

WRAPPERS = {
    "OpenAIVideos": ("OpenAIWrapper", "SoraService"),
    "VeoVideos": ("VeoWrapper", "VeoService"),
    "GeminiVideos": ("GeminiWrapper", "GeminiService"),
    "RunwayVideos": ("RunwayWrapper", "RunwayService"),
    "LumaVideos": ("LumaWrapper", "LumaService"),
    "WaveSpeedVideos": ("WaveSpeedWrapper", "WaveSpeedService"),
}
"""By adapter: the names of its wrapper and its service. Other adapters have neither, and are named themselves."""


def _make_entry(spec: ModelSpec) -> dict[str, Any]:
    module, _, adapter = spec.adapter.partition(":")
    wrapper, service = WRAPPERS.get(adapter, (adapter, adapter))
    return {
        "wrapper_module": module,
        "wrapper_class": wrapper,
        "service_class": service,
        "model": spec.vendor_id,
        "description": spec.description,
        "family": spec.family,
    }


AVAILABLE_MODELS: dict[str, dict[str, Any]] = {name: _make_entry(spec) for name, spec in MODELS.items()}
"""By the model's name: wrapper_module, wrapper_class, service_class, model, description, family."""

MODEL_FAMILIES: dict[str, list[str]] = {
    family: [name for name, entry in AVAILABLE_MODELS.items() if entry["family"] == family]
    for family in dict.fromkeys(entry["family"] for entry in AVAILABLE_MODELS.values())
}
"""By family: the names of its models."""
