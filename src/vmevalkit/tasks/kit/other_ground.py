"""The scene on a ground of another colour: a video may recolour the whole ground, and keep the parts."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame
from vmevalkit.media.photometry import quantise_colours

Levels = NDArray[np.float32]
Pixels = NDArray[np.bool_]
_DRAWN = 8
"""Levels by which a pixel differs from the ground where a part is drawn."""
_COMMON = 0.06
"""Share of the image from which on a colour is one of the ground's own. A mark or a wall is smaller, and may not
change."""
_MOST_CHANGE, _MOST_PART_CHANGE = 80.0, 1.4
"""Levels by which a colour of the ground may change, and the factor by which all parts alike may: a frame that is
corrected by the light of its ground has brighter parts where the ground alone became darker."""
_AGREES, _AGREEING = 20.0, 0.75
"""Levels within which pixels of one colour agree on its new one, and the share of them that must."""
_SATURATED = 250.0
"""A pixel as bright as this may be brighter than a picture can show."""
_NEAR = np.ones((3, 3), np.uint8)


def recolour_ground(image: Frame, drawn: Frame, ground: Frame) -> Frame | None:
    """Return the drawn scene with the colours of the ground that an image has; None where they are the drawn ones.

    ``ground`` is the drawn picture without its parts. All three have one size."""
    part = (cv2.absdiff(drawn, ground).max(axis=2) > _DRAWN).astype(np.uint8)
    free, inside = cv2.dilate(part, _NEAR) == 0, cv2.erode(part, _NEAR) > 0
    seen, scene, below = (np.asarray(each, np.float32) for each in (image, drawn, ground))
    factor = np.ones_like(scene)
    kinds = quantise_colours(ground.reshape(-1, 3)).reshape(part.shape)
    names, counts = np.unique(kinds, return_counts=True)
    is_changed = False
    for place, name in enumerate(names[np.argsort(-counts)]):
        same = kinds == name
        found = _find_factor(seen, below, same & free) if np.count_nonzero(same) >= _COMMON * same.size else None
        if found is not None and np.abs((found - 1) * below[same].mean(axis=0)).max() <= _MOST_CHANGE:
            factor[same] = found
            is_changed = is_changed or bool(np.abs((found - 1) * below[same].mean(axis=0)).max() > _AGREES / 2)
            if place == 0:
                factor[kinds != name] = found  # thin lines go with the most frequent colour
    parts = _find_factor(seen, scene, inside)
    if parts is not None and parts.max() <= _MOST_PART_CHANGE and parts.min() >= 1 / _MOST_PART_CHANGE:
        factor[part > 0] = parts
        is_changed = is_changed or bool(np.abs(parts - 1).max() > _DRAWN / 100)
    else:
        factor[part > 0] = 1
    return np.clip(scene * factor, 0, 255).astype(np.uint8) if is_changed else None


def _find_factor(seen: Levels, drawn: Levels, where: Pixels) -> NDArray[Any] | None:
    """Return by which factor most of these pixels differ from the drawn ones; None where they do not agree."""
    if np.count_nonzero(where) < 12:
        return None
    one, other = seen[where], drawn[where]
    factor = np.ones(3, np.float32)
    for channel in range(3):
        bright = (other[:, channel] > 40) & (one[:, channel] < _SATURATED)
        if np.count_nonzero(bright) >= 12:
            factor[channel] = np.median(one[bright, channel] / other[bright, channel])
    agree = np.abs(one - np.minimum(factor * other, 255)).max(axis=1) <= _AGREES
    return factor if agree.mean() >= _AGREEING else None
