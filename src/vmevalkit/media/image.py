"""The image type, image files, and digests of pixels."""

from __future__ import annotations

import struct
import threading
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray
from xxhash import xxh3_128

from vmevalkit.core.errors import MediaError
from vmevalkit.media.image_header import PNG_SIGNATURE, ImageHeader, check_pixels, max_pixels, parse_image_header

Frame: TypeAlias = NDArray[np.uint8]
"""Height x width x 3, RGB, 8 bits."""
Size: TypeAlias = tuple[int, int]
"""Width and height in pixels."""
Mask: TypeAlias = NDArray[np.bool_]

cv2.setNumThreads(1)  # work is distributed over processes; OpenCV's threads would cost a millisecond per call

_buffers = threading.local()
_HEADER_BYTES = 1 << 20
"""A JPEG may have a preview and a colour profile before its size."""
_MAX_BYTES_PER_PIXEL = 8
_DIGEST_LENGTH = 32


def _make_chunk(kind: bytes, body: bytes) -> bytes:
    check = isal_zlib.crc32(body, isal_zlib.crc32(kind))
    return b"".join((len(body).to_bytes(4, "big"), kind, body, check.to_bytes(4, "big")))


_END = _make_chunk(b"IEND", b"")


def _build_rows(frame: Frame) -> NDArray[np.uint8]:
    """Return the rows of an unfiltered PNG: each starts with the byte of its filter, 0.

    The thread's last buffer is used again where it fits: the page faults of a new one take longer than the compression.
    """
    height, width, channels = frame.shape
    if channels != 3 or frame.dtype != np.uint8:
        raise MediaError(f"a frame must be height x width x 3 of uint8, not {frame.shape} of {frame.dtype}")
    rows: NDArray[np.uint8] | None = getattr(_buffers, "rows", None)
    if rows is None or rows.shape != (height, 1 + width * 3):
        rows = _buffers.rows = np.zeros((height, 1 + width * 3), np.uint8)
    rows[:, 1:] = frame.reshape(height, width * 3)
    return rows


def encode_png(frame: Frame) -> bytes:
    """Return the frame as a PNG file. Drawn scenes are flat, so unfiltered rows at level 1 compress well."""
    return _assemble_png(frame, isal_zlib.compress(_build_rows(frame), 1))


def encode_jpeg(frame: Frame, quality: int = 85) -> bytes:
    """Return the frame as a JPEG file: for images to look at, where a small file matters more than exact pixels."""
    _, data = cv2.imencode(".jpg", cv2.cvtColor(frame, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    return bytes(data)


def encode_and_digest(frame: Frame) -> tuple[bytes, str]:
    """Return the PNG file of a frame and its pixel digest."""
    return encode_png(frame), pixel_digest(frame)


def _assemble_png(frame: Frame, packed: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", frame.shape[1], frame.shape[0], 8, 2, 0, 0, 0)
    return b"".join((PNG_SIGNATURE, _make_chunk(b"IHDR", header), _make_chunk(b"IDAT", packed), _END))


def read_image_header(path: Path | str) -> ImageHeader:
    """Return the format and the size of an image file without decoding it.

    Raises MediaError where it is not PNG, JPEG or WebP, or has more pixels than the limit."""
    try:
        with Path(path).open("rb") as file:
            header = parse_image_header(file.read(_HEADER_BYTES))
    except OSError as error:
        raise MediaError(f"cannot read the image {path}: {error.strerror}") from error
    if header is None:
        raise MediaError(f"{path} is not a decodable image (PNG, JPEG, WebP)")
    check_pixels(header.width, header.height, path)
    return header


def read_image(path: Path | str) -> Frame:
    """Read an image file. Transparent pixels are drawn on white."""
    return decode_image(read_image_bytes(path), path)


def read_image_bytes(path: Path | str) -> bytes:
    """Return an image file as it is, once its header has shown that it can be decoded within the limit of pixels."""
    read_image_header(path)
    try:
        size, data = Path(path).stat().st_size, b""
        if size <= (limit := _MAX_BYTES_PER_PIXEL * max_pixels()):
            data = Path(path).read_bytes()
    except OSError as error:
        raise MediaError(f"cannot read the image {path}: {error.strerror}") from error
    if not data:
        raise MediaError(f"{path} has {size:,} bytes, more than any image within the limit of pixels ({limit:,})")
    return data


def decode_image(data: bytes, place: object) -> Frame:
    """Return the image in a file that ``read_image_bytes`` returned. ``place`` is for messages."""
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    except cv2.error:
        image = None
    if image is None:
        raise MediaError(f"{place} is not a decodable image (PNG, JPEG, WebP)")
    check_pixels(image.shape[1], image.shape[0], place)
    if image.dtype == np.uint16:
        image = (image >> 8).astype(np.uint8)
    if image.ndim == 2:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2RGB), np.uint8)
    if image.shape[2] == 4:
        image = _draw_on_white(image)
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB), np.uint8)


def _draw_on_white(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return an image with transparency on white. Rows are converted one by one: floats take four times the memory."""
    drawn = np.empty((*image.shape[:2], 3), np.uint8)
    for row, into in zip(image, drawn, strict=True):
        alpha = row[..., 3:].astype(np.float32) / 255
        into[:] = row[..., :3] * alpha + 255 * (1 - alpha) + 0.5
    return drawn


def pixel_digest(frame: Frame) -> str:
    """Return a digest of size and pixels, whatever the file format: 128 bits of XXH3.

    It tells pictures apart, and does not protect from forgery: a cryptographic hash takes longer than drawing does.
    """
    digest = xxh3_128(repr(frame.shape).encode())
    digest.update(np.ascontiguousarray(frame).data)
    return digest.hexdigest()


def is_pixel_digest(text: object) -> bool:
    """Return whether a recorded text has the form of a pixel digest. Older records have checksums of 64 bits
    instead, which pictures with the same parts in other places share: nothing can be concluded from them."""
    return isinstance(text, str) and len(text) == _DIGEST_LENGTH
