"""Runway's own models, and the models of other vendors that Runway hosts behind the same API.

Sizes and lengths are those that runwayml 5.24 lists; where it lists no lengths, the provider decides. Options beside
those of all rows: ``follows`` is for a video that takes the ratio of its first frame. It names what is sent: a
``ratio`` such as auto_720p, a ``resolution``, or ``nothing``. The sizes are then those of the images that are sent.
``tiers`` are the model's resolutions where they are not 480, 720 and 1080.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vmevalkit.models.model import ModelSpec, Price

_DAY = "2026-11-16"
_LIST = "the price list of LiteLLM, citing docs.dev.runwayml.com/guides/pricing"
_SKILL = "Runway's own list in runwayml/skills, skills/rw-generate-video/SKILL.md: credits of $0.01"
_GUIDE = "docs.dev.runwayml.com/guides/pricing, as it was between 2026-05-31 and 2026-09-28: credits of $0.01"
_GEN4 = ((1280, 720), (720, 1280), (1104, 832), (832, 1104), (960, 960), (1584, 672))
_HD = ((1280, 720), (720, 1280), (1920, 1080), (1080, 1920))
_480P = ((832, 480), (720, 544), (624, 624), (544, 720), (480, 832))
_720P = ((1280, 720), (1104, 832), (960, 960), (832, 1104), (720, 1280))
_1080P = ((1920, 1080), (1648, 1248), (1440, 1440), (1248, 1648), (1080, 1920))
_4K = ((3840, 2160), (2160, 3840), (2880, 2880))
_768P = ((1366, 768), (1182, 888), (1024, 1024), (888, 1182), (768, 1366))
_SEEDANCE = (
    (992, 432), (864, 496), (752, 560), (640, 640), (560, 752), (496, 864),
    (1470, 630), (1280, 720), (1112, 834), (960, 960), (834, 1112), (720, 1280),
)  # fmt: skip
_SEEDANCE_2_5 = (
    (992, 432), (854, 480), (752, 560), (640, 640), (560, 752), (480, 854),
    (1470, 630), (1280, 720), (1112, 834), (960, 960), (834, 1112), (720, 1280),
)  # fmt: skip
_SEEDANCE_HD = ((2206, 946), (1920, 1080), (1664, 1248), (1440, 1440), (1248, 1664), (1080, 1920))
_SEEDANCE_4K = ((3840, 1646), (3840, 2160), (3840, 2880), (3840, 3840), (2880, 3840), (2160, 3840))
_KLING_S = tuple(float(seconds) for seconds in range(3, 16))
_GEMINI_S = tuple(float(seconds) for seconds in range(3, 11))

_OPTIONS: dict[str, Any] = {"fit": "letterbox", "colour": (0, 0, 0), "usd_per_credit": 0.01}

GEN4_TURBO = ModelSpec(
    name="runway-gen4-turbo",
    provider="runway",
    vendor_id="gen4_turbo",
    family="Runway",
    description="Runway Gen-4 Turbo - Fast image to video (5s/10s)",
    adapter="vmevalkit.models.runway_inference:RunwayVideos",
    sizes=_GEN4,
    durations_s=(5.0, 10.0),
    price=Price(0.05, "second", _DAY, _LIST),
    charged=True,
    keys=("RUNWAYML_API_SECRET",),
    extra="runway",
    packages=("runwayml",),
    endpoint="RUNWAYML_BASE_URL",
    provider_host="runwayml.com",
    supported_params=frozenset({"seed", "auto_pad"}),
    options={**_OPTIONS, "prompt_limit": 1000},
)

HOSTED = replace(
    GEN4_TURBO, family="Runway (hosted)", price=None, supported_params=frozenset({"auto_pad"}), options=_OPTIONS
)


def _price(silent_usd: float, audio_usd: float | None = None) -> tuple[Price, ...]:
    """Return the prices of a second, without and with audio where they differ."""
    both = ((silent_usd, None),) if audio_usd is None else ((silent_usd, False), (audio_usd, True))
    return tuple(Price(usd, "second", "2026-11-19", _SKILL, audio=audio) for usd, audio in both)


def _by_tier(**usd: float) -> tuple[Price, ...]:
    """Return the prices of a second at each resolution, named as in ``p720``."""
    return tuple(
        Price(price, "second", "2026-11-19", _GUIDE, tier=int(tier.removeprefix("p"))) for tier, price in usd.items()
    )


def _guide(silent_usd: float, audio_usd: float) -> tuple[Price, ...]:
    """Return the prices of a second without and with audio, from the guide."""
    return tuple(replace(price, source=_GUIDE) for price in _price(silent_usd, audio_usd))


def _hosted(
    vendor_id: str, title: str, sizes: tuple[tuple[int, int], ...], durations_s: tuple[float, ...], *params: str,
    prices: tuple[Price, ...] = (), **options: Any,
) -> ModelSpec:  # fmt: skip
    name = "runway-" + vendor_id.replace("_", "-").lower()
    return replace(
        HOSTED, name=name, vendor_id=vendor_id, description=f"{title}, hosted by Runway", sizes=sizes,
        durations_s=durations_s, prices=prices, supported_params=HOSTED.supported_params | set(params),
        options={**HOSTED.options, **options},
    )  # fmt: skip


ROWS = (
    GEN4_TURBO,
    replace(
        GEN4_TURBO,
        name="runway-gen4-aleph",
        vendor_id="gen4_aleph",
        description="Runway Gen-4 Aleph - Video editing",
        durations_s=(5.0,),
        price=Price(0.15, "second", _DAY, _LIST),
        status="retired",
        replacement="runway-gen4.5",
        options={**GEN4_TURBO.options, "prompt_required": True},
    ),
    replace(
        GEN4_TURBO,
        name="runway-gen3a-turbo",
        vendor_id="gen3a_turbo",
        description="Runway Gen-3 Alpha Turbo (5s/10s)",
        sizes=((1280, 768), (768, 1280)),
        status="retired",
        replacement="runway-gen4-turbo",
        options={**GEN4_TURBO.options, "prompt_required": True},
    ),
    replace(
        GEN4_TURBO,
        name="runway-gen4.5",
        vendor_id="gen4.5",
        description="Runway Gen-4.5 - Image to video (2s-10s)",
        durations_s=tuple(float(seconds) for seconds in range(2, 11)),
        price=None,
        prices=_price(0.12),
        options={**GEN4_TURBO.options, "prompt_required": True},
    ),
    _hosted(
        "veo3.1", "Google Veo 3.1", _HD, (4.0, 6.0, 8.0), "seed", "negative_prompt", "audio", prompt_limit=1000,
        prices=_price(0.20, 0.40),
    ),
    _hosted(
        "veo3.1_fast", "Google Veo 3.1 Fast", _HD, (4.0, 6.0, 8.0), "seed", "negative_prompt", "audio",
        prompt_limit=1000, prices=_price(0.10, 0.15),
    ),
    _hosted("kling2.5_turbo_pro", "Kling 2.5 Turbo Pro", _720P, (5.0, 10.0), follows="nothing", prompt_required=True),
    _hosted(
        "kling3.0_standard", "Kling 3.0", ((1280, 720), (720, 1280), (960, 960)), _KLING_S, "audio",
        prices=_guide(0.09, 0.13),
    ),
    _hosted(
        "kling3.0_pro", "Kling 3.0 Pro", ((1920, 1080), (1080, 1920), (1440, 1440)), _KLING_S, "audio",
        prices=_guide(0.12, 0.17),
    ),
    _hosted("kling3.0_4k", "Kling 3.0 at 4K", _4K, _KLING_S, "audio"),
    _hosted("klingO3_standard", "Kling O3", ((1280, 720), (720, 1280), (960, 960)), _KLING_S, "audio"),
    _hosted("klingO3_pro", "Kling O3 Pro", ((1920, 1080), (1080, 1920), (1440, 1440)), _KLING_S, "audio"),
    _hosted("klingO3_4k", "Kling O3 at 4K", _4K, _KLING_S, "audio"),
    _hosted("kling_4", "Kling 4", _720P + _1080P, (), follows="ratio"),
    _hosted(
        "seedance2", "Seedance 2", _SEEDANCE + _SEEDANCE_HD + _SEEDANCE_4K, (), "seed", "audio", prompt_limit=3500,
        prices=_by_tier(p720=0.36, p1080=0.40),
    ),
    _hosted("seedance2_fast", "Seedance 2 Fast", _SEEDANCE, (), "seed", "audio", prompt_limit=3500),
    _hosted("seedance2_mini", "Seedance 2 Mini", _SEEDANCE, (), "seed", "audio", prompt_limit=3500),
    _hosted(
        "seedance2_5", "Seedance 2.5", _SEEDANCE_2_5 + _SEEDANCE_HD, (), "seed", "audio", prompt_limit=15_000,
        prices=_by_tier(p720=0.30, p1080=0.68),
    ),
    _hosted(
        "wan3", "Wan 3", _480P + _720P + _1080P, (), "audio", follows="ratio", prompt_required=True,
        prices=_by_tier(p480=0.05, p720=0.10, p1080=0.20),
    ),
    _hosted("wan3_prime", "Wan 3 Prime", _480P + _720P + _1080P, (), "audio", follows="ratio", prompt_required=True),
    _hosted("gemini_omni_flash", "Gemini Omni Flash", ((1280, 720), (720, 1280)), _GEMINI_S),
    _hosted(
        "gemini_omni_flash_1.1", "Gemini Omni Flash 1.1", (*_HD, (640, 360), (360, 640), *_4K[:2]),
        _GEMINI_S, prompt_required=True,
    ),
    _hosted(
        "grok_imagine_1_5", "Grok Imagine 1.5", _480P + _720P + _1080P, (), follows="resolution",
        prices=_by_tier(p720=0.16),
    ),
    _hosted("grok_imagine_1_5_lite", "Grok Imagine 1.5 Lite", _480P + _720P + _1080P, (), follows="ratio"),
    _hosted(
        "happyhorse_1_0", "HappyHorse 1.0", _720P + _1080P, (), follows="resolution", prompt_limit=2500,
        prices=_by_tier(p720=0.15, p1080=0.30),
    ),
    # Hailuo 3 takes a ratio and a resolution instead of a size.
    _hosted(
        "hailuo3", "Hailuo 3", ((1366, 768), (1024, 768), (768, 768), (768, 1024), (768, 1366)), (),
        ratios=("16:9", "4:3", "1:1", "3:4", "9:16"), resolution="768p", prompt_required=True,
        prices=tuple(replace(price, source=_GUIDE) for price in _price(0.10)),
    ),
    _hosted(
        "h3_max", "MiniMax H3 Max", _768P + _480P, (), "seed", "enhance_prompt", follows="resolution",
        tiers=(480, 768), prompt_required=True,
    ),
)  # fmt: skip
