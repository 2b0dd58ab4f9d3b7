"""Luma: Ray 2 by the Dream Machine API (pictures by URL only), Ray 3.2 by the Agents API.

Luma is asked for a shape and a resolution in words; the sizes are those of the pictures that it is sent.
"""

from __future__ import annotations

from dataclasses import replace

from vmevalkit.models.model import ModelSpec

_SHAPES = {
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
    sizes=tuple(_SHAPES.values()),
    durations_s=(5.0, 9.0),
    fps=24.0,
    charged=True,
    # Pictures go by address only, so they are put into a bucket first.
    keys=("LUMAAI_API_KEY", "VMEVALKIT_S3_BUCKET", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
    extra="luma",
    packages=("lumaai", "httpx"),
    endpoint="LUMAAI_BASE_URL",
    home="lumalabs.ai",
    takes=frozenset({"auto_pad"}),
    options={"fit": "pad", "colour": (0, 0, 0), "ratios": tuple(_SHAPES), "resolution": "720p"},
)

_AGENTS_SHAPES = tuple(shape for shape in _SHAPES if shape != "9:21")

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
        sizes=tuple(_SHAPES[shape] for shape in _AGENTS_SHAPES),
        durations_s=(5.0, 10.0),
        keys=("LUMA_AGENTS_API_KEY",),
        packages=("luma_agents", "httpx"),
        endpoint="LUMA_BASE_URL",
        options={**RAY_2.options, "ratios": _AGENTS_SHAPES, "prompt_needed": True},
    ),
)
