"""Filmstrips: frames of a video at equal intervals, side by side, each with its time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from vmevalkit.media.canvas import Canvas, side_by_side
from vmevalkit.media.image import Frame
from vmevalkit.media.video import TimedFrame, probe, read_frames

LABEL_HEIGHT = 16


def make_filmstrip(video: Path, count: int = 8, height: int = 120) -> Frame:
    """Return ``count`` frames from the first to the last, each at most ``height`` pixels high, with their seconds.

    The video is decoded once, and only a few candidates are kept in memory.
    """
    info = probe(video)
    scale = min(height / info.height, 2 * height / info.width, 1.0)
    size = max(2, round(info.width * scale)), max(2, round(info.height * scale))
    candidates = _select_evenly(read_frames(video, within=size), 8 * count)
    chosen = np.linspace(0, len(candidates) - 1, min(count, len(candidates))).round().astype(int)
    return side_by_side(_draw_label(*candidates[index]) for index in chosen)


def _select_evenly(frames: Iterable[TimedFrame], most: int) -> list[TimedFrame]:
    """Return at most ``most`` frames at equal intervals, and the last one. Memory does not grow with the video."""
    selected: list[TimedFrame] = []
    stride = 1
    last: TimedFrame | None = None
    for index, last in enumerate(frames):
        if index % stride == 0:
            selected.append(last)
        if len(selected) >= most:
            selected, stride = selected[::2], stride * 2
    if last is not None and selected[-1] is not last:
        selected.append(last)
    return selected


def _draw_label(seconds: float, frame: Frame) -> Frame:
    height, width = frame.shape[:2]
    canvas = Canvas(width, height + LABEL_HEIGHT)
    canvas.paste(frame, 0, 0)
    canvas.text(f"{seconds:.1f} s", width / 2, height + LABEL_HEIGHT / 2, 11, fill="#475569")
    return canvas.frame()
