"""Reading a matrix back from a registered frame: what each cell shows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.picture import Frame, Mask
from vmevalkit.media.sighting import Sighting
from vmevalkit.tasks.raven_task.bank import COLOUR_NAMES, INK_LENGTHS, INKS, overlays, pose_bank, shrunk
from vmevalkit.tasks.raven_task.lens import (
    READING_SCALE,
    Levels,
    Surroundings,
    ink_of,
    middle_of,
    peaks_of,
    surroundings,
    unseen_cells,
)
from vmevalkit.tasks.raven_task.parts import CUT, Parts, parts_of
from vmevalkit.tasks.raven_task.raven_reasoning import Raven
from vmevalkit.tasks.raven_task.render import MARK_LEVEL, RADIUS
from vmevalkit.tasks.raven_task.scene import EMPTY, FULL, QUESTION, SCRIBBLE, VISIBLE, Cell, RavenState, asked
from vmevalkit.tasks.raven_task.vocabulary import NUMBERS, POSES, Tile

FAINTEST_LINES = 40
"""With less contrast than this between lines and ground there is no matrix to read."""
LINE, LINE_SEEN = 0.4, 0.9
"""Share of the usual contrast at which a line is there, and the share of it that must be there."""
MOST_HIDDEN = 5
"""With more hidden cells than this there is no matrix to read."""
FAINTEST_INK = 40
"""Levels of the weakest ink that is more than noise."""
ALIKE = 0.955
"""Correlation with a drawn shape from which on a part is that shape."""
APART = 0.02
"""By how much it must be more like that shape than like any other."""
OFF_COLOUR = 0.2
"""Share of a colour that may be another: the sine of the angle between them."""
SIZES = (0.5, 1.9)
"""Of a shape, relative to those of the question."""
UNEVEN = 1.5
"""How much larger one shape of a tile may be than another."""
EXPLAINED = 0.9
"""The share of the ink that a tile over a question mark must explain."""
EXPLAINED_TILE, EXPLAINED_MARK = 0.96, 0.88
"""The same for a tile alone and for the question mark alone."""
EXPLAINED_BEST = 0.97
"""A question mark that explains this much needs no second look."""
GAINED = 0.03
"""The share that a tile must explain beyond what the question mark alone does."""
LEFT_OVER = 60
"""Pixels of weak ink away from all parts that are more than noise, such as what is left of a question mark."""
_MARK_INK = 255 - MARK_LEVEL
_USUAL_SIZE = 2 * RADIUS * READING_SCALE


class _Shape(NamedTuple):
    """What one part is."""

    pose: int
    """Its shape and angle; -1 for none."""
    colour: int
    """-1 for none."""
    opacity: float
    size: float
    """Relative to the shapes of the question."""


class RavenReader:
    """Reads the frames of one puzzle."""

    def __init__(self, puzzle: Raven) -> None:
        self._start = asked(puzzle)

    def read(self, sighting: Sighting, before: RavenState | None) -> RavenState | None:
        """The state, or None where no matrix is seen. A cell behind something is taken to be as it was last seen."""
        picture = sighting.picture
        around = surroundings(picture)
        hidden = _hidden(around)
        if hidden is None:
            return None
        hidden |= unseen_cells(sighting.seen)
        ink = ink_of(picture, around.grounds)
        peaks = peaks_of(ink)
        parts = parts_of(picture, ink, np.where(peaks < FAINTEST_INK, 255, CUT * peaks), FAINTEST_INK)
        hidden[parts.cells[parts.entering]] = True
        if hidden.sum() > MOST_HIDDEN:
            return None
        shapes = _shapes(parts, around.grounds)
        clean = parts.left_over < LEFT_OVER
        last = (before or self._start).cells
        cells = []
        for place in range(9):
            if hidden[place]:
                cells.append(last[place])
            elif peaks[place] < FAINTEST_INK:
                cells.append(EMPTY)
            else:
                tile = _whole(shapes[place]) if clean[place] else None
                cells.append(tile or _overlaid(picture, around.grounds[place], place))
        return RavenState(tuple(cells))


def _hidden(seen: Surroundings) -> Mask | None:
    """Which cells have something over their lines; None where there is no matrix."""
    flat = seen.contrasts.ravel()
    usual = float(np.partition(flat, len(flat) // 2)[len(flat) // 2])
    if usual < FAINTEST_LINES:
        return None
    there = np.count_nonzero(seen.contrasts > LINE * usual, axis=2) >= LINE_SEEN * seen.contrasts.shape[2]
    hidden: Mask = ~there.all(axis=1)
    return hidden if hidden.sum() <= MOST_HIDDEN else None


def _shapes(parts: Parts, grounds: NDArray[np.int16]) -> list[list[_Shape]]:
    """What the parts of each cell are: their nearest poses and colours, where these are near enough."""
    alike = (pose_bank() @ parts.shapes.T).max(axis=0).T
    best = alike.argmax(axis=1)
    ranked = np.partition(alike, -2, axis=1)
    sure = (ranked[:, -1] >= ALIKE) & (ranked[:, -1] - ranked[:, -2] >= APART)
    poses = np.where(sure, best, -1)
    colours, opacities = _colours(grounds[parts.cells] - parts.colours)
    sizes = parts.sizes / _USUAL_SIZE
    found: list[list[_Shape]] = [[] for _ in range(9)]
    rows = zip(parts.cells.tolist(), poses.tolist(), colours.tolist(), opacities.tolist(), sizes.tolist(), strict=True)
    for cell, *kind in rows:
        found[cell].append(_Shape(*kind))
    return found


def _colours(inks: Levels) -> tuple[NDArray[np.intp], Levels]:
    """The nearest colour of each ink, -1 for none, and how opaque it is."""
    dots = inks @ INKS.T
    cosines = dots / INK_LENGTHS
    best = cosines.argmax(axis=1)
    each = np.arange(len(best))
    along = cosines[each, best]
    # The square of what is left across the colour, against the square of the whole.
    whole = np.maximum(np.einsum("nc,nc->n", inks, inks), 1e-3)
    near = (along > 0) & (whole - along**2 <= OFF_COLOUR**2 * whole)
    return np.where(near, best, -1), along / INK_LENGTHS[best]


def _whole(shapes: list[_Shape]) -> Cell | None:
    """The tile that these parts make, if they are alike and each is a shape."""
    if len(shapes) not in NUMBERS:
        return None
    pose, colour = shapes[0].pose, shapes[0].colour
    if pose < 0 or colour < 0 or any((part.pose, part.colour) != (pose, colour) for part in shapes):
        return None
    smallest, largest = min(part.size for part in shapes), max(part.size for part in shapes)
    if smallest < SIZES[0] or largest > SIZES[1] or largest > UNEVEN * smallest:
        return None
    shape, angle_deg = POSES[pose]
    opacity = min(part.opacity for part in shapes)
    return _shown(Tile(shape, len(shapes), angle_deg, COLOUR_NAMES[colour]), opacity)


def _shown(tile: Tile, opacity: float, question: float = 0.0) -> Cell:
    """What is nearly there is there, what is nearly gone is gone."""
    question = 0.0 if question < VISIBLE else round(min(question, 1.0), 2)
    return Cell(tile, 1.0 if opacity >= FULL and not question else round(min(opacity, 1.0), 2), question)


def _overlaid(picture: Frame, ground: NDArray[np.int16], place: int) -> Cell:
    """A cell that is no tile of its own: the question mark, a tile and the question mark in a dissolve, or neither."""
    known = overlays()
    ink = (ground - shrunk(middle_of(picture, place))).reshape(-1, 3)
    total = float((ink**2).sum())
    with_mark = known.mark @ ink
    tile_tile, tile_mark, mark_mark = (known.products[:, i, None] for i in range(3))
    mark_alone = float((with_mark**2).sum() / mark_mark[0, 0])
    strength = float(with_mark.mean() / mark_mark[0, 0]) / _MARK_INK
    if mark_alone >= EXPLAINED_BEST * total and strength >= FULL:
        return QUESTION
    with_tiles = known.planes @ ink
    determinant = tile_tile * mark_mark - tile_mark**2
    tiles = (mark_mark * with_tiles - tile_mark * with_mark) / determinant
    marks = (tile_tile * with_mark - tile_mark * with_tiles) / determinant
    explained = (tiles * with_tiles + marks * with_mark).sum(axis=1)
    best = int(explained.argmax())
    colours, opacities = _colours(tiles[best : best + 1])
    opacity, question = float(opacities[0]), float(marks[best].mean()) / _MARK_INK
    wanted = max(EXPLAINED_TILE if question < VISIBLE else EXPLAINED, mark_alone / total + GAINED)
    if explained[best] >= wanted * total and colours[0] >= 0 and opacity > 0 and question >= -VISIBLE:
        shape, angle_deg, number = known.tiles[best]
        return _shown(Tile(shape, number, angle_deg, COLOUR_NAMES[colours[0]]), opacity, max(question, 0.0))
    if mark_alone < EXPLAINED_MARK * total:
        return SCRIBBLE
    return QUESTION if strength >= FULL else Cell(question=round(max(strength, 0.0), 2))
