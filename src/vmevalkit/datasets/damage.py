"""Whether the files of a question are still those that were generated."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vmevalkit.core.errors import MediaError
from vmevalkit.media.image import is_pixel_digest, pixel_digest, read_image
from vmevalkit.store import layout
from vmevalkit.tasks.task import AnyTask

_PNG_START = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
_PNG_END = b"IEND\xaeB`\x82"
_IMAGES = {"first_frame": layout.FIRST_FRAME, "final_frame": layout.FINAL_FRAME}


def find_damage(folder: Path, record: Mapping[str, Any], *, verify: bool) -> str | None:
    """Return what is wrong with a question's files; None where nothing is.

    The cheap check looks at the prompt and at both ends of the images. ``verify`` decodes the images too and compares
    their pixels with the digests in the record.
    """
    prompt = _read_bytes(folder / layout.PROMPT)
    if prompt is None:
        return f"{layout.PROMPT} is missing"
    if prompt != str(record.get("prompt", "")).encode():
        return f"{layout.PROMPT} is not the question's prompt"
    for key, name in _IMAGES.items():
        problem = _find_image_damage(folder / name, _digest_of(record, key) if verify else None)
        if problem:
            return f"{name} {problem}"
    return None


def _find_image_damage(path: Path, digest: str | None) -> str | None:
    try:
        with path.open("rb") as file:
            start = file.read(len(_PNG_START))
            file.seek(0, 2)
            file.seek(max(0, file.tell() - len(_PNG_END)))
            end = file.read()
    except OSError:
        return "is missing"
    if start != _PNG_START or end != _PNG_END:
        return "is not a whole PNG file"
    if digest is None:
        return None
    try:
        return None if pixel_digest(read_image(path)) == digest else "does not show the pixels that were drawn"
    except MediaError:
        return "cannot be decoded"


def has_pixel_digests(record: Mapping[str, Any]) -> bool:
    """Return whether a question's record tells the pixels of both images."""
    return all(is_pixel_digest(_digest_of(record, key)) for key in _IMAGES)


def draw_digests(task: AnyTask, puzzle: Any) -> dict[str, str]:
    """Return the digests of the images as they are drawn now."""
    return {
        "first_frame": pixel_digest(task.first_frame(puzzle)),
        "final_frame": pixel_digest(task.final_frame(puzzle)),
    }


def _digest_of(record: Mapping[str, Any], key: str) -> str | None:
    digests = record.get("pixel_digests")
    digest = digests.get(key) if isinstance(digests, Mapping) else None
    return digest if isinstance(digest, str) else None


def _read_bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
