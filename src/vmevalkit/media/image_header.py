"""The format and the size of an image by its first bytes, so that nothing is decoded before its size is known.

A PNG file of 124 KB can hold an image that takes gigabytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from vmevalkit.core.errors import MediaError, SetupError
from vmevalkit.core.settings import setting

MAX_PIXELS = 40_000_000
"""More than 8K (7680 x 4320)."""
MAX_PIXELS_SETTING = "VMEVALKIT_MAX_PIXELS"

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# The start-of-frame markers of JPEG: C0 to CF, without those of tables and of arithmetic coding.
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD9)})


@dataclass(frozen=True, slots=True)
class ImageHeader:
    """What the first bytes of an image file say."""

    mime: str
    """``image/png``, ``image/jpeg`` or ``image/webp``."""
    width: int
    height: int


def parse_image_header(data: bytes) -> ImageHeader | None:
    """Return the header of a PNG, JPEG or WebP file; None where the data is not one, or ends too early."""
    if data.startswith(PNG_SIGNATURE) and data[12:16] == b"IHDR" and len(data) >= 24:
        return ImageHeader("image/png", int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"))
    if data.startswith(b"\xff\xd8\xff"):
        return _parse_jpeg(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        return _parse_webp(data)
    return None


def _parse_jpeg(data: bytes) -> ImageHeader | None:
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if marker == 0xFF:  # a fill byte
            place += 1
        elif marker in _JPEG_FRAMES:
            height, width = data[place + 5 : place + 7], data[place + 7 : place + 9]
            return ImageHeader("image/jpeg", int.from_bytes(width, "big"), int.from_bytes(height, "big"))
        elif marker in _JPEG_WITHOUT_LENGTH:
            place += 2
        else:
            place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return None


def _parse_webp(data: bytes) -> ImageHeader | None:
    match data[12:16]:
        case b"VP8X":
            width, height = (1 + int.from_bytes(data[at : at + 3], "little") for at in (24, 27))
        case b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            width, height = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            width, height = (int.from_bytes(data[at : at + 2], "little") & 0x3FFF for at in (26, 28))
        case _:
            return None
    return ImageHeader("image/webp", width, height)


def max_pixels() -> int:
    """Return the largest number of pixels of an image or of a frame: MAX_PIXELS, or that of the setting."""
    value = setting(MAX_PIXELS_SETTING)
    if value is None:
        return MAX_PIXELS
    if not value.isdecimal() or int(value) < 1:
        raise SetupError(f"{MAX_PIXELS_SETTING} is {value!r}; it must be a number of pixels, such as {MAX_PIXELS}")
    return int(value)


def check_pixels(width: int, height: int, place: object) -> None:
    """Raise MediaError where an image is empty or larger than the limit."""
    limit = max_pixels()
    if width < 1 or height < 1:
        raise MediaError(f"{place} has {width}x{height} pixels; it is not an image")
    if width * height > limit:
        raise MediaError(
            f"{place} has {width}x{height} pixels, more than the limit of {limit:,}; make it smaller, or raise the "
            f"limit with the setting {MAX_PIXELS_SETTING}"
        )
