"""A ground of another colour explains a frame; another colour of a part, or of a small mark, does not."""

from __future__ import annotations

import numpy as np

from vmevalkit.media.image import Frame
from vmevalkit.tasks.kit.other_ground import recolour_ground

GROUND = np.full((80, 120, 3), 240, np.uint8)
GROUND[:, 60:] = 200
GROUND[5:10, 5:10] = (220, 40, 40)
DRAWN = GROUND.copy()
DRAWN[20:40, 20:40] = (40, 160, 80)
DRAWN[20:40, 80:100] = (160, 40, 80)
BEIGE = (0.97, 0.9, 0.8)


def tint(picture: Frame, *factors: float) -> Frame:
    return np.clip(picture * np.array(factors), 0, 255).astype(np.uint8)


def paint_parts(ground: Frame, parts: Frame) -> Frame:
    return np.where((DRAWN != GROUND).any(axis=2)[..., None], parts, ground).astype(np.uint8)


def test_the_scene_is_redrawn_on_the_ground_that_a_frame_has() -> None:
    seen = paint_parts(tint(GROUND, *BEIGE), DRAWN)
    found = recolour_ground(seen, DRAWN, GROUND)
    assert found is not None and np.abs(found.astype(int) - seen).max() <= 2


def test_a_frame_in_the_light_of_its_ground_has_brighter_parts() -> None:
    seen = paint_parts(GROUND, tint(DRAWN, 1.25, 1.25, 1.25))
    found = recolour_ground(seen, DRAWN, GROUND)
    assert found is not None and np.abs(found.astype(int) - seen).max() <= 2


def test_another_colour_of_a_part_or_of_a_mark_is_left() -> None:
    assert recolour_ground(DRAWN, DRAWN, GROUND) is None
    seen = paint_parts(tint(GROUND, *BEIGE), DRAWN)
    seen[20:40, 20:40] = (200, 180, 20)
    seen[5:10, 5:10] = 230
    found = recolour_ground(seen, DRAWN, GROUND)
    assert found is not None
    assert np.abs(found.astype(int) - seen)[20:40, 20:40].max() > 60, "one part of two has another colour"
    assert np.abs(found.astype(int) - seen)[5:10, 5:10].max() > 60, "the mark is gone"
