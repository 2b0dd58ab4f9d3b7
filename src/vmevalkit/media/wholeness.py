"""Whether a film arrived whole."""

from __future__ import annotations

from pathlib import Path

import av

from vmevalkit.core.errors import NotAVideo
from vmevalkit.media.video_in import VideoInfo, opened, probe


def whole_film(path: Path) -> VideoInfo:
    """What the film says of itself. Raises NotAVideo where no picture can be decoded, or where the file is shorter than
    its own table of frames: it was cut off on the way."""
    info = probe(path)
    with opened(path) as (container, stream):
        promised = stream.frames
        if promised:
            found = _packets(container, stream)
            if found < promised:
                raise NotAVideo(f"{path} is cut off: it holds {found} of {promised} frames")
    return info


def _packets(container: av.container.InputContainer, stream: av.VideoStream) -> int:
    """Frames that are there, undecoded."""
    found = 0
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
        except (StopIteration, av.error.FFmpegError):
            return found
        found += packet.size > 0 and not packet.is_corrupt
