"""Runway's own models, and those of others that Runway hosts behind the same API.

Sizes and lengths are those that runwayml 5.24 lists; where it lists no lengths, the provider decides.
"""

from __future__ import annotations

from dataclasses import replace

from vmevalkit.models.model import ModelSpec, Price

_DAY = "2026-11-16"
_LIST = "the price list of LiteLLM, citing docs.dev.runwayml.com/guides/pricing"
_GEN4 = ((1280, 720), (720, 1280), (1104, 832), (832, 1104), (960, 960), (1584, 672))
_HD = ((1280, 720), (720, 1280), (1920, 1080), (1080, 1920))
_480P = ((832, 480), (720, 544), (624, 624), (544, 720), (480, 832))
_720P = ((1280, 720), (1104, 832), (960, 960), (832, 1104), (720, 1280))
_1080P = ((1920, 1080), (1648, 1248), (1440, 1440), (1248, 1648), (1080, 1920))
_SEEDANCE = (
    (992, 432), (864, 496), (752, 560), (640, 640), (560, 752), (496, 864),
    (1470, 630), (1280, 720), (1112, 834), (960, 960), (834, 1112), (720, 1280),
)  # fmt: skip
_KLING_S = tuple(float(seconds) for seconds in range(3, 16))
_WHOLE_S = tuple(float(seconds) for seconds in range(3, 11))

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
    home="runwayml.com",
    takes=frozenset({"seed", "auto_pad"}),
    options={"fit": "letterbox", "colour": (0, 0, 0), "usd_per_credit": 0.01},
)

HOSTED = replace(GEN4_TURBO, family="Runway (hosted)", price=None, takes=frozenset({"auto_pad"}))


def _hosted(
    vendor_id: str, described: str, sizes: tuple[tuple[int, int], ...], durations_s: tuple[float, ...], *took: str
) -> ModelSpec:
    name = "runway-" + vendor_id.replace("_", "-").lower()
    return replace(
        HOSTED, name=name, vendor_id=vendor_id, description=f"{described}, hosted by Runway", sizes=sizes,
        durations_s=durations_s, takes=HOSTED.takes | set(took),
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
    ),
    replace(
        GEN4_TURBO,
        name="runway-gen3a-turbo",
        vendor_id="gen3a_turbo",
        description="Runway Gen-3 Alpha Turbo (5s/10s)",
        sizes=((1280, 768), (768, 1280)),
        status="retired",
        replacement="runway-gen4-turbo",
    ),
    replace(
        GEN4_TURBO,
        name="runway-gen4.5",
        vendor_id="gen4.5",
        description="Runway Gen-4.5 - Image to video (2s-10s)",
        durations_s=tuple(float(seconds) for seconds in range(2, 11)),
        price=None,
    ),
    _hosted("veo3.1", "Google Veo 3.1", _HD, (4.0, 6.0, 8.0), "seed", "negative_prompt", "audio"),
    _hosted("veo3.1_fast", "Google Veo 3.1 Fast", _HD, (4.0, 6.0, 8.0), "seed", "negative_prompt", "audio"),
    _hosted("kling3.0_standard", "Kling 3.0", ((1280, 720), (720, 1280), (960, 960)), _KLING_S, "audio"),
    _hosted("kling3.0_pro", "Kling 3.0 Pro", ((1920, 1080), (1080, 1920), (1440, 1440)), _KLING_S, "audio"),
    _hosted("klingO3_standard", "Kling O3", ((1280, 720), (720, 1280), (960, 960)), _KLING_S, "audio"),
    _hosted("klingO3_pro", "Kling O3 Pro", ((1920, 1080), (1080, 1920), (1440, 1440)), _KLING_S, "audio"),
    _hosted("seedance2", "Seedance 2", _SEEDANCE, (), "seed", "audio"),
    _hosted("seedance2_fast", "Seedance 2 Fast", _SEEDANCE, (), "seed", "audio"),
    _hosted("wan3", "Wan 3", _480P + _720P + _1080P, (), "audio"),
    _hosted("wan3_prime", "Wan 3 Prime", _480P + _720P + _1080P, (), "audio"),
    _hosted("gemini_omni_flash_1.1", "Gemini Omni Flash 1.1", _HD, _WHOLE_S),
    replace(
        _hosted("hailuo3", "Hailuo 3", ((1366, 768), (1024, 768), (768, 768), (768, 1024), (768, 1366)), ()),
        # It is asked for a shape and a resolution in words.
        options={**GEN4_TURBO.options, "ratios": ("16:9", "4:3", "1:1", "3:4", "9:16"), "resolution": "768p"},
    ),
)
