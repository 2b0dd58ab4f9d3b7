"""Models through Replicate. Fields and lengths are those of the models' own pages there.

The options are described in models/_aggregator.py. Videos take the ratio of their first frames.
"""

from __future__ import annotations

from dataclasses import replace

from vmevalkit.models.model import ModelSpec

HAILUO_2_3 = ModelSpec(
    name="replicate-hailuo-2.3",
    provider="replicate",
    vendor_id="minimax/hailuo-2.3",
    family="Replicate",
    description="Hailuo 2.3 at 768p through Replicate (6s/10s)",
    adapter="vmevalkit.models.replicate_inference:ReplicateVideos",
    sizes=((1366, 768), (768, 1366), (1024, 1024)),
    durations_s=(6.0, 10.0),
    charged=True,
    keys=("REPLICATE_API_TOKEN",),
    extra="replicate",
    packages=("httpx",),
    endpoint="REPLICATE_BASE_URL",
    provider_host="api.replicate.com",
    supported_params=frozenset({"enhance_prompt"}),
    options={
        "fit": "unchanged",
        "prompt_required": True,
        "resolution": "768p",
        "fields": {
            "prompt": "prompt", "image": "first_frame_image", "seconds": "duration", "resolution": "resolution",
            "enhance_prompt": "prompt_optimizer",
        },
    },
)  # fmt: skip

ROWS = (
    HAILUO_2_3,
    replace(
        HAILUO_2_3,
        name="replicate-hailuo-02",
        vendor_id="minimax/hailuo-02",
        description="Hailuo 02 at 768p through Replicate (6s/10s)",
    ),
)
