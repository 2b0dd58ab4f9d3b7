"""The scene: which sculpture stands there, and from where the camera sees it."""

from __future__ import annotations

from dataclasses import dataclass, field

from vmevalkit.tasks.rotation_task.snakes import Voxels

BASE_COLOUR = "#b3b3e6"
"""(0.7, 0.7, 0.9), the colour of a voxel that has none of its own."""


@dataclass(frozen=True, slots=True)
class RotationPuzzle:
    """A sculpture, a first view of it, and how far the camera shall go round."""

    voxels: Voxels
    elev_deg: float
    """Elevation of the camera, the same from first to last."""
    azim_deg: float
    """Azimuth of the first view."""
    angle_deg: float = 180.0
    """The turn to the final view."""
    colours: tuple[str, ...] = ()
    """One colour for each voxel; empty where all have the base colour."""

    @property
    def final_azim_deg(self) -> float:
        return (self.azim_deg + self.angle_deg) % 360

    @property
    def paint(self) -> tuple[str, ...]:
        return self.colours or (BASE_COLOUR,)


@dataclass(frozen=True, slots=True)
class Track:
    """What a reader notes for itself, to follow a film faster; it says nothing about the scene."""

    turn_deg: float
    """How far the camera turned since the reading before."""
    misfit: float
    """What was left unexplained."""
    checked_s: float
    """When other sculptures were last tried."""
    misfit_checked: float
    """What was left unexplained then."""
    clutter: float = 0.0
    """How much stands beside the sculpture that is not plain background."""
    place: tuple[float, ...] = ()
    """Elevation, logarithm of the zoom and shift when the sculpture was last made out."""


@dataclass(frozen=True, slots=True)
class TableTop:
    """What a table looks like from above."""

    colour: str = "#e6dccb"
    radius: float = 1.15
    """In radii of the sculpture; of a square one, half its diagonal."""
    corners: int = 48
    """So many look round."""


@dataclass(frozen=True, slots=True)
class View:
    """What a frame shows: the sculpture as it is now, and the camera."""

    azim_deg: float
    elev_deg: float
    voxels: Voxels
    """The sculpture; empty where a reader saw one that it cannot make out."""
    paint: tuple[str, ...] = (BASE_COLOUR,)
    """One colour for all voxels, or one for each."""
    zoom: float = 1.0
    """1 is as large as drawn at first."""
    shift: tuple[float, float] = (0.0, 0.0)
    """How far the sculpture is off the centre, in widths of the picture, to the right and down."""
    table: bool = False
    """Whether a table top lies under the sculpture."""
    table_top: TableTop = field(default=TableTop(), compare=False)
    """What it looks like, if it is drawn; a reader only says that there is one."""
    track: Track | None = field(default=None, compare=False, repr=False)


def angle_between(a_deg: float, b_deg: float) -> float:
    """From a to b the short way, from -180 up to 180."""
    return (b_deg - a_deg + 180) % 360 - 180
