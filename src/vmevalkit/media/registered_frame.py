"""The input of a reader: one video frame, aligned with the puzzle's own image."""

from __future__ import annotations

from dataclasses import dataclass

from vmevalkit.media.image import Frame, Mask


@dataclass(frozen=True, slots=True)
class RegisteredFrame:
    """A video frame that is aligned with the reference image."""

    image: Frame
    """The frame at the task's reading size, with the original levels of each channel restored."""
    seconds: float
    visible: Mask | None = None
    """The pixels that the video shows; None means all. A cropped video leaves parts of the puzzle unseen."""
    is_blank: bool = False
    """Whether nothing of the reference image is visible but its ground, as at the end of a fade to white."""
