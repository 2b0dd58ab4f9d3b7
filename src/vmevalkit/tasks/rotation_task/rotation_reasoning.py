"""Making rotation puzzles: knobs, sampling, the proof that a puzzle is sound."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from vmevalkit.core.errors import Uncertified, UsageError
from vmevalkit.tasks.rotation_task.camera import eye_of, solid_of, visible_spots
from vmevalkit.tasks.rotation_task.PROMPTS import VIDEO_PROMPT
from vmevalkit.tasks.rotation_task.scene import RotationPuzzle, View
from vmevalkit.tasks.rotation_task.snakes import Shape, Voxel, connected, grow_snake, shape_of, spans_all_axes

PALETTE = ("#e6a1a1", "#b3b3e6", "#a5d6a1", "#e6cf8f", "#8fcfd6", "#d6a1d6", "#c9b8a4", "#f0b27a")
"""Light colours, told apart under the same shading."""
_VIEWS_A_SNAKE = 3  # other views are tried before the snake is given up


@dataclass(frozen=True, slots=True)
class RotationKnobs:
    """What can be turned about the sculptures and their views."""

    voxels: tuple[int, int] = (8, 9)
    """Least and most voxels, from 4 to 20."""
    segments: tuple[int, int] = (1, 3)
    """Least and greatest length of a straight segment."""
    p_branch: float = 0.2
    """How often a segment branches."""
    max_neighbours: int = 3
    elevations: tuple[int, int] = (20, 40)
    """Least and greatest elevation of the camera, in whole degrees."""
    angles: tuple[int, ...] = (180,)
    """The turns to choose from, in degrees."""
    colours: int = 1
    """How many colours the voxels have; 1 gives all the base colour."""
    visible: tuple[float, float] = (0.75, 1.0)
    """Least and greatest share of the voxels that the first view shows."""
    tries: int = 1000
    """Attempts at a snake before sampling gives up."""

    def __post_init__(self) -> None:
        _require(4 <= self.voxels[0] <= self.voxels[1] <= 20, "voxels", self.voxels, "least <= most, within 4 to 20")
        _require(1 <= self.segments[0] <= self.segments[1], "segments", self.segments, "1 <= least <= greatest")
        _require(0 <= self.p_branch <= 1, "p_branch", self.p_branch, "a share from 0 to 1")
        _require(2 <= self.max_neighbours <= 6, "max_neighbours", self.max_neighbours, "from 2 to 6")
        low, high = self.elevations
        _require(5 <= low <= high <= 75, "elevations", self.elevations, "least <= greatest, within 5 to 75 degrees")
        fit = bool(self.angles) and all(30 <= angle <= 330 for angle in self.angles)
        _require(fit, "angles", self.angles, "one or more, each from 30 to 330 degrees")
        _require(1 <= self.colours <= len(PALETTE), "colours", self.colours, f"from 1 to {len(PALETTE)}")
        least, most = self.visible
        _require(0 <= least <= most <= 1, "visible", self.visible, "least <= greatest, within 0 to 1")
        _require(self.tries >= 1, "tries", self.tries, "at least 1")
        if self.voxels[1] == 4 and self.colours == 1:
            raise UsageError(
                "voxels=(4, 4) in one colour leaves nothing: every 4-voxel sculpture that spans three axes is "
                "symmetric; allow 5 voxels, or set colours to 2 or more"
            )


def _require(fit: bool, name: str, value: object, wanted: str) -> None:
    if not fit:
        raise UsageError(f"rotation: {name}={value!r} is impossible; wanted {wanted}")


def sample(rng: Random, knobs: RotationKnobs) -> RotationPuzzle:
    """A puzzle that will certify. Raises Uncertified when the knobs leave none within their tries."""
    for _ in range(knobs.tries):
        voxels = grow_snake(
            rng,
            N=rng.randint(*knobs.voxels),
            Lmin=knobs.segments[0],
            Lmax=knobs.segments[1],
            p_branch=knobs.p_branch,
            max_deg=knobs.max_neighbours,
            tries=knobs.tries,
        )
        if voxels is None:
            break
        colours = _colours(rng, len(voxels), knobs.colours)
        if not _telling(shape_of(voxels, colours)):
            continue
        for _ in range(_VIEWS_A_SNAKE):
            puzzle = RotationPuzzle(
                voxels=voxels,
                elev_deg=float(rng.randint(*knobs.elevations)),
                azim_deg=float(rng.randint(0, 359)),
                angle_deg=float(rng.choice(knobs.angles)),
                colours=colours,
            )
            first = seen_voxels(puzzle, 0.0)
            share = np.count_nonzero(first) / len(first)
            if knobs.visible[0] <= share <= knobs.visible[1] and (first | seen_voxels(puzzle, 1.0)).all():
                return puzzle
    raise Uncertified(f"no sound rotation puzzle within {knobs.tries} tries of {knobs}; allow more, or other segments")


def _colours(rng: Random, voxels: int, count: int) -> tuple[str, ...]:
    """A colour for each voxel, every one of ``count`` in use where there are voxels enough."""
    if count == 1:
        return ()
    chosen = rng.sample(PALETTE, count)
    colours = chosen[:voxels] + [rng.choice(chosen) for _ in range(voxels - count)]
    rng.shuffle(colours)
    return tuple(colours)


def _telling(shape: Shape) -> bool:
    """Whether the sculpture differs from its turns and from its mirror image by enough to be seen."""
    return not (shape.symmetric or shape.achiral or shape.lookalike)


@lru_cache(maxsize=16)
def seen_voxels(puzzle: RotationPuzzle, t: float) -> NDArray[np.bool_]:
    """Which voxels the camera sees at time t of the solution: two spots or more, of four on each face."""
    eye = eye_of(puzzle, puzzle.azim_deg + puzzle.angle_deg * t, puzzle.elev_deg)
    return visible_spots(solid_of(puzzle.voxels), eye) >= 2


def certify(puzzle: RotationPuzzle) -> None:
    """Raises Uncertified unless the sculpture is sound and its turn can be seen."""
    voxels = puzzle.voxels
    if len(voxels) < 4 or len(set(voxels)) < len(voxels):
        raise Uncertified(f"{len(voxels)} voxels, {len(set(voxels))} of them distinct; wanted 4 or more, each once")
    if not connected(voxels):
        raise Uncertified(f"the sculpture falls apart: {voxels}")
    if not spans_all_axes(voxels):
        raise Uncertified(f"the sculpture is flat: {voxels}")
    if puzzle.colours and len(puzzle.colours) != len(voxels):
        raise Uncertified(f"{len(puzzle.colours)} colours for {len(voxels)} voxels")
    if puzzle.angle_deg % 360 == 0:
        raise Uncertified(f"a turn of {puzzle.angle_deg:g} degrees ends where it began")
    if shape_of(voxels, puzzle.colours).symmetric:
        raise Uncertified(f"{voxels}: a rotation maps the sculpture onto itself")
    first, final = seen_voxels(puzzle, 0.0), seen_voxels(puzzle, 1.0)
    seen, in_all = np.count_nonzero(first), np.count_nonzero(first | final)
    if seen < 0.5 * len(voxels) or in_all < 0.75 * len(voxels):
        raise Uncertified(
            f"{voxels}: the first view shows {seen} of {len(voxels)} voxels, both together {in_all}; wanted half and "
            "three quarters"
        )


def key(puzzle: RotationPuzzle) -> Hashable:
    """The sculpture, whichever way it lies: the same one is never asked about twice."""
    return shape_of(puzzle.voxels, puzzle.colours).key


def solution(puzzle: RotationPuzzle, t: float) -> View:
    """The camera at time t of an even turn."""
    azim_deg = (puzzle.azim_deg + puzzle.angle_deg * t) % 360
    return View(azim_deg, puzzle.elev_deg, puzzle.voxels, puzzle.paint)


def prompt(puzzle: RotationPuzzle) -> str:
    return VIDEO_PROMPT.format(
        num_voxels=len(puzzle.voxels),
        elev1=f"{puzzle.elev_deg:g}",
        azim1=f"{puzzle.azim_deg:g}",
        elev2=f"{puzzle.elev_deg:g}",
        azim2=f"{puzzle.final_azim_deg:g}",
        angle=f"{puzzle.angle_deg:g}",
    )


def spec_difficulty(voxels: Sequence[Voxel]) -> str:
    """The specification's grade, by how many layers the sculpture takes along the axes. It never exceeds easy."""
    layers = sum(len(set(along)) for along in zip(*voxels, strict=True))
    score = 2 + (2 if layers > 6 else 1 if layers > 4 else 0)
    return "easy" if score <= 4 else "medium" if score <= 6 else "hard"
