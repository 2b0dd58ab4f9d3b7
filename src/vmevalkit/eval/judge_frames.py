"""The frames of a video that a judge sees: at equal distances, or where the video changes most."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from vmevalkit.core.errors import NotAVideo
from vmevalkit.media.video import TimedFrame, read_frames

_SMALL = (96, 96)
"""Frames are compared at this size."""
_MOST = 240
"""Frames that are kept while a video is read; of a longer one every second, then every fourth, ..."""


def select_frames(video: Path, count: int, by_change: bool) -> list[TimedFrame]:
    """Return up to ``count`` frames in order, the first and the last among them.

    ``by_change`` spreads them evenly over the changes of the video instead of over its time, so that a short motion in
    a long still video gets most of them."""
    frames, changes = _read_with_changes(video)
    if not frames:
        raise NotAVideo(f"{video} has no frame that can be decoded")
    if len(frames) <= count:
        return frames
    position = np.arange(len(frames), dtype=float)
    if by_change and (total := float(np.sum(changes))) > 0:
        # A little of the time is mixed in, so that noise alone does not decide where nothing happens.
        position = np.cumsum(changes) / total + 0.1 * position / len(frames)
    targets = np.linspace(position[0], position[-1], count)
    chosen = {int(np.argmin(np.abs(position - target))) for target in targets} | {0, len(frames) - 1}
    return [frames[index] for index in sorted(chosen)]


def _read_with_changes(video: Path) -> tuple[list[TimedFrame], list[float]]:
    """Return frames of the video and by how much each differs from the one before it. The last frame is among them."""
    frames: list[TimedFrame] = []
    step, last = 1, None
    for number, timed in enumerate(read_frames(video)):
        last = timed
        if number % step == 0:
            frames.append(timed)
            if len(frames) > _MOST:
                frames, step = frames[::2], step * 2
    if last is not None and frames[-1] is not last:
        frames.append(last)
    small = [cv2.resize(timed.frame, _SMALL, interpolation=cv2.INTER_AREA).astype(np.float32) for timed in frames]
    changes = [0.0, *(float(np.abs(after - before).mean()) for before, after in pairwise(small))]
    return frames, changes
