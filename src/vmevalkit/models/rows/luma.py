"""Luma: Ray 2 by the Dream Machine API (images by URL only), Ray 3.2 by the Agents API.

Luma takes a ratio and a resolution instead of a size; the sizes are those of the images that are sent.
"""

from __future__ import annotations

from dataclasses import replace

from vmevalkit.models.model import ModelSpec, Price

_SIZE_BY_RATIO = {
    "16:9": (1280, 720), "9:16": (720, 1280), "1:1": (720, 720), "4:3": (960, 720), "3:4": (720, 960),
    "21:9": (1680, 720), "9:21": (720, 1680),
}  # fmt: skip

_DAY = "2026-11-19"
_PIXELS = "docs.comfy.org/tutorials/api-nodes/pricing: Luma's dollars for a million pixels, at 24 frames per second"
_AGENTS = "docs.agents.lumalabs.ai/guides/pricing, as it was on 2026-10-08"
_MEGAPIXELS_PER_SECOND = max(width * height for width, height in _SIZE_BY_RATIO.values()) * 24 / 1e6


def _price(usd_per_megapixel: float) -> Price:
    """Return the price of a second of the largest video at 720p."""
    return Price(round(usd_per_megapixel * _MEGAPIXELS_PER_SECOND, 4), "second", _DAY, _PIXELS)


RAY_2 = ModelSpec(
    name="luma-ray-2",
    provider="luma",
    vendor_id="ray-2",
    family="Luma Dream Machine",
    description="Luma Ray 2 (5s/9s, 720p)",
    adapter="vmevalkit.models.luma_inference:LumaVideos",
    sizes=tuple(_SIZE_BY_RATIO.values()),
    durations_s=(5.0, 9.0),
    fps=24.0,
    price=_price(0.0064),
    charged=True,
    # Images are accepted by URL only, so they are uploaded to a bucket first.
    keys=("LUMAAI_API_KEY", "VMEVALKIT_S3_BUCKET", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
    extra="luma",
    packages=("lumaai", "httpx"),
    endpoint="LUMAAI_BASE_URL",
    provider_host="lumalabs.ai",
    supported_params=frozenset({"auto_pad"}),
    options={"fit": "pad", "colour": (0, 0, 0), "ratios": tuple(_SIZE_BY_RATIO), "resolution": "720p"},
)

_AGENTS_RATIOS = tuple(ratio for ratio in _SIZE_BY_RATIO if ratio != "9:21")

ROWS = (
    RAY_2,
    replace(
        RAY_2,
        name="luma-ray-flash-2",
        vendor_id="ray-flash-2",
        description="Luma Ray Flash 2 (5s/9s, 720p)",
        price=_price(0.0022),
    ),
    replace(
        RAY_2,
        name="luma-ray-3.2",
        provider="luma-agents",
        vendor_id="ray-3.2",
        description="Luma Ray 3.2 (5s, 720p)",
        adapter="vmevalkit.models.luma_inference:LumaAgentsVideos",
        sizes=tuple(_SIZE_BY_RATIO[ratio] for ratio in _AGENTS_RATIOS),
        durations_s=(5.0,),  # videos of 10 s are made from text only
        price=None,
        prices=(Price(0.30, "video", _DAY, _AGENTS, seconds=5.0),),
        keys=("LUMA_AGENTS_API_KEY",),
        packages=("luma_agents", "httpx"),
        endpoint="LUMA_BASE_URL",
        options={**RAY_2.options, "ratios": _AGENTS_RATIOS, "prompt_required": True},
    ),
)
