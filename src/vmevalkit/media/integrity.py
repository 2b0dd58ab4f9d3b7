"""Check that a video file is complete."""

from __future__ import annotations

from pathlib import Path

import av

from vmevalkit.core.errors import NotAVideo
from vmevalkit.media.video_reader import VideoInfo, open_video, probe


def check_video(path: Path) -> VideoInfo:
    """Return the video's properties. Raises NotAVideo where no image can be decoded, or where the file has fewer frames
    than its own index says: it was truncated."""
    info = probe(path)
    with open_video(path) as (container, stream):
        expected = stream.frames
        if expected:
            found = _count_packets(container, stream)
            if found < expected:
                raise NotAVideo(f"{path} is truncated: it contains {found} of {expected} frames")
    return info


def _count_packets(container: av.container.InputContainer, stream: av.VideoStream) -> int:
    """Return the number of intact packets, without decoding them."""
    found = 0
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
        except (StopIteration, av.error.FFmpegError):
            return found
        found += packet.size > 0 and not packet.is_corrupt
