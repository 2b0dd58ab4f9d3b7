"""Generation parameters of a local model: from the request, else from the settings, else from the row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from vmevalkit.core.errors import UsageError
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Placement, Request
from vmevalkit.core.settings import setting
from vmevalkit.media.fitting import FitMode, fit, resample_lanczos
from vmevalkit.media.image import Frame, Size, read_image
from vmevalkit.models.input_image import choose_video_size
from vmevalkit.models.model import ModelSpec

FPS = 24.0
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LocalParams:
    """Parameters of one video by a local model."""

    size: Size
    frames: int
    fps: float
    seed: int
    steps: int | None = None
    """Denoising steps; None means the pipeline's default."""
    guidance: float | None = None
    """Guidance scale; None means the pipeline's default."""
    negative_prompt: str | None = None

    @classmethod
    def from_request(cls, spec: ModelSpec, request: Request) -> LocalParams:
        fps = request.fps or spec.fps or FPS
        return cls(
            size=_choose_size(spec, request),
            frames=_choose_frame_count(spec, request, fps),
            fps=fps,
            seed=choose_seed(spec, request),
            steps=_read_param(spec, request, "steps", int),
            guidance=_read_param(spec, request, "guidance", float),
            negative_prompt=request.parameters.get("negative_prompt"),
        )


def fit_first_frame(spec: ModelSpec, request: Request, size: Size) -> tuple[Frame, Placement]:
    """Return the first frame at the video's size, fitted as the row says; stretched where ``auto_pad`` is off."""
    mode: FitMode = spec.options.get("fit", "letterbox")
    if not request.parameters.get("auto_pad", True):
        mode = "stretch"
    return fit(read_image(request.first_frame), size, mode, spec.options.get("colour", (0, 0, 0)), resample_lanczos)


def compute_frame_count(seconds: float, fps: float, step: int) -> int:
    """Return the frame count nearest to the length that is one more than a multiple of ``step``."""
    return 1 + step * max(1, round(seconds * fps / step))


def choose_seed(spec: ModelSpec, request: Request) -> int:
    """Return the request's seed. Without one, or with -1, derive it from the model, the question and the sample."""
    if request.seed is not None and request.seed >= 0:
        return request.seed
    return rng_for("local", spec.name, request.question_id, request.sample).getrandbits(31)


def _choose_frame_count(spec: ModelSpec, request: Request, fps: float) -> int:
    frames = _read_param(spec, request, "frames", int)
    if frames is None:
        return compute_frame_count(request.seconds, fps, int(spec.options.get("frame_step", 1)))
    if frames < 2:
        raise UsageError(f"{spec.name} was asked for {frames} frames; a video has at least 2")
    return frames


def _choose_size(spec: ModelSpec, request: Request) -> Size:
    text = setting("VMEVALKIT_SIZE") if request.size is None else None
    size = _parse_size(text) if text else choose_video_size(spec, request)
    if size is None:
        raise UsageError(f"{spec.name} lists no sizes; choose one with --size, or set VMEVALKIT_SIZE, such as 832x480")
    step = int(spec.options.get("size_step", 2))
    if size[0] % step or size[1] % step:
        near = "x".join(str(max(step, round(side / step) * step)) for side in size)
        raise UsageError(
            f"{spec.name} cannot make a video of {size[0]}x{size[1]}: width and height must be multiples of {step}, "
            f"as in {near}"
        )
    return size


def _parse_size(text: str) -> Size:
    width, times, height = text.partition("x")
    if not (times and width.isdigit() and height.isdigit() and int(width) and int(height)):
        raise UsageError(f"VMEVALKIT_SIZE is {text!r}; write width and height as in 832x480")
    return int(width), int(height)


def _read_param(spec: ModelSpec, request: Request, name: str, kind: Callable[[str], T]) -> T | None:
    """Return the request's parameter, else the setting ``VMEVALKIT_NAME``, else the row's option."""
    variable = f"VMEVALKIT_{name.upper()}"
    for value, source in (
        (request.parameters.get(name), f"the parameter {name}"),
        (setting(variable), variable),
        (spec.options.get(name), f"the option {name} of {spec.name}"),
    ):
        if value is not None:
            try:
                return kind(value)
            except (TypeError, ValueError):
                raise UsageError(f"{source} is {value!r}, which is not a valid {kind.__name__}") from None
    return None
