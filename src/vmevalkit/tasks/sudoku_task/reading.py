"""Reading a sudoku from a registered frame: what each cell shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Mask
from vmevalkit.media.photometry import median
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.kit.digit_network import NO_DIGIT, Plane, classify, normalise_ink
from vmevalkit.tasks.kit.glyphs import (
    INK_EDGE,
    InkPart,
    are_side_by_side,
    bounding_box,
    drop_specks,
    find_parts,
    pick_digits,
)
from vmevalkit.tasks.sudoku_task.render import draw_state
from vmevalkit.tasks.sudoku_task.sampling import READING_SIDE, BoardSample, measure_ink, sampler_for
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import (
    BLANK,
    FULL_OPACITY,
    VISIBLE_OPACITY,
    CellInk,
    Sudoku,
    SudokuState,
    make_printed_state,
)

MIN_LINE_CONTRAST = 70
"""With less contrast than this between lines and background the board is not readable."""
VISIBLE_LINE = 0.4
"""Share of the lines' median contrast at which a line is visible."""
MIN_LINE_SHARE = 0.85
"""Share of a line that must be visible; otherwise something covers it."""
MIN_BOARD_SHARE = 0.3
"""Share of the cells that must have four visible lines."""
MIN_GIVEN_INK = 60
"""Weaker givens do not count for how strong the givens' ink is."""
TINTED = 25
"""A background that differs more than this from white is coloured or shaded."""
MAX_PRINT_DIFFERENCE = 0.3
"""Share of the givens' ink by which a digit may differ from its printed image, in any window of 5 x 5 pixels."""
FAINT_EDGE, FAINT_HEIGHT = 0.2, 0.4
"""Share of a digit's ink at which the edge of a fainter one beside it is, and of its height that the other one has."""
SLANT_PX = 6
"""Pixels by which ink that crosses a line at an angle may be displaced beyond it."""
MIN_DARKNESS = 100
"""In a second look, ink must be darker than its surroundings by this many levels."""


class SudokuReader:
    """Reads the frames of one video of a puzzle."""

    def __init__(self, puzzle: Sudoku) -> None:
        self._sampler = sampler_for(puzzle.order)
        self._start = make_printed_state(puzzle.givens)
        self._is_given: Mask = np.array(puzzle.givens) > 0
        self._solution = [CellInk((digit,)) for digit in puzzle.solution]
        drawn = draw_state(puzzle.order, make_printed_state(puzzle.solution))
        solved = cv2.resize(drawn, (READING_SIDE, READING_SIDE), None, 0, 0, cv2.INTER_AREA)
        self._solution_ink = self._extract_ink(solved, self._sampler.measure(solved))

    def read(self, frame: RegisteredFrame, before: SudokuState | None) -> SudokuState | None:
        """Return the state, or None if no board is visible. A covered cell is assumed to be as it was last seen."""
        sample = self._sampler.measure(frame.image)
        is_covered = self._find_covered_cells(sample)
        if is_covered is None:
            return None
        is_covered |= ~self._sampler.find_shown_cells(frame.visible)
        cells = self._read_cells(frame.image, sample, is_covered)
        last = (before or self._start).cells
        unseen = frozenset(number for number, cell in enumerate(cells) if cell is None)
        return SudokuState(tuple(last[number] if cell is None else cell for number, cell in enumerate(cells)), unseen)

    def _find_covered_cells(self, sample: BoardSample) -> Mask | None:
        """Return which cells have something over their lines; None if there is no board."""
        contrasts, is_box_line = sample.line_contrasts, self._sampler.is_box_line
        usual = np.zeros(is_box_line.shape)
        for kind in (is_box_line, ~is_box_line):
            if kind.any():
                usual[kind] = median(contrasts[kind].ravel())
        if usual.min() < MIN_LINE_CONTRAST:
            return None
        visible_count = np.count_nonzero(contrasts > VISIBLE_LINE * usual[..., None], axis=2)
        is_visible = visible_count >= MIN_LINE_SHARE * contrasts.shape[2]
        is_covered: Mask = ~is_visible.all(axis=1)
        return is_covered if is_covered.mean() <= 1 - MIN_BOARD_SHARE else None

    def _read_cells(self, image: Frame, sample: BoardSample, is_covered: Mask) -> list[CellInk | None]:
        """Return what each cell shows; None if something covers it."""
        ink = self._extract_ink(image, sample)
        peaks = self._sampler.find_peaks(np.asarray(cv2.GaussianBlur(ink, (3, 3), 0), np.uint8))
        given_peaks = peaks[self._is_given & ~is_covered & (peaks > MIN_GIVEN_INK)]
        usual = median(given_peaks) if len(given_peaks) else 255.0
        has_ink = (peaks > VISIBLE_OPACITY * usual) & ~is_covered
        is_printed = has_ink & self._matches_solution(ink, usual)
        cells: list[CellInk | None] = [BLANK] * len(peaks)
        for cell in np.flatnonzero(is_printed).tolist():
            cells[cell] = _with_opacity(self._solution[cell], float(peaks[cell]) / usual)
        parts = self._find_cell_parts(ink, peaks, has_ink & ~is_printed)
        own_parts = {
            cell: [
                part for part in cell_parts if not self._comes_from_outside(sample.ink, part, cell, float(peaks[cell]))
            ]
            for cell, cell_parts in parts.items()
        }
        for cell, digits in self._read_digits(image, ink, own_parts, peaks).items():
            is_entered = len(own_parts[cell]) < len(parts[cell])
            if is_entered and (len(digits) != 1 or NO_DIGIT in digits):
                cells[cell] = None
            elif digits:
                if len(digits) == 1:
                    digits += self._read_faint_digits(ink, own_parts[cell], cell, float(peaks[cell]))
                cells[cell] = _with_opacity(CellInk(digits), float(peaks[cell]) / usual)
        for cell in np.flatnonzero(is_covered).tolist():
            cells[cell] = None
        return cells

    def _matches_solution(self, ink: Plane, usual: float) -> Mask:
        """Return which cells show the solution's digit just as it is printed. Most do, and need no recognition."""
        expected = cv2.convertScaleAbs(self._solution_ink, alpha=usual / 255)
        difference = np.asarray(cv2.blur(cv2.absdiff(ink, expected), (5, 5)), np.uint8)
        return np.asarray(self._sampler.find_peaks(difference) < MAX_PRINT_DIFFERENCE * usual)

    def _extract_ink(self, image: Frame, sample: BoardSample) -> Plane:
        """Return the ink inside the cells, each relative to its own background."""
        backgrounds = sample.backgrounds
        background_ink = (255 - backgrounds.min(axis=1)).astype(np.uint8)
        ink = cv2.subtract(sample.ink, self._sampler.spread_over_cells(background_ink))
        for cell in np.flatnonzero((backgrounds < 255 - TINTED).any(axis=1)):
            window = self._sampler.window(int(cell))
            ink[window] = measure_ink(backgrounds[cell], image[window])
        return np.asarray(ink, np.uint8)

    def _find_cell_parts(self, ink: Plane, peaks: NDArray[np.uint8], selected: Mask) -> dict[int, list[InkPart]]:
        """Return the parts of each selected cell, cut out at about half its strongest ink."""
        parts: dict[int, list[InkPart]] = {}
        for cell in np.flatnonzero(selected).tolist():
            rows, columns = self._sampler.window(cell)
            mask = cv2.compare(ink[rows, columns], INK_EDGE * float(peaks[cell]), cv2.CMP_GT)
            parts[cell] = drop_specks(find_parts(np.asarray(mask, np.uint8), columns.start, rows.start))
        return parts

    def _comes_from_outside(self, raw_ink: Plane, part: InkPart, cell: int, peak: float) -> bool:
        """Return whether a part continues beyond the cell's lines, as a hand or a caption does."""
        rows, columns = self._sampler.window(cell)
        if not part.touches_edge(rows, columns):
            return False
        level = INK_EDGE * peak
        x_range = slice(max(columns.start, part.left - SLANT_PX), min(columns.stop, part.left + part.width + SLANT_PX))
        y_range = slice(max(rows.start, part.top - SLANT_PX), min(rows.stop, part.top + part.height + SLANT_PX))
        above, below, left, right = self._sampler.line_borders(cell)
        return (
            (part.top <= rows.start and _crosses_line(raw_ink[above, x_range], level))
            or (part.top + part.height >= rows.stop and _crosses_line(raw_ink[below, x_range], level))
            or (part.left <= columns.start and _crosses_line(raw_ink[y_range, left].T, level))
            or (part.left + part.width >= columns.stop and _crosses_line(raw_ink[y_range, right].T, level))
        )

    def _read_digits(
        self, image: Frame, ink: Plane, parts: dict[int, list[InkPart]], peaks: NDArray[np.uint8]
    ) -> dict[int, tuple[int, ...]]:
        """Return the digits that the parts of each cell form."""
        single = [cell for cell, cell_parts in parts.items() if cell_parts and not are_side_by_side(cell_parts)]
        boxes = [bounding_box(parts[cell]) for cell in single]
        found = pick_digits(classify(normalise_ink(ink, boxes, [float(peaks[cell]) for cell in single])))
        digits: dict[int, tuple[int, ...]] = {
            cell: (digit,) for cell, digit in zip(single, found, strict=True) if digit != NO_DIGIT
        }
        for cell in parts.keys() - digits.keys():
            dark_digit = self._read_dark_digit(image, cell) if cell in single else ()
            digits[cell] = dark_digit or self._read_separate_parts(ink, parts[cell], float(peaks[cell]))
        return digits

    def _read_faint_digits(self, ink: Plane, parts: Sequence[InkPart], cell: int, peak: float) -> tuple[int, ...]:
        """Return the digits in fainter ink beside a digit."""
        rows, columns = self._sampler.window(cell)
        faint = np.asarray(cv2.compare(ink[rows, columns], FAINT_EDGE * peak, cv2.CMP_GT), np.uint8)
        left, top, width, height = bounding_box(parts)
        whole = [
            part
            for part in drop_specks(find_parts(faint, columns.start, rows.start))
            if part.height >= FAINT_HEIGHT * height
            and not part.touches_edge(rows, columns)
            and not (
                left < part.left + part.width
                and part.left < left + width
                and top < part.top + part.height
                and part.top < top + height
            )
        ]
        peaks = [float(ink[p.top : p.top + p.height, p.left : p.left + p.width].max()) for p in whole]
        digits = pick_digits(classify(normalise_ink(ink, whole, peaks))) if whole else []
        return tuple(digit for digit in digits if digit != NO_DIGIT)

    def _read_separate_parts(self, ink: Plane, parts: Sequence[InkPart], peak: float) -> tuple[int, ...]:
        """Return what several parts show one by one; 0 for a mark that is not a digit."""
        if not parts:
            return ()
        return tuple(pick_digits(classify(normalise_ink(ink, parts, [peak] * len(parts)))))

    def _read_dark_digit(self, image: Frame, cell: int) -> tuple[int, ...]:
        """Return the digit in the dark ink alone, if there is one: the background may glow or be shaded."""
        rows, columns = self._sampler.window(cell)
        grey = cv2.cvtColor(image[rows, columns], cv2.COLOR_RGB2GRAY)
        side = 2 * (grey.shape[0] // 6) + 1
        dark = cv2.morphologyEx(grey, cv2.MORPH_BLACKHAT, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)))
        peak = float(dark.max())
        if peak < MIN_DARKNESS:
            return ()
        parts = drop_specks(find_parts(np.asarray(cv2.compare(dark, INK_EDGE * peak, cv2.CMP_GT), np.uint8)))
        window = slice(0, grey.shape[0]), slice(0, grey.shape[1])
        if not parts or are_side_by_side(parts) or any(part.touches_edge(*window) for part in parts):
            return ()
        digit = pick_digits(classify(normalise_ink(np.asarray(dark, np.uint8), [bounding_box(parts)], [peak])))[0]
        return () if digit == NO_DIGIT else (digit,)


def _with_opacity(ink: CellInk, opacity: float) -> CellInk:
    """Return the ink with this opacity, where more than ``FULL_OPACITY`` counts as full."""
    return ink if opacity >= FULL_OPACITY else replace(ink, opacity=round(opacity, 2))


def _crosses_line(borders: Plane, level: float) -> bool:
    """Return whether the ink on one side of a line continues on the other side."""
    one, other = (np.flatnonzero(border > level) for border in borders)
    return bool(len(one) and len(other) and one[0] - SLANT_PX <= other[-1] and other[0] - SLANT_PX <= one[-1])
