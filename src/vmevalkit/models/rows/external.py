"""Models that run only in their authors' own code: each has its own checkout and environment, started as a program.

Their options: ``program`` is the command line after the environment's python. Each word is a template; its fields are
listed in models/external_inference.py. ``home`` and ``python`` name the settings of the checkout and of its
interpreter. ``reads`` are the files that the program finds in the work folder.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vmevalkit.models.model import ModelSpec

DYNAMICRAFTER_512 = ModelSpec(
    name="dynamicrafter-512",
    provider="external",
    vendor_id="dynamicrafter_512_v1",
    family="DynamiCrafter",
    description="DynamiCrafter at 512x320, 16 frames",
    adapter="vmevalkit.models.external_inference:ExternalVideos",
    sizes=((512, 320),),
    durations_s=(2.0,),
    fps=8.0,
    keys=("DYNAMICRAFTER_HOME",),
    supported_params=frozenset({"seed", "steps", "auto_pad"}),
)

_CRAFTER = (
    "scripts/evaluation/inference.py", "--seed", "{seed}", "--savedir", "{out}", "--n_samples", "1", "--bs", "1",
    "--height", "{height}", "--width", "{width}", "--ddim_steps", "{steps}", "--ddim_eta", "1.0",
)  # fmt: skip


def _make_dynamicrafter_row(width: int, height: int, frame_stride: int) -> ModelSpec:
    words: tuple[str, ...] = (
        *_CRAFTER,
        "--ckpt_path", f"checkpoints/dynamicrafter_{width}_v1/model.ckpt",
        "--config", f"configs/inference_{width}_v1.0.yaml",
        "--unconditional_guidance_scale", "7.5", "--prompt_dir", "{work}", "--text_input",
        "--video_length", "16", "--frame_stride", str(frame_stride),
    )  # fmt: skip
    if width > 256:
        words += ("--timestep_spacing", "uniform_trailing", "--guidance_rescale", "0.7", "--perframe_ae")
    return replace(
        DYNAMICRAFTER_512,
        name=f"dynamicrafter-{width}",
        vendor_id=f"dynamicrafter_{width}_v1",
        description=f"DynamiCrafter at {width}x{height}, 16 frames",
        sizes=((width, height),),
        options=_make_options("DYNAMICRAFTER", words, f"checkpoints/dynamicrafter_{width}_v1/model.ckpt"),
    )


def _make_options(prefix: str, words: tuple[str, ...], weights: str) -> dict[str, Any]:
    return {
        "fit": "letterbox",
        "colour": (0, 0, 0),
        "home": f"{prefix}_HOME",
        "python": f"{prefix}_PYTHON",
        "program": words,
        "weights": weights,
        "steps": 50,
        "reads": ("prompt.txt", "first_frame.png"),
    }


ROWS = (
    _make_dynamicrafter_row(256, 256, 3),
    _make_dynamicrafter_row(512, 320, 24),
    _make_dynamicrafter_row(1024, 576, 10),
    replace(
        DYNAMICRAFTER_512,
        name="videocrafter2-512",
        vendor_id="i2v_512_v1",
        family="VideoCrafter",
        # Version 2 itself is text to video: it could not see the question.
        description="VideoCrafter at 512x320 by its image model, 16 frames",
        keys=("VIDEOCRAFTER_HOME",),
        options=_make_options(
            "VIDEOCRAFTER",
            (
                *_CRAFTER, "--mode", "i2v", "--ckpt_path", "checkpoints/i2v_512_v1/model.ckpt",
                "--config", "configs/inference_i2v_512_v1.0.yaml", "--unconditional_guidance_scale", "12.0",
                "--prompt_file", "{work}/prompt.txt", "--cond_input", "{work}", "--fps", "8",
            ),
            "checkpoints/i2v_512_v1/model.ckpt",
        ),
    ),
    replace(
        DYNAMICRAFTER_512,
        name="morphic-frames-to-video",
        vendor_id="morphic/Wan2.2-frames-to-video",
        family="Morphic",
        description="Morphic frames to video (Wan 2.2 A14B); it gets the first frame as both ends",
        sizes=((1280, 720), (720, 1280)),
        durations_s=(5.0,),
        fps=16.0,
        keys=("MORPHIC_HOME",),
        options=_make_options(
            "MORPHIC",
            (
                "generate.py", "--task", "i2v-A14B", "--size", "{width}*{height}", "--frame_num", "81",
                "--ckpt_dir", "Wan2.2-I2V-A14B", "--high_noise_lora_weights_path",
                "morphic-frames-lora-weights/lora_interpolation_high_noise_final.safetensors",
                "--image", "{work}/first_frame.png", "--img_end", "{work}/first_frame.png",
                "--base_seed", "{seed}", "--sample_steps", "{steps}", "--prompt={prompt}",
                "--save_file", "{out}/video.mp4",
            ),
            "morphic-frames-lora-weights/lora_interpolation_high_noise_final.safetensors",
        ),
    ),
)  # fmt: skip
