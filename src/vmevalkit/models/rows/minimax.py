"""Hailuo by MiniMax's own API. Videos take the ratio of their first frames."""

from __future__ import annotations

from dataclasses import replace

from vmevalkit.models.model import ModelSpec

HAILUO_2_3 = ModelSpec(
    name="minimax-hailuo-2.3",
    provider="minimax",
    vendor_id="MiniMax-Hailuo-2.3",
    family="Hailuo",
    description="Hailuo 2.3 at 768p (6s/10s)",
    adapter="vmevalkit.models.minimax_inference:MiniMaxVideos",
    sizes=((1366, 768), (768, 1366), (1024, 1024)),
    durations_s=(6.0, 10.0),
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
        description="Hailuo 2.3 Fast at 768p (6s/10s)",
    ),
    replace(
        HAILUO_2_3, name="minimax-hailuo-02", vendor_id="MiniMax-Hailuo-02",
        description="Hailuo 02 at 768p (6s/10s)",
    ),
)  # fmt: skip
