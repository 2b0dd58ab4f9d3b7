"""The first frame as each family of models wants it: RGB, at a listed size or ratio, with how it was laid kept.

A row may name the way in ``options``: ``{"fit": "letterbox", "colour": (128, 128, 128)}``. The ways are

``letterbox``        scaled to the film's size, whole, with bars: for models that take only pictures of that very size
``cover, stretch``   scaled to the film's size, with a part cut off, or out of shape
``pad``              bars until the ratio is right, no pixel resampled
``as_it_is``         the file as it stands
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
from vmevalkit.media.fitting import Mode, fit, lanczos
from vmevalkit.media.picture import Frame, Size, encode_png, read_picture
from vmevalkit.models.model import ModelSpec

Colour = tuple[int, int, int]
Way = Literal["letterbox", "cover", "stretch", "pad", "as_it_is"]

BLACK: Colour = (0, 0, 0)
GREY: Colour = (128, 128, 128)
"""Neutral bars: black ones would be harsh borders around a light picture."""

ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}
"""The kinds of picture that every provider takes."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A picture ready to be sent."""

    data: bytes
    mime: str
    """``image/png``, ``image/jpeg`` or ``image/webp``."""
    size: Size
    placement: Placement | None = None
    """How the first frame lies on it; None where it was sent as it is."""

    @property
    def filename(self) -> str:
        return f"first_frame.{ENDINGS[self.mime]}"

    @property
    def base64(self) -> str:
        return base64.b64encode(self.data).decode("ascii")

    @property
    def data_uri(self) -> str:
        return f"data:{self.mime};base64,{self.base64}"

    @property
    def summary(self) -> dict[str, Any]:
        """What a record says of it instead of its bytes."""
        digest = hashlib.sha256(self.data).hexdigest()
        return {"mime": self.mime, "size": list(self.size), "bytes": len(self.data), "sha256": digest}


def mime_of(data: bytes) -> str:
    """The kind of picture, told by its first bytes: a file's name may lie."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    raise MediaError("the picture is none that video models take; convert it to PNG, JPEG or WebP")


def nearest(picture: Size, sizes: Sequence[Size]) -> Size:
    """The size whose shape is most like the picture's; of those alike, the one listed first."""
    if not sizes:
        raise UsageError("there are no sizes to choose among")
    shape = log(picture[0] / picture[1])
    return min(sizes, key=lambda size: round(abs(log(size[0] / size[1]) - shape), 6))


def nearest_ratio(picture: Size, ratios: Sequence[str]) -> str:
    """The ratio, written ``16:9``, whose shape is most like the picture's."""
    sizes = [(int(width), int(height)) for width, height in (ratio.split(":") for ratio in ratios)]
    return ratios[sizes.index(nearest(picture, sizes))]


def ratio_canvas(picture: Size, ratio: Size) -> Size:
    """The smallest canvas of the ratio that holds the whole picture, each pixel kept."""
    (width, height), (across, down) = picture, ratio
    if width * down > height * across:
        return width, round(width * down / across)
    return round(height * across / down), height


def as_it_is(path: Path) -> Prepared:
    """The file itself, once it is known to be a picture of a kind that providers take."""
    frame = read_picture(path)
    data = path.read_bytes()
    return Prepared(data, mime_of(data), (frame.shape[1], frame.shape[0]))


def fitted(frame: Frame, size: Size, mode: Mode, colour: Colour) -> Prepared:
    """Laid on a canvas of exactly ``size``."""
    canvas, placement = fit(frame, size, mode, colour, lanczos)
    return Prepared(encode_png(canvas), "image/png", size, placement)


def padded(frame: Frame, ratio: Size, colour: Colour) -> Prepared:
    """With bars until it has the ratio; the picture's own pixels are untouched."""
    return fitted(frame, ratio_canvas((frame.shape[1], frame.shape[0]), ratio), "letterbox", colour)


def prepare(spec: ModelSpec, request: Request, shape: Size | None, way: Way, colour: Colour) -> Prepared:
    """The request's first frame for this model, in the adapter's way and colour unless the row says otherwise.

    ``shape`` is the film's size, or its ratio; None where the model follows the picture.
    """
    way = cast(Way, spec.options.get("fit", way))
    colour = cast(Colour, tuple(spec.options.get("colour", colour)))
    if shape is None or way == "as_it_is" or not request.parameters.get("auto_pad", True):
        picture = as_it_is(request.first_frame)
        if way != "pad" and way != "as_it_is" and shape is not None and picture.size != shape:
            raise UsageError(
                f"{request.first_frame} is {_written(picture.size)} and {spec.name} takes exactly {_written(shape)}; "
                "leave auto_pad on, or draw the picture at that size"
            )
        return picture
    frame = read_picture(request.first_frame)
    if way == "pad":
        return padded(frame, shape, colour)
    if way in ("letterbox", "cover", "stretch"):
        return fitted(frame, shape, way, colour)
    raise UsageError(f"no way of fitting called {way!r} for {spec.name}; known: " + ", ".join(get_args(Way)))


def film_size(spec: ModelSpec, request: Request) -> Size | None:
    """The size to ask for: the one wanted, or the listed one most like the picture; None where the row lists none."""
    if request.size is not None or not spec.sizes:
        return request.size
    return nearest(picture_size(request.first_frame), spec.sizes)


def picture_size(path: Path) -> Size:
    height, width = read_picture(path).shape[:2]
    return width, height


def limited(spec: ModelSpec, picture: Prepared, limit_bytes: int, *, encoded: bool = False) -> Prepared:
    """The picture, once it is known to be small enough for the provider; ``encoded`` counts it as base64."""
    limit_bytes = spec.options.get("picture_limit_bytes", limit_bytes)
    size = len(picture.data_uri) if encoded else len(picture.data)
    if size > limit_bytes:
        raise UsageError(
            f"the picture for {spec.name} is {size:,} bytes and its provider takes {limit_bytes:,}; draw it smaller"
        )
    return picture


def _written(size: Size) -> str:
    return f"{size[0]}x{size[1]}"
