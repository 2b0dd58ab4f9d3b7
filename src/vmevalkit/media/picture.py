"""The picture type, and PNG files: written fast, read back, digested by their pixels."""

from __future__ import annotations

import struct
import threading
import zlib
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from vmevalkit.core.errors import MediaError

Frame: TypeAlias = NDArray[np.uint8]
"""Height x width x 3, RGB, 8 bits."""
Mask: TypeAlias = NDArray[np.bool_]

cv2.setNumThreads(1)  # work is shared out by process; waking OpenCV's threads costs a millisecond a call

_spare = threading.local()
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(body, zlib.crc32(kind)))


def _blank_rows(height: int, row: int) -> NDArray[np.uint8]:
    """The thread's last buffer where it fits: a fresh megabyte costs more in page faults than the compression."""
    spare: NDArray[np.uint8] | None = getattr(_spare, "rows", None)
    if spare is None or spare.shape != (height, row):
        spare = _spare.rows = np.zeros((height, row), np.uint8)
    return spare


def encode_png(frame: Frame) -> bytes:
    """A PNG file of the frame. Drawn scenes are flat, so unfiltered rows at level 1 are small already."""
    height, width, channels = frame.shape
    if channels != 3 or frame.dtype != np.uint8:
        raise MediaError(f"a frame is height x width x 3 of uint8, not {frame.shape} of {frame.dtype}")
    rows = _blank_rows(height, 1 + width * 3)  # the leading byte of a row is its filter: 0, none
    rows[:, 1:] = frame.reshape(height, width * 3)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body: bytes = isal_zlib.compress(rows, 1)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def read_picture(path: Path | str) -> Frame:
    """An image file as a frame. Transparency is laid on white."""
    try:
        data = np.fromfile(path, np.uint8)
    except OSError as error:
        raise MediaError(f"cannot read the picture {path}: {error.strerror}") from error
    image = cv2.imdecode(data, cv2.IMREAD_UNCHANGED) if data.size else None
    if image is None:
        raise MediaError(f"{path} is not a picture that can be decoded (PNG, JPEG, WebP)")
    if image.dtype == np.uint16:
        image = (image >> 8).astype(np.uint8)
    if image.ndim == 2:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2RGB), np.uint8)
    if image.shape[2] == 4:
        alpha = image[..., 3:].astype(np.float32) / 255
        image = (image[..., :3] * alpha + 255 * (1 - alpha) + 0.5).astype(np.uint8)
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB), np.uint8)


def pixel_digest(frame: Frame) -> str:
    """A name for what the picture shows, whatever file it is stored in.

    Two checksums instead of a cryptographic hash: that would take longer than drawing, and nobody forges a puzzle.
    """
    pixels = np.ascontiguousarray(frame)
    size = "x".join(map(str, frame.shape)).encode()
    return f"{isal_zlib.crc32(pixels, isal_zlib.crc32(size)):08x}{isal_zlib.adler32(pixels):08x}"
