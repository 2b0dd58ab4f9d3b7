"""What a frame shows that its redrawn scene does not explain."""

from __future__ import annotations

import cv2
import numpy as np

from vmevalkit.media.image import Frame
from vmevalkit.media.residual import Blob, find_blobs

GROUND, INK, OTHER = (240, 236, 228), (30, 60, 150), (200, 120, 90)


def draw(colour: tuple[int, int, int] | None, add: tuple[int, int, int] | None = None) -> Frame:
    """Return a scene with a square of one colour, and another one beside it."""
    frame = np.full((120, 160, 3), GROUND, np.uint8)
    for left, each in ((20, colour), (100, add)):
        if each is not None:
            cv2.rectangle(frame, (left, 40), (left + 30, 70), each, -1)
    return frame


def find_one(image: Frame, expected: Frame) -> Blob:
    [blob] = find_blobs(image, [expected], None, 0.005)
    return blob


def test_a_scene_that_is_explained_has_no_blob() -> None:
    assert find_blobs(draw(INK), [draw(INK)], None, 0.001) == ()
    soft = np.asarray(cv2.GaussianBlur(draw(INK), (0, 0), 1.0), np.uint8)
    assert find_blobs(soft, [draw(INK)], None, 0.001) == ()


def test_what_is_missing_is_bare() -> None:
    blob = find_one(draw(None), draw(INK))
    assert blob.is_plain and blob.is_bare
    assert blob.is_inside((18 / 160, 38 / 120, 53 / 160, 73 / 120))


def test_what_is_added_or_recoloured_is_not_bare() -> None:
    for image in (draw(INK, OTHER), draw(OTHER)):
        blob = find_one(image, draw(INK))
        assert blob.is_plain and not blob.is_bare


def test_what_one_of_the_expected_images_explains_is_no_blob() -> None:
    assert find_blobs(draw(INK, OTHER), [draw(INK), draw(INK, OTHER)], None, 0.001) == ()


def draw_line(row: float, darkness: int) -> Frame:
    """Return a scene with a thin dark line, drawn on one row of pixels or across two."""
    frame = np.full((120, 160, 3), GROUND, np.uint8)
    for each, share in ((int(row), 1 - row % 1), (int(row) + 1, row % 1)):
        frame[each, 20:140] = (np.array(GROUND) - darkness * share).astype(np.uint8)
    return frame


def test_a_thin_line_may_be_drawn_on_one_row_or_across_two() -> None:
    assert find_blobs(draw_line(50, 200), [draw_line(50.5, 200)], None, 0.001) == ()
    assert find_blobs(draw_line(50.5, 200), [draw_line(50, 200)], None, 0.001) == ()


def test_a_thin_line_where_there_is_none_is_a_blob() -> None:
    assert find_blobs(draw_line(50, 200), [draw(None)], None, 0.001)
    assert find_blobs(draw_line(50, 200), [draw_line(60, 200)], None, 0.001)
