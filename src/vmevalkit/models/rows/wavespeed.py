"""WaveSpeed: Wan 2.1 and 2.2 in many variants, Wan 2.6, and Veo 3.1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vmevalkit.models.model import ModelSpec, Price

_SIZES = {"480p": ((832, 480), (480, 832)), "720p": ((1280, 720), (720, 1280)), "1080p": ((1920, 1080), (1080, 1920))}
_VARIANTS = ("", "-ultra-fast", "-lora", "-lora-ultra-fast")
_PAGE = "wavespeed.ai/docs/docs-api/wavespeed-ai/wan-2.2-image-to-video"

_DOCS = "wavespeed.ai/docs/docs-api/wavespeed-ai/wan-"
_PRICES = {
    "2.2/i2v-480p-ultra-fast": (Price(0.01, "second", "2026-11-18", f"{_DOCS}2.2/i2v-480p-ultra-fast"),),
    "2.2/i2v-720p": (Price(0.06, "second", "2026-11-19", "WaveSpeed's list of models and prices, api.wavespeed.ai"),),
    "2.1/i2v-720p-ultra-fast": (
        Price(0.225, "video", "2026-11-18", f"{_DOCS}2.1/i2v-720p-ultra-fast", seconds=5.0),
        Price(0.338, "video", "2026-11-18", f"{_DOCS}2.1/i2v-720p-ultra-fast", seconds=10.0),
    ),
}
"""By the model's path, where its page lists them."""

WAN = ModelSpec(
    name="wavespeed-wan-2.2-image-to-video",
    provider="wavespeed",
    vendor_id="wavespeed-ai/wan-2.2/image-to-video",
    family="WaveSpeed WAN 2.2",
    description="Wan 2.2 image to video at 720p through WaveSpeed (5s/8s)",
    adapter="vmevalkit.models.wavespeed_inference:WaveSpeedVideos",
    sizes=_SIZES["720p"],
    durations_s=(5.0, 8.0),
    price=Price(0.06, "second", "2026-11-16", _PAGE),
    charged=True,
    keys=("WAVESPEED_API_KEY",),
    extra="wavespeed",
    packages=("httpx",),
    endpoint="WAVESPEED_BASE_URL",
    provider_host="api.wavespeed.ai",
    supported_params=frozenset({"seed", "negative_prompt"}),
    options={"fit": "unchanged", "sends": ("duration", "size")},
)

VEO_3_1 = replace(
    WAN,
    name="veo-3.1",
    vendor_id="google/veo3.1/image-to-video",
    family="Google Veo (WaveSpeed)",
    description="Google Veo 3.1 at 1080p through WaveSpeed, without audio",
    sizes=_SIZES["1080p"],
    durations_s=(4.0, 6.0, 8.0),
    fps=24.0,
    price=None,
    supported_params=frozenset({"seed", "negative_prompt", "auto_pad"}),
    options={
        "fit": "pad",
        "colour": (0, 0, 0),
        "sends": ("duration", "aspect_ratio", "resolution", "generate_audio"),
        "resolution": "1080p",
    },
)


def _make_wan_row(version: str, resolution: str, variant: str) -> ModelSpec:
    return replace(
        WAN,
        name=f"wavespeed-wan-{version}-i2v-{resolution}{variant}",
        vendor_id=f"wavespeed-ai/wan-{version}/i2v-{resolution}{variant}",
        family=f"WaveSpeed WAN {version}",
        description=f"Wan {version} image to video at {resolution}{variant.replace('-', ' ')} through WaveSpeed",
        sizes=_SIZES[resolution],
        durations_s=(5.0, 8.0) if version == "2.2" else (5.0, 10.0),
        price=None,
        prices=_PRICES.get(f"{version}/i2v-{resolution}{variant}", ()),
        options={"fit": "unchanged", "sends": ("duration",) if version == "2.2" else ("duration", "size")},
    )


def _make_wan_5b_row(variant: str) -> ModelSpec:
    """Return a row of the small model, which supports a prompt, an image, a seed and one length."""
    return replace(
        _make_wan_row("2.2", "720p", variant),
        name=f"wavespeed-wan-2.2-i2v-5b-720p{variant}",
        vendor_id=f"wavespeed-ai/wan-2.2/i2v-5b-720p{variant}",
        description=f"Wan 2.2 5B image to video at 720p{variant.replace('-', ' ')} through WaveSpeed",
        durations_s=(5.0,),
        prices=(),
        supported_params=frozenset({"seed"}),
        options={"fit": "unchanged", "sends": ()},
    )


def _make_wan_2_6_row(variant: str, *sends: str) -> ModelSpec:
    return replace(
        WAN,
        name=f"wavespeed-wan-2.6-i2v{variant}",
        vendor_id=f"alibaba/wan-2.6/image-to-video{variant}",
        family="WaveSpeed WAN 2.6",
        description=f"Wan 2.6 image to video{variant.replace('-', ' ')} through WaveSpeed (5s/10s/15s)",
        sizes=_SIZES["720p"] + _SIZES["1080p"],
        durations_s=(5.0, 10.0, 15.0),
        price=None,
        supported_params=frozenset({"seed", "negative_prompt", "enhance_prompt"}),
        options={"fit": "unchanged", "sends": ("duration", "resolution", *sends), "prompt_required": True},
    )


def _iter_veo_rows() -> Iterator[ModelSpec]:
    for speed in ("", "-fast"):
        for resolution in ("1080p", "720p"):
            yield replace(
                VEO_3_1,
                name=f"veo-3.1{speed}" + ("" if resolution == "1080p" else f"-{resolution}"),
                vendor_id=f"google/veo3.1{speed}/image-to-video",
                description=f"Google Veo 3.1{speed.replace('-', ' ')} at {resolution} through WaveSpeed, without audio",
                sizes=_SIZES[resolution],
                options={**VEO_3_1.options, "resolution": resolution},
            )


ROWS = (
    *_iter_veo_rows(),
    *(_make_wan_row("2.2", resolution, variant) for resolution in ("480p", "720p") for variant in _VARIANTS),
    *(_make_wan_5b_row(variant) for variant in ("", "-lora")),
    *(_make_wan_row("2.1", resolution, variant) for resolution in ("480p", "720p") for variant in _VARIANTS),
    WAN,
    _make_wan_2_6_row(""),
    _make_wan_2_6_row("-flash", "enable_audio"),
)
