"""Resolutions as the field names them: 720p is a video with as many pixels as one of 1280x720."""

from __future__ import annotations

from math import sqrt

TIERS = (256, 360, 480, 512, 540, 576, 720, 768, 1080, 1440, 2160)


def compute_tier(size: tuple[int, int]) -> float:
    """Return the height of a 16:9 video with as many pixels: 1280x720 and 960x960 are both 720p."""
    return sqrt(size[0] * size[1] * 9 / 16)


def find_tier(size: tuple[int, int]) -> int:
    """Return the usual resolution that is nearest to a size, such as 720."""
    tier = compute_tier(size)
    return min(TIERS, key=lambda known: abs(known - tier))
