"""What a reader is given: one frame of a film, undone to look like the puzzle's own picture."""

from __future__ import annotations

from dataclasses import dataclass

from vmevalkit.media.picture import Frame, Mask


@dataclass(frozen=True, slots=True)
class Sighting:
    """A registered frame."""

    picture: Frame
    """At the task's reading size, with gain and offset of each channel undone."""
    seconds: float
    seen: Mask | None = None
    """Which pixels the film really shows; None means all. A cropped film leaves parts of the puzzle unseen."""
