"""Videos in memory, in the forms that training code has them, as uint8 arrays of (time, height, width, 3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.errors import MediaError

VideoArray = NDArray[np.uint8]
"""Time, height, width, RGB."""

FORMS = (
    "pass uint8 from 0 to 255 or floats from 0 to 1, as (time, height, width, 3) or (time, 3, height, width), "
    "a batch of these, or a list of PIL images"
)


def to_video_arrays(frames: Any) -> tuple[list[VideoArray], bool]:
    """Return the videos, and whether ``frames`` is a batch. Raises MediaError where the form is not clear."""
    if isinstance(frames, Sequence) and not isinstance(frames, str | bytes):
        return _from_list(frames)
    array = _to_numpy(frames)
    if array.ndim == 4:
        return [_to_uint8(_channels_last(array))], False
    if array.ndim == 5:
        return [_to_uint8(_channels_last(video)) for video in array], True
    raise MediaError(f"frames have the shape {array.shape}; {FORMS}")


def _from_list(frames: Sequence[Any]) -> tuple[list[VideoArray], bool]:
    if not frames:
        raise MediaError(f"frames is an empty list; {FORMS}")
    first = frames[0]
    if isinstance(first, Sequence) or _dimensions(first) == 4:
        return [to_video_arrays(video)[0][0] for video in frames], True
    shapes = {_to_numpy(frame).shape for frame in frames}
    if len(shapes) > 1:
        raise MediaError(f"frames of one video have different shapes: {sorted(shapes)}; resize them to one size")
    return [_to_uint8(_channels_last(np.stack([_to_numpy(frame) for frame in frames])))], False


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


def _to_uint8(array: NDArray[Any]) -> VideoArray:
    if 0 in array.shape:
        raise MediaError(f"frames have the shape {array.shape}, which holds no pixel; {FORMS}")
    if array.dtype == np.uint8:
        return array
    if not np.issubdtype(array.dtype, np.floating):
        raise MediaError(f"frames are {array.dtype}; {FORMS}")
    low, high = float(array.min()), float(array.max())
    if not (low >= -1e-3 and high <= 1 + 1e-3):
        remedy = "divide by 255" if high > 2 else "rescale by (x + 1) / 2" if low >= -1.001 else "clip them"
        raise MediaError(f"floating-point frames range from {low:.3g} to {high:.3g}, not from 0 to 1; {remedy}")
    return np.asarray(np.clip(np.rint(array * 255.0), 0, 255), np.uint8)
