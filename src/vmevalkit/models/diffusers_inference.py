"""Models with open weights, run on this machine by the diffusers library: one adapter for all of its pipelines.

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
from vmevalkit.media.picture import Frame, Size
from vmevalkit.media.video import write_video
from vmevalkit.models.local_wishes import Wishes, fitted
from vmevalkit.models.model import ModelSpec
from vmevalkit.models.weights import how_to_get, offline, weights_folder

DTYPES = ("bfloat16", "float16", "float32")
OFFLOADS = ("none", "model", "sequential")
CRF = 12
"""Finer than usual: these frames were never compressed, and a scorer reads small things in them."""


@dataclass(frozen=True, slots=True)
class Loading:
    """All that decides what is held in memory."""

    pipeline: str
    weights: str
    """A folder, or the id at Hugging Face."""
    file: str | None
    """The one file of weights in it, where the rest is not to be loaded."""
    device: str
    dtype: str
    offload: str
    only_local: bool


class DiffusersVideos:
    """A pipeline of diffusers as a local model. The weights are loaded when the first film is asked for."""

    def __init__(self, spec: ModelSpec) -> None:
        self._spec = spec

    @property
    def spec(self) -> ModelSpec:
        return self._spec

    def generate(self, request: Request, into: Path) -> Placement | None:
        self._spec.allow(request)
        wishes = Wishes.of(self._spec, request)
        picture, placement = fitted(self._spec, request, wishes.size)
        pipeline = self._pipeline()
        film = _film(pipeline, _arguments(pipeline, self._spec, request.prompt, picture, wishes))
        write_video(into, _frames(film), wishes.fps, crf=CRF)
        return covered(placement, (film.shape[2], film.shape[1]))

    def _pipeline(self) -> Any:
        loading = _loading(self._spec)
        try:
            return _load(loading)
        except (OSError, ValueError) as error:
            where = f"{loading.weights} with HF_HUB_OFFLINE set" if loading.only_local else loading.weights
            raise SetupError(
                f"{self._spec.name} finds no usable weights in {where}: {error}; {how_to_get(self._spec)}"
            ) from error


def _loading(spec: ModelSpec) -> Loading:
    import torch

    device = setting("VMEVALKIT_DEVICE") or ("cuda" if torch.cuda.is_available() else "cpu")
    folder = weights_folder(spec)
    offload = _choice("VMEVALKIT_OFFLOAD", OFFLOADS, "none")
    if offload != "none" and device == "cpu":
        raise UsageError(f"VMEVALKIT_OFFLOAD is {offload!r}, and there is nothing to offload from: the device is cpu")
    return Loading(
        pipeline=str(spec.options["pipeline"]),
        weights=str(folder or spec.vendor_id),
        file=spec.options.get("file"),
        device=device,
        dtype=_choice("VMEVALKIT_DTYPE", DTYPES, "float32" if device == "cpu" else "bfloat16"),
        offload=offload,
        only_local=folder is not None or offline(),
    )


def _choice(name: str, known: tuple[str, ...], default: str) -> str:
    value = setting(name) or default
    if value not in known:
        raise UsageError(f"{name} is {value!r}; it must be one of {', '.join(known)}")
    return value


@lru_cache(maxsize=1)  # one model fills a machine: the next one takes its place
def _load(loading: Loading) -> Any:
    import diffusers
    import torch

    _be_quiet()
    kind = getattr(diffusers, loading.pipeline, None)
    if kind is None:
        raise SetupError(f"diffusers {diffusers.__version__} has no {loading.pipeline}; pip install -U diffusers")
    dtype = getattr(torch, loading.dtype)
    if loading.file and not (Path(loading.weights) / "model_index.json").is_file():
        pipeline = kind.from_single_file(_single_file(loading), dtype=dtype, local_files_only=loading.only_local)
    else:
        pipeline = kind.from_pretrained(loading.weights, dtype=dtype, local_files_only=loading.only_local)
    pipeline.set_progress_bar_config(disable=True)
    if loading.offload == "model":
        pipeline.enable_model_cpu_offload(device=loading.device)
    elif loading.offload == "sequential":
        pipeline.enable_sequential_cpu_offload(device=loading.device)
    else:
        pipeline.to(loading.device)
    return pipeline


def _be_quiet() -> None:
    """Bars of progress would tear the runner's own; warnings stay."""
    from diffusers.utils import logging as of_diffusers
    from transformers.utils import logging as of_transformers

    of_diffusers.disable_progress_bar()
    of_transformers.disable_progress_bar()


def _single_file(loading: Loading) -> str:
    place = Path(loading.weights) / str(loading.file)
    return str(place) if place.is_file() else f"https://huggingface.co/{loading.weights}/blob/main/{loading.file}"


def _arguments(pipeline: Any, spec: ModelSpec, prompt: str, picture: Frame, wishes: Wishes) -> dict[str, Any]:
    """What this pipeline is called with: of what it could be told, what it has a place for."""
    import torch

    width, height = wishes.size
    offered: dict[str, Any] = {
        "prompt": prompt,
        "negative_prompt": wishes.negative_prompt,
        "width": width,
        "height": height,
        "num_frames": wishes.frames,
        "frames": wishes.frames,
        "frame_rate": wishes.fps,
        "num_inference_steps": wishes.steps,
        "guidance_scale": wishes.guidance,
        "generator": torch.Generator("cpu").manual_seed(wishes.seed),
        "output_type": "np",
        # The size is fitted already; a pipeline that rounds it to sizes of its own would move the picture.
        "use_resolution_binning": False,
        **_pictures(spec, picture, wishes.frames),
    }
    places = inspect.signature(pipeline.__call__).parameters
    return {name: value for name, value in offered.items() if name in places and value is not None}


def _pictures(spec: ModelSpec, picture: Frame, frames: int) -> dict[str, Any]:
    from PIL import Image

    first = Image.fromarray(picture)
    given = spec.options.get("given")
    if given == "masked_video":
        blank, fill, keep = (Image.new(mode, first.size, tone) for mode, tone in (("RGB", 128), ("L", 255), ("L", 0)))
        return {"video": [first] + [blank] * (frames - 1), "mask": [keep] + [fill] * (frames - 1)}
    return {"image": first, "last_image": first} if given == "last_image" else {"image": first}


def _film(pipeline: Any, arguments: dict[str, Any]) -> NDArray[Any]:
    """The frames that come back, from 0 to 1: neither their count nor their size need be what was asked for."""
    import torch

    try:
        with torch.inference_mode():
            result = pipeline(**arguments)
    except torch.OutOfMemoryError as error:
        raise ModelError(
            f"{type(pipeline).__name__} ran out of memory: {error}; set VMEVALKIT_OFFLOAD to model or sequential, or "
            "ask for a smaller size or fewer frames"
        ) from error
    film: NDArray[Any] = np.asarray(result.frames[0])
    if film.ndim != 4 or film.shape[-1] != 3 or not len(film):
        raise ModelError(f"{type(pipeline).__name__} returned {film.shape}, which is no film of RGB frames")
    if not np.isfinite(film).all():
        raise ModelError(
            f"{type(pipeline).__name__} returned values that are no numbers; set VMEVALKIT_DTYPE to bfloat16 or float32"
        )
    return film


def _frames(film: NDArray[Any]) -> Iterator[Frame]:
    return (np.asarray(np.clip(frame, 0, 1) * 255 + 0.5, np.uint8) for frame in film)


def covered(placement: Placement, size: Size) -> Placement:
    """The placement on a film of another size: a pipeline that takes a size of its own fills it and cuts the rest."""
    if placement.canvas == size:
        return placement
    (width, height), (left, top, across, down) = placement.canvas, placement.box
    scale = max(size[0] / width, size[1] / height)
    x, y = (size[0] - width * scale) / 2, (size[1] - height * scale) / 2
    return Placement(size, (left * scale + x, top * scale + y, across * scale, down * scale), placement.colour)
