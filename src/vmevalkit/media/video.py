"""Films in and out: the names that other rooms use."""

from vmevalkit.media.last_frame import last_frame
from vmevalkit.media.video_in import TimedFrame, VideoInfo, probe, read_frames
from vmevalkit.media.video_out import write_video

__all__ = ["TimedFrame", "VideoInfo", "last_frame", "probe", "read_frames", "write_video"]
