"""The reader never raises, whatever the pixels, and its readings can always be checked."""

from __future__ import annotations

from math import isfinite

import cv2
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.media.image import Frame, Mask
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.planning import plan
from vmevalkit.tasks.rotation_task import TASK, RotationParams, View, VoxelPuzzle
from vmevalkit.tasks.task import FrameReading

SIDE = 200
PUZZLES = [
    *plan(TASK, 1, 5, TASK.preset()),
    *plan(TASK, 1, 5, TASK.preset("hard")),
    *plan(TASK, 1, 5, RotationParams(voxels=(4, 7), colours=4)),
]
KINDS = ("plain", "noise", "tiles", "view", "inverted", "faint", "covered", "rolled", "noisy")


def make_frame(puzzle: VoxelPuzzle, kind: str, dice: np.random.Generator) -> Frame:
    """Return an image of some kind: without a sculpture, or with one in any pose, size and place."""
    colour = dice.integers(0, 256, 3)
    noise = dice.integers(0, 256, (SIDE, SIDE, 3)).astype(np.uint8)
    if kind == "plain":
        return np.full((SIDE, SIDE, 3), colour, np.uint8)
    if kind == "noise":
        return noise
    if kind == "tiles":
        count = int(dice.integers(2, 20))
        return np.asarray(cv2.resize(noise[:count, :count], (SIDE, SIDE), interpolation=cv2.INTER_NEAREST))
    view = View(
        azim_deg=dice.uniform(0, 360),
        elev_deg=dice.uniform(-80, 89),
        voxels=puzzle.voxels,
        paint=puzzle.paint,
        zoom=float(np.exp(dice.uniform(-3, 2))),
        shift=(dice.uniform(-0.8, 0.8), dice.uniform(-0.8, 0.8)),
        has_table=bool(dice.integers(2)),
    )
    frame = np.asarray(cv2.resize(TASK.draw(puzzle, view), (SIDE, SIDE), interpolation=cv2.INTER_AREA))
    if kind == "inverted":
        return 255 - frame
    if kind == "faint":
        return frame // int(dice.integers(2, 40))
    if kind == "covered":
        frame[:, : int(dice.integers(1, SIDE))] = colour
    if kind == "rolled":
        return np.roll(frame, int(dice.integers(1, SIDE)), int(dice.integers(2)))
    if kind == "noisy":
        return np.where(dice.random((SIDE, SIDE, 1)) < 0.5, frame, noise)
    return frame


def make_mask(corner: tuple[int, int] | None) -> Mask | None:
    """Return a mask of the pixels below and right of a corner; None where all pixels are seen."""
    if corner is None:
        return None
    mask = np.zeros((SIDE, SIDE), bool)
    mask[corner[0] :, corner[1] :] = True
    return mask


@settings(max_examples=40)
@given(
    which=st.integers(0, len(PUZZLES) - 1),
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=3),
    corner=st.none() | st.tuples(st.integers(0, SIDE), st.integers(0, SIDE)),
    seed=st.integers(0, 10**6),
)
def test_the_reader_never_raises(which: int, kinds: list[str], corner: tuple[int, int] | None, seed: int) -> None:
    puzzle, dice, before = PUZZLES[which], np.random.default_rng(seed), None
    reader, trace = TASK.reader(puzzle), []
    for number, kind in enumerate(kinds):
        frame = RegisteredFrame(make_frame(puzzle, kind, dice), number / 10, make_mask(corner))
        view = reader.read(frame, before)
        trace.append(FrameReading(frame.seconds, view))
        if view is not None:
            assert all(map(isfinite, (view.azim_deg, view.elev_deg, view.zoom, *view.shift)))
            assert 0.05 < view.zoom < 5 and abs(view.elev_deg) < 90
            before = view
    checked = TASK.check(puzzle, trace)
    assert all(map(isfinite, checked.metrics.values()))
