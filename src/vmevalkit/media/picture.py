"""The picture type, and PNG files: written fast, read back, digested by their pixels."""

from __future__ import annotations

import struct
import threading
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from vmevalkit.core.errors import MediaError

Frame: TypeAlias = NDArray[np.uint8]
"""Height x width x 3, RGB, 8 bits."""
Size: TypeAlias = tuple[int, int]
"""Width and height in pixels."""
Mask: TypeAlias = NDArray[np.bool_]

cv2.setNumThreads(1)  # work is shared out by process; waking OpenCV's threads costs a millisecond a call

_spare = threading.local()
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def _chunk(kind: bytes, body: bytes) -> bytes:
    check = isal_zlib.crc32(body, isal_zlib.crc32(kind))
    return b"".join((len(body).to_bytes(4, "big"), kind, body, check.to_bytes(4, "big")))


_END = _chunk(b"IEND", b"")


def _rows(frame: Frame) -> NDArray[np.uint8]:
    """The rows of an unfiltered PNG: each is led by a byte for its filter, 0.

    In the thread's last buffer where it fits: a fresh megabyte costs more in page faults than the compression.
    """
    height, width, channels = frame.shape
    if channels != 3 or frame.dtype != np.uint8:
        raise MediaError(f"a frame is height x width x 3 of uint8, not {frame.shape} of {frame.dtype}")
    rows: NDArray[np.uint8] | None = getattr(_spare, "rows", None)
    if rows is None or rows.shape != (height, 1 + width * 3):
        rows = _spare.rows = np.zeros((height, 1 + width * 3), np.uint8)
    rows[:, 1:] = frame.reshape(height, width * 3)
    return rows


def encode_png(frame: Frame) -> bytes:
    """A PNG file of the frame. Drawn scenes are flat, so unfiltered rows at level 1 are small already."""
    return _png(frame, isal_zlib.compress(_rows(frame), 1))


def encode_and_digest(frame: Frame) -> tuple[bytes, str]:
    """The PNG file of a frame and its pixel digest, of which the compressor has worked out the dearer half."""
    packed = isal_zlib.compress(_rows(frame), 1)
    return _png(frame, packed), _digest(frame, int.from_bytes(packed[-4:], "big"))


def _png(frame: Frame, packed: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", frame.shape[1], frame.shape[0], 8, 2, 0, 0, 0)
    return b"".join((_SIGNATURE, _chunk(b"IHDR", header), _chunk(b"IDAT", packed), _END))


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

    Checksums instead of a cryptographic hash: that would take longer than drawing, and nobody forges a puzzle.
    """
    return _digest(frame, isal_zlib.adler32(_rows(frame)))


def _digest(frame: Frame, adler: int) -> str:
    """The Adler-32 of the rows, as a zlib stream has it at its end; the size; and the sum of all words of 8 bytes."""
    flat = np.ascontiguousarray(frame).reshape(-1)
    whole = flat.size // 8 * 8
    total = int(flat[:whole].view("<u8").sum(dtype=np.uint64)) + int.from_bytes(flat[whole:].tobytes(), "little")
    mixed = (total ^ total >> 32 ^ frame.shape[0] << 16 ^ frame.shape[1]) & 0xFFFFFFFF
    return f"{mixed:08x}{adler:08x}"
