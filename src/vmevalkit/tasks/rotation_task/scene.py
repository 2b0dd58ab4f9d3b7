"""The scene: a sculpture, and the direction from which the camera sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from vmevalkit.core.ranges import Range
from vmevalkit.tasks.rotation_task.snakes import Voxels

BASE_COLOUR = "#b3b3e6"
"""(0.7, 0.7, 0.9), the colour of voxels that have none of their own."""


@dataclass(frozen=True, slots=True)
class SculptureLook:
    """How a sculpture is drawn: as here, or as somebody else's pictures show it."""

    distance: float = 4.5
    """Of the camera from the centre, in radii of the sculpture's bounding ball: a mild perspective."""
    stretch: float = 1.0
    """Height of a voxel, relative to its width."""
    is_shaded: bool = True
    """Whether faces are brighter or darker by their direction."""
    edge_width: float = 1.2
    """Width of an edge, in pixels of the drawn image."""


DRAWN = SculptureLook()


@dataclass(frozen=True, slots=True)
class VoxelPuzzle:
    """A sculpture, a first view of it, and the angle by which the camera is to rotate around it."""

    voxels: Annotated[Voxels, Range(1, 1000)]
    """The cells of the sculpture."""
    elev_deg: Annotated[float, Range(-90, 90)]
    """Elevation of the camera, the same in all views of the solution."""
    azim_deg: Annotated[float, Range(-720, 720)]
    """Azimuth of the first view."""
    angle_deg: Annotated[float, Range(-720, 720)] = 180.0
    """The rotation from the first to the final view."""
    colours: tuple[str, ...] = ()
    """One colour for each voxel; empty where all have the base colour."""

    @property
    def look(self) -> SculptureLook:
        """How the sculpture is drawn."""
        return DRAWN

    @property
    def final_azim_deg(self) -> float:
        """Azimuth of the final view."""
        return (self.azim_deg + self.angle_deg) % 360

    @property
    def paint(self) -> tuple[str, ...]:
        """One colour for each voxel, or one for all."""
        return self.colours or (BASE_COLOUR,)


@dataclass(frozen=True, slots=True)
class PicturedVoxelPuzzle(VoxelPuzzle):
    """A puzzle whose pictures somebody else drew."""

    seen_look: SculptureLook = DRAWN

    @property
    def look(self) -> SculptureLook:
        return self.seen_look


@dataclass(frozen=True, slots=True)
class Track:
    """Notes of a reader for the next frame. They are not a part of the scene."""

    turn_deg: float
    """Rotation of the camera since the previous reading."""
    misfit: float
    """The share of the frame's contrast that is not explained."""
    checked_s: float
    """When other sculptures were last tried."""
    checked_misfit: float
    """The misfit at that time."""
    clutter: float = 0.0
    """How much beside the sculpture is not plain background."""
    place: tuple[float, ...] = ()
    """Elevation, logarithm of the zoom, and shift when the sculpture was last recognised."""


@dataclass(frozen=True, slots=True)
class TableTop:
    """Appearance of a table."""

    colour: str = "#e6dccb"
    """Colour of the top."""
    radius: float = 1.15
    """In radii of the sculpture; half the diagonal of a square table."""
    corners: int = 48
    """Number of corners; 48 look round."""


@dataclass(frozen=True, slots=True)
class View:
    """The state of a frame: the sculpture as it is now, and the camera."""

    azim_deg: float
    """Azimuth of the camera."""
    elev_deg: float
    """Elevation of the camera."""
    voxels: Voxels
    """The sculpture; empty where a reader cannot recognise it."""
    paint: tuple[str, ...] = (BASE_COLOUR,)
    """One colour for all voxels, or one for each."""
    zoom: float = 1.0
    """Size relative to the first frame."""
    shift: tuple[float, float] = (0.0, 0.0)
    """Offset of the sculpture from its drawn place, in widths of the image, to the right and down."""
    has_table: bool = False
    """Whether there is a table top under the sculpture."""
    table_top: TableTop = field(default=TableTop(), compare=False)
    """Appearance of the table, for drawing; a reader finds only whether there is one."""
    track: Track | None = field(default=None, compare=False, repr=False)
    """Notes of the reader."""


def solution_at(puzzle: VoxelPuzzle, t: float) -> View:
    """Return the view at time t, from 0 to 1, of an even rotation to the final view."""
    azim_deg = (puzzle.azim_deg + puzzle.angle_deg * t) % 360
    return View(azim_deg, puzzle.elev_deg, puzzle.voxels, puzzle.paint)


def angle_between(a_deg: float, b_deg: float) -> float:
    """Return the shorter rotation from a to b, from -180 up to 180 degrees."""
    return (b_deg - a_deg + 180) % 360 - 180
