"""Finding a part in a picture: how much of the difference from the ground it explains, and at which opacity.

With F the picture, G the ground and S the ground with the part, the opacity that fits best is
a = <F-G, S-G> / <S-G, S-G>, and a <F-G, S-G> / <F-G, F-G> is the share of the difference that the part explains. Both
are sums of correlations, so they are computed for all places at once. Sums are weighted by the part's alpha.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vmevalkit.tasks.kit.looks import Floats, Patch

FAINT = 0.35
"""Opacity from which on a person sees a part."""
CONTRAST = 18.0
"""Levels by which a place must differ from the ground, on average, to be looked at."""
_MAX_AROUND = 0.7
"""Difference from the ground right around a part, relative to that inside: a larger area of its colour is not the
part."""
_RING = np.ones((5, 5), np.uint8)


@dataclass(frozen=True, slots=True)
class Match:
    """Where a part is found: the corner of its patch, in pixels and fractions of them."""

    left: float
    top: float
    opacity: float
    share: float
    """Share of the difference from the ground that it explains."""


def find_match(
    picture: Floats, ground: Floats, patch: Patch, window: tuple[int, int, int, int], min_share: float
) -> Match | None:
    """Return the best place of a patch whose corner is in a window (left, top, right, bottom); None where it is
    nowhere."""
    height, width = patch.alpha.shape
    x0, y0 = max(0, window[0]), max(0, window[1])
    x1, y1 = min(picture.shape[1] - width, window[2]), min(picture.shape[0] - height, window[3])
    if x1 < x0 or y1 < y0:
        return None
    area = np.s_[y0 : y1 + height, x0 : x1 + width]
    below = ground[area]
    off = picture[area] - below
    alpha, colour = patch.alpha, patch.colour
    squared = alpha * alpha
    common = _correlate(off, colour * alpha[..., None]) - _correlate(_dot(off, below), squared)
    power = (
        float((colour * colour * alpha[..., None]).sum())
        - 2 * _correlate(below, colour * squared[..., None])
        + _correlate(_dot(below, below), squared * alpha)
    )
    strength = _dot(off, off)
    energy = _correlate(strength, alpha)
    ring = _make_ring(alpha)
    around = _correlate(strength, ring) / max(float(ring.sum()), 1.0)
    opacity = common / np.maximum(power, 1.0)
    share = np.clip(common, 0, None) * opacity / np.maximum(energy, 1.0)
    is_there = (share > min_share) & (opacity > FAINT) & (energy > 3 * patch.area * CONTRAST**2)
    is_there &= around < _MAX_AROUND * energy / max(patch.area, 1.0)
    gain = np.where(is_there, share * np.minimum(opacity, 1.0), 0).astype(np.float32)
    _, best, _, (i, j) = cv2.minMaxLoc(gain)
    if best <= 0:
        return None
    dx, dy = _refine(share[j], i), _refine(share[:, i], j)
    return Match(x0 + i + dx, y0 + j + dy, float(opacity[j, i]), min(float(share[j, i]), 1.0))


def _refine(values: Floats, place: int) -> float:
    """Return how far the top of a parabola through three values is from the middle one."""
    if not 0 < place < len(values) - 1:
        return 0.0
    before, at, after = (float(value) for value in values[place - 1 : place + 2])
    bend = before - 2 * at + after
    return min(max((before - after) / (2 * bend), -0.5), 0.5) if bend < 0 else 0.0


def _make_ring(alpha: Floats) -> Floats:
    core = (alpha > 0.3).astype(np.uint8)
    return np.asarray(cv2.dilate(core, _RING) - core, np.float32)


def _dot(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.einsum("ijk,ijk->ij", one, other), np.float32)


def _correlate(image: Floats, template: Floats) -> Floats:
    return np.asarray(cv2.matchTemplate(np.ascontiguousarray(image), np.ascontiguousarray(template), cv2.TM_CCORR))
