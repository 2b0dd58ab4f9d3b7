"""Questions about views of one voxel sculpture: how the camera moved, and from which side an image was taken."""

from __future__ import annotations

from random import Random
from typing import Any

from vmevalkit.tasks.rotation_task import TASK, RotationParams, View, VoxelPuzzle
from vmevalkit.tasks.rotation_task.camera import camera_of
from vmevalkit.vqa.synthetic.question import SyntheticQuestion, arrange_options

CAMERA_MOVES: dict[str, tuple[float, float, float]] = {
    "it moved around the sculpture to its right": (1.0, 0.0, 1.0),
    "it moved around the sculpture to its left": (-1.0, 0.0, 1.0),
    "it moved up": (0.0, 1.0, 1.0),
    "it moved down": (0.0, -1.0, 1.0),
    "it zoomed in": (0.0, 0.0, 1.25),
    "it zoomed out": (0.0, 0.0, 0.75),
}
"""Signs of the change of azimuth and of elevation, and the factor of the zoom, for each move of the camera."""
SIDES = ("south", "east", "north", "west")
"""Where the camera is after 0, 1, 2 and 3 quarter turns to its right, where it starts in the south."""
_PARAMS = RotationParams(voxels=(8, 10), elevations=(30, 32))
_TILT_DEG = 24


def make_camera_question(rng: Random, answer: str, index: int) -> SyntheticQuestion:
    """Return a question about the camera's move between two views of a sculpture. All moves are equally frequent."""
    puzzle = TASK.sample(rng, _PARAMS)
    move = list(CAMERA_MOVES)[index % len(CAMERA_MOVES)]
    turn, tilt, zoom = CAMERA_MOVES[move]
    angle_deg = rng.randrange(30, 61, 5)
    cameras = [
        (puzzle.azim_deg, puzzle.elev_deg, 1.0),
        ((puzzle.azim_deg + turn * angle_deg) % 360, puzzle.elev_deg + tilt * _TILT_DEG, zoom),
    ]
    return SyntheticQuestion(
        category="motion_cam",
        kind="camera_move",
        text="The two images show the same sculpture, which did not move. How did the camera move from the first image "
        "to the second?",
        options=arrange_options(rng, move, list(CAMERA_MOVES), answer),
        answer=answer,
        images=tuple(_draw(puzzle, camera) for camera in cameras),
        scene={**_describe(puzzle), "turn_deg": angle_deg, "tilt_deg": _TILT_DEG},
    )


def make_side_question(rng: Random, answer: str, index: int) -> SyntheticQuestion:
    """Return a question about the side from which the third view was taken. All sides are equally frequent."""
    puzzle = TASK.sample(rng, _PARAMS)
    second, third = rng.choice((1, 2, 3)), index % len(SIDES)
    tilt_deg = rng.choice((-12, 12))
    cameras = [
        (puzzle.azim_deg, puzzle.elev_deg, 1.0),
        ((puzzle.azim_deg + 90 * second) % 360, puzzle.elev_deg, 1.0),
        ((puzzle.azim_deg + 90 * third) % 360, puzzle.elev_deg + tilt_deg, 1.0),
    ]
    return SyntheticQuestion(
        category="msr",
        kind="side_of_view",
        text="All images show the same sculpture, which did not move. The first image was taken from the south of it, "
        f"looking north, and the second from the {SIDES[second]}. From which side was the third image taken?",
        options=arrange_options(rng, SIDES[third], SIDES, answer),
        answer=answer,
        images=tuple(_draw(puzzle, camera) for camera in cameras),
        scene={**_describe(puzzle), "second": SIDES[second], "tilt_deg": tilt_deg},
    )


def _draw(puzzle: VoxelPuzzle, camera: tuple[float, float, float]) -> Any:
    azim_deg, elev_deg, zoom = camera
    return TASK.draw(puzzle, View(azim_deg, elev_deg, puzzle.voxels, puzzle.paint, zoom))


def _describe(puzzle: VoxelPuzzle) -> dict[str, Any]:
    """Return the sculpture and the constants of its camera as plain numbers, for a certificate by other code."""
    camera = camera_of(puzzle)
    return {
        "voxels": [list(voxel) for voxel in puzzle.voxels],
        "azim_deg": puzzle.azim_deg,
        "elev_deg": puzzle.elev_deg,
        "centre": [float(x) for x in camera.centre],
        "distance": float(camera.distance),
        "lens": float(camera.lens),
        "lift": float(camera.lift),
    }
