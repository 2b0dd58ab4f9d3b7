"""Restyled questions: an image file that shows a drawn image in other colours or at another size.

The file is brought to the geometry of the drawn image, and its colours are mapped to the drawn ones, so that whatever
reads the drawn image reads the restyled one too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vmevalkit.core.records import Placement
from vmevalkit.media.colour_map import ColourMap
from vmevalkit.media.image import Frame, Size
from vmevalkit.media.photometry import find_flat_pixels, quantise_colours
from vmevalkit.media.registration import MATCH_THRESHOLD, Registrar
from vmevalkit.media.video_reader import TimedFrame
from vmevalkit.media.view import ViewRect, extract_view

_SAME_LEVELS = 3
"""Files that differ by no more than this anywhere are the drawn image; another coder or another platform drew it."""
_RESTYLED_LEVELS = 8.0
"""Where no colour of the image differs by more than this, its colours are those of the drawn one."""
_SAME_ASPECT = 1.03
"""A file of this aspect ratio, relative to the drawn image, shows all of it, in whatever style."""
_NEAR_WHOLE = 0.015
"""A view whose corners are as near as this to the file's shows all of it."""
_WHOLE = ViewRect(0, 0, 1, 1)
_PIXELS = 4000


@dataclass(frozen=True, slots=True)
class Reference:
    """What a video is registered with: the question's first frame in the geometry of the drawn image."""

    image: Frame
    """The first frame as the user sees it."""
    colour_map: ColourMap | None = None
    """From the user's colours to the drawn ones; None where they are the same."""
    view: ViewRect = _WHOLE
    """Where the user's file shows the drawn image."""
    file_size: Size | None = None
    """Width and height of the user's file, where it shows more or less than the drawn image."""

    def place_drawn(self, placement: Placement) -> Placement:
        """Return where a canvas shows the drawn image, from where it shows the user's file."""
        if self.view == _WHOLE:
            return placement
        left, top, width, height = placement.box
        x, y, view = left + self.view.left * width, top + self.view.top * height, self.view
        return replace(placement, box=(x, y, view.width * width, view.height * height))


def make_reference(drawn: Frame, file: Frame | None) -> Reference:
    """Return the reference of a question from its drawn first frame and its file; the drawn one where there is no file,
    or where the file shows something else."""
    if file is None or is_as_drawn(file, drawn):
        return Reference(drawn)
    view = _find_view(drawn, file)
    if view is None:
        return Reference(drawn)
    image = extract_view(file, view, (drawn.shape[1], drawn.shape[0]))
    return Reference(image, _compare_colours(image, drawn), view)


def is_as_drawn(file: Frame, drawn: Frame) -> bool:
    """Return whether a file is the drawn image, but for another coder."""
    return file.shape == drawn.shape and cv2.norm(file, drawn, cv2.NORM_INF) <= _SAME_LEVELS


def _find_view(drawn: Frame, file: Frame) -> ViewRect | None:
    match = Registrar(drawn, (drawn.shape[1], drawn.shape[0])).start([TimedFrame(0.0, file)])
    if match.score >= MATCH_THRESHOLD:
        return _WHOLE if _WHOLE.measure_distance(match.view) < _NEAR_WHOLE else match.view
    stretch = (file.shape[1] / file.shape[0]) / (drawn.shape[1] / drawn.shape[0])
    return _WHOLE if 1 / _SAME_ASPECT < stretch < _SAME_ASPECT else None


def _compare_colours(image: Frame, drawn: Frame) -> ColourMap | None:
    """Return the map from the image's colours to the drawn ones; None where they are the same."""
    rows, columns, _ = find_flat_pixels(drawn, _PIXELS)
    before, after = drawn[rows, columns], image[rows, columns].astype(np.float64)
    names, kinds = np.unique(quantise_colours(before), return_inverse=True)
    if not len(names):
        return None
    pixels = [kinds == kind for kind in range(len(names))]
    targets = np.array([np.median(before[members], axis=0) for members in pixels], np.float64)
    colours = np.array([np.median(after[members], axis=0) for members in pixels], np.float64)
    if np.abs(colours - targets).max() < _RESTYLED_LEVELS:
        return None
    return ColourMap(colours, targets)
