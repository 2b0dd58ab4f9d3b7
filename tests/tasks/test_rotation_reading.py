"""The reader finds the drawn pose, sculpture and colour, also through blur, noise, coding and zoom."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi
from random import Random

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
from vmevalkit.tasks.rotation_task.scene import angle_between
from vmevalkit.tasks.rotation_task.snakes import is_connected, list_neighbours, mirror_voxels

PUZZLES = plan(TASK, 12, 31, TASK.preset())
READERS = [TASK.reader(puzzle) for puzzle in PUZZLES]


def register_view(puzzle: VoxelPuzzle, view: View, seconds: float = 0.0) -> RegisteredFrame:
    return register(TASK.draw(puzzle, view), seconds)


def register(frame: Frame, seconds: float = 0.0) -> RegisteredFrame:
    return RegisteredFrame(np.asarray(cv2.resize(frame, (200, 200), interpolation=cv2.INTER_AREA)), seconds)


def assert_pose(read: View | None, wanted: View, azim_deg: float = 1.0, elev_deg: float = 1.5) -> View:
    assert read is not None
    assert abs(angle_between(wanted.azim_deg, read.azim_deg)) <= azim_deg
    # Along an axis only two faces of a voxel are seen, and a higher camera looks much like a nearer one.
    is_along_axis = abs((wanted.azim_deg + 45) % 90 - 45) < 3
    assert abs(read.elev_deg - wanted.elev_deg) <= (max(elev_deg, 2.5) if is_along_axis else elev_deg)
    return read


@pytest.mark.slow
@settings(max_examples=60)
@given(
    which=st.integers(0, len(PUZZLES) - 1),
    azim_deg=st.floats(0, 360),
    tilt=st.floats(-6, 6),
    zoom=st.floats(0.75, 1.2),
    across=st.floats(-0.06, 0.06),
    down=st.floats(-0.06, 0.06),
    step_deg=st.floats(-12, 12),
)
def test_a_drawn_view_is_read(
    which: int, azim_deg: float, tilt: float, zoom: float, across: float, down: float, step_deg: float
) -> None:
    """The previous frame differs by as much as at 8 frames per second."""
    puzzle = PUZZLES[which]
    view = View(azim_deg % 360, puzzle.elev_deg + tilt, puzzle.voxels, zoom=zoom, shift=(across, down))
    before = replace(view, azim_deg=(azim_deg - step_deg) % 360, elev_deg=view.elev_deg - 0.5, zoom=zoom * 1.01)
    read = assert_pose(READERS[which].read(register_view(puzzle, view), before), view)
    assert read.voxels == puzzle.voxels and not read.has_table
    assert read.zoom == pytest.approx(zoom, rel=0.02)
    assert read.shift == pytest.approx((across, down), abs=0.008)
    assert levels(read) == pytest.approx(levels(view), abs=8)


def levels(view: View) -> list[int]:
    return [int(colour[i : i + 2], 16) for colour in view.paint for i in (1, 3, 5)]


@pytest.mark.slow
@settings(max_examples=30)
@given(which=st.integers(0, len(PUZZLES) - 1), azim_deg=st.floats(0, 360))
def test_a_view_from_anywhere_is_found_without_a_previous_frame(which: int, azim_deg: float) -> None:
    """There is no previous frame, as after a cut."""
    puzzle = PUZZLES[which]
    view = View(azim_deg % 360, puzzle.elev_deg, puzzle.voxels)
    read = assert_pose(READERS[which].read(register_view(puzzle, view), None), view)
    assert read.voxels == puzzle.voxels


def degrade(frame: Frame, rng: Random, how: str) -> Frame:
    if how == "blurred":
        return np.asarray(cv2.GaussianBlur(frame, (0, 0), rng.uniform(1.0, 4.0)))
    if how == "noisy":
        noise = np.random.default_rng(rng.getrandbits(32)).normal(0, 8, frame.shape)
        return np.clip(frame + noise, 0, 255).astype(np.uint8)
    if how == "coded":
        return np.asarray(cv2.imdecode(cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, 12])[1], 1))
    if how == "cast":
        gain = [rng.uniform(0.85, 1.0) for _ in range(3)]
        offset = [rng.uniform(-13, 13) for _ in range(3)]
        return np.clip(frame * gain + offset, 0, 255).astype(np.uint8)
    return degrade(degrade(degrade(frame, rng, "blurred"), rng, "cast"), rng, "coded")


@pytest.mark.parametrize("how", ["blurred", "noisy", "coded", "cast", "all"])
def test_the_pose_is_read_from_a_degraded_image(how: str) -> None:
    errors = []
    for number, (puzzle, reader) in enumerate(zip(PUZZLES, READERS, strict=True)):
        rng = Random(f"{how}:{number}")
        view = View(rng.uniform(0, 360), puzzle.elev_deg, puzzle.voxels)
        before = replace(view, azim_deg=view.azim_deg - 2)
        read = reader.read(register(degrade(TASK.draw(puzzle, view), rng, how)), before)
        assert read is not None and read.voxels == puzzle.voxels
        errors.append((abs(angle_between(view.azim_deg, read.azim_deg)), abs(view.elev_deg - read.elev_deg)))
    azim_deg, elev_deg = np.sort(np.array(errors), axis=0)[-2]
    assert azim_deg <= 1.5 and elev_deg <= 2.5


@pytest.mark.parametrize(
    "params", [TASK.preset("hard"), RotationParams(voxels=(4, 6), colours=4)], ids=["hard", "coloured"]
)
def test_other_puzzles_are_read_too(params: RotationParams) -> None:
    for number, puzzle in enumerate(plan(TASK, 3, 8, params)):
        rng, reader = Random(number), TASK.reader(puzzle)
        for turn in (0, 7, 20):
            view = View((puzzle.azim_deg + turn) % 360, puzzle.elev_deg, puzzle.voxels, puzzle.paint)
            before = replace(view, azim_deg=view.azim_deg - rng.uniform(0, 6))
            read = assert_pose(reader.read(register_view(puzzle, view), before), view)
            assert read.voxels == puzzle.voxels
            assert levels(read) == pytest.approx(levels(view), abs=12)


def test_a_video_is_read_through_zoom_drift_and_recolouring() -> None:
    puzzle, reader, before = PUZZLES[0], TASK.reader(PUZZLES[0]), None
    for i in range(40):
        t = i / 39
        view = View(
            (puzzle.azim_deg + 90 * (1 - cos(pi * t))) % 360,
            puzzle.elev_deg + 4 * t,
            puzzle.voxels,
            ("#e6a070",) if i > 5 else puzzle.paint,
            zoom=1 - 0.25 * t,
            shift=(0.1 * t, -0.06 * t),
            has_table=i > 12,
        )
        read = reader.read(register_view(puzzle, view, i / 10), before)
        before = assert_pose(read, view)
        assert before.voxels == puzzle.voxels
        assert before.has_table == view.has_table
        assert levels(before) == pytest.approx(levels(view), abs=10)


@pytest.mark.slow
@pytest.mark.parametrize("which", range(6))
def test_the_rotation_is_read_behind_a_caption_and_the_place_after_it(which: int) -> None:
    """A white strip hides the lower part of the sculpture; the rest fits well from wrong places too."""
    puzzle, reader = PUZZLES[which], TASK.reader(PUZZLES[which])
    first = TASK.draw(puzzle, View(puzzle.azim_deg, puzzle.elev_deg, puzzle.voxels))
    rows = np.flatnonzero((first < 250).any(axis=(1, 2)))
    strip = slice(*(round(rows[0] + share * (rows[-1] - rows[0])) for share in (0.6, 0.8)))
    before, off = None, []
    for step in range(28):
        wanted = View((puzzle.azim_deg + 6.5 * step) % 360, puzzle.elev_deg, puzzle.voxels)
        frame = TASK.draw(puzzle, wanted)
        if 6 <= step < 20:
            frame[strip] = 255
        before = reader.read(register(frame, step / 12), before)
        assert before is not None
        off.append(abs(angle_between(wanted.azim_deg, before.azim_deg)))
        if step == 20:
            assert_pose(before, wanted, azim_deg=2, elev_deg=2)
    assert max(off) < 20, off
    assert_pose(before, wanted)


def variants(puzzle: VoxelPuzzle, rng: Random) -> dict[str, tuple[tuple[int, int, int], ...]]:
    """Return the sculpture with a voxel lost, moved and added, and its mirror image."""
    voxels = puzzle.voxels
    rests = [rest for voxel in voxels if is_connected(rest := tuple(v for v in voxels if v != voxel))]
    rest = rng.choice(rests)
    free = sorted({near for voxel in rest for near in list_neighbours(voxel)} - set(voxels))
    around = sorted({near for voxel in voxels for near in list_neighbours(voxel)} - set(voxels))
    return {
        "lost": rest,
        "moved": (*rest, rng.choice(free)),
        "added": (*voxels, rng.choice(around)),
        "mirrored": mirror_voxels(voxels),
    }


@pytest.mark.slow
def test_another_sculpture_is_recognised_in_a_video() -> None:
    """A video of ten frames is recognised where most of them are not read as the puzzle's sculpture."""
    recognised = total = hidden = 0
    for number, (puzzle, reader) in enumerate(zip(PUZZLES[:8], READERS, strict=False)):
        rng = Random(number)
        for name, voxels in variants(puzzle, rng).items():
            kinds = []
            before: View | None = View(puzzle.azim_deg, puzzle.elev_deg, puzzle.voxels)
            for i in range(10):
                view = View((puzzle.azim_deg + 4 * i) % 360, puzzle.elev_deg, voxels)
                before = reader.read(register_view(puzzle, view, i / 6), before) or before
                assert before is not None
                kinds.append(classify_structure(puzzle, before))
            if name == "mirrored":
                assert kinds.count("mirrored") >= 9
            plain = TASK.draw(puzzle, View(puzzle.azim_deg, puzzle.elev_deg, puzzle.voxels)).astype(int)
            change = np.abs(TASK.draw(puzzle, View(puzzle.azim_deg, puzzle.elev_deg, voxels)) - plain).mean()
            hidden += change < 1.0
            recognised += kinds.count("kept") < 5
            total += 1
    assert recognised >= total - max(hidden, 1)


def test_an_edit_is_found_by_its_place() -> None:
    puzzle, reader = PUZZLES[3], READERS[3]
    lost = variants(puzzle, Random(1))["lost"]
    view = View(puzzle.azim_deg, puzzle.elev_deg, lost)
    read = reader.read(register_view(puzzle, view), View(puzzle.azim_deg, puzzle.elev_deg, puzzle.voxels))
    assert read is not None and set(read.voxels) == set(lost)


def test_the_own_sculpture_is_read_again_after_another() -> None:
    puzzle, reader = PUZZLES[5], READERS[5]
    view = View(70.0, puzzle.elev_deg, puzzle.voxels)
    for voxels in variants(puzzle, Random(2)).values():
        read = reader.read(register_view(puzzle, view, 5.0), replace(view, voxels=voxels))
        assert assert_pose(read, view).voxels == puzzle.voxels


@pytest.mark.parametrize("kind", ["white", "black", "noise"])
def test_an_image_without_a_sculpture_is_unreadable(kind: str) -> None:
    blank = {"white": 255, "black": 0}.get(kind)
    if blank is None:
        frame = np.random.default_rng(3).integers(0, 255, (400, 400, 3)).astype(np.uint8)
    else:
        frame = np.full((400, 400, 3), blank, np.uint8)
    for before in (None, View(10.0, 30.0, PUZZLES[0].voxels)):
        assert READERS[0].read(register(frame), before) is None


def test_shuffled_tiles_have_no_structure() -> None:
    puzzle = PUZZLES[1]
    frame = TASK.draw(puzzle, View(puzzle.azim_deg, puzzle.elev_deg, puzzle.voxels))
    tiles = [frame[y : y + 100, x : x + 100] for y in range(0, 400, 100) for x in range(0, 400, 100)]
    Random(0).shuffle(tiles)
    shuffled = np.vstack([np.hstack(tiles[i : i + 4]) for i in range(0, 16, 4)])
    read = READERS[1].read(register(shuffled), View(puzzle.azim_deg, puzzle.elev_deg, puzzle.voxels))
    assert read is None or classify_structure(puzzle, read) == "unknown"


def test_a_cropped_video_is_read_from_what_it_shows() -> None:
    for puzzle, reader in zip(PUZZLES[:6], READERS, strict=False):
        view = View((puzzle.azim_deg + 3) % 360, puzzle.elev_deg, puzzle.voxels)
        whole = register_view(puzzle, view).image
        seen = np.ones((200, 200), bool)
        seen[:40], seen[160:] = False, False
        cropped = np.where(seen[..., None], whole, 0).astype(np.uint8)
        read = reader.read(RegisteredFrame(cropped, 0.0, seen), replace(view, azim_deg=puzzle.azim_deg))
        assert assert_pose(read, view, 1.5, 2.5).voxels == puzzle.voxels


def test_a_reading_depends_on_its_arguments_alone() -> None:
    puzzle = PUZZLES[2]
    views = [View((puzzle.azim_deg + 6 * i) % 360, puzzle.elev_deg, puzzle.voxels) for i in range(4)]
    used = TASK.reader(puzzle)
    for view in views:
        used.read(register_view(puzzle, view), None)
    before = View(puzzle.azim_deg, puzzle.elev_deg, puzzle.voxels)
    frame = register_view(puzzle, views[1])
    assert used.read(frame, before) == TASK.reader(puzzle).read(frame, before)


def test_a_still_video_is_read_the_same_throughout() -> None:
    puzzle, reader, before = PUZZLES[4], TASK.reader(PUZZLES[4]), None
    states = []
    for i in range(6):
        before = reader.read(register_view(puzzle, TASK.solution(puzzle, 0.0), i / 24), before)
        states.append(before)
    assert all(state == states[0] for state in states)
    assert TASK.progress(puzzle, TASK.consensus_state(puzzle, states)) == 0.0
