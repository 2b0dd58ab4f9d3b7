"""Reading a matrix back from a registered frame: what each cell shows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Mask
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.raven_task.components import INK_THRESHOLD, Components, find_components
from vmevalkit.tasks.raven_task.raven_reasoning import Raven
from vmevalkit.tasks.raven_task.render import MARK_LEVEL, RADIUS
from vmevalkit.tasks.raven_task.sampling import (
    READING_SCALE,
    Levels,
    Surroundings,
    crop_middle,
    find_peaks,
    find_unseen_cells,
    measure_ink,
    measure_surroundings,
)
from vmevalkit.tasks.raven_task.scene import (
    EMPTY,
    FULL,
    QUESTION,
    SCRIBBLE,
    VISIBLE,
    Cell,
    RavenState,
    initial_state,
)
from vmevalkit.tasks.raven_task.templates import (
    COLOUR_NAMES,
    INK_LENGTHS,
    INKS,
    load_overlay_templates,
    load_pose_templates,
    shrink_middle,
)
from vmevalkit.tasks.raven_task.vocabulary import NUMBERS, POSES, Tile

MIN_LINE_CONTRAST = 40
"""With less contrast between lines and background there is no matrix to read."""
LINE_CONTRAST, LINE_SHARE = 0.4, 0.9
"""Share of the usual contrast at which a line sample is visible, and the share of samples that must be visible."""
MAX_HIDDEN = 5
"""With more hidden cells there is no matrix to read."""
MIN_INK = 40
"""Levels of the weakest ink that is not noise."""
MIN_CORRELATION = 0.955
"""Correlation with a template from which on a component is that shape."""
MIN_MARGIN = 0.02
"""By how much this correlation must exceed that with any other template."""
MAX_OFF_COLOUR = 0.2
"""Sine of the greatest angle between an ink and its colour."""
SIZES = (0.5, 1.9)
"""The smallest and the largest size of a shape, relative to the shapes of a question."""
MAX_SIZE_RATIO = 1.5
"""How much larger one shape of a tile may be than another."""
EXPLAINED = 0.9
"""The share of the ink that a tile over a question mark must explain."""
EXPLAINED_TILE, EXPLAINED_MARK = 0.96, 0.88
"""The same for a tile alone and for the question mark alone."""
EXPLAINED_CERTAIN = 0.97
"""A question mark that explains this much is not compared with tiles."""
MIN_GAIN = 0.03
"""The share of the ink that a tile must explain beyond the question mark alone."""
MAX_LEFT_OVER = 60
"""More pixels of weak ink away from all components are not noise, but for example the rest of a question mark."""
_MARK_INK = 255 - MARK_LEVEL
_NOMINAL_SIZE = 2 * RADIUS * READING_SCALE


class _Shape(NamedTuple):
    """What one component is."""

    pose: int
    """Index of its shape and angle; -1 for none."""
    colour: int
    """Index of its colour; -1 for none."""
    opacity: float
    size: float
    """Relative to the shapes of a question."""


class RavenReader:
    """Reads the frames of one puzzle."""

    def __init__(self, puzzle: Raven) -> None:
        self._start = initial_state(puzzle)

    def read(self, frame: RegisteredFrame, before: RavenState | None) -> RavenState | None:
        """Return the state, or None where no matrix is visible. A hidden cell keeps the content that was read last."""
        image = frame.image
        around = measure_surroundings(image)
        hidden = _find_hidden_cells(around)
        if hidden is None:
            return None
        hidden |= find_unseen_cells(frame.visible)
        ink = measure_ink(image, around.backgrounds)
        peaks = find_peaks(ink)
        components = find_components(image, ink, np.where(peaks < MIN_INK, 255, INK_THRESHOLD * peaks), MIN_INK)
        hidden[components.cells[components.is_entering]] = True
        if hidden.sum() > MAX_HIDDEN:
            return None
        shapes = _classify_components(components, around.backgrounds)
        is_clean = components.left_over < MAX_LEFT_OVER
        last = (before or self._start).cells
        cells = []
        for index in range(9):
            if hidden[index]:
                cells.append(last[index])
            elif peaks[index] < MIN_INK:
                cells.append(EMPTY)
            else:
                cell = _read_tile(shapes[index]) if is_clean[index] else None
                cells.append(cell or _read_overlay(image, around.backgrounds[index], index))
        return RavenState(tuple(cells), frozenset(np.flatnonzero(hidden).tolist()))


def _find_hidden_cells(around: Surroundings) -> Mask | None:
    """Return which cells have something over their lines; None where there is no matrix."""
    flat = around.contrasts.ravel()
    usual = float(np.partition(flat, len(flat) // 2)[len(flat) // 2])
    if usual < MIN_LINE_CONTRAST:
        return None
    visible = np.count_nonzero(around.contrasts > LINE_CONTRAST * usual, axis=2)
    hidden: Mask = ~(visible >= LINE_SHARE * around.contrasts.shape[2]).all(axis=1)
    return hidden if hidden.sum() <= MAX_HIDDEN else None


def _classify_components(components: Components, backgrounds: NDArray[np.int16]) -> list[list[_Shape]]:
    """Return the shapes of each cell: the nearest poses and colours of its components, where these are near enough."""
    correlations = (load_pose_templates() @ components.shapes.T).max(axis=0).T
    best = correlations.argmax(axis=1)
    ranked = np.partition(correlations, -2, axis=1)
    is_certain = (ranked[:, -1] >= MIN_CORRELATION) & (ranked[:, -1] - ranked[:, -2] >= MIN_MARGIN)
    poses = np.where(is_certain, best, -1)
    colours, opacities = _match_colours(backgrounds[components.cells] - components.colours)
    sizes = components.sizes / _NOMINAL_SIZE
    shapes: list[list[_Shape]] = [[] for _ in range(9)]
    columns = (components.cells, poses, colours, opacities, sizes)
    for cell, *values in zip(*(column.tolist() for column in columns), strict=True):
        shapes[cell].append(_Shape(*values))
    return shapes


def _match_colours(inks: Levels) -> tuple[NDArray[np.intp], Levels]:
    """Return the nearest colour of each ink, -1 for none, and its opacity."""
    along_each = inks @ INKS.T / INK_LENGTHS
    best = along_each.argmax(axis=1)
    along = along_each[np.arange(len(best)), best]
    # The squared part of the ink that is not along the colour, against the square of the whole.
    whole = np.maximum(np.einsum("nc,nc->n", inks, inks), 1e-3)
    is_near = (along > 0) & (whole - along**2 <= MAX_OFF_COLOUR**2 * whole)
    return np.where(is_near, best, -1), along / INK_LENGTHS[best]


def _read_tile(shapes: list[_Shape]) -> Cell | None:
    """Return the tile that the shapes of a cell make, if they are equal and each one is certain."""
    if len(shapes) not in NUMBERS:
        return None
    pose, colour = shapes[0].pose, shapes[0].colour
    if pose < 0 or colour < 0 or any((shape.pose, shape.colour) != (pose, colour) for shape in shapes):
        return None
    smallest, largest = min(shape.size for shape in shapes), max(shape.size for shape in shapes)
    if smallest < SIZES[0] or largest > SIZES[1] or largest > MAX_SIZE_RATIO * smallest:
        return None
    name, angle_deg = POSES[pose]
    opacity = min(shape.opacity for shape in shapes)
    return _make_cell(Tile(name, len(shapes), angle_deg, COLOUR_NAMES[colour]), opacity)


def _make_cell(tile: Tile, opacity: float, question: float = 0.0) -> Cell:
    """Return the cell, with a tile that is nearly opaque as opaque and a question mark that is nearly gone as gone."""
    question = 0.0 if question < VISIBLE else round(min(question, 1.0), 2)
    return Cell(tile, 1.0 if opacity >= FULL and not question else round(min(opacity, 1.0), 2), question)


def _read_overlay(image: Frame, background: NDArray[np.int16], index: int) -> Cell:
    """Return a cell that is not a plain tile: the question mark, a tile dissolving with it, or an unclear mark."""
    templates = load_overlay_templates()
    ink = (background - shrink_middle(crop_middle(image, index))).reshape(-1, 3)
    if np.abs(ink).max() < MIN_INK:  # what is outside the middle is a sliver of something that enters the cell
        return EMPTY
    total = float((ink**2).sum())
    with_mark = templates.mark @ ink
    tile_tile, tile_mark, mark_mark = (templates.products[:, i, None] for i in range(3))
    mark_alone = float((with_mark**2).sum() / mark_mark[0, 0])
    strength = float(with_mark.mean() / mark_mark[0, 0]) / _MARK_INK
    if mark_alone >= EXPLAINED_CERTAIN * total and strength >= FULL:
        return QUESTION
    # Least squares for every tile at once: the strengths of the tile and of the mark that explain the ink best.
    with_tiles = templates.planes @ ink
    determinant = tile_tile * mark_mark - tile_mark**2
    tiles = (mark_mark * with_tiles - tile_mark * with_mark) / determinant
    marks = (tile_tile * with_mark - tile_mark * with_tiles) / determinant
    explained = (tiles * with_tiles + marks * with_mark).sum(axis=1)
    best = int(explained.argmax())
    colours, opacities = _match_colours(tiles[best : best + 1])
    opacity, question = float(opacities[0]), float(marks[best].mean()) / _MARK_INK
    required = max(EXPLAINED_TILE if question < VISIBLE else EXPLAINED, mark_alone / total + MIN_GAIN)
    if explained[best] >= required * total and colours[0] >= 0 and opacity > 0 and question >= -VISIBLE:
        shape, angle_deg, number = templates.tiles[best]
        return _make_cell(Tile(shape, number, angle_deg, COLOUR_NAMES[colours[0]]), opacity, max(question, 0.0))
    if mark_alone < EXPLAINED_MARK * total:
        return SCRIBBLE
    return QUESTION if strength >= FULL else Cell(question=round(max(strength, 0.0), 2))
