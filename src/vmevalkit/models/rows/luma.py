"""Luma: Ray 2 by the Dream Machine API (images by URL only), Ray 3.2 by the Agents API.

Luma takes a ratio and a resolution instead of a size; the sizes are those of the images that are sent.
"""

from __future__ import annotations

from dataclasses import replace

from vmevalkit.models.model import ModelSpec

_SIZE_BY_RATIO = {
    "16:9": (1280, 720), "9:16": (720, 1280), "1:1": (720, 720), "4:3": (960, 720), "3:4": (720, 960),
    "21:9": (1680, 720), "9:21": (720, 1680),
}  # fmt: skip

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
    replace(RAY_2, name="luma-ray-flash-2", vendor_id="ray-flash-2", description="Luma Ray Flash 2 (5s/9s, 720p)"),
    replace(
        RAY_2,
        name="luma-ray-3.2",
        provider="luma-agents",
        vendor_id="ray-3.2",
        description="Luma Ray 3.2 (5s/10s, 720p)",
        adapter="vmevalkit.models.luma_inference:LumaAgentsVideos",
        sizes=tuple(_SIZE_BY_RATIO[ratio] for ratio in _AGENTS_RATIOS),
        durations_s=(5.0, 10.0),
        keys=("LUMA_AGENTS_API_KEY",),
        packages=("luma_agents", "httpx"),
        endpoint="LUMA_BASE_URL",
        options={**RAY_2.options, "ratios": _AGENTS_RATIOS, "prompt_required": True},
    ),
)
