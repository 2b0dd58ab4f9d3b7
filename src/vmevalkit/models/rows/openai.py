"""Sora. OpenAI shut its video API down. Other services offer the same API: set OPENAI_BASE_URL to use one."""

from __future__ import annotations

from dataclasses import replace

from vmevalkit.models.model import ModelSpec, Price

_LIST = "the price list of LiteLLM, citing platform.openai.com/docs/api-reference/videos"
_720P = ((1280, 720), (720, 1280))

SORA_2 = ModelSpec(
    name="openai-sora-2",
    provider="openai",
    vendor_id="sora-2",
    family="OpenAI Sora",
    description="OpenAI Sora-2 - High-quality video generation (4s/8s/12s)",
    adapter="vmevalkit.models.openai_inference:OpenAIVideos",
    sizes=_720P,
    durations_s=(4.0, 8.0, 12.0),
    price=Price(0.10, "second", "2026-11-16", _LIST),
    charged=True,
    status="retired",
    retired_on="2026-09-24",
    replacement="veo-3.1-generate",
    keys=("OPENAI_API_KEY",),
    extra="openai",
    packages=("openai",),
    endpoint="OPENAI_BASE_URL",
    provider_host="api.openai.com",
    supported_params=frozenset({"auto_pad"}),
    options={"fit": "letterbox", "colour": (128, 128, 128), "prompt_required": True},
)

ROWS = (
    SORA_2,
    replace(
        SORA_2,
        name="openai-sora-2-pro",
        vendor_id="sora-2-pro",
        description="OpenAI Sora-2-Pro - The larger Sora-2, also at 1792x1024 (4s/8s/12s)",
        sizes=(*_720P, (1792, 1024), (1024, 1792)),
        # At 720p it was $0.30. A budget must be enough for any size, so this is the highest price.
        price=Price(0.50, "second", "2026-11-16", f"{_LIST}; the larger sizes"),
    ),
)
