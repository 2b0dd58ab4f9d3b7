"""The models as the specification lists them. It is a view of the catalogue: a new row appears by itself."""

from __future__ import annotations

from typing import Any

from vmevalkit.models.catalogue import MODELS
from vmevalkit.models.model import ModelSpec

NAMED = {
    "OpenAIVideos": ("OpenAIWrapper", "SoraService"),
    "VeoVideos": ("VeoWrapper", "VeoService"),
    "GeminiVideos": ("GeminiWrapper", "GeminiService"),
    "RunwayVideos": ("RunwayWrapper", "RunwayService"),
    "LumaVideos": ("LumaWrapper", "LumaService"),
    "WaveSpeedVideos": ("WaveSpeedWrapper", "WaveSpeedService"),
}
"""The names of wrapper and service in the adapter's module; elsewhere both are the adapter itself."""


def _entry(spec: ModelSpec) -> dict[str, Any]:
    module, _, adapter = spec.adapter.partition(":")
    wrapper, service = NAMED.get(adapter, (adapter, adapter))
    return {
        "wrapper_module": module,
        "wrapper_class": wrapper,
        "service_class": service,
        "model": spec.vendor_id,
        "description": spec.description,
        "family": spec.family,
    }


AVAILABLE_MODELS: dict[str, dict[str, Any]] = {name: _entry(spec) for name, spec in MODELS.items()}
"""By the model's name: wrapper_module, wrapper_class, service_class, model, description, family."""

MODEL_FAMILIES: dict[str, list[str]] = {
    family: [name for name, entry in AVAILABLE_MODELS.items() if entry["family"] == family]
    for family in dict.fromkeys(entry["family"] for entry in AVAILABLE_MODELS.values())
}
"""The names of each family's models."""
