"""Looks of a board and its pieces, cut out of the question's own first frame.

The look of a kind of cell is the median of all cells of that kind: what one of them has of its own goes. A piece is
what differs from that in its cell, with alpha. Nothing here knows how the task itself would draw them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np

from vmevalkit.media.image import Frame, Mask
from vmevalkit.tasks.kit.board_layout import FLOOR, GOAL, WALL, Cell, Site
from vmevalkit.tasks.kit.board_view import BoardView
from vmevalkit.tasks.kit.looks import Floats

PIECE_LEVELS = 28
"""Levels by which a pixel must differ from the ground to belong to a piece: codec noise at edges stays below."""
EDGE = 0.25
"""The same as a share of a piece's own contrast."""
RIM = 0.18
"""Share of a cell's side at each edge that is not compared: grid lines and half a pixel of misalignment are there."""
FITS = 16.0
"""Mean levels by which a whole cell may differ from the median of its kind in the first frame."""
MAX_UNFIT = 0.1
"""Share of the cells that may differ by more."""
LINE = 0.07
"""Half the breadth, in cells, of the strip in which a line between two cells is looked for."""
AROUND = 0.22
"""How far a piece may reach beyond its cell, in cells."""
LEAST_AREA = 0.05
"""Area of the smallest piece, in cells."""
CAP = 128.0
"""A pixel counts with at most so many levels."""


@dataclass(frozen=True)
class Cutout:
    """The picture of a piece. Its place is the middle of its box."""

    colour: Floats
    """Levels, height x width x 3."""
    alpha: Floats
    ink: Mask
    """Where it differs from the ground that it was cut from: what it encloses may show another ground elsewhere."""

    @cached_property
    def core(self) -> Floats:
        """Which pixels surely belong to the piece, as 0 and 1."""
        return (self.alpha > 0.5).astype(np.float32)

    @cached_property
    def telling(self) -> Floats:
        """Which pixels of the core tell of the piece, as 0 and 1."""
        return self.core * self.ink

    @cached_property
    def area(self) -> float:
        """Pixels of the core."""
        return float(self.core.sum())

    @cached_property
    def plain_colour(self) -> Floats:
        """The median colour of what tells of the piece."""
        return np.asarray(np.median(self.colour[self.telling > 0], axis=0), np.float32)


class BoardLooks:
    """All that reading a board needs, cut out of one picture."""

    def __init__(self, view: BoardView, picture: Frame, mover_may_appear: bool = False) -> None:
        """``picture`` has the view's reading size. With ``mover_may_appear`` the start shows no mover but a marker."""
        self.view, self.layout, self.mover_may_appear = view, view.layout, mover_may_appear
        self.picture = picture
        self.first = view.cut(picture)
        layout = self.layout
        self.tiles: dict[str, Floats] = {FLOOR: self._take_median(layout.plain)}
        if layout.walls:
            self.tiles[WALL] = self._take_median(sorted(layout.walls))
        self.ground = self.first.copy()
        self.pieces: dict[str, Cutout] = {}
        visible = {name: cell for name, cell in layout.starts.items() if name != layout.mover or not mover_may_appear}
        boxes = {name: self._find_piece(cell) for name, cell in visible.items()}
        for cell in visible.values():
            self._uncover(cell)
        for name, box in boxes.items():
            if box is not None:
                self.pieces[name] = self.cut_piece(self.first, box)
        free_goals = [goal for goal in layout.goals if goal not in visible.values()]
        self.tiles[GOAL] = self._take_median(free_goals or layout.goals, self.ground)
        for goal in set(layout.goals) - set(free_goals):
            self.ground[view.slices(goal)] = self.tiles[GOAL]
        self._number_sites()

    def _take_median(self, cells: list[Cell] | tuple[Cell, ...], picture: Floats | None = None) -> Floats:
        board = self.first if picture is None else picture
        return np.asarray(np.median(np.stack([board[self.view.slices(cell)] for cell in cells]), axis=0), np.float32)

    def _inner(self, cell: Cell) -> tuple[slice, slice]:
        """Return where a cell is, without the lines around it where lines are walls."""
        side = self.view.cell
        margin = round((LINE + 0.03) * side) if self.layout.closed else 0
        row, column = cell
        return (
            np.s_[row * side + margin : (row + 1) * side - margin],
            np.s_[column * side + margin : (column + 1) * side - margin],
        )

    def _uncover(self, cell: Cell) -> None:
        """What is under a piece is what other floor cells show."""
        margin = (self.view.cell - len(range(*self._inner(cell)[0].indices(self.view.size[1])))) // 2
        size = self.view.cell
        self.ground[self._inner(cell)] = self.tiles[FLOOR][margin : size - margin, margin : size - margin]
        if self.layout.closed:
            return
        # A piece that is off centre reaches into the next cells: they look as their kind does.
        row, column = cell
        for other in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            kind = self.layout.get_kind(other)
            is_inside = 0 <= other[0] < self.layout.rows and 0 <= other[1] < self.layout.columns
            if is_inside and kind in self.tiles and kind != GOAL and other not in self.layout.starts.values():
                self.ground[self.view.slices(other)] = self.tiles[kind]

    def _find_piece(self, cell: Cell) -> tuple[int, int, int, int] | None:
        """Return the box of what differs from the floor in a cell, and a little around it; None where nothing does."""
        side, (width, height) = self.view.cell, self.view.size
        row, column = cell
        reach = 0 if self.layout.closed else round(AROUND * side)
        rows, columns = self._inner(cell)
        y0, y1 = max(0, rows.start - reach), min(height, rows.stop + reach)
        x0, x1 = max(0, columns.start - reach), min(width, columns.stop + reach)
        below = self._tile_board()[y0:y1, x0:x1]
        odd = (np.abs(self.first[y0:y1, x0:x1] - below).max(axis=2) > PIECE_LEVELS).astype(np.uint8)
        odd = cv2.morphologyEx(odd, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        count, labels, stats, _ = cv2.connectedComponentsWithStats(odd, connectivity=8)
        first_row, first_column = max(0, row * side - y0), max(0, column * side - x0)
        inside = labels[first_row : (row + 1) * side - y0, first_column : (column + 1) * side - x0]
        areas = np.bincount(inside[inside > 0], minlength=count)
        if count < 2 or areas.max() < LEAST_AREA * side * side:
            return None
        x, y, wide, high, _ = (int(value) for value in stats[int(areas.argmax())])
        box = x0 + x - 2, y0 + y - 2, x0 + x + wide + 2, y0 + y + high + 2
        return max(0, box[0]), max(0, box[1]), min(width, box[2]), min(height, box[3])

    def _tile_board(self) -> Floats:
        """Return the board without pieces, each cell as its kind looks."""
        if self.layout.closed:
            return np.tile(self.tiles[FLOOR], (self.layout.rows, self.layout.columns, 1))
        board = self.first.copy()
        for kind, (cell,) in self.layout.list_sites():
            if kind in self.tiles:
                board[self.view.slices(cell)] = self.tiles[kind]
        return board

    def cut_piece(self, picture: Floats, box: tuple[int, int, int, int]) -> Cutout:
        """Return the largest thing that differs from the ground in a box, without holes.

        Its edge is where it has a quarter of its own contrast: the ringing of codecs around it is not part of it."""
        x0, y0, x1, y1 = box
        patch, below = picture[y0:y1, x0:x1], self.ground[y0:y1, x0:x1]
        off = np.abs(patch - below).max(axis=2)
        level = max(PIECE_LEVELS, EDGE * float(np.percentile(off, 75)))
        inside = cv2.morphologyEx((off > level).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        outlines, _ = cv2.findContours(inside, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        whole = np.zeros(off.shape, np.uint8)
        if outlines:
            cv2.drawContours(whole, [max(outlines, key=cv2.contourArea)], -1, 1, cv2.FILLED)
        soft = np.clip((off - level / 2) / level, 0, 1) * cv2.dilate(whole, np.ones((3, 3), np.uint8))
        ink, alpha = np.asarray(off > level / 2), np.maximum(soft, whole).astype(np.float32)
        rows, columns = np.nonzero(alpha.max(axis=1))[0], np.nonzero(alpha.max(axis=0))[0]
        if not len(rows):
            return Cutout(patch.copy(), alpha, ink)
        own = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        return Cutout(patch[own].copy(), alpha[own], ink[own])

    # -- sites: what must stay as it is, and what it could be taken for ------------------------------------------

    def _number_sites(self) -> None:
        """Number the pixels by the site that they tell of, and draw the board as if all sites were of one kind."""
        layout, side = self.layout, self.view.cell
        self.sites: list[Site] = layout.list_sites()
        self.labels = np.full(self.view.size[::-1], -1, np.int32)
        self.alternatives: dict[str, Floats] = {}
        rim, half = max(1, round(RIM * side)), max(1, round(LINE * side))
        strips: dict[tuple[str, bool], list[Floats]] = {}
        between: list[tuple[bool, tuple[slice, slice]]] = []
        for number, (kind, cells) in enumerate(self.sites):
            row, column = cells[0]
            if len(cells) == 2:
                is_upright = cells[1][1] != column
                along, across = (row, (column + 1) * side) if is_upright else (column, (row + 1) * side)
                long = np.s_[along * side + rim : (along + 1) * side - rim]
                short = np.s_[across - half : across + half + 1]
                where = (long, short) if is_upright else (short, long)
                strips.setdefault((kind, is_upright), []).append(self.ground[where])
                between.append((is_upright, where))
            else:
                where = (
                    np.s_[row * side + rim : (row + 1) * side - rim],
                    np.s_[column * side + rim : (column + 1) * side - rim],
                )
            self.labels[where] = number
        self.line_colours = [
            np.asarray(np.median(np.concatenate([strip.reshape(-1, 3) for strip in parts]), axis=0), np.float32)
            for kind in (WALL,)
            if (parts := [strip for (name, _), each in strips.items() if name == kind for strip in each])
        ]
        if not layout.closed:
            for kind, tile in self.tiles.items():
                self.alternatives[kind] = np.tile(tile, (layout.rows, layout.columns, 1))
            return
        for kind in (FLOOR, WALL):
            self.alternatives[kind] = image = self.ground.copy()
            for is_upright, where in between:
                if (kind, is_upright) in strips:
                    image[where] = np.median(np.stack(strips[kind, is_upright]), axis=0)
        for goal in layout.goals:
            where = tuple(slice(each.start + rim, each.stop - rim) for each in self.view.slices(goal))  # type: ignore[assignment]
            self.alternatives[FLOOR][where] = self.tiles[FLOOR][rim : side - rim, rim : side - rim]

    def draw_site(self, board: Floats, number: int, kind: str) -> Mask:
        """Draw a site as another kind; return the pixels that it has."""
        where = self.labels == number
        if kind in self.alternatives:
            board[where] = self.alternatives[kind][where]
        return np.asarray(where)

    # -- whether the picture can be read -------------------------------------------------------------------------

    def find_problem(self) -> str | None:
        """Return why the picture cannot be read by its own looks; None if it can.

        Looks must differ, and each site must look as the puzzle says: a box that is off by a third of a cell, or a
        puzzle that was copied wrongly, is found here and not in a verdict."""
        side = self.view.cell
        for name in self.layout.starts:
            if name == self.layout.mover and self.mover_may_appear:
                continue
            piece = self.pieces.get(name)
            if piece is None or piece.area < LEAST_AREA * side * side:
                return f"nothing is to be seen in the cell where the piece {name} starts"
            for kind, tile in self.tiles.items():
                other = np.median(tile.reshape(-1, 3), axis=0)
                if np.abs(piece.plain_colour - other).max() < 2 * PIECE_LEVELS:
                    return f"the piece {name} looks like {kind}"
        names = list(self.alternatives)
        images = np.stack([np.abs(self.first - self.alternatives[kind]).max(axis=2) for kind in names])
        hidden = {(cell,) for cell in self.layout.starts.values()}
        wrong = unlike = known = 0
        for number, (kind, cells) in enumerate(self.sites):
            if kind not in names or cells in hidden:
                continue
            known += 1
            inside = images[:, self.labels == number].mean(axis=1)
            wrong += names[int(inside.argmin())] != kind
            if len(cells) == 1:  # the whole cell, with its rim: a box that is off shows there
                off = images[names.index(kind)][self.view.slices(cells[0])]
                unlike += float(np.minimum(off, CAP).mean()) > FITS
        if wrong:
            return f"{wrong} of {known} cells or walls do not look like what the puzzle says"
        if unlike > MAX_UNFIT * known:
            return f"{unlike} of {known} cells do not look like others of their kind: the board is elsewhere"
        return None
