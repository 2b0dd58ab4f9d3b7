"""Runway's rows against the types of its SDK: models, sizes, lengths and supported parameters."""

from __future__ import annotations

from typing import Any, Literal, Required, get_args, get_origin

import pytest
from typing_extensions import get_type_hints

pytest.importorskip("runwayml")

from emulators.runway_server import MODELS as KINDS
from vmevalkit.models.catalogue import MODELS
from vmevalkit.models.model import ModelSpec

ROWS = {spec.vendor_id: spec for spec in MODELS.values() if spec.provider == "runway" and spec.status == "live"}


def test_every_image_to_video_model_has_a_row() -> None:
    assert set(ROWS) == set(KINDS)


@pytest.mark.parametrize("vendor_id", sorted(KINDS))
class TestRow:
    @pytest.fixture
    def spec(self, vendor_id: str) -> ModelSpec:
        return ROWS[vendor_id]

    @pytest.fixture
    def hints(self, vendor_id: str) -> dict[str, Any]:
        return get_type_hints(KINDS[vendor_id])

    def test_the_sizes_are_those_of_the_sdk(self, spec: ModelSpec, hints: dict[str, Any]) -> None:
        ratios = get_args(hints.get("ratio"))
        exact = {ratio for ratio in ratios if ratio.replace(":", "").isdigit() and len(ratio) > 5}
        if exact:
            assert {f"{width}:{height}" for width, height in spec.sizes} == exact
        else:
            assert spec.options.get("follows") or set(spec.options["ratios"]) <= set(ratios)
            assert (spec.options.get("follows") == "resolution") == ("ratio" not in hints and "resolution" in hints)

    def test_the_lengths_are_those_of_the_sdk(self, spec: ModelSpec, hints: dict[str, Any]) -> None:
        if get_origin(hints["duration"]) is Literal:
            assert spec.durations_s == get_args(hints["duration"])

    def test_the_supported_params_are_those_of_the_sdk(self, spec: ModelSpec, hints: dict[str, Any]) -> None:
        for name in ("seed", "audio", "negative_prompt"):
            assert (name in spec.supported_params) == (name in hints), name
        assert ("enhance_prompt" in spec.supported_params) == ("prompt_expansion_mode" in hints)

    def test_an_empty_prompt_is_refused_where_the_sdk_requires_one(self, spec: ModelSpec, vendor_id: str) -> None:
        prompt = get_type_hints(KINDS[vendor_id], include_extras=True)["prompt_text"]
        assert bool(spec.options.get("prompt_required")) == (get_origin(prompt) is Required)
