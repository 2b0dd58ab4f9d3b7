"""Seedance at ByteDance's ModelArk (BytePlus)."""

from __future__ import annotations

from dataclasses import replace

from vmevalkit.models.model import ModelSpec, Price

_DAY = "2026-11-19"
_LIST = (
    "the price table of ComfyUI, comfy_api_nodes/apis/bytedance.py: dollars for 1,000 tokens, of which a second has "
    "width x height x 24 / 1024"
)
_SIZES = ((1280, 720), (1470, 630), (1112, 834), (960, 960), (834, 1112), (720, 1280))
_TOKENS_PER_SECOND = max(width * height for width, height in _SIZES) * 24 / 1024


def _price(usd_per_1000_tokens: float) -> Price:
    """Return the price of a second of the largest video at 720p."""
    return Price(round(usd_per_1000_tokens * _TOKENS_PER_SECOND / 1000, 4), "second", _DAY, _LIST)


SEEDANCE_2 = ModelSpec(
    name="seedance-2.0",
    provider="ark",
    vendor_id="dreamina-seedance-2-0-260128",
    family="Seedance",
    description="Seedance 2.0 at 720p (4s-15s)",
    adapter="vmevalkit.models.seedance_inference:SeedanceVideos",
    sizes=_SIZES,
    durations_s=tuple(float(seconds) for seconds in range(4, 16)),
    fps=24.0,
    price=_price(0.007),
    charged=True,
    keys=("ARK_API_KEY",),
    extra="seedance",
    packages=("httpx",),
    endpoint="ARK_BASE_URL",
    provider_host="bytepluses.com",
    supported_params=frozenset({"seed", "audio", "auto_pad"}),
    options={
        "fit": "letterbox",
        "colour": (0, 0, 0),
        "prompt_required": True,
        "ratios": ("16:9", "21:9", "4:3", "1:1", "3:4", "9:16"),
    },
)

ROWS = (
    SEEDANCE_2,
    replace(
        SEEDANCE_2, name="seedance-2.0-fast", vendor_id="dreamina-seedance-2-0-fast-260128",
        description="Seedance 2.0 Fast at 720p (4s-15s)", price=_price(0.0056),
    ),
    replace(
        SEEDANCE_2, name="seedance-2.5", vendor_id="dreamina-seedance-2-5-260628",
        description="Seedance 2.5 at 720p (4s-15s)", price=_price(0.0107),
    ),
)  # fmt: skip
