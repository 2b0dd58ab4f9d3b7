"""Reading a sudoku back from a registered frame: what each cell shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.photometry import median
from vmevalkit.media.picture import Frame, Mask
from vmevalkit.media.sighting import Sighting
from vmevalkit.tasks.sudoku_task.digits import NOTHING, Plane, beliefs, normalised
from vmevalkit.tasks.sudoku_task.lens import READING_SIDE, Look, ink_on, lens_of
from vmevalkit.tasks.sudoku_task.parts import Part, around, parts_of, side_by_side, sizeable, told
from vmevalkit.tasks.sudoku_task.render import draw
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import BLANK, FULL, VISIBLE, Ink, Sudoku, SudokuState, printed

FAINTEST_LINES = 70
"""With less contrast than this between lines and ground there is no board to read."""
LINE = 0.4
"""Share of the lines' usual contrast at which a line is there."""
LINE_SEEN = 0.85
"""Share of a line that must be there; a line that is not is behind something."""
BOARD_SEEN = 0.3
"""Share of the cells with all four lines that a board must have."""
FAINTEST_INK = 60
"""Weaker ink says nothing about how strong the givens are."""
TINTED = 25
"""A ground that is farther from white than this is coloured or shaded."""
CUT = 0.45
"""Share of a cell's strongest ink at which a digit ends."""
ALIKE = 0.3
"""Share of the givens' ink by which a digit may differ from its printed picture, in any field of 5 x 5 pixels."""
SLANT = 6
"""Pixels by which ink may run aside where it crosses a line at a slant."""
DARKEST = 100
"""In a second look, ink must be darker than its surroundings by this many levels."""


class SudokuReader:
    """Reads the frames of one puzzle."""

    def __init__(self, puzzle: Sudoku) -> None:
        self._lens = lens_of(puzzle.order)
        self._start = printed(puzzle.givens)
        self._given: Mask = np.array(puzzle.givens) > 0
        self._right = [Ink((digit,)) for digit in puzzle.solution]
        solved = cv2.resize(
            draw(puzzle.order, printed(puzzle.solution)), (READING_SIDE,) * 2, None, 0, 0, cv2.INTER_AREA
        )
        self._printed = self._inside(solved, self._lens.look(solved))

    def read(self, sighting: Sighting, before: SudokuState | None) -> SudokuState | None:
        """The state, or None where no board is seen. A cell behind something is taken to be as it was last seen."""
        look = self._lens.look(sighting.picture)
        hidden = self._hidden(look)
        if hidden is None:
            return None
        hidden |= ~self._lens.shown(sighting.seen)
        cells = self._cells(sighting.picture, look, hidden)
        last = (before or self._start).cells
        return SudokuState(tuple(last[number] if cell is None else cell for number, cell in enumerate(cells)))

    def _hidden(self, look: Look) -> Mask | None:
        """Which cells have something over their lines; None where there is no board."""
        usual = np.zeros(self._lens.thick.shape)
        for kind in (self._lens.thick, ~self._lens.thick):
            if kind.any():
                usual[kind] = median(look.contrasts[kind].ravel())
        if usual.min() < FAINTEST_LINES:
            return None
        seen = np.count_nonzero(look.contrasts > LINE * usual[..., None], axis=2)
        there = seen >= LINE_SEEN * look.contrasts.shape[2]
        hidden: Mask = ~there.all(axis=1)
        return hidden if hidden.mean() <= 1 - BOARD_SEEN else None

    def _cells(self, picture: Frame, look: Look, hidden: Mask) -> list[Ink | None]:
        """What each cell shows; None where something hides it."""
        lens = self._lens
        ink = self._inside(picture, look)
        peaks = lens.peaks(np.asarray(cv2.GaussianBlur(ink, (3, 3), 0), np.uint8))
        standing = peaks[self._given & ~hidden & (peaks > FAINTEST_INK)]
        usual = median(standing) if len(standing) else 255.0
        marked = (peaks > VISIBLE * usual) & ~hidden
        alike = marked & self._alike(ink, usual)
        parts = self._parts(ink, peaks, marked & ~alike)
        free = {
            cell: [part for part in each if not self._enters(look.ink, part, cell, CUT * float(peaks[cell]))]
            for cell, each in parts.items()
        }
        entered = {cell for cell, each in parts.items() if len(free[cell]) < len(each)}
        digits = self._digits(picture, ink, free, peaks)
        shown: list[Ink | None] = [BLANK] * len(peaks)
        for cell in np.flatnonzero(alike).tolist():
            shown[cell] = _ink(self._right[cell], float(peaks[cell]) / usual)
        for cell, found in digits.items():
            if cell in entered and (len(found) != 1 or NOTHING in found):
                shown[cell] = None
            elif found:
                shown[cell] = _ink(Ink(found), float(peaks[cell]) / usual)
        for cell in np.flatnonzero(hidden).tolist():
            shown[cell] = None
        return shown

    def _alike(self, ink: Plane, usual: float) -> Mask:
        """Which cells show a digit just as the solution is printed: most do, and need no further look."""
        printed_so = cv2.convertScaleAbs(self._printed, alpha=usual / 255)
        differs = self._lens.peaks(np.asarray(cv2.blur(cv2.absdiff(ink, printed_so), (5, 5)), np.uint8))
        return np.asarray(differs < ALIKE * usual)

    def _inside(self, picture: Frame, look: Look) -> Plane:
        """Ink inside the cells, each against its own ground."""
        grounds = look.grounds
        ink = cv2.subtract(look.ink, self._lens.shades((255 - grounds.min(axis=1)).astype(np.uint8)))
        for cell in np.flatnonzero((grounds < 255 - TINTED).any(axis=1)):
            window = self._lens.window(int(cell))
            ink[window] = ink_on(grounds[cell], picture[window])
        return np.asarray(ink, np.uint8)

    def _parts(self, ink: Plane, peaks: NDArray[np.uint8], marked: Mask) -> dict[int, list[Part]]:
        """The parts of each marked cell, cut out at about half its strongest ink."""
        parts: dict[int, list[Part]] = {}
        for cell in np.flatnonzero(marked).tolist():
            rows, columns = self._lens.window(cell)
            mask = cv2.compare(ink[rows, columns], CUT * float(peaks[cell]), cv2.CMP_GT)
            parts[cell] = sizeable(parts_of(np.asarray(mask, np.uint8), columns.start, rows.start))
        return parts

    def _enters(self, raw: Plane, part: Part, cell: int, level: float) -> bool:
        """Whether a part comes from beyond the cell's lines, as a hand or a caption does."""
        rows, columns = self._lens.window(cell)
        if not part.touches(rows, columns):
            return False
        wide = slice(max(columns.start, part.left - SLANT), min(columns.stop, part.left + part.width + SLANT))
        tall = slice(max(rows.start, part.top - SLANT), min(rows.stop, part.top + part.height + SLANT))
        above, below, left, right = self._lens.brinks(cell)
        return (
            (part.top <= rows.start and _crosses(raw[above, wide], level))
            or (part.top + part.height >= rows.stop and _crosses(raw[below, wide], level))
            or (part.left <= columns.start and _crosses(raw[tall, left].T, level))
            or (part.left + part.width >= columns.stop and _crosses(raw[tall, right].T, level))
        )

    def _digits(
        self, picture: Frame, ink: Plane, parts: dict[int, list[Part]], peaks: NDArray[np.uint8]
    ) -> dict[int, tuple[int, ...]]:
        """The digits that the parts of each cell make."""
        whole = [cell for cell, each in parts.items() if each and not side_by_side(each)]
        boxes = [around(parts[cell]) for cell in whole]
        seen = told(beliefs(normalised(ink, boxes, [float(peaks[cell]) for cell in whole])))
        digits: dict[int, tuple[int, ...]] = {
            cell: (digit,) for cell, digit in zip(whole, seen, strict=True) if digit != NOTHING
        }
        for cell in parts.keys() - digits.keys():
            again = self._again(picture, cell) if cell in whole else ()
            digits[cell] = again or self._several(ink, parts[cell], float(peaks[cell]))
        return digits

    def _several(self, ink: Plane, parts: Sequence[Part], peak: float) -> tuple[int, ...]:
        """What several parts show one by one; 0 for a mark that is no digit."""
        if not parts:
            return ()
        return tuple(told(beliefs(normalised(ink, parts, [peak] * len(parts)))))

    def _again(self, picture: Frame, cell: int) -> tuple[int, ...]:
        """A second look at what is no digit: only at what is dark on a ground that may glow or be shaded."""
        rows, columns = self._lens.window(cell)
        grey = cv2.cvtColor(picture[rows, columns], cv2.COLOR_RGB2GRAY)
        reach = 2 * (grey.shape[0] // 6) + 1
        dark = cv2.morphologyEx(grey, cv2.MORPH_BLACKHAT, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach)))
        peak = float(dark.max())
        if peak < DARKEST:
            return ()
        parts = sizeable(parts_of(np.asarray(cv2.compare(dark, CUT * peak, cv2.CMP_GT), np.uint8)))
        inside = slice(0, grey.shape[0]), slice(0, grey.shape[1])
        if not parts or side_by_side(parts) or any(part.touches(*inside) for part in parts):
            return ()
        digit = told(beliefs(normalised(np.asarray(dark, np.uint8), [around(parts)], [peak])))[0]
        return () if digit == NOTHING else (digit,)


def _ink(whole: Ink, opacity: float) -> Ink:
    """What is nearly there is there."""
    return whole if opacity >= FULL else replace(whole, opacity=round(opacity, 2))


def _crosses(brinks: Plane, level: float) -> bool:
    """Whether the ink on one brink of a line goes on at the other one."""
    one, other = (np.flatnonzero(brink > level) for brink in brinks)
    return bool(len(one) and len(other) and one[0] - SLANT <= other[-1] and other[0] - SLANT <= one[-1])
