"""The settings of models are comparable: one rule for the resolution, and what differs is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from vmevalkit.core.records import Request
from vmevalkit.media.image import encode_png
from vmevalkit.media.resolution import compute_tier
from vmevalkit.models.catalogue import MODELS
from vmevalkit.models.input_image import choose_comparable_size, choose_video_size
from vmevalkit.runs.comparability import list_differences
from vmevalkit.runs.generation_params import GenerationParams

IMAGES = [(640, 640), (640, 480), (480, 640), (1280, 720), (720, 1280), (400, 390)]


@pytest.mark.parametrize("spec", [spec for spec in MODELS.values() if spec.sizes], ids=lambda spec: spec.name)
def test_a_model_has_one_resolution_for_all_questions(spec) -> None:  # type: ignore[no-untyped-def]
    chosen = {choose_comparable_size(image, spec.sizes) for image in IMAGES}
    # Where a row has ratios, the resolution may be that of the short side, as at Luma.
    if "ratios" not in spec.options or len({min(size) for size in chosen}) > 1:
        tiers = [compute_tier(size) for size in chosen]
        assert max(tiers) / min(tiers) < 1.12, chosen
        nearest = min((compute_tier(size) for size in spec.sizes), key=lambda tier: abs(tier - 720))
        assert all(abs(tier - nearest) <= 0.12 * nearest for tier in tiers)


def test_the_rounding_of_a_ratio_does_not_choose_the_resolution(tmp_path: Path) -> None:
    import numpy as np

    image = tmp_path / "first_frame.png"
    image.write_bytes(encode_png(np.zeros((300, 400, 3), np.uint8)))
    request = Request("q", "Go.", image, 8.0)
    assert choose_video_size(MODELS["runway-wan3"], request) == (1104, 832)
    assert choose_video_size(MODELS["runway-h3-max"], request) == (1182, 888)
    assert choose_video_size(MODELS["openai-sora-2-pro"], request) == (1280, 720)


def test_what_differs_between_models_is_listed() -> None:
    names = ("veo-3.1-720p", "fal-pixverse-5.6", "replicate-hailuo-2.3", "fal-vidu-q1")
    specs = {"static": None, **{name: MODELS[name] for name in names}}
    assert list_differences(specs, GenerationParams()) == [
        "the resolution differs between models: 720p (veo-3.1-720p, fal-pixverse-5.6); 768p (replicate-hailuo-2.3); "
        "1080p (fal-vidu-q1)",
        "the length differs between models: 8 s (veo-3.1-720p, fal-pixverse-5.6); 10 s (replicate-hailuo-2.3); "
        "5 s (fal-vidu-q1)",
    ]
    alike = {name: MODELS[name] for name in names[:2]}
    assert list_differences(alike, GenerationParams()) == []


def test_the_price_is_that_of_the_resolution_and_the_length() -> None:
    pixverse = MODELS["fal-pixverse-5.6"]
    assert GenerationParams().price_usd(pixverse) == 0.90
    assert GenerationParams(seconds=5.0, size=(1920, 1080)).price_usd(pixverse) == 0.75
    assert pixverse.cost_usd(5.0) == 0.75, "a budget must be enough where the resolution is unknown"
    assert GenerationParams().price_usd(MODELS["fal-hailuo-2.3-fast"]) == 0.32
    assert GenerationParams().price_usd(MODELS["replicate-hailuo-2.3"]) is None
    assert GenerationParams().price_usd(MODELS["minimax-hailuo-2.3-fast"]) == 0.32
    assert GenerationParams().price_usd(MODELS["luma-ray-3.2"]) == 0.30
    assert GenerationParams().price_usd(MODELS["fal-vidu-q2-pro"]) == 0.50
    veo = MODELS["veo-3.1-fast-generate"]
    assert (veo.cost_usd(1.0, 720, audio=False), veo.cost_usd(1.0, 720, audio=True)) == (0.08, 0.10)
