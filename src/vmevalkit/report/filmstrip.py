"""A film at a glance: frames at even times side by side, each with its second."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np

from vmevalkit.media.canvas import Canvas, side_by_side
from vmevalkit.media.picture import Frame
from vmevalkit.media.video import TimedFrame, probe, read_frames

HEIGHT = 120
MOST_WIDTH = 240


def filmstrip(path: Path, count: int = 8) -> Frame:
    """``count`` frames from the first to the last. One sequential decode, of which only the chosen are kept."""
    info = probe(path)
    scale = min(HEIGHT / info.height, MOST_WIDTH / info.width, 1.0)
    size = max(2, round(info.width * scale)), max(2, round(info.height * scale))
    shown = _spread(read_frames(path, within=size), 8 * count)
    chosen = np.linspace(0, len(shown) - 1, min(count, len(shown))).round().astype(int)
    return side_by_side(_labelled(*shown[index]) for index in chosen)


def _spread(film: Iterable[TimedFrame], most: int) -> list[TimedFrame]:
    """At most ``most`` frames at even distances, and the last one: memory does not grow with the film."""
    kept: list[TimedFrame] = []
    stride = 1
    last: TimedFrame | None = None
    for index, last in enumerate(film):
        if index % stride == 0:
            kept.append(last)
        if len(kept) >= most:
            kept, stride = kept[::2], stride * 2
    if last is not None and kept[-1] is not last:
        kept.append(last)
    return kept


def _labelled(seconds: float, frame: Frame) -> Frame:
    height, width = frame.shape[:2]
    canvas = Canvas(width, height + 16)
    canvas.paste(frame, 0, 0)
    canvas.text(f"{seconds:.1f} s", width / 2, height + 8, 11, fill="#475569")
    return canvas.frame()


def jpeg(frame: Frame, quality: int = 85) -> bytes:
    """Strips are evidence to look at, not data: small files are worth more than exact pixels."""
    _, data = cv2.imencode(".jpg", cv2.cvtColor(frame, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, quality])
    return bytes(data)
