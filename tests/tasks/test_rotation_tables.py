"""A table under the sculpture changes neither the pose nor the structure that is read."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.rotation_task import TASK, RotationParams, View, VoxelPuzzle
from vmevalkit.tasks.rotation_task.acceptance import classify_structure
from vmevalkit.tasks.rotation_task.backdrop import Floats, segment_backdrop
from vmevalkit.tasks.rotation_task.pose import PoseFitter, observe_frame
from vmevalkit.tasks.rotation_task.scene import TableTop, angle_between
from vmevalkit.tasks.rotation_task.snakes import Voxels, list_neighbours
from vmevalkit.tasks.rotation_task.structure import fit_edited

PUZZLES = plan(TASK, 6, 33, TASK.preset())
COLOURED = plan(TASK, 3, 33, RotationParams(voxels=(5, 9), colours=4))
TOPS = {
    "light": TableTop(),
    "wood": TableTop("#c9a27a", 1.4, 4),
    "dark": TableTop("#3c3836", 1.2, 48),
    "like the sculpture": TableTop("#c0c4da", 1.1, 6),
}


def register(frame: Frame, seconds: float) -> RegisteredFrame:
    return RegisteredFrame(np.asarray(cv2.resize(frame, (200, 200), interpolation=cv2.INTER_AREA)), seconds)


def read_orbit(puzzle: VoxelPuzzle, top: TableTop, voxels: Voxels | None = None, frames: int = 8) -> list[View]:
    """Return the readings of an orbit around the sculpture, or another one in its place, on a table."""
    reader, before = TASK.reader(puzzle), View(puzzle.azim_deg, puzzle.elev_deg, puzzle.voxels, puzzle.paint)
    views = []
    for i in range(frames):
        azim_deg = (puzzle.azim_deg + 5 * i) % 360
        shown = View(azim_deg, puzzle.elev_deg, voxels or puzzle.voxels, puzzle.paint, has_table=True, table_top=top)
        read = reader.read(register(TASK.draw(puzzle, shown), i / 6), before)
        assert read is not None
        before = read
        views.append(read)
    return views


@pytest.mark.parametrize("top", TOPS.values(), ids=TOPS)
@pytest.mark.parametrize("puzzle", PUZZLES[:4], ids=range(4))
def test_the_pose_is_read_on_a_table(puzzle: VoxelPuzzle, top: TableTop) -> None:
    views = read_orbit(puzzle, top)
    assert sum(read.has_table for read in views) >= len(views) - 2
    for i, read in enumerate(views):
        assert classify_structure(puzzle, read) == "kept"
        assert abs(angle_between((puzzle.azim_deg + 5 * i) % 360, read.azim_deg)) < 1.0
        assert abs(read.elev_deg - puzzle.elev_deg) < 1.5


@pytest.mark.parametrize("top", TOPS.values(), ids=TOPS)
@pytest.mark.parametrize("puzzle", COLOURED, ids=range(len(COLOURED)))
def test_a_coloured_sculpture_is_read_on_a_table(puzzle: VoxelPuzzle, top: TableTop) -> None:
    for i, read in enumerate(read_orbit(puzzle, top)):
        assert classify_structure(puzzle, read) == "kept"
        assert abs(angle_between((puzzle.azim_deg + 5 * i) % 360, read.azim_deg)) < 4.0
        assert abs(read.elev_deg - puzzle.elev_deg) < 2.0


@pytest.mark.slow
@pytest.mark.parametrize("top", TOPS.values(), ids=TOPS)
def test_a_lost_voxel_is_found_on_a_table(top: TableTop) -> None:
    for puzzle in PUZZLES:
        kinds = [classify_structure(puzzle, read) for read in read_orbit(puzzle, top, remove_most_visible(puzzle))]
        assert kinds.count("kept") <= 1 and kinds.count("changed") >= 4


@pytest.mark.slow
@pytest.mark.parametrize("top", TOPS.values(), ids=TOPS)
@pytest.mark.parametrize("puzzle", [PUZZLES[0], PUZZLES[3]], ids=[0, 3])
def test_every_visible_added_voxel_is_found_on_a_table(puzzle: VoxelPuzzle, top: TableTop) -> None:
    fitter, azim_deg = PoseFitter(puzzle), (puzzle.azim_deg + 100) % 360

    def draw(voxels: Voxels) -> Frame:
        view = View(azim_deg, puzzle.elev_deg, voxels, puzzle.paint, has_table=True, table_top=top)
        return register(TASK.draw(puzzle, view), 0).image

    whole, tried = draw(puzzle.voxels).astype(int), 0
    for cell in sorted({near for voxel in puzzle.voxels for near in list_neighbours(voxel)} - set(puzzle.voxels)):
        frame = draw((*puzzle.voxels, cell))
        if (np.abs(frame - whole).max(axis=2) > 30).mean() < 0.004:
            continue  # it is hidden by others
        observed = observe_frame(frame, None)
        own = fitter.fit(observed, puzzle.voxels, np.array([azim_deg, puzzle.elev_deg, 0, 0, 0]), 4, thorough=True)
        edited = fit_edited(fitter, observed, own)
        assert edited is not None, f"{cell} is not looked for"
        assert set(edited.voxels) == {*puzzle.voxels, cell}
        tried += 1
    assert tried > 10


def remove_most_visible(puzzle: VoxelPuzzle) -> Voxels:
    """Return the sculpture without the voxel whose loss changes the image most."""
    whole = TASK.first_frame(puzzle).astype(int)

    def change(voxels: Voxels) -> float:
        return float(np.abs(TASK.draw(puzzle, View(puzzle.azim_deg, puzzle.elev_deg, voxels)) - whole).mean())

    return max((tuple(v for v in puzzle.voxels if v != lost) for lost in puzzle.voxels), key=change)


def make_image(table: tuple[int, int, int], rim: int) -> tuple[Floats, Floats]:
    """Return an image of a sculpture and a table below the row ``rim``, and what the sculpture covers."""
    frame = np.full((60, 60, 3), 255, np.uint8)
    frame[rim:] = table
    cover = np.zeros((60, 60), np.float32)
    cover[20:40, 20:40] = 1
    frame[cover > 0] = (180, 180, 230)
    return frame.transpose(2, 0, 1).astype(np.float32), cover


@settings(max_examples=80)
@given(table=st.tuples(*[st.integers(0, 255)] * 3), rim=st.integers(12, 48))
def test_a_second_colour_is_found_in_its_place(table: tuple[int, int, int], rim: int) -> None:
    pixels, cover = make_image(table, rim)
    areas = segment_backdrop(pixels, cover)
    if max(255 - level for level in table) < 16 or max(np.abs(np.subtract(table, (180, 180, 230)))) < 16:
        return  # hardly another colour, or the sculpture's
    assert areas is not None and areas.sum(axis=0) == pytest.approx(1, abs=1e-5)
    main, other = areas if rim >= 30 else areas[::-1]
    assert (main[:rim, :15] == 1).all() and (other[rim:, :15] == 1).all()
    assert main[21, 30] == 1 or rim < 22, "behind the sculpture it goes on as beside it"


def test_a_plain_backdrop_has_one_colour() -> None:
    pixels, cover = make_image((255, 255, 255), 30)
    assert segment_backdrop(pixels, cover) is None
    noise = np.random.default_rng(1).normal(0, 3, pixels.shape).astype(np.float32)
    assert segment_backdrop(pixels + noise, cover) is None


def test_a_colour_of_the_sculpture_is_not_backdrop() -> None:
    """It may be a voxel that was added."""
    pixels, cover = make_image((255, 255, 255), 30)
    pixels[:, 20:40, 40:55] = pixels[:, 30, 30][:, None, None]
    assert segment_backdrop(pixels, cover) is None


def test_unseen_pixels_are_not_backdrop() -> None:
    pixels, cover = make_image((0, 0, 0), 45)
    seen = np.ones(cover.shape, np.float32)
    assert segment_backdrop(pixels, cover, seen) is not None
    seen[45:] = 0
    assert segment_backdrop(pixels, cover, seen) is None


def test_the_appearance_of_a_table_is_not_part_of_the_state() -> None:
    view = View(10.0, 30.0, PUZZLES[0].voxels, has_table=True)
    assert view == replace(view, table_top=TOPS["dark"])
    images = [TASK.draw(PUZZLES[0], replace(view, table_top=top)) for top in TOPS.values()]
    assert all((images[0] != other).any() for other in images[1:])
