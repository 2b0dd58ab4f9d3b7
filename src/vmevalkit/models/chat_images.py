"""Images for chat models, with digests of their pixels."""

from __future__ import annotations

from hashlib import sha256
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np

from vmevalkit.core.chat import ImagePart
from vmevalkit.core.errors import MediaError
from vmevalkit.media.image import Frame, encode_png
from vmevalkit.media.image_header import check_pixels, parse_image_header
from vmevalkit.models.input_image import detect_mime

_ORIENTATION = 0x0112
"""The EXIF tag."""


def make_image_part(frame: Frame) -> ImagePart:
    """Return pixels as a PNG."""
    return ImagePart(encode_png(frame), "image/png", (frame.shape[1], frame.shape[0]), digest_pixels(frame))


def load_image_part(image: Path | bytes) -> ImagePart:
    """Return an image file, or its bytes, unchanged; upright as a PNG where its EXIF data rotate it.

    Services differ in whether they follow EXIF data, so that nothing is sent that needs them. Raises MediaError where
    the image is not PNG, JPEG or WebP."""
    place = str(image) if isinstance(image, Path) else "the image"
    try:
        data = image.read_bytes() if isinstance(image, Path) else image
    except OSError as error:
        raise MediaError(f"cannot read {place}: {error.strerror}") from error
    header = parse_image_header(data)
    if header is not None:
        check_pixels(header.width, header.height, place)
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED) if header else None
    if pixels is None:
        raise MediaError(f"{place} cannot be decoded; it must be PNG, JPEG or WebP")
    if is_rotated(data):
        return make_image_part(_decode(data))
    channels = np.asarray(pixels)[..., ::-1] if pixels.ndim == 3 and pixels.shape[2] == 3 else np.asarray(pixels)
    return ImagePart(data, detect_mime(data), (pixels.shape[1], pixels.shape[0]), digest_pixels(channels))


def is_rotated(data: bytes) -> bool:
    """Return whether the EXIF data of an image file rotate or mirror it."""
    from PIL import Image

    try:
        with Image.open(BytesIO(data)) as image:
            return image.getexif().get(_ORIENTATION, 1) not in (0, 1)
    except (OSError, ValueError):
        return False


def digest_pixels(pixels: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> str:
    """Return a hash of the pixels and the shape of an image."""
    return sha256(repr(pixels.shape).encode() + np.ascontiguousarray(pixels).tobytes()).hexdigest()


def to_png(image: ImagePart) -> bytes:
    """Return an image as a PNG file: its own bytes where it is one."""
    if image.mime == "image/png":
        return image.data
    return encode_png(decode_rgb(image))


def decode_rgb(image: ImagePart) -> Frame:
    """Return the pixels of an image as RGB."""
    return _decode(image.data)


def _decode(data: bytes) -> Frame:
    """Return the pixels of a file as RGB, upright by its EXIF data."""
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise MediaError(f"an image of {len(data)} bytes cannot be decoded; it must be PNG, JPEG or WebP")
    return np.asarray(pixels[..., ::-1], np.uint8)
