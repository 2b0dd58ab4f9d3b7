"""What differs between the videos of the models of a call: resolution and length."""

from __future__ import annotations

from collections.abc import Mapping

from vmevalkit.models.model import ModelSpec
from vmevalkit.runs.generation_params import DEFAULT_SECONDS, GenerationParams


def list_differences(specs: Mapping[str, ModelSpec | None], params: GenerationParams) -> list[str]:
    """Return a line for each setting that is not the same for all models. Baselines are not compared."""
    resolutions: dict[str, list[str]] = {}
    lengths: dict[str, list[str]] = {}
    for name, spec in specs.items():
        if spec is None:
            continue
        tier = spec.choose_tier(params.size)
        resolutions.setdefault("an unknown one" if tier is None else f"{tier}p", []).append(name)
        lengths.setdefault(f"{spec.choose_seconds(params.seconds, DEFAULT_SECONDS):g} s", []).append(name)
    found = (("resolution", resolutions), ("length", lengths))
    return [
        f"the {setting} differs between models: "
        + "; ".join(f"{value} ({', '.join(n)})" for value, n in values.items())
        for setting, values in found
        if len(values) > 1
    ]
