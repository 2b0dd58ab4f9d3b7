"""Colour grades: estimate how a video changed the colours of an image as a whole, by hue, saturation and fades.

The colours of an image are compared one by one: each colour that is flat somewhere in it, with what the video shows
there now. All of them must change together, as a grade changes them. A single colour that changes is a change of the
scene, and no grade.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Colours = NDArray[np.float64]
"""Red, green and blue in the last axis, 0 to 255."""

MAX_HUE_DEG, SATURATIONS = 20.0, (0.5, 1.4)
"""Most rotation of all hues, and the range of the saturation. Named colours of the tasks are 30 degrees apart and
more, so that a grade never turns one into another."""
_HUE_STEP_DEG, _SATURATION_STEP = 4.0, 0.15
_GAINS = (0.22, 1.35)
"""Range of the gain. A fade that leaves less contrast cannot be read."""
_MAX_GAIN_RATIO = 1.4
"""Most difference between the gains of two channels: more is another colour of light than any white balance."""
_FITS_LEVELS = 14.0
"""A colour that a grade leaves by more than this is not explained by it."""
_OUTLIERS = 6
"""One colour of so many may be unexplained: something in front may have covered all of it. A colour that shows another
one of the image instead has been replaced, as a question mark is by the answer, and does not count."""
_CLEARLY = 0.5
"""A grade must leave less than this share of the squared differences that gain and offset leave."""
_BLACK_WEIGHT = 0.05
"""Weight of the assumption that black stays black, in colours: an image may have no dark colour that is flat."""
_COMMON_WEIGHT = 30.0**2
"""Weight of the assumption that all channels have one gain, in squared levels by which colours differ."""
_PRIOR = np.array([40.0, 10.0])
"""Cost, in squared levels for each colour, of the largest hue and of half the saturation: of grades that fit equally
well the smallest is taken. An image may have one colour beside grey."""
_GAIN_SPREAD, _GAIN_PRIOR = 0.05, 30.0
"""Standard deviation of the gains of the three channels, and its cost, in squared levels for each colour."""
_POLISH = 8.0
"""Weight of the model against the observed colours in the final matrix, in colours: for a colour of full contrast
the observation counts far more, across directions that no colour of the image shows the model does."""


@dataclass(frozen=True, slots=True)
class Grade:
    """The model video = matrix x image + offset."""

    matrix: NDArray[np.float64]
    offset: NDArray[np.float64]


class GradeFitter:
    """Fits a grade to the colours of one image."""

    def __init__(self, palette: Colours) -> None:
        self._palette = palette
        self._graded = _grade_colours(palette) if len(palette) else np.empty((0, 0, 3))

    def fit(self, observed: Colours, members: Sequence[int], unexplained: float) -> Grade | None:
        """Return the grade that turns some of the palette's colours, the members, into the observed ones.

        None where no grade explains them, or where gain and offset, which leave ``unexplained`` (the sum over all
        colours of squared levels), explain them nearly as well.
        """
        count = len(members)
        if count < 2:
            return None
        graded, colours = self._graded[:, members], self._palette[members]
        found = _fit_weighted(graded, observed, colours, np.ones(count), unexplained)
        if found is None and count > 2:
            # One colour may have been replaced. Least squares over all of them would follow it.
            fits = (_fit_weighted(graded, observed, colours, 1.0 - row, unexplained) for row in np.eye(count))
            found = next((fit for fit in fits if fit is not None), None)
        return found


def _fit_weighted(
    graded: NDArray[np.float64], observed: Colours, colours: Colours, weights: NDArray[np.float64], unexplained: float
) -> Grade | None:
    gain, offset = _fit_light(graded, observed, weights)
    expected = gain[:, None] * graded + offset[:, None]
    residuals = np.abs(observed - expected)
    squared = (residuals**2).sum(axis=2)
    priors = _list_priors() + _GAIN_PRIOR * (gain.std(axis=1) / _GAIN_SPREAD) ** 2
    costs = np.minimum(squared, 4 * _FITS_LEVELS**2).sum(axis=1) + len(colours) * priors
    is_light = (gain.min(axis=1) >= _GAINS[0]) & (gain.max(axis=1) <= _GAINS[1])
    is_light &= gain.max(axis=1) <= _MAX_GAIN_RATIO * gain.min(axis=1)
    best = int(np.where(is_light, costs, np.inf).argmin())
    fits = residuals[best].max(axis=1) <= _FITS_LEVELS
    distances = np.abs(observed[:, None] - expected[best][None]).max(axis=2)
    is_replaced = ~fits & (distances.min(axis=1) <= _FITS_LEVELS)
    unknown = np.count_nonzero(~fits & ~is_replaced)
    if not is_light[best] or unknown > len(colours) // _OUTLIERS or np.count_nonzero(fits) < 2:
        return None
    if squared[best][fits].sum() > _CLEARLY * unexplained:
        return None
    model = _list_matrices()[best] * gain[best][:, None]
    return _polish(model, observed[fits], colours[fits])


def _polish(model: NDArray[Any], observed: Colours, colours: Colours) -> Grade:
    """Return the affine map of the observed colours that is nearest to the model."""
    centre, target = colours.mean(axis=0), observed.mean(axis=0)
    across = (colours - centre) / 255
    rest = (observed - target) / 255 - across @ model.T
    normal = across.T @ across + _POLISH / 255 * np.eye(3)
    matrix = model + np.linalg.solve(normal, across.T @ rest).T
    return Grade(matrix, target - matrix @ centre)


def _grade_colours(colours: Colours) -> NDArray[np.float64]:
    """Return the colours under each grade of the list, the linear ones first."""
    linear = np.einsum("gij,kj->gki", _list_linear(), colours)
    hsv = cv2.cvtColor((colours[None] / 255).astype(np.float32), cv2.COLOR_RGB2HSV)
    turned = []
    for hue, saturation in _list_settings():
        rotated = hsv.copy()
        rotated[..., 0] = (rotated[..., 0] + hue) % 360
        rgb = cv2.cvtColor(rotated, cv2.COLOR_HSV2RGB)[0] * 255.0
        grey = rgb @ _LUMA
        turned.append(grey[:, None] + saturation * (rgb - grey[:, None]))
    return np.concatenate([linear, np.array(turned)])


def _fit_light(
    graded: NDArray[np.float64], observed: Colours, weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return gain and offset of each channel for each grade, by least squares."""
    total = weights.sum() + _BLACK_WEIGHT
    mean, target = np.einsum("k,gkc->gc", weights, graded) / total, weights @ observed / total
    across = graded - mean[:, None]
    variance = np.einsum("k,gkc->gc", weights, across**2) + _BLACK_WEIGHT * mean**2
    covariance = np.einsum("k,gkc->gc", weights, across * (observed - target)) + _BLACK_WEIGHT * mean * target
    # A channel in which the colours hardly differ has the gain of all channels together.
    common = covariance.sum(axis=1, keepdims=True) / np.maximum(variance.sum(axis=1, keepdims=True), 1.0)
    gain = (covariance + _COMMON_WEIGHT * common) / (variance + _COMMON_WEIGHT)
    return gain, target - gain * mean


_LUMA = np.array([0.299, 0.587, 0.114])


@lru_cache(maxsize=1)
def _list_settings() -> list[tuple[float, float]]:
    hues = np.arange(-MAX_HUE_DEG, MAX_HUE_DEG + 0.1, _HUE_STEP_DEG)
    saturations = np.arange(SATURATIONS[0], SATURATIONS[1] + 0.01, _SATURATION_STEP)
    return [(float(hue), float(saturation)) for hue in hues for saturation in saturations]


@lru_cache(maxsize=1)
def _list_linear() -> NDArray[np.float64]:
    """Return the matrix of each setting: hues rotate around the grey axis, colours move towards their luma."""
    return np.array([_mix_matrix(saturation) @ _hue_matrix(hue) for hue, saturation in _list_settings()])


@lru_cache(maxsize=1)
def _list_matrices() -> NDArray[np.float64]:
    """Return the matrix that is nearest to each grade of the list."""
    return np.concatenate([_list_linear(), _list_linear()])


@lru_cache(maxsize=1)
def _list_priors() -> NDArray[np.float64]:
    shares = np.array([(hue / MAX_HUE_DEG, (saturation - 1) / 0.5) for hue, saturation in _list_settings()])
    prior = (shares**2) @ _PRIOR
    return np.concatenate([prior, prior])


def _hue_matrix(degrees: float) -> NDArray[np.float64]:
    """Return the rotation around the grey axis."""
    turn = np.radians(degrees)
    c, s = np.cos(turn), np.sin(turn) / 3**0.5
    third = (1 - c) / 3
    return np.array(
        [[c + third, third - s, third + s], [third + s, c + third, third - s], [third - s, third + s, c + third]]
    )


def _mix_matrix(saturation: float) -> NDArray[np.float64]:
    return saturation * np.eye(3) + (1 - saturation) * np.tile(_LUMA, (3, 1))
