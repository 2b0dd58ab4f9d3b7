"""Models with open weights that the diffusers library runs on this machine.

Their options: ``pipeline`` is the class in diffusers. A video of s seconds has s x fps frames, rounded to a count that
the pipeline supports: one more than a multiple of ``frame_step``. ``frames`` is the count where only one is supported.
Width and height must be multiples of ``size_step``. ``steps`` and ``guidance`` are set where the pipeline's defaults do
not suit the weights. ``revision`` is the branch of the weights, where it is not the main one. ``conditioning`` says
what the pipeline needs besides the first frame: ``last_image`` (the first frame again, because no model sees an answer)
or ``masked_video`` (the first frame, and blank frames to fill in).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vmevalkit.models.model import ModelSpec

_BASE = ModelSpec(
    name="",
    provider="diffusers",
    vendor_id="",
    family="",
    adapter="vmevalkit.models.diffusers_inference:DiffusersVideos",
    extra="local",
    packages=("torch", "diffusers", "transformers", "accelerate"),
    supported_params=frozenset({"seed", "negative_prompt", "steps", "guidance", "frames", "auto_pad"}),
)


def _row(
    name: str, vendor_id: str, family: str, description: str, sizes: tuple[tuple[int, int], ...],
    durations_s: tuple[float, ...], fps: float, **options: Any,
) -> ModelSpec:  # fmt: skip
    """Return a row with these options, and ``letterbox`` as the fit."""
    return replace(
        _BASE, name=name, vendor_id=vendor_id, family=family, description=description, sizes=sizes,
        durations_s=durations_s, fps=fps, options={"fit": "letterbox", "colour": (0, 0, 0), **options},
    )  # fmt: skip


def _wan(
    name: str, vendor_id: str, description: str, sizes: tuple[tuple[int, int], ...], fps: float = 16.0, **options: Any
) -> ModelSpec:
    row = _row(
        name, vendor_id, "WAN", description, sizes, _UP_TO_5_S, fps,
        **{"pipeline": "WanImageToVideoPipeline", "frame_step": 4, "size_step": 16, **options},
    )  # fmt: skip
    return replace(row, packages=(*row.packages, "ftfy"))


def _cosmos(name: str, vendor_id: str, description: str) -> ModelSpec:
    row = _row(
        name, vendor_id, "Cosmos", description, ((1280, 704),), (5.81,), 16.0,
        pipeline="Cosmos2_5_PredictBasePipeline", frames=93, size_step=16, revision="diffusers/base/post-trained",
    )  # fmt: skip
    return replace(row, packages=(*row.packages, "cosmos_guardrail"))


def _both_ways(width: int, height: int) -> tuple[tuple[int, int], ...]:
    return ((width, height), (height, width))


_WAN_480P, _WAN_720P = _both_ways(832, 480), _both_ways(1280, 720)
_UP_TO_5_S, _UP_TO_10_S = (2.0, 3.0, 4.0, 5.0), (2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_LTX: dict[str, Any] = {"frame_step": 8, "size_step": 32}
_DISTILLED: dict[str, Any] = {"steps": 8, "guidance": 1.0}

ROWS = (
    _row(
        "ltx-video", "Lightricks/LTX-Video", "LTX-Video", "LTX-Video 2B",
        _both_ways(704, 480), _UP_TO_10_S, 24.0, pipeline="LTXImageToVideoPipeline", **_LTX,
    ),
    _row(
        "ltx-video-2b-distilled", "Lightricks/LTX-Video", "LTX-Video", "LTX-Video 2B 0.9.8, distilled",
        _both_ways(704, 480), _UP_TO_10_S, 24.0, pipeline="LTXConditionPipeline",
        file="ltxv-2b-0.9.8-distilled.safetensors", **_LTX, **_DISTILLED,
    ),
    _row(
        "ltx-video-13b-dev", "Lightricks/LTX-Video-0.9.7-dev", "LTX-Video", "LTX-Video 13B, not distilled",
        _both_ways(832, 480), _UP_TO_10_S, 24.0, pipeline="LTXConditionPipeline", **_LTX,
    ),
    _row(
        "ltx-video-13b-distilled", "Lightricks/LTX-Video-0.9.8-13B-distilled", "LTX-Video",
        "LTX-Video 13B, distilled", _both_ways(832, 480), _UP_TO_10_S, 24.0, pipeline="LTXConditionPipeline",
        **_LTX, **_DISTILLED,
    ),
    _row(
        "ltx-2", "Lightricks/LTX-2", "LTX-2", "LTX-2 19B; its audio is dropped",
        _both_ways(768, 512), _UP_TO_10_S, 24.0, pipeline="LTX2ImageToVideoPipeline", **_LTX,
    ),
    _row(
        "ltx-2.3", "diffusers/LTX-2.3-Diffusers", "LTX-2", "LTX-2.3 22B; its audio is dropped",
        _both_ways(768, 512), _UP_TO_10_S, 24.0, pipeline="LTX2ImageToVideoPipeline", **_LTX,
    ),
    _row(
        "kandinsky-5-i2v-pro", "kandinskylab/Kandinsky-5.0-I2V-Pro-sft-5s-Diffusers", "Kandinsky",
        "Kandinsky 5.0 Pro 19B", _both_ways(768, 512), _UP_TO_5_S, 24.0, pipeline="Kandinsky5I2VPipeline",
        frame_step=4, size_step=16,
    ),
    _cosmos(
        "cosmos-predict2.5-2b", "nvidia/Cosmos-Predict2.5-2B",
        "Cosmos-Predict2.5 2B, 93 frames; its weights need a licence that is accepted on Hugging Face",
    ),
    _row(
        "hunyuan-video-i2v", "hunyuanvideo-community/HunyuanVideo-I2V", "HunyuanVideo", "HunyuanVideo 13B",
        _both_ways(1280, 720), _UP_TO_5_S, 24.0, pipeline="HunyuanVideoImageToVideoPipeline", frame_step=4,
        size_step=16,
    ),
    _row(
        "hunyuan-video-1.5-i2v", "hunyuanvideo-community/HunyuanVideo-1.5-480p_i2v", "HunyuanVideo",
        "HunyuanVideo 1.5 8B", _both_ways(848, 480), _UP_TO_5_S, 24.0,
        pipeline="HunyuanVideo15ImageToVideoPipeline", frame_step=4, size_step=16,
    ),
    _wan("wan-2.1-i2v-480p", "Wan-AI/Wan2.1-I2V-14B-480P-Diffusers", "Wan 2.1 14B at 480p", _WAN_480P),
    _wan("wan-2.1-i2v-720p", "Wan-AI/Wan2.1-I2V-14B-720P-Diffusers", "Wan 2.1 14B at 720p", _WAN_720P),
    _wan(
        "wan-2.1-flf2v-720p", "Wan-AI/Wan2.1-FLF2V-14B-720P-diffusers",
        "Wan 2.1 14B between two frames; it gets the first frame as both", _WAN_720P, conditioning="last_image",
    ),
    _wan(
        "wan-2.1-vace-14b", "Wan-AI/Wan2.1-VACE-14B-diffusers", "Wan 2.1 VACE 14B; it continues the first frame",
        (*_WAN_720P, *_WAN_480P), pipeline="WanVACEPipeline", conditioning="masked_video",
    ),
    _wan(
        "wan-2.1-vace-1.3b", "Wan-AI/Wan2.1-VACE-1.3B-diffusers", "Wan 2.1 VACE 1.3B; it continues the first frame",
        _WAN_480P, pipeline="WanVACEPipeline", conditioning="masked_video",
    ),
    _wan(
        "wan-2.2-i2v-a14b", "Wan-AI/Wan2.2-I2V-A14B-Diffusers", "Wan 2.2 A14B (two experts)",
        (*_WAN_720P, *_WAN_480P),
    ),
    _wan("wan-2.2-ti2v-5b", "Wan-AI/Wan2.2-TI2V-5B-Diffusers", "Wan 2.2 5B", _both_ways(1280, 704), 24.0, size_step=32),
    *(
        _row(
            f"skyreels-v2-i2v-{size.lower()}", f"Skywork/SkyReels-V2-I2V-{size}-540P-Diffusers", "SkyReels",
            f"SkyReels V2 {size} at 540p", _both_ways(960, 544), _UP_TO_5_S, 24.0,
            pipeline="SkyReelsV2ImageToVideoPipeline", frame_step=4, size_step=16,
        )
        for size in ("1.3B", "14B")
    ),
    replace(
        _row(
            "svd", "stabilityai/stable-video-diffusion-img2vid-xt", "Stable Video Diffusion",
            "Stable Video Diffusion XT, 25 frames; it ignores the prompt", _both_ways(1024, 576), (3.57,), 7.0,
            pipeline="StableVideoDiffusionPipeline", frames=25, size_step=64,
        ),
        supported_params=_BASE.supported_params - {"negative_prompt", "guidance"},
    ),
    _row(
        "cogvideox-5b-i2v", "THUDM/CogVideoX-5b-I2V", "CogVideoX", "CogVideoX 5B, 49 frames",
        ((720, 480),), (6.0,), 8.0, pipeline="CogVideoXImageToVideoPipeline", frame_step=4, size_step=16,
    ),
    _row(
        "cogvideox1.5-5b-i2v", "THUDM/CogVideoX1.5-5B-I2V", "CogVideoX", "CogVideoX 1.5 5B",
        _both_ways(1360, 768), (5.0, 10.0), 16.0, pipeline="CogVideoXImageToVideoPipeline", frame_step=16,
        size_step=16,
    ),
    _row(
        "sana", "Efficient-Large-Model/SANA-Video_2B_480p_diffusers", "SANA-Video",
        "SANA-Video 2B at 480p, by its short name", _both_ways(832, 480), _UP_TO_5_S, 16.0,
        pipeline="SanaImageToVideoPipeline", frame_step=4, size_step=32,
    ),
    _row(
        "sana-video-2b-480p", "Efficient-Large-Model/SANA-Video_2B_480p_diffusers", "SANA-Video",
        "SANA-Video 2B at 480p", _both_ways(832, 480), _UP_TO_5_S, 16.0,
        pipeline="SanaImageToVideoPipeline", frame_step=4, size_step=32,
    ),
)  # fmt: skip
