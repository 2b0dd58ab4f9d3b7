"""Veo on Vertex AI, and video by Gemini Interactions, which replaced Veo on the Gemini API."""

from __future__ import annotations

from dataclasses import replace

from vmevalkit.models.model import ModelSpec, Price

_DAY = "2026-11-16"
_VERTEX = "the price list of LiteLLM, citing cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo"
_PRICING = "cloud.google.com/vertex-ai/generative-ai/pricing, as it was on 2026-07-30"
_VEO_3_1 = (
    "docs.comfy.org/tutorials/partner-nodes/pricing: credits of 1/211 dollar; with audio also "
    "ai.google.dev/gemini-api/docs/pricing, as it was on 2026-09-24"
)
_GEMINI = "the price list of LiteLLM, citing ai.google.dev/gemini-api/docs/video"


def _by_audio(with_usd: float, source: str, without: tuple[tuple[float, int | None], ...]) -> tuple[Price, ...]:
    """Return prices in dollars for a second: with audio, and without it at each resolution (None: at all)."""
    silent = (Price(usd, "second", "2026-11-19", _PRICING, tier=tier, audio=False) for usd, tier in without)
    return (*silent, Price(with_usd, "second", _DAY, source, audio=True))


def _by_tier_and_audio(*usd: tuple[int, float, float]) -> tuple[Price, ...]:
    """Return prices in dollars for a second: each resolution without and with audio."""
    return tuple(
        Price(price, "second", "2026-11-19", _VEO_3_1, tier=tier, audio=audio)
        for tier, silent, heard in usd
        for audio, price in ((False, silent), (True, heard))
    )


VEO_3_1 = ModelSpec(
    name="veo-3.1-generate",
    provider="vertex",
    vendor_id="veo-3.1-generate-001",
    family="Google Veo",
    description="Google Veo 3.1 on Vertex AI (4s/6s/8s, 720p and 1080p)",
    adapter="vmevalkit.models.veo_inference:VeoVideos",
    sizes=((1280, 720), (720, 1280), (1920, 1080), (1080, 1920)),
    durations_s=(4.0, 6.0, 8.0),
    fps=24.0,
    prices=_by_audio(0.40, _VERTEX, ((0.20, None),)),
    charged=True,
    keys=("GOOGLE_CLOUD_PROJECT",),
    extra="google",
    packages=("google.genai",),
    endpoint="GOOGLE_VERTEX_BASE_URL",
    provider_host="aiplatform.googleapis.com",
    supported_params=frozenset({"seed", "enhance_prompt", "negative_prompt", "audio", "auto_pad"}),
    options={"fit": "pad", "colour": (0, 0, 0)},
)

VEO_3 = replace(
    VEO_3_1,
    name="veo-3.0-generate",
    vendor_id="veo-3.0-generate-001",
    description="Google Veo 3.0 on Vertex AI (4s/6s/8s)",
    prices=_by_audio(0.40, _GEMINI, ((0.20, None),)),
    status="retired",
    retired_on="2026-06-30",
    replacement="veo-3.1-generate",
)

VEO_2 = replace(
    VEO_3,
    name="veo-2.0-generate",
    vendor_id="veo-2.0-generate-001",
    description="Google Veo 2.0 on Vertex AI (5s-8s, 720p)",
    sizes=((1280, 720), (720, 1280)),
    durations_s=(5.0, 6.0, 7.0, 8.0),
    prices=(Price(0.35, "second", _DAY, _GEMINI),),
    retired_on=None,
    supported_params=VEO_3_1.supported_params - {"audio"},
)

GEMINI_OMNI = ModelSpec(
    name="gemini-omni-1.2-flash",
    provider="gemini",
    vendor_id="gemini-omni-1.2-flash",
    family="Google Gemini",
    description="Gemini Omni 1.2 Flash, video by the Interactions API",
    adapter="vmevalkit.models.gemini_inference:GeminiVideos",
    sizes=((1280, 720), (720, 1280), (1920, 1080), (1080, 1920)),
    charged=True,
    keys=("GEMINI_API_KEY|GOOGLE_API_KEY",),
    extra="google",
    packages=("google.genai",),
    endpoint="GOOGLE_GEMINI_BASE_URL",
    provider_host="generativelanguage.googleapis.com",
    supported_params=frozenset({"seed", "temperature", "auto_pad"}),
    options={"fit": "pad", "colour": (0, 0, 0), "prompt_required": True},
)

ROWS = (
    replace(VEO_2, name="veo-2", description="Google Veo 2.0 on Vertex AI, by its short name"),
    VEO_2,
    VEO_3,
    replace(
        VEO_3,
        name="veo-3.0-fast-generate",
        vendor_id="veo-3.0-fast-generate-001",
        description="Google Veo 3.0 Fast on Vertex AI (4s/6s/8s)",
        prices=_by_audio(0.15, _GEMINI, ((0.10, 720), (0.12, 1080))),
        replacement="veo-3.1-fast-generate",
    ),
    VEO_3_1,
    replace(
        VEO_3_1,
        name="veo-3.1-fast-generate",
        vendor_id="veo-3.1-fast-generate-001",
        description="Google Veo 3.1 Fast on Vertex AI (4s/6s/8s, 720p and 1080p)",
        prices=_by_tier_and_audio((720, 0.08, 0.10), (1080, 0.10, 0.12)),
    ),
    replace(
        VEO_3_1,
        name="veo-3.1-lite-generate",
        vendor_id="veo-3.1-lite-generate-001",
        description="Google Veo 3.1 Lite on Vertex AI (4s/6s/8s, 720p and 1080p)",
        prices=_by_tier_and_audio((720, 0.03, 0.05), (1080, 0.05, 0.08)),
    ),
    GEMINI_OMNI,
)
