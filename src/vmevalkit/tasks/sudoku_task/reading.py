"""Reading a sudoku back from a registered frame: what each cell shows."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.picture import Frame, Mask
from vmevalkit.media.sighting import Sighting
from vmevalkit.tasks.sudoku_task.digits import NOTHING, Plane, beliefs, normalised
from vmevalkit.tasks.sudoku_task.lens import Surroundings, ink_on, ink_on_white, lens_of
from vmevalkit.tasks.sudoku_task.parts import Part, around, parts_of, side_by_side, sizeable, told
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import BLANK, FULL, VISIBLE, Ink, Sudoku, SudokuState, printed

FAINTEST_LINES = 40
"""With less contrast than this between lines and ground there is no board to read."""
LINE = 0.4
"""Share of the lines' usual contrast at which a line is there."""
LINE_SEEN = 0.75
"""Share of a line that must be there; a line that is not is behind something."""
BOARD_SEEN = 0.5
"""Share of the cells with all four lines that a board must have."""
TINTED = 25
"""A ground that is farther from white than this is coloured or shaded."""
CUT = 0.45
"""Share of the givens' ink at which a digit ends."""
DARKEST = 100
"""In a second look, ink must be darker than its surroundings by this many levels."""


class SudokuReader:
    """Reads the frames of one puzzle."""

    def __init__(self, puzzle: Sudoku) -> None:
        self._lens = lens_of(puzzle.order)
        self._start = printed(puzzle.givens)
        self._given: Mask = np.array(puzzle.givens) > 0

    def read(self, sighting: Sighting, before: SudokuState | None) -> SudokuState | None:
        """The state, or None where no board is seen. A cell behind something is taken to be as it was last seen."""
        around_cells = self._lens.surroundings(sighting.picture)
        hidden = self._hidden(around_cells)
        if hidden is None:
            return None
        hidden |= self._lens.unseen(sighting.seen)
        cells = self._cells(sighting.picture, around_cells.grounds, hidden)
        last = (before or self._start).cells
        return SudokuState(tuple(last[number] if cell is None else cell for number, cell in enumerate(cells)))

    def _hidden(self, seen: Surroundings) -> Mask | None:
        """Which cells have something over their lines; None where there is no board."""
        usual = np.zeros(self._lens.thick.shape)
        for kind in (self._lens.thick, ~self._lens.thick):
            if kind.any():
                usual[kind] = np.median(seen.contrasts[kind])
        if usual.min() < FAINTEST_LINES:
            return None
        there = (seen.contrasts > LINE * usual[..., None]).mean(axis=2) >= LINE_SEEN
        hidden: Mask = ~there.all(axis=1)
        return hidden if hidden.mean() <= 1 - BOARD_SEEN else None

    def _cells(self, picture: Frame, grounds: NDArray[np.int16], hidden: Mask) -> list[Ink | None]:
        """What each cell shows; None where something hides it."""
        lens = self._lens
        raw = ink_on_white(picture)
        ink = self._inside(raw, picture, grounds)
        soft, peaks = lens.peaks(np.asarray(cv2.blur(ink, (3, 3)), np.uint8)), lens.peaks(ink)
        standing = peaks[self._given & ~hidden & (soft > 60)]
        usual = float(np.median(standing)) if len(standing) else 255.0
        marked = (soft > VISIBLE * usual) & ~hidden
        parts = self._parts(ink, peaks, marked, usual)
        free = {cell: [p for p in each if not self._enters(raw, p, cell, peaks)] for cell, each in parts.items()}
        digits = self._digits(picture, ink, free, peaks)
        shown: list[Ink | None] = []
        for cell in range(len(peaks)):
            behind = cell in parts and not digits[cell] and len(free[cell]) < len(parts[cell])
            if hidden[cell] or behind:
                shown.append(None)
            elif digits.get(cell):
                opacity = float(peaks[cell]) / usual
                shown.append(Ink(digits[cell], 1.0 if opacity >= FULL else round(opacity, 2)))
            else:
                shown.append(BLANK)
        return shown

    def _inside(self, raw: Plane, picture: Frame, grounds: NDArray[np.int16]) -> Plane:
        """Ink inside the cells, each against its own ground."""
        ink = cv2.bitwise_and(raw, self._lens.inside)
        for cell in np.flatnonzero((grounds < 255 - TINTED).any(axis=1)):
            window = self._lens.window(int(cell))
            ink[window] = ink_on(grounds[cell], picture[window])
        return np.asarray(ink, np.uint8)

    def _parts(self, ink: Plane, peaks: NDArray[np.uint8], marked: Mask, usual: float) -> dict[int, list[Part]]:
        """The parts of each marked cell; weak ink is cut at its own half."""
        lens = self._lens
        strong = marked & (peaks >= FULL * usual)
        parts: dict[int, list[Part]] = {int(cell): [] for cell in np.flatnonzero(marked)}
        found = parts_of(np.asarray(cv2.compare(ink, CUT * usual, cv2.CMP_GT), np.uint8))
        if found:
            corners = np.array(found, np.intp)
            for cell, part in zip(lens.cells_at(corners[:, 0], corners[:, 1]).tolist(), found, strict=True):
                if strong[cell]:
                    parts[cell].append(part)
        for cell in np.flatnonzero(marked & ~strong).tolist():
            rows, columns = lens.window(cell)
            mask = cv2.compare(ink[rows, columns], CUT * float(peaks[cell]), cv2.CMP_GT)
            parts[cell] = parts_of(np.asarray(mask, np.uint8), columns.start, rows.start)
        return {cell: sizeable(each) for cell, each in parts.items()}

    def _enters(self, raw: Plane, part: Part, cell: int, peaks: NDArray[np.uint8]) -> bool:
        """Whether a part comes from beyond the cell's lines, as a hand or a caption does."""
        window = self._lens.window(cell)
        if not part.touches(*window):
            return False
        rows = slice(max(0, part.top - 1), part.top + part.height + 1)
        columns = slice(max(0, part.left - 1), part.left + part.width + 1)
        (above, below), (left, right) = self._lens.across(cell)
        sides = (
            (part.top <= window[0].start, (above, columns)),
            (part.top + part.height >= window[0].stop, (below, columns)),
            (part.left <= window[1].start, (rows, left)),
            (part.left + part.width >= window[1].stop, (rows, right)),
        )
        level = CUT * float(peaks[cell])
        return any(reached and raw[place].max(initial=0) > level for reached, place in sides)

    def _digits(
        self, picture: Frame, ink: Plane, parts: dict[int, list[Part]], peaks: NDArray[np.uint8]
    ) -> dict[int, tuple[int, ...]]:
        """The digits that the parts of each cell make."""
        whole = [cell for cell, each in parts.items() if each and not side_by_side(each)]
        boxes = [around(parts[cell]) for cell in whole]
        seen = beliefs(normalised(ink, boxes, [float(peaks[cell]) for cell in whole]))
        found = {cell: (digit,) for cell, belief in zip(whole, seen, strict=True) if (digit := told(belief)) != NOTHING}
        return {
            cell: found.get(cell) or self._again(picture, cell) or self._several(ink, each, float(peaks[cell]))
            for cell, each in parts.items()
        }

    def _several(self, ink: Plane, parts: Sequence[Part], peak: float) -> tuple[int, ...]:
        """What several parts show one by one; 0 for a mark that is no digit."""
        if not parts:
            return ()
        seen = beliefs(normalised(ink, [part.box for part in parts], [peak] * len(parts)))
        return tuple(told(belief) for belief in seen)

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
        digit = told(beliefs(normalised(np.asarray(dark, np.uint8), [around(parts)], [peak]))[0])
        return () if digit == NOTHING else (digit,)
