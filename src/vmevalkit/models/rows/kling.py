"""Kling's own API. Videos take the ratio of their first frames; the mode decides about the resolution."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vmevalkit.models.model import ModelSpec, Price

_DAY = "2026-11-19"
_LIST = "the copy of Kling's price list in inference-sh/grid, api/klingai/pricing.md: units of $0.14"
_720P = ((1280, 720), (720, 1280), (960, 960))
_1080P = ((1920, 1080), (1080, 1920), (1440, 1440))

KLING_2_6 = ModelSpec(
    name="kling-2.6-std",
    provider="kling",
    vendor_id="kling-v2-6",
    family="Kling",
    description="Kling 2.6 at 720p (5s/10s), without audio",
    adapter="vmevalkit.models.kling_inference:KlingVideos",
    sizes=_720P,
    durations_s=(5.0, 10.0),
    price=Price(0.042, "second", _DAY, _LIST),
    charged=True,
    keys=("KLING_ACCESS_KEY", "KLING_SECRET_KEY"),
    extra="kling",
    packages=("httpx",),
    endpoint="KLING_BASE_URL",
    provider_host="klingai.com",
    supported_params=frozenset({"negative_prompt"}),
    options={"fit": "unchanged", "prompt_required": True, "mode": "std"},
)


def _with_audio(spec: ModelSpec, name: str, silent_usd: float, audio_usd: float, **changes: Any) -> ModelSpec:
    """Return a row whose videos cost more with audio. Prices are in dollars for a second."""
    prices = tuple(
        Price(usd, "second", _DAY, _LIST, audio=audio) for usd, audio in ((silent_usd, False), (audio_usd, True))
    )
    params = spec.supported_params | {"audio"}
    return replace(spec, name=name, price=None, prices=prices, supported_params=params, **changes)


_PRO = {**KLING_2_6.options, "mode": "pro"}
_UP_TO_15_S = tuple(float(seconds) for seconds in range(3, 16))

ROWS = (
    KLING_2_6,
    _with_audio(
        KLING_2_6, "kling-2.6-pro", 0.07, 0.14, sizes=_1080P, description="Kling 2.6 Pro at 1080p (5s/10s)",
        options=_PRO,
    ),
    _with_audio(
        KLING_2_6, "kling-3.0-std", 0.084, 0.126, vendor_id="kling-v3", durations_s=_UP_TO_15_S,
        description="Kling 3.0 at 720p (3s-15s)",
    ),
    _with_audio(
        KLING_2_6, "kling-3.0-pro", 0.112, 0.168, vendor_id="kling-v3", durations_s=_UP_TO_15_S, sizes=_1080P,
        description="Kling 3.0 Pro at 1080p (3s-15s)", options=_PRO,
    ),
)  # fmt: skip
