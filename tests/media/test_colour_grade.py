"""Colour grades: hue, saturation and fades are found, and a change of one colour is not one of them."""

from __future__ import annotations

import numpy as np
import pytest

from vmevalkit.audit.kinds import effects
from vmevalkit.media.colour_grade import Grade, GradeFitter

PALETTE = np.array([[0, 84, 200], [0, 165, 80], [220, 40, 40], [164, 64, 196], [255, 255, 255]], float)


def fit(observed: np.ndarray, unexplained: float = 1e9) -> Grade | None:
    return GradeFitter(PALETTE).fit(observed, range(len(PALETTE)), unexplained)


@pytest.mark.parametrize(("hue", "saturation"), [(0, 0.6), (0, 1.2), (15, 1.0), (-15, 1.0), (8, 0.7)])
def test_hue_and_saturation_are_found(hue: float, saturation: float) -> None:
    frame = effects.change_saturation(effects.rotate_hue(PALETTE[None].astype(np.uint8), hue), saturation)
    observed = frame[0].astype(float)
    grade = fit(observed)
    assert grade is not None
    error = np.abs((observed - grade.offset) @ np.linalg.inv(grade.matrix).T - PALETTE)
    assert error.max() < 25


@pytest.mark.parametrize("white", [0.0, 255.0])
def test_a_fade_is_found(white: float) -> None:
    grade = fit(0.4 * PALETTE + 0.6 * white)
    assert grade is not None
    assert np.abs(grade.matrix - 0.4 * np.eye(3)).max() < 0.03


def test_one_colour_that_changes_is_not_a_grade() -> None:
    observed = PALETTE.copy()
    observed[2] = (240, 150, 20)
    assert fit(observed) is None


def test_one_colour_that_another_replaces_does_not_hide_a_grade() -> None:
    observed = effects.change_saturation(PALETTE[None].astype(np.uint8), 0.6)[0].astype(float)
    observed[2] = observed[3]
    assert fit(observed) is not None


@pytest.mark.parametrize("hue", [40, 90, 180])
def test_a_large_change_of_hue_is_not_a_grade(hue: float) -> None:
    assert fit(effects.rotate_hue(PALETTE[None].astype(np.uint8), hue)[0].astype(float)) is None


def test_gain_and_offset_that_explain_as_much_are_kept() -> None:
    assert fit(PALETTE * 0.9 + 5, unexplained=1.0) is None
