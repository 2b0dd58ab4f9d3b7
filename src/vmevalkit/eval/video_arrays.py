"""Videos in memory, in the forms that training code has them, as uint8 arrays of (time, height, width, 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.errors import MediaError

VideoArray = NDArray[np.uint8]
"""Time, height, width, RGB."""

OVERSHOOT = 0.1
"""By how much floats may be outside 0 to 1: decoders of latents overshoot. They are clipped."""

FORMS = (
    "pass uint8 from 0 to 255 or floats from 0 to 1, as (time, height, width, 3) or (time, 3, height, width), "
    "a batch of these, or a list of PIL images"
)


def to_video_arrays(frames: Any) -> tuple[list[VideoArray | MediaError], bool]:
    """Return the videos, and whether ``frames`` is a batch. Raises MediaError where the form is not clear.

    In a batch, a video with values that are not those of an image is an error in its place."""
    if isinstance(frames, Sequence) and not isinstance(frames, str | bytes):
        return _from_list(frames)
    array = _to_numpy(frames)
    if array.ndim == 4:
        return [_to_uint8(_channels_last(array))], False
    if array.ndim == 5:
        return [_try_to_uint8(_channels_last(video)) for video in array], True
    raise MediaError(f"frames have the shape {array.shape}; {FORMS}")


def _from_list(frames: Sequence[Any]) -> tuple[list[VideoArray | MediaError], bool]:
    if not frames:
        raise MediaError(f"frames is an empty list; {FORMS}")
    first = frames[0]
    if isinstance(first, Sequence) or _dimensions(first) == 4:
        return [_try_to_uint8(_stack(video)) for video in frames], True
    return [_to_uint8(_stack(frames))], False


def _stack(frames: Any) -> NDArray[Any]:
    """Return one video, which may be a list of frames, with channels last."""
    if not isinstance(frames, Sequence):
        array = _to_numpy(frames)
        if array.ndim != 4:
            raise MediaError(f"a video of the batch has the shape {array.shape}; {FORMS}")
        return _channels_last(array)
    if not frames:
        raise MediaError(f"a video of the batch has no frame; {FORMS}")
    shapes = {_to_numpy(frame).shape for frame in frames}
    if len(shapes) > 1:
        raise MediaError(f"frames of one video have different shapes: {sorted(shapes)}; resize them to one size")
    return _channels_last(np.stack([_to_numpy(frame) for frame in frames]))


def _dimensions(value: Any) -> int:
    return len(getattr(value, "shape", ()))


def _to_numpy(value: Any) -> NDArray[Any]:
    if hasattr(value, "detach"):  # a torch tensor, perhaps on a GPU and of a type that numpy does not have
        value = value.detach().cpu()
        value = (value.float() if value.is_floating_point() else value).numpy()
    elif hasattr(value, "convert") and hasattr(value, "getbands"):  # a PIL image
        value = np.asarray(value.convert("RGB"))
    if not isinstance(value, np.ndarray):
        raise MediaError(f"frames are {type(value).__name__}; {FORMS}")
    return value


def _channels_last(array: NDArray[Any]) -> NDArray[Any]:
    if array.shape[-1] == 3:
        return array
    if array.shape[1] == 3:
        return array.transpose(0, 2, 3, 1)
    if array.shape[0] == 3:  # (3, time, height, width), as some pipelines return it
        return array.transpose(1, 2, 3, 0)
    raise MediaError(f"frames have the shape {array.shape}, in which no axis is RGB; {FORMS}")


def _try_to_uint8(array: NDArray[Any]) -> VideoArray | MediaError:
    try:
        return _to_uint8(array)
    except MediaError as error:
        return error


def _to_uint8(array: NDArray[Any]) -> VideoArray:
    if 0 in array.shape:
        raise MediaError(f"frames have the shape {array.shape}, which holds no pixel; {FORMS}")
    if array.dtype == np.uint8:
        return array
    if not np.issubdtype(array.dtype, np.floating):
        raise MediaError(f"frames are {array.dtype}; {FORMS}")
    # Frame by frame: a whole video would leave the processor's caches between the steps.
    pixels, scaled = np.empty(array.shape, np.uint8), np.empty_like(array[0])
    low, high = np.inf, -np.inf
    for frame, target in zip(array, pixels, strict=True):
        low, high = np.minimum(low, frame.min()), np.maximum(high, frame.max())
        if not np.isfinite(low) or not np.isfinite(high):
            raise MediaError("floating-point frames contain NaN or infinity; look for it in what generated them")
        np.clip(np.rint(np.multiply(frame, 255.0, out=scaled), out=scaled), 0, 255, out=scaled)
        np.copyto(target, scaled, casting="unsafe")
    if low < -OVERSHOOT or high > 1 + OVERSHOOT:
        remedy = "divide by 255" if high > 2 else "rescale by (x + 1) / 2" if low >= -1 - OVERSHOOT else "clip them"
        raise MediaError(f"floating-point frames range from {low:.3g} to {high:.3g}, not from 0 to 1; {remedy}")
    return pixels
