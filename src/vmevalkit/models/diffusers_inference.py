"""Models with open weights, run on this machine by the diffusers library. One adapter serves all pipelines.

Settings: ``VMEVALKIT_WEIGHTS`` (a folder of weights), ``VMEVALKIT_DEVICE``, ``VMEVALKIT_DTYPE``, ``VMEVALKIT_OFFLOAD``
(none, model or sequential), ``VMEVALKIT_SIZE``, ``VMEVALKIT_FRAMES``, ``VMEVALKIT_STEPS``, ``VMEVALKIT_GUIDANCE``.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.errors import ModelError, SetupError, UsageError
from vmevalkit.core.records import Placement, Request
from vmevalkit.core.settings import setting
from vmevalkit.media.image import Frame, Size
from vmevalkit.media.video import write_video
from vmevalkit.models.local_params import LocalParams, fit_first_frame
from vmevalkit.models.model import ModelSpec
from vmevalkit.models.weights import describe_download, find_weights_folder, is_offline

DTYPES = ("bfloat16", "float16", "float32")
OFFLOADS = ("none", "model", "sequential")
CRF = 12
"""Better quality than the default: these frames were not compressed before, and scorers read small details."""


@dataclass(frozen=True, slots=True)
class PipelineConfig:
    """The settings that decide which pipeline is loaded and how."""

    pipeline: str
    weights: str
    """A folder, or a Hugging Face id."""
    file: str | None
    """The single file of weights to load, instead of the whole repository."""
    revision: str | None
    """The branch of the repository; None for the main one."""
    device: str
    dtype: str
    offload: str
    local_files_only: bool


class DiffusersVideos:
    """A pipeline of diffusers as a local model. The weights are loaded for the first video."""

    def __init__(self, spec: ModelSpec) -> None:
        self._spec = spec

    @property
    def spec(self) -> ModelSpec:
        return self._spec

    def generate(self, request: Request, into: Path) -> Placement | None:
        self._spec.validate(request)
        params = LocalParams.from_request(self._spec, request)
        image, placement = fit_first_frame(self._spec, request, params.size)
        pipeline = self._load_pipeline()
        video = _run_pipeline(pipeline, _build_arguments(pipeline, self._spec, request.prompt, image, params))
        write_video(into, _to_frames(video), params.fps, crf=CRF)
        return rescale_placement(placement, (video.shape[2], video.shape[1]))

    def _load_pipeline(self) -> Any:
        config = _make_config(self._spec)
        try:
            return _load_cached(config)
        except (OSError, ValueError) as error:
            where = f"{config.weights} with HF_HUB_OFFLINE set" if config.local_files_only else config.weights
            raise SetupError(
                f"{self._spec.name} finds no usable weights in {where}: {error}; {describe_download(self._spec)}"
            ) from error


def _make_config(spec: ModelSpec) -> PipelineConfig:
    import torch

    device = setting("VMEVALKIT_DEVICE") or ("cuda" if torch.cuda.is_available() else "cpu")
    folder = find_weights_folder(spec)
    offload = _read_choice("VMEVALKIT_OFFLOAD", OFFLOADS, "none")
    if offload != "none" and device == "cpu":
        raise UsageError(
            f"VMEVALKIT_OFFLOAD is {offload!r} and the device is cpu: offloading needs a GPU; set it to none"
        )
    return PipelineConfig(
        pipeline=str(spec.options["pipeline"]),
        weights=str(folder or spec.vendor_id),
        file=spec.options.get("file"),
        revision=None if folder else spec.options.get("revision"),
        device=device,
        dtype=_read_choice("VMEVALKIT_DTYPE", DTYPES, "float32" if device == "cpu" else "bfloat16"),
        offload=offload,
        local_files_only=folder is not None or is_offline(),
    )


def _read_choice(name: str, known: tuple[str, ...], default: str) -> str:
    value = setting(name) or default
    if value not in known:
        raise UsageError(f"{name} is {value!r}; it must be one of {', '.join(known)}")
    return value


@lru_cache(maxsize=1)  # one model fills the memory: the next one replaces it
def _load_cached(config: PipelineConfig) -> Any:
    import diffusers
    import torch

    _disable_progress_bars()
    kind = getattr(diffusers, config.pipeline, None)
    if kind is None:
        raise SetupError(f"diffusers {diffusers.__version__} has no {config.pipeline}; pip install -U diffusers")
    dtype = getattr(torch, config.dtype)
    if config.file and not (Path(config.weights) / "model_index.json").is_file():
        pipeline = kind.from_single_file(
            _locate_single_file(config), dtype=dtype, local_files_only=config.local_files_only
        )
    else:
        pipeline = kind.from_pretrained(
            config.weights, dtype=dtype, local_files_only=config.local_files_only, revision=config.revision
        )
    pipeline.set_progress_bar_config(disable=True)
    if config.offload == "model":
        pipeline.enable_model_cpu_offload(device=config.device)
    elif config.offload == "sequential":
        pipeline.enable_sequential_cpu_offload(device=config.device)
    else:
        pipeline.to(config.device)
    return pipeline


def _disable_progress_bars() -> None:
    """Disable progress bars, which would break the runner's own. Warnings stay."""
    from diffusers.utils import logging as diffusers_logging
    from transformers.utils import logging as transformers_logging

    diffusers_logging.disable_progress_bar()
    transformers_logging.disable_progress_bar()


def _locate_single_file(config: PipelineConfig) -> str:
    path = Path(config.weights) / str(config.file)
    return str(path) if path.is_file() else f"https://huggingface.co/{config.weights}/blob/main/{config.file}"


def _build_arguments(pipeline: Any, spec: ModelSpec, prompt: str, image: Frame, params: LocalParams) -> dict[str, Any]:
    """Return the arguments that this pipeline's ``__call__`` accepts, out of all known ones."""
    import torch

    width, height = params.size
    arguments: dict[str, Any] = {
        "prompt": prompt,
        "negative_prompt": params.negative_prompt,
        "width": width,
        "height": height,
        "num_frames": params.frames,
        "frames": params.frames,
        "frame_rate": params.fps,
        "num_inference_steps": params.steps,
        "guidance_scale": params.guidance,
        "generator": torch.Generator("cpu").manual_seed(params.seed),
        "output_type": "np",
        # The image has the right size already; a pipeline that rounds the size to its own bins would shift the image.
        "use_resolution_binning": False,
        **_build_image_arguments(spec, image, params.frames),
    }
    accepted = inspect.signature(pipeline.__call__).parameters
    return {name: value for name, value in arguments.items() if name in accepted and value is not None}


def _build_image_arguments(spec: ModelSpec, image: Frame, frames: int) -> dict[str, Any]:
    from PIL import Image

    first = Image.fromarray(image)
    conditioning = spec.options.get("conditioning")
    if conditioning == "masked_video":
        blank, fill, keep = (Image.new(mode, first.size, tone) for mode, tone in (("RGB", 128), ("L", 255), ("L", 0)))
        return {"video": [first] + [blank] * (frames - 1), "mask": [keep] + [fill] * (frames - 1)}
    return {"image": first, "last_image": first} if conditioning == "last_image" else {"image": first}


def _run_pipeline(pipeline: Any, arguments: dict[str, Any]) -> NDArray[Any]:
    """Return the generated frames, from 0 to 1. Their count and size may differ from the request."""
    import torch

    try:
        with torch.inference_mode():
            result = pipeline(**arguments)
    except torch.OutOfMemoryError as error:
        raise ModelError(
            f"{type(pipeline).__name__} ran out of memory: {error}; set VMEVALKIT_OFFLOAD to model or sequential, or "
            "use a smaller size or fewer frames"
        ) from error
    video: NDArray[Any] = np.asarray(result.frames[0])
    if video.ndim != 4 or video.shape[-1] != 3 or not len(video):
        raise ModelError(f"{type(pipeline).__name__} returned the shape {video.shape}, not a video of RGB frames")
    if not np.isfinite(video).all():
        raise ModelError(
            f"{type(pipeline).__name__} returned infinite or NaN values; set VMEVALKIT_DTYPE to bfloat16 or float32"
        )
    return video


def _to_frames(video: NDArray[Any]) -> Iterator[Frame]:
    return (np.asarray(np.clip(frame, 0, 1) * 255 + 0.5, np.uint8) for frame in video)


def rescale_placement(placement: Placement, size: Size) -> Placement:
    """Return the placement on an output of another size. A pipeline that changes the size scales the image to cover
    it and crops the rest."""
    if placement.canvas == size:
        return placement
    (width, height), (left, top, across, down) = placement.canvas, placement.box
    scale = max(size[0] / width, size[1] / height)
    x, y = (size[0] - width * scale) / 2, (size[1] - height * scale) / 2
    return Placement(size, (left * scale + x, top * scale + y, across * scale, down * scale), placement.colour)
