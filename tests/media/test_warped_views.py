"""Views that are sheared and tilted, and cameras that stand still behind something that moves."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_scenes import SCENES, maze
from hypothesis import given, settings
from hypothesis import strategies as st
from video_scenes import timed, track_errors

from vmevalkit.audit.kinds import effects
from vmevalkit.media.fitting import fit
from vmevalkit.media.registration import Registrar
from vmevalkit.media.view import ViewRect, extract_view, find_visible_mask

FULL = st.floats(-1, 1)
FLAT = sorted(set(SCENES) - {"sculpture"})
"""Scenes that fill the image. A sculpture in its middle hardly shows a roll, and its reader fits the camera itself."""


def measure_error(registrar: Registrar, reference: np.ndarray, warped: np.ndarray) -> float:
    """Return the mean difference of the registered image from the reference, relative to that of an upright one."""
    frame = registrar.register(timed([warped])[0])
    inside = np.s_[8:-8, 8:-8]
    upright = np.abs(warped.astype(int) - reference)[inside].mean()
    return float(np.abs(frame.image.astype(int) - reference)[inside].mean() / upright)


@settings(max_examples=12)
@given(angle=st.floats(0.8, 2.4), side=st.sampled_from([-1, 1]), scene=st.sampled_from(FLAT))
def test_a_video_that_starts_rolled_is_straightened(angle: float, side: int, scene: str) -> None:
    reference = SCENES[scene](3)
    warped = effects.move_camera(reference, side * angle)
    registrar = Registrar(reference, (reference.shape[1], reference.shape[0]))
    assert registrar.start(timed([warped])).score > 0.85
    assert measure_error(registrar, reference, warped) < 0.4


@settings(max_examples=8)
@given(x=FULL, y=FULL, tilt=FULL, scene=st.sampled_from(FLAT))
def test_a_slow_tilt_is_followed(x: float, y: float, tilt: float, scene: str) -> None:
    reference = SCENES[scene](4)
    corners = [(0.02 * tilt + 0.01 * x, 0.02 + 0.01 * y), (-0.02 * tilt, 0.02), (0.01 * x, 0), (0, 0.01 * y)]
    registrar = Registrar(reference, (reference.shape[1], reference.shape[0]))
    registrar.start(timed([reference]))
    for step in range(1, 13):
        warped = effects.tilt_perspective(reference, [(step / 12 * dx, step / 12 * dy) for dx, dy in corners])
        registrar.register(timed([warped])[0])
    assert measure_error(registrar, reference, warped) < 0.4


@pytest.mark.parametrize("scene", SCENES)
def test_an_upright_video_stays_upright(scene: str) -> None:
    reference = SCENES[scene](5)
    registrar = Registrar(reference, (reference.shape[1], reference.shape[0]))
    frames = timed([effects.move_camera(reference, zoom=1 - 0.004 * i) for i in range(12)])
    registrar.start(frames[:1])
    for frame in frames:
        registrar.register(frame)
        assert registrar.view is not None
        assert registrar.view.is_upright


def test_a_large_thing_that_moves_does_not_take_the_view_along() -> None:
    reference = maze(6)
    video, placement = fit(reference, (640, 360), "stretch")
    frames = []
    for i in range(30):
        frame = video.copy()  # the left two thirds slide away, as a page over the puzzle
        shift = 4 * i
        frame[:, shift:420] = video[:, : 420 - shift]
        frames.append(frame)
    assert max(track_errors(reference, timed(frames), [ViewRect.from_placement(placement)] * 30)) <= 0.8


def test_a_turned_view_shows_which_pixels_the_video_has() -> None:
    view = ViewRect(0, 0, 1, 1).move(shear_x=0.05, shear_y=-0.05)
    mask = find_visible_mask(view, (100, 100), (100, 100))
    assert mask is not None
    white = np.full((100, 100, 3), 255, np.uint8)
    framed = cv2.copyMakeBorder(white, 50, 50, 50, 50, cv2.BORDER_CONSTANT, value=0)
    inner = ViewRect(0.25, 0.25, 0.5, 0.5).move(shear_x=0.05, shear_y=-0.05)
    truth = extract_view(framed, inner, (100, 100))[..., 0] > 127
    assert np.mean(mask != truth) < 0.02
    assert 0.9 < mask.mean() < 0.99


def test_views_too_far_from_upright_are_not_plausible() -> None:
    whole = ViewRect(0, 0, 1, 1)
    assert whole.move(shear_x=0.08, tilt_y=0.06).is_plausible
    assert not whole.move(shear_x=0.2).is_plausible
    assert not whole.move(tilt_y=-0.2).is_plausible
