"""Restyled first frames: found in their file, and mapped back to the drawn colours."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_scenes import board, maze

from vmevalkit.core.records import Placement
from vmevalkit.media.colour_map import ColourMap
from vmevalkit.media.restyling import make_reference


def test_the_drawn_image_is_its_own_reference() -> None:
    drawn = board(3)
    for file in (None, drawn, np.clip(drawn.astype(int) + 2, 0, 255).astype(np.uint8)):
        reference = make_reference(drawn, file)
        assert reference.image is drawn
        assert reference.colour_map is None


def test_a_colour_map_turns_known_colours_into_known_ones() -> None:
    colours = np.array([[101, 67, 33], [250, 240, 220], [30, 180, 60], [200, 30, 30]], float)
    targets = np.array([[0, 0, 0], [255, 255, 255], [34, 197, 94], [239, 68, 68]], float)
    mapped = ColourMap(colours, targets).apply(colours.astype(np.uint8)[None])[0]
    assert np.abs(mapped - targets).max() <= 8


@pytest.mark.parametrize("scene", [board, maze])
def test_the_colours_of_a_restyled_file_are_mapped_to_the_drawn_ones(scene) -> None:  # type: ignore[no-untyped-def]
    drawn = scene(4)
    file = np.clip(drawn @ np.diag([0.7, 0.6, 0.5]) + (60, 50, 30), 0, 255).astype(np.uint8)
    reference = make_reference(drawn, file)
    assert reference.colour_map is not None
    difference = np.abs(reference.colour_map.apply(reference.image).astype(int) - drawn)
    assert np.percentile(difference, 98) <= 16


def test_a_padded_file_shows_the_drawn_image_in_its_middle() -> None:
    drawn = maze(5)
    height, width = drawn.shape[:2]
    file = cv2.copyMakeBorder(drawn, 30, 10, 80, 40, cv2.BORDER_CONSTANT, value=(90, 90, 110))
    reference = make_reference(drawn, file)
    assert np.abs(reference.image.astype(int) - drawn).mean() < 3
    placed = reference.place_drawn(Placement((file.shape[1], file.shape[0]), (0, 0, file.shape[1], file.shape[0])))
    assert placed.box == pytest.approx((80, 30, width, height), abs=1.0)


def test_a_file_of_another_image_is_not_the_reference() -> None:
    drawn = board(6)
    noise = np.random.default_rng(1).integers(0, 256, (200, 500, 3)).astype(np.uint8)
    assert make_reference(drawn, noise).image is drawn
