"""The last frame of a film, without decoding all of it."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import av

from vmevalkit.media.picture import Frame
from vmevalkit.media.video_in import Converter, decode_all, decode_packet, no_picture, opened

_WHOLE_FILM = {"gif", "apng", "webp"}
"""Codecs whose keyframes may lean on frames before them."""
_TAIL = 24
"""Packets at the end of which every frame is decoded: more than any decoder holds back."""


def last_frame(path: Path | str) -> Frame:
    """The frame shown last. Reads all packets, decodes those since the last keyframe; a film that is cut off or
    damaged gives the last frame that can be decoded."""
    with opened(path) as (container, stream):
        decoded = None
        if stream.codec_context.name not in _WHOLE_FILM:
            before, since = _last_packets(container, stream)
            decoded = _last_decoded(stream, since) or _last_decoded(stream, before + since)
        if decoded is not None:
            return Converter().frame(decoded)
    with opened(path) as (container, stream):
        frames = deque(decode_all(container, stream), maxlen=1)
        if not frames:
            raise no_picture(path, stream)
        return Converter().frame(frames[0])


def _last_packets(container: Any, stream: Any) -> tuple[list[Any], list[Any]]:
    """The packets since the last keyframe that is shown, and those since the one before it up to there."""
    before: list[Any] = []
    since: list[Any] = []
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
        except (StopIteration, av.error.FFmpegError):
            return before, since
        if packet.size == 0:
            continue
        if packet.is_keyframe and not packet.is_discard:
            before, since = since, []
        since.append(packet)


def _last_decoded(stream: Any, packets: list[Any]) -> Any:
    """The decoded frame with the latest time. Frames that no other needs are skipped until near the end."""
    context = stream.codec_context
    context.flush_buffers()
    last = None
    for i, packet in enumerate(packets):
        context.skip_frame = "NONREF" if i < len(packets) - _TAIL else "DEFAULT"
        for decoded in decode_packet(stream, packet):
            last = _later(last, decoded)
    for decoded in decode_packet(stream, None):
        last = _later(last, decoded)
    return last


def _later(one: Any, other: Any) -> Any:
    if one is None or other.pts is None or one.pts is None:
        return other
    return other if other.pts >= one.pts else one
