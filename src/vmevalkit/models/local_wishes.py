"""What a film of a local model is to be like: the request's parameters, else settings, else what the row says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from vmevalkit.core.errors import UsageError
from vmevalkit.core.randomness import rng_for
from vmevalkit.core.records import Placement, Request
from vmevalkit.core.settings import setting
from vmevalkit.media.fitting import Mode, fit, lanczos
from vmevalkit.media.picture import Frame, Size, read_picture
from vmevalkit.models.model import ModelSpec
from vmevalkit.models.preparing import film_size

FPS = 24.0
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wishes:
    """A film as a local model is asked for it."""

    size: Size
    frames: int
    fps: float
    seed: int
    steps: int | None = None
    """None leaves it to the model."""
    guidance: float | None = None
    negative_prompt: str | None = None

    @classmethod
    def of(cls, spec: ModelSpec, request: Request) -> Wishes:
        fps = request.fps or spec.fps or FPS
        return cls(
            size=_size(spec, request),
            frames=_frames(spec, request, fps),
            fps=fps,
            seed=_seed(spec, request),
            steps=_wish(spec, request, "steps", int),
            guidance=_wish(spec, request, "guidance", float),
            negative_prompt=request.parameters.get("negative_prompt"),
        )


def fitted(spec: ModelSpec, request: Request, size: Size) -> tuple[Frame, Placement]:
    """The first frame at the film's size, the way the row says; stretched where padding is not wanted."""
    mode: Mode = spec.options.get("fit", "letterbox")
    if not request.parameters.get("auto_pad", True):
        mode = "stretch"
    return fit(read_picture(request.first_frame), size, mode, spec.options.get("colour", (0, 0, 0)), lanczos)


def frame_count(seconds: float, fps: float, step: int) -> int:
    """How many frames a film of this length has, where they must be one more than a multiple of ``step``."""
    return 1 + step * max(1, round(seconds * fps / step))


def _seed(spec: ModelSpec, request: Request) -> int:
    """The one wanted; for none, or -1, one of its own for each question and sample, the same on every machine."""
    if request.seed is not None and request.seed >= 0:
        return request.seed
    return rng_for("local", spec.name, request.question_id, request.sample).getrandbits(31)


def _frames(spec: ModelSpec, request: Request, fps: float) -> int:
    wished = _wish(spec, request, "frames", int)
    if wished is None:
        return frame_count(request.seconds, fps, int(spec.options.get("frame_step", 1)))
    if wished < 2:
        raise UsageError(f"a film of {wished} frames was asked of {spec.name}; it must have at least 2")
    return wished


def _size(spec: ModelSpec, request: Request) -> Size:
    written = setting("VMEVALKIT_SIZE") if request.size is None else None
    size = _pair(written) if written else film_size(spec, request)
    if size is None:
        raise UsageError(f"{spec.name} lists no sizes; ask for one, or set VMEVALKIT_SIZE, such as 832x480")
    step = int(spec.options.get("size_step", 2))
    if size[0] % step or size[1] % step:
        near = "x".join(str(max(step, round(side / step) * step)) for side in size)
        raise UsageError(
            f"{spec.name} makes no film of {size[0]}x{size[1]}: both must be multiples of {step}, as in {near}"
        )
    return size


def _pair(written: str) -> Size:
    width, times, height = written.partition("x")
    if not (times and width.isdigit() and height.isdigit() and int(width) and int(height)):
        raise UsageError(f"VMEVALKIT_SIZE is {written!r}; write width and height as in 832x480")
    return int(width), int(height)


def _wish(spec: ModelSpec, request: Request, name: str, kind: Callable[[str], T]) -> T | None:
    """The parameter of the request, else the setting ``VMEVALKIT_NAME``, else the row's option."""
    variable = f"VMEVALKIT_{name.upper()}"
    for value, place in (
        (request.parameters.get(name), f"the parameter {name}"),
        (setting(variable), variable),
        (spec.options.get(name), f"the row of {spec.name}"),
    ):
        if value is not None:
            try:
                return kind(value)
            except (TypeError, ValueError):
                raise UsageError(f"{place} is {value!r}, which is no {kind.__name__}") from None
    return None
