"""Parameters of rotation puzzles."""

from __future__ import annotations

from dataclasses import dataclass

from vmevalkit.core.errors import UsageError

PALETTE = ("#e6a1a1", "#b3b3e6", "#a5d6a1", "#e6cf8f", "#8fcfd6", "#d6a1d6", "#c9b8a4", "#f0b27a")
"""Light colours that can be told apart under the same shading."""


@dataclass(frozen=True, slots=True)
class RotationParams:
    """Parameters of the sculptures and their views."""

    voxels: tuple[int, int] = (8, 9)
    """Minimum and maximum number of voxels, from 4 to 20."""
    segments: tuple[int, int] = (1, 3)
    """Minimum and maximum length of a straight segment."""
    p_branch: float = 0.2
    """Probability that a segment branches."""
    max_neighbours: int = 3
    """Maximum number of neighbours of a voxel."""
    elevations: tuple[int, int] = (20, 40)
    """Minimum and maximum elevation of the camera, in whole degrees."""
    angles: tuple[int, ...] = (180,)
    """The rotations to choose from, in degrees."""
    colours: int = 1
    """Number of colours of the voxels; 1 gives all of them the base colour."""
    visible: tuple[float, float] = (0.75, 1.0)
    """Minimum and maximum share of the voxels that the first view shows."""
    tries: int = 1000
    """Attempts at a snake before sampling gives up."""

    def __post_init__(self) -> None:
        _require(4 <= self.voxels[0] <= self.voxels[1] <= 20, "voxels", self.voxels, "minimum <= maximum, 4 to 20")
        _require(1 <= self.segments[0] <= self.segments[1], "segments", self.segments, "1 <= minimum <= maximum")
        _require(0 <= self.p_branch <= 1, "p_branch", self.p_branch, "a probability from 0 to 1")
        _require(2 <= self.max_neighbours <= 6, "max_neighbours", self.max_neighbours, "a number from 2 to 6")
        low, high = self.elevations
        _require(5 <= low <= high <= 75, "elevations", self.elevations, "minimum <= maximum, 5 to 75 degrees")
        are_angles_valid = bool(self.angles) and all(30 <= angle <= 330 for angle in self.angles)
        _require(are_angles_valid, "angles", self.angles, "one or more, each from 30 to 330 degrees")
        _require(1 <= self.colours <= len(PALETTE), "colours", self.colours, f"a number from 1 to {len(PALETTE)}")
        low_share, high_share = self.visible
        _require(0 <= low_share <= high_share <= 1, "visible", self.visible, "minimum <= maximum, 0 to 1")
        _require(self.tries >= 1, "tries", self.tries, "at least 1")
        if self.voxels[1] == 4 and self.colours == 1:
            raise UsageError(
                "rotation: voxels=(4, 4) in one colour leaves no puzzle: every 4-voxel sculpture that spans three axes "
                "is symmetric; allow 5 voxels, or set colours to 2 or more"
            )


def _require(is_valid: bool, name: str, value: object, expected: str) -> None:
    if not is_valid:
        raise UsageError(f"rotation: {name}={value!r} is not valid; set {expected}")
