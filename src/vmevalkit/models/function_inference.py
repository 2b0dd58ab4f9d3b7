"""A Python function as a model: ``vmevalkit.run_model``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from vmevalkit.core.errors import ModelError
from vmevalkit.core.records import Request
from vmevalkit.media.image import Frame, read_image
from vmevalkit.media.video import write_video
from vmevalkit.models._program import copy_video
from vmevalkit.models.local_params import choose_seed
from vmevalkit.models.model import ModelSpec
from vmevalkit.models.model_reference import FAMILY

VideoFunction = Callable[[Frame, str, int], Any]
"""Gets the first frame (RGB, height x width x 3, uint8), the prompt and a seed. Returns the frames of the video, or the
path of a video file."""
CRF = 12
"""As for the pipelines of diffusers: frames that were not compressed before."""


def make_function_row(function: VideoFunction, name: str, fps: float) -> ModelSpec:
    """Return the row of a function. It can be used in this process only."""
    return ModelSpec(
        name=name,
        provider="function",
        vendor_id=getattr(function, "__qualname__", type(function).__qualname__),
        family=FAMILY,
        description=f"The Python function {name}",
        adapter="vmevalkit.models.function_inference:FunctionVideos",
        fps=fps,
        options={"fit": "unchanged", "function": function},
    )


class FunctionVideos:
    """Calls the row's ``function`` and writes what it returns as an mp4."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec

    def generate(self, request: Request, into: Path) -> None:
        self.spec.validate(request)
        image = read_image(request.first_frame)
        result = self.spec.options["function"](image, request.prompt, choose_seed(self.spec, request))
        if isinstance(result, str | Path):
            if not Path(result).is_file():
                raise ModelError(f"{self.spec.name} returned the path {str(result)!r}, and there is no file")
            copy_video(self.spec.name, Path(result), into)
        elif isinstance(result, Iterable):
            frames = [self._check_frame(frame) for frame in result]
            if not frames:
                raise ModelError(f"{self.spec.name} returned no frames")
            write_video(into, frames, self.spec.fps or 24.0, crf=CRF)
        else:
            raise ModelError(
                f"{self.spec.name} returned {type(result).__name__}; a function returns frames, or the path of a video"
            )

    def _check_frame(self, frame: Any) -> Frame:
        array = np.asarray(frame)
        if array.ndim != 3 or array.shape[2] != 3 or not (array.dtype == np.uint8 or array.dtype.kind == "f"):
            raise ModelError(
                f"{self.spec.name} returned a frame of the shape {array.shape} and the type {array.dtype}; a frame is "
                "height x width x 3, as uint8, or as a float from 0 to 1"
            )
        if array.dtype == np.uint8:
            return array
        if not np.isfinite(array).all():
            raise ModelError(f"{self.spec.name} returned infinite or NaN values")
        return np.asarray(np.clip(array, 0, 1) * 255 + 0.5, np.uint8)
