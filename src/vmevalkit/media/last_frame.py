"""The last frame of a video, without decoding all of it."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import av

from vmevalkit.media.image import Frame
from vmevalkit.media.video_reader import RgbConverter, decode_all, decode_packet, make_undecodable_error, open_video

_WHOLE_VIDEO = {"gif", "apng", "webp"}
"""Codecs whose keyframes may depend on earlier frames."""
_TAIL = 24
"""Packets at the end that are all decoded: more than any decoder delays."""


def last_frame(path: Path | str) -> Frame:
    """Return the last frame. All packets are read, but only those since the last keyframe are decoded.

    For a truncated or damaged video it is the last frame that can be decoded.
    """
    with open_video(path) as (container, stream):
        decoded = None
        if stream.codec_context.name not in _WHOLE_VIDEO:
            before, since = _read_last_packets(container, stream)
            decoded = _decode_last(stream, since) or _decode_last(stream, before + since)
        if decoded is not None:
            return RgbConverter().convert(decoded)
    with open_video(path) as (container, stream):
        frames = deque(decode_all(container, stream), maxlen=1)
        if not frames:
            raise make_undecodable_error(path, stream)
        return RgbConverter().convert(frames[0])


def _read_last_packets(container: Any, stream: Any) -> tuple[list[Any], list[Any]]:
    """Return the packets from the last but one keyframe to the last, and those since the last. Keyframes that are not
    shown do not count."""
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


def _decode_last(stream: Any, packets: list[Any]) -> Any:
    """Return the decoded frame with the latest time. Non-reference frames are skipped until near the end."""
    context = stream.codec_context
    context.flush_buffers()
    last = None
    for i, packet in enumerate(packets):
        context.skip_frame = "NONREF" if i < len(packets) - _TAIL else "DEFAULT"
        for decoded in decode_packet(stream, packet):
            last = _choose_later(last, decoded)
    for decoded in decode_packet(stream, None):
        last = _choose_later(last, decoded)
    return last


def _choose_later(one: Any, other: Any) -> Any:
    if one is None or other.pts is None or one.pts is None:
        return other
    return other if other.pts >= one.pts else one
