"""Reading and writing videos: the public names of this package's video modules."""

from vmevalkit.media.last_frame import last_frame
from vmevalkit.media.video_reader import TimedFrame, VideoInfo, probe, read_frames
from vmevalkit.media.video_writer import write_video

__all__ = ["TimedFrame", "VideoInfo", "last_frame", "probe", "read_frames", "write_video"]
