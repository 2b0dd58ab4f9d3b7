"""A light that was measured in a few flat places is tried on the whole image."""

from __future__ import annotations

import numpy as np
import pytest

from vmevalkit.media.image import Frame
from vmevalkit.media.photometry import LevelEstimator, Photometry
from vmevalkit.media.registration import Registrar
from vmevalkit.media.video_reader import TimedFrame


def make_textured() -> Frame:
    rows, columns = np.indices((120, 160))
    grain = 40 * np.sin(0.4 * rows) * np.cos(0.3 * columns)
    return np.clip(np.array([200, 150, 90]) + grain[..., None], 0, 255).astype(np.uint8)


@pytest.mark.parametrize("wrong", [Photometry((4.0, 4.0, 4.0), (-300.0,) * 3), Photometry((0.1, 0.1, 0.1), (0.0,) * 3)])
def test_a_light_that_distorts_the_image_is_not_used(wrong: Photometry, monkeypatch: pytest.MonkeyPatch) -> None:
    image = make_textured()
    registrar = Registrar(image, (160, 120))
    registrar.start([TimedFrame(0.0, image)])
    monkeypatch.setattr(LevelEstimator, "estimate", lambda *_: wrong)
    seen = np.roll(image, 1, axis=0)  # another frame, so that the light is measured again
    registered = registrar.register(TimedFrame(0.1, seen))
    assert np.abs(registered.image.astype(int) - image).mean() < 12


def test_a_light_that_changes_at_once_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    image = make_textured()
    registrar = Registrar(image, (160, 120))
    registrar.start([TimedFrame(0.0, image)])
    monkeypatch.setattr(LevelEstimator, "estimate", lambda *_: Photometry((0.5, 0.5, 0.5), (0.0,) * 3))
    dim = (0.5 * image).astype(np.uint8)
    registered = registrar.register(TimedFrame(0.1, dim))
    assert np.abs(registered.image.astype(int) - image).mean() < 12
