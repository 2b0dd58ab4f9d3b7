"""Hailuo by MiniMax's own API. Videos take the ratio of their first frames."""

from __future__ import annotations

from dataclasses import replace

from vmevalkit.models.model import ModelSpec, Price

_DAY = "2026-11-19"
_LIST = (
    "platform.minimax.io/docs/guides/pricing-paygo, as it was on 2026-09-14; for 10 s docs.comfy.org and fal.ai, which "
    "have MiniMax's prices for 6 s"
)


def _prices(six_usd: float, ten_usd: float) -> tuple[Price, ...]:
    """Return the prices of videos of 6 s and 10 s at 768p."""
    return tuple(Price(usd, "video", _DAY, _LIST, seconds=s) for s, usd in ((6.0, six_usd), (10.0, ten_usd)))


HAILUO_2_3 = ModelSpec(
    name="minimax-hailuo-2.3",
    provider="minimax",
    vendor_id="MiniMax-Hailuo-2.3",
    family="Hailuo",
    description="Hailuo 2.3 at 768p (6s/10s)",
    adapter="vmevalkit.models.minimax_inference:MiniMaxVideos",
    sizes=((1366, 768), (768, 1366), (1024, 1024)),
    durations_s=(6.0, 10.0),
    prices=_prices(0.28, 0.56),
    charged=True,
    keys=("MINIMAX_API_KEY",),
    extra="minimax",
    packages=("httpx",),
    endpoint="MINIMAX_BASE_URL",
    provider_host="minimax.io",
    supported_params=frozenset({"enhance_prompt"}),
    options={"fit": "unchanged", "prompt_required": True, "resolution": "768p"},
)

ROWS = (
    HAILUO_2_3,
    replace(
        HAILUO_2_3, name="minimax-hailuo-2.3-fast", vendor_id="MiniMax-Hailuo-2.3-Fast",
        description="Hailuo 2.3 Fast at 768p (6s/10s)", prices=_prices(0.19, 0.32),
    ),
    replace(
        HAILUO_2_3, name="minimax-hailuo-02", vendor_id="MiniMax-Hailuo-02",
        description="Hailuo 02 at 768p (6s/10s)",
    ),
)  # fmt: skip
