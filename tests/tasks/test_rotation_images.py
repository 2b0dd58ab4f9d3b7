"""The drawn views: occlusion, framing, colours."""

from __future__ import annotations

from math import cos, radians, sin
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.rotation_task import TASK, RotationParams, View, VoxelPuzzle
from vmevalkit.tasks.rotation_task.camera import camera_of, locate_eye
from vmevalkit.tasks.rotation_task.mesh import DIRECTIONS, build_mesh, count_visible_spots
from vmevalkit.tasks.rotation_task.render import SIDE, draw_sculpture
from vmevalkit.tasks.rotation_task.snakes import mirror_voxels


def cast_ray(puzzle: VoxelPuzzle, view: View, side: int, x: float, y: float) -> tuple[int, int] | None:
    """Return the voxel and the face that a ray through a point of the image meets first, or None."""
    camera = camera_of(puzzle)
    a, e = radians(view.azim_deg), radians(view.elev_deg)
    towards = np.array([cos(e) * cos(a), cos(e) * sin(a), sin(e)])
    right = np.array([-sin(a), cos(a), 0.0])
    up = np.cross(towards, right)
    eye = camera.centre + camera.distance * towards
    u, v = (x / side - 0.5) / camera.lens, (0.5 - y / side - camera.lift) / camera.lens
    ray = -towards * camera.distance + right * u + up * v
    best: tuple[float, int, int] | None = None
    for index, voxel in enumerate(view.voxels):
        for axis in range(3):
            if abs(ray[axis]) < 1e-12:
                continue
            bound = voxel[axis] - 0.5 * np.sign(ray[axis])
            t = (bound - eye[axis]) / ray[axis]
            hit = eye + t * ray
            if all(abs(hit[k] - voxel[k]) <= 0.5 for k in range(3) if k != axis) and (best is None or t < best[0]):
                facing = np.zeros(3, int)
                facing[axis] = -int(np.sign(ray[axis]))
                best = t, index, int(np.flatnonzero((facing == DIRECTIONS).all(axis=1))[0])
    return None if best is None else best[1:]


def draw_face_numbers(puzzle: VoxelPuzzle, view: View, side: int) -> NDArray[np.uint8]:
    """Return an image with the number of each face as its green level, opaque; edges are red."""
    canvas = Canvas(side, side, (0.0, 0.0, 1.0))
    number = (np.arange(len(build_mesh(view.voxels).faces)) + 1) / 255
    fills = np.stack([number * 0, number, number * 0, number * 0 + 1], axis=1)
    draw_sculpture(canvas, puzzle, view, fills, edge=(1.0, 0.0, 0.0))
    return canvas.frame()


@pytest.mark.parametrize("voxels", [(8, 9), (18, 20)])
def test_near_faces_hide_far_faces(voxels: tuple[int, int]) -> None:
    rng, compared, side = Random(4), 0, 200
    for puzzle in plan(TASK, 6, 3, RotationParams(voxels=voxels, visible=(0.4, 1.0))):
        view = View(rng.uniform(0, 360), rng.uniform(5, 75), puzzle.voxels)
        mesh, shown = build_mesh(puzzle.voxels), draw_face_numbers(puzzle, view, side)
        for _ in range(300):
            x, y = rng.randrange(side // 5, side * 4 // 5), rng.randrange(side // 5, side * 4 // 5)
            patch = shown[y - 1 : y + 2, x - 1 : x + 2]
            if (patch != shown[y, x]).any() or shown[y, x, 0]:
                continue  # an edge, or the rim of a face
            _, green, blue = map(int, shown[y, x])
            met = cast_ray(puzzle, view, side, x + 0.5, y + 0.5)
            if met is None:
                assert blue == 255
            else:
                assert (mesh.owner[green - 1], mesh.direction[green - 1]) == met
                compared += 1
    assert compared > 100


def test_visible_spots_of_hidden_and_of_visible_voxels() -> None:
    wall = tuple((x, y, 0) for x in (0, 1, 2) for y in (0, 1))
    puzzle = VoxelPuzzle(((0, 0, 0), (3, 0, 0), (6, 0, 1)), 10.0, 0.0)
    spots = count_visible_spots(build_mesh(puzzle.voxels), locate_eye(puzzle, 0.0, 2.0))
    assert spots[2] >= 4 and spots[0] <= 4
    assert count_visible_spots(build_mesh(wall), np.array([1.0, 0.5, 50.0])).tolist() == [4.0] * 6


def measure_box(frame: Frame) -> tuple[float, float]:
    """Return the longer side of what is drawn, and its distance from the nearest edge, in widths of the image."""
    ys, xs = np.nonzero((frame < 250).any(axis=2))
    margin = min(ys.min(), xs.min(), SIDE - 1 - ys.max(), SIDE - 1 - xs.max())
    return (max(np.ptp(ys), np.ptp(xs)) + 1) / SIDE, margin / SIDE


@pytest.mark.parametrize("difficulty", TASK.difficulties)
def test_every_sculpture_fills_the_first_frame_alike(difficulty: str) -> None:
    for puzzle in plan(TASK, 40, 8, TASK.preset(difficulty)):
        side, _ = measure_box(TASK.first_frame(puzzle))
        assert 0.60 <= side <= 0.75


@pytest.mark.parametrize(
    "puzzle",
    [
        *plan(TASK, 5, 8, TASK.preset()),
        *plan(TASK, 5, 8, TASK.preset("hard")),
        VoxelPuzzle((*((x, 0, 0) for x in range(8)), (7, 1, 0), (7, 1, 1)), 20.0, 0.0),
    ],
)
def test_no_view_of_the_orbit_is_cut_off(puzzle: VoxelPuzzle) -> None:
    """The last puzzle is a long bar, seen from its end in the first view."""
    sides = []
    for azim_deg in range(0, 360, 5):
        frame = TASK.draw(puzzle, View(float(azim_deg), puzzle.elev_deg, puzzle.voxels))
        assert frame.shape == (SIDE, SIDE, 3)
        side, margin = measure_box(frame)
        assert margin > 0.03
        sides.append(side)
    assert max(sides) > 0.6


def test_zoom_and_shift_move_the_whole_image() -> None:
    puzzle = plan(TASK, 1, 2, TASK.preset())[0]
    plain = TASK.draw(puzzle, View(40.0, 30.0, puzzle.voxels))
    shifted = TASK.draw(puzzle, View(40.0, 30.0, puzzle.voxels, shift=(0.05, -0.025)))
    assert np.array_equal(shifted[: SIDE - 10, 20:], plain[10:, : SIDE - 20])
    small = TASK.draw(puzzle, View(40.0, 30.0, puzzle.voxels, zoom=0.5))
    assert (small < 255).any(axis=2).sum() == pytest.approx((plain < 255).any(axis=2).sum() / 4, rel=0.05)


def test_faces_are_light_blue_and_edges_black() -> None:
    puzzle = plan(TASK, 1, 2, TASK.preset())[0]
    frame = TASK.first_frame(puzzle).astype(int)
    assert frame.min() < 40
    inked = frame[(frame < 250).any(axis=2) & (frame.min(axis=2) > 120)]
    assert (np.median(inked[:, 2]) - np.median(inked[:, 0])) > 30
    assert np.abs(np.median(inked[:, 0]) - np.median(inked[:, 1])) <= 1


def test_a_mirrored_sculpture_is_the_flipped_image_except_for_its_light() -> None:
    puzzle = plan(TASK, 1, 6, TASK.preset())[0]
    flipped = TASK.draw(puzzle, View(50.0, 30.0, puzzle.voxels))[:, ::-1]
    other = TASK.draw(puzzle, View(130.0, 30.0, mirror_voxels(puzzle.voxels)))
    assert ((flipped < 250).any(axis=2) != (other < 250).any(axis=2)).mean() < 0.002
    rotated = TASK.draw(puzzle, View(130.0, 30.0, puzzle.voxels))
    assert ((flipped < 250).any(axis=2) != (rotated < 250).any(axis=2)).mean() > 0.02


def test_a_table_is_drawn_under_the_sculpture() -> None:
    puzzle = plan(TASK, 1, 2, TASK.preset())[0]
    plain = TASK.draw(puzzle, View(40.0, 30.0, puzzle.voxels))
    with_table = TASK.draw(puzzle, View(40.0, 30.0, puzzle.voxels, has_table=True))
    new = (plain != with_table).any(axis=2) & (plain == 255).all(axis=2)
    assert new.mean() > 0.1
    assert np.nonzero(new)[0].mean() > SIDE / 2


def test_the_same_view_has_the_same_pixels() -> None:
    puzzle = plan(TASK, 1, 2, RotationParams(colours=4))[0]
    assert np.array_equal(TASK.first_frame(puzzle), TASK.first_frame(puzzle))
    assert not np.array_equal(TASK.first_frame(puzzle), TASK.final_frame(puzzle))
