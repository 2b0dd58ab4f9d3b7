"""The first frame as the models accept it: RGB, at a listed size or ratio. The Placement of the frame is kept.

A row names the fit in ``options``: ``{"fit": "letterbox", "colour": (128, 128, 128)}``. The fits are

``letterbox``        scaled to the video's size, with bars: for models that accept only images of exactly that size
``cover, stretch``   scaled to the video's size, cropped or distorted
``pad``              bars until the ratio is right, without resampling
``unchanged``        the file itself
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any, Literal, cast, get_args

from vmevalkit.core.errors import MediaError, UsageError
from vmevalkit.core.records import Placement, Request
from vmevalkit.media.fitting import FitMode, fit, resample_lanczos
from vmevalkit.media.image import Frame, Size, decode_image, encode_png, read_image, read_image_bytes, read_image_header
from vmevalkit.media.image_header import parse_image_header
from vmevalkit.media.resolution import compute_tier
from vmevalkit.models.model import DEFAULT_TIER, ModelSpec

Colour = tuple[int, int, int]
InputFit = Literal["letterbox", "cover", "stretch", "pad", "unchanged"]

BLACK: Colour = (0, 0, 0)
GREY: Colour = (128, 128, 128)
"""Neutral bars: black ones would be hard edges around a light image."""

SAME_RATIO = 0.05
"""Sizes whose ratios differ by less than 5 % have the same ratio at different resolutions."""

EXTENSIONS = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}
"""The image formats that every provider accepts."""


@dataclass(frozen=True, slots=True)
class PreparedImage:
    """An encoded image that is ready to send."""

    data: bytes
    mime: str
    """``image/png``, ``image/jpeg`` or ``image/webp``."""
    size: Size
    placement: Placement | None = None
    """Where the first frame is in the image; None where it was not changed."""

    @property
    def filename(self) -> str:
        return f"first_frame.{EXTENSIONS[self.mime]}"

    @property
    def base64(self) -> str:
        return base64.b64encode(self.data).decode("ascii")

    @property
    def data_uri(self) -> str:
        return f"data:{self.mime};base64,{self.base64}"

    @property
    def summary(self) -> dict[str, Any]:
        """What a record keeps instead of the bytes."""
        digest = hashlib.sha256(self.data).hexdigest()
        return {"mime": self.mime, "size": list(self.size), "bytes": len(self.data), "sha256": digest}


def detect_mime(data: bytes) -> str:
    """Return the MIME type by the first bytes: the file's extension may be wrong."""
    header = parse_image_header(data)
    if header is None:
        raise MediaError("video models do not accept this image format; convert it to PNG, JPEG or WebP")
    return header.mime


def choose_nearest_size(image: Size, sizes: Sequence[Size]) -> Size:
    """Return the size whose aspect ratio is nearest to the image's; of equal ones the first."""
    if not sizes:
        raise UsageError("there are no sizes to choose from")
    ratio = log(image[0] / image[1])
    return min(sizes, key=lambda size: round(abs(log(size[0] / size[1]) - ratio), 6))


def choose_nearest_ratio(image: Size, ratios: Sequence[str]) -> str:
    """Return the ratio, written ``16:9``, that is nearest to the image's."""
    sizes = [(int(width), int(height)) for width, height in (ratio.split(":") for ratio in ratios)]
    return ratios[sizes.index(choose_nearest_size(image, sizes))]


def compute_padded_size(image: Size, ratio: Size) -> Size:
    """Return the smallest canvas of the ratio that holds the whole image at its own size."""
    (width, height), (across, down) = image, ratio
    if width * down > height * across:
        return width, round(width * down / across)
    return round(height * across / down), height


def load_unchanged(path: Path) -> PreparedImage:
    """Return the file itself. Raises MediaError where it is not an image in an accepted format."""
    data = read_image_bytes(path)
    frame = decode_image(data, path)
    return PreparedImage(data, detect_mime(data), (frame.shape[1], frame.shape[0]))


def fit_to_size(frame: Frame, size: Size, mode: FitMode, colour: Colour) -> PreparedImage:
    """Return the frame fitted to a canvas of exactly ``size``."""
    canvas, placement = fit(frame, size, mode, colour, resample_lanczos)
    return PreparedImage(encode_png(canvas), "image/png", size, placement)


def pad_to_ratio(frame: Frame, ratio: Size, colour: Colour) -> PreparedImage:
    """Return the frame with bars until it has the ratio; its own pixels do not change."""
    return fit_to_size(frame, compute_padded_size((frame.shape[1], frame.shape[0]), ratio), "letterbox", colour)


def prepare_image(
    spec: ModelSpec, request: Request, shape: Size | None, default_fit: InputFit, default_colour: Colour
) -> PreparedImage:
    """Return the request's first frame for this model. The row's ``fit`` and ``colour`` override the defaults.

    ``shape`` is the video's size or ratio; None where the video takes the image's shape.
    """
    input_fit = cast(InputFit, spec.options.get("fit", default_fit))
    colour = cast(Colour, tuple(spec.options.get("colour", default_colour)))
    if shape is None or input_fit == "unchanged" or not request.parameters.get("auto_pad", True):
        image = load_unchanged(request.first_frame)
        if input_fit != "pad" and input_fit != "unchanged" and shape is not None and image.size != shape:
            raise UsageError(
                f"{request.first_frame} is {_format_size(image.size)} and {spec.name} accepts only "
                f"{_format_size(shape)}; leave auto_pad on, or draw the image at that size"
            )
        return image
    frame = read_image(request.first_frame)
    if input_fit == "pad":
        return pad_to_ratio(frame, shape, colour)
    if input_fit in ("letterbox", "cover", "stretch"):
        return fit_to_size(frame, shape, input_fit, colour)
    raise UsageError(f"{spec.name} has an unknown fit {input_fit!r}; known: " + ", ".join(get_args(InputFit)))


def choose_video_size(spec: ModelSpec, request: Request) -> Size | None:
    """Return the requested size, or the listed one by the rule for all models: the ratio nearest to the image's, at the
    resolution nearest to 720p. None where the row lists no sizes."""
    if request.size is not None or not spec.sizes:
        return request.size
    return choose_comparable_size(read_image_size(request.first_frame), spec.sizes)


def choose_comparable_size(image: Size, sizes: Sequence[Size]) -> Size:
    """Return the size of the ratio nearest to the image's that is nearest to 720p; of equal ones the first.

    A model rounds one ratio to slightly different numbers at each of its resolutions: the rounding must not decide
    about the resolution."""
    if not sizes:
        raise UsageError("there are no sizes to choose from")
    ratio = log(image[0] / image[1])
    distances = {size: abs(log(size[0] / size[1]) - ratio) for size in sizes}
    nearest = min(distances.values())
    same_ratio = [size for size in sizes if distances[size] <= nearest + SAME_RATIO]
    return min(same_ratio, key=lambda size: (abs(compute_tier(size) - DEFAULT_TIER), round(distances[size], 6)))


def read_image_size(path: Path) -> Size:
    """Return the width and height of an image by its header: it is decoded once, when it is prepared."""
    header = read_image_header(path)
    return header.width, header.height


def check_image_bytes(
    spec: ModelSpec, image: PreparedImage, limit_bytes: int, *, as_data_uri: bool = False
) -> PreparedImage:
    """Return the image. Raises UsageError where it has more bytes than the provider accepts."""
    limit_bytes = spec.options.get("image_limit_bytes", limit_bytes)
    size = len(image.data_uri) if as_data_uri else len(image.data)
    if size > limit_bytes:
        raise UsageError(
            f"the image for {spec.name} has {size:,} bytes and its provider accepts {limit_bytes:,}; draw it smaller"
        )
    return image


def check_image_shape(spec: ModelSpec, image: PreparedImage, smallest_side: int, widest_ratio: float) -> None:
    """Raise UsageError where a side is too short, or one is too long beside the other, for the provider."""
    short, long = sorted(image.size)
    if short < smallest_side or long > widest_ratio * short:
        raise UsageError(
            f"the image for {spec.name} is {_format_size(image.size)}; its provider accepts sides of {smallest_side} "
            f"pixels or more, and a ratio of at most {widest_ratio:g}:1"
        )


def _format_size(size: Size) -> str:
    return f"{size[0]}x{size[1]}"
