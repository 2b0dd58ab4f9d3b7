"""Models through fal. Fields, lengths and prices are those of the models' own pages at fal.

The options are described in models/_aggregator.py. Videos take the ratio of their first frames.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vmevalkit.models.model import ModelSpec, Price

_DAY, _LATER = "2026-11-18", "2026-11-19"
_HD = ((1280, 720), (720, 1280), (960, 960), (1920, 1080), (1080, 1920))
_FROM_480P = ((832, 480), (480, 832), (624, 624), *_HD)
_FROM_1080P = (*_HD[3:], (2560, 1440), (1440, 2560), (3840, 2160), (2160, 3840))
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
    prices: tuple[tuple[float, float | None, int | None], ...], fields: dict[str, str], *params: str,
    audio: str = "without audio", day: str = _DAY, **options: Any,
) -> ModelSpec:  # fmt: skip
    """Return a row. Each price is in dollars, for a video of a length (None: per second), at a resolution (None: any);
    ``fields`` are those beside the prompt and the image."""
    source = f"fal.ai/models/{vendor_id}"
    mapped = {**FAL.options["fields"], **fields}
    return replace(
        FAL, name=f"fal-{name}", vendor_id=vendor_id, description=f"{title} through fal, {audio}", sizes=sizes,
        durations_s=durations_s, supported_params=frozenset(params),
        prices=tuple(
            Price(usd, "second" if seconds is None else "video", day, source, seconds=seconds, tier=tier)
            for usd, seconds, tier in prices
        ),
        options={**FAL.options, "fields": mapped, "prompt_required": True, **options},
    )  # fmt: skip


_WAN = {
    "seconds": "duration", "resolution": "resolution", "negative_prompt": "negative_prompt", "seed": "seed",
    "enhance_prompt": "enable_prompt_expansion",
}  # fmt: skip
_WAN_PARAMS = ("negative_prompt", "seed", "enhance_prompt")
_OPTIMIZER = {"seconds": "duration", "enhance_prompt": "prompt_optimizer"}
_VIDU_S = tuple(float(seconds) for seconds in range(2, 9))

ROWS = (
    _row(
        "wan-2.5", "fal-ai/wan-25-preview/image-to-video", "Wan 2.5", _FROM_480P, (5.0, 10.0),
        ((0.05, None, 480), (0.10, None, 720), (0.15, None, 1080)), _WAN, *_WAN_PARAMS, audio="with audio",
        seconds_format="{}", prompt_limit=800, day=_LATER,
    ),
    _row(
        "wan-2.6", "wan/v2.6/image-to-video", "Wan 2.6", _HD, (5.0, 10.0, 15.0),
        ((0.10, None, 720), (0.15, None, 1080)), _WAN, *_WAN_PARAMS, audio="with audio",
        seconds_format="{}", prompt_limit=800, constants={"multi_shots": False}, day=_LATER,
    ),
    _row(
        "wan-2.7", "fal-ai/wan/v2.7/image-to-video", "Wan 2.7", _HD, tuple(float(seconds) for seconds in range(2, 16)),
        ((0.10, None, 720), (0.15, None, 1080)), _WAN, *_WAN_PARAMS, audio="with audio", prompt_limit=5000, day=_LATER,
    ),
    _row(
        "pika-2.2", "fal-ai/pika/v2.2/image-to-video", "Pika 2.2", _HD, (5.0,), ((0.20, 5, 720), (0.45, 5, 1080)),
        {"seconds": "duration", "resolution": "resolution", "negative_prompt": "negative_prompt", "seed": "seed"},
        "negative_prompt", "seed", day=_LATER,
    ),
    _row(
        "ltx-2.3", "fal-ai/ltx-2.3/image-to-video", "LTX-2.3 Pro", _FROM_1080P, (6.0, 8.0, 10.0),
        ((0.06, None, 1080), (0.12, None, 1440), (0.24, None, 2160)),
        {"seconds": "duration", "resolution": "resolution", "audio": "generate_audio"}, day=_LATER,
    ),
    _row(
        "vidu-q2-pro", "fal-ai/vidu/q2/image-to-video/pro", "Vidu Q2 Pro", _HD, _VIDU_S,
        tuple(
            (round(base + per_second * seconds, 2), seconds, tier)
            for base, per_second, tier in ((0.10, 0.05, 720), (0.30, 0.10, 1080)) for seconds in _VIDU_S
        ),
        {"seconds": "duration", "resolution": "resolution", "seed": "seed"}, "seed", prompt_limit=3000, day=_LATER,
    ),
    _row(
        "hailuo-2.3-standard", "fal-ai/minimax/hailuo-2.3/standard/image-to-video", "Hailuo 2.3 at 768p", _768P,
        (6.0, 10.0), ((0.28, 6, None), (0.56, 10, None)), _OPTIMIZER, "enhance_prompt", seconds_format="{}", day=_LATER,
    ),
    _row(
        "hailuo-2.3-pro", "fal-ai/minimax/hailuo-2.3/pro/image-to-video", "Hailuo 2.3 Pro at 1080p", _HD[3:], (6.0,),
        ((0.49, 6, None),), {"enhance_prompt": "prompt_optimizer"}, "enhance_prompt", day=_LATER,
    ),
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
        (6.0, 10.0), ((0.045, None, None),), _OPTIMIZER,
        "enhance_prompt", seconds_format="{}",
    ),
    _row(
        "hailuo-02-pro", "fal-ai/minimax/hailuo-02/pro/image-to-video", "Hailuo 02 Pro at 1080p", _HD[3:], (6.0,),
        ((0.08, None, None),), {"enhance_prompt": "prompt_optimizer"}, "enhance_prompt",
    ),
    _row(
        "hailuo-2.3-fast", "fal-ai/minimax/hailuo-2.3-fast/standard/image-to-video", "Hailuo 2.3 Fast at 768p", _768P,
        (6.0, 10.0), ((0.19, 6, None), (0.32, 10, None)), _OPTIMIZER,
        "enhance_prompt", seconds_format="{}",
    ),
    _row(
        "vidu-q1", "fal-ai/vidu/q1/image-to-video", "Vidu Q1 at 1080p", _HD[3:], (5.0,), ((0.40, 5, None),),
        {"seed": "seed"}, "seed", prompt_limit=1500,
    ),
)  # fmt: skip
