"""Models through fal. Fields, lengths and prices are those of the models' own pages at fal.

The options are described in models/_aggregator.py. Videos take the ratio of their first frames.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vmevalkit.models.model import ModelSpec, Price

_DAY = "2026-11-18"
_HD = ((1280, 720), (720, 1280), (960, 960), (1920, 1080), (1080, 1920))
_768P = ((1366, 768), (768, 1366), (1024, 1024))

FAL = ModelSpec(
    name="fal",
    provider="fal",
    vendor_id="",
    family="fal",
    adapter="vmevalkit.models.fal_inference:FalVideos",
    charged=True,
    keys=("FAL_KEY",),
    extra="fal",
    packages=("httpx",),
    endpoint="FAL_QUEUE_URL",
    provider_host="queue.fal.run",
    supported_params=frozenset(),
    options={"fit": "unchanged", "fields": {"prompt": "prompt", "image": "image_url"}, "prompt_required": True},
)


def _row(
    name: str, vendor_id: str, title: str, sizes: tuple[tuple[int, int], ...], durations_s: tuple[float, ...],
    prices: tuple[tuple[float, float | None, int | None], ...], fields: dict[str, str], *params: str, **options: Any,
) -> ModelSpec:  # fmt: skip
    """Return a row. Each price is in dollars, for a video of a length (None: per second), at a resolution (None: any);
    ``fields`` are those beside the prompt and the image."""
    source = f"fal.ai/models/{vendor_id}"
    mapped = {**FAL.options["fields"], **fields}
    return replace(
        FAL, name=f"fal-{name}", vendor_id=vendor_id, description=f"{title} through fal, without audio", sizes=sizes,
        durations_s=durations_s, supported_params=frozenset(params),
        prices=tuple(
            Price(usd, "second" if seconds is None else "video", _DAY, source, seconds=seconds, tier=tier)
            for usd, seconds, tier in prices
        ),
        options={**FAL.options, "fields": mapped, "prompt_required": True, **options},
    )  # fmt: skip


ROWS = (
    _row(
        "pixverse-5.6", "fal-ai/pixverse/v5.6/image-to-video", "PixVerse 5.6", _HD, (5.0, 8.0),
        ((0.45, 5, 720), (0.90, 8, 720), (0.75, 5, 1080), (1.50, 8, 1080)),
        {"seconds": "duration", "resolution": "resolution"}, seconds_format="{}",
    ),
    _row(
        "kling-2.6-pro", "fal-ai/kling-video/v2.6/pro/image-to-video", "Kling 2.6 Pro", _HD[:3], (5.0, 10.0),
        ((0.07, None, None),),
        {"image": "start_image_url", "seconds": "duration", "negative_prompt": "negative_prompt",
         "audio": "generate_audio"}, "negative_prompt", seconds_format="{}",
    ),
    _row(
        "hailuo-02-standard", "fal-ai/minimax/hailuo-02/standard/image-to-video", "Hailuo 02 at 768p", _768P,
        (6.0, 10.0), ((0.045, None, None),), {"seconds": "duration", "enhance_prompt": "prompt_optimizer"},
        "enhance_prompt", seconds_format="{}",
    ),
    _row(
        "hailuo-02-pro", "fal-ai/minimax/hailuo-02/pro/image-to-video", "Hailuo 02 Pro at 1080p", _HD[3:], (6.0,),
        ((0.08, None, None),), {"enhance_prompt": "prompt_optimizer"}, "enhance_prompt",
    ),
    _row(
        "hailuo-2.3-fast", "fal-ai/minimax/hailuo-2.3-fast/standard/image-to-video", "Hailuo 2.3 Fast at 768p", _768P,
        (6.0, 10.0), ((0.19, 6, None), (0.32, 10, None)), {"seconds": "duration", "enhance_prompt": "prompt_optimizer"},
        "enhance_prompt", seconds_format="{}",
    ),
    _row(
        "vidu-q1", "fal-ai/vidu/q1/image-to-video", "Vidu Q1 at 1080p", _HD[3:], (5.0,), ((0.40, 5, None),),
        {"seed": "seed"}, "seed", prompt_limit=1500,
    ),
)  # fmt: skip
