"""Reads frames of a board whose looks were cut out of a picture: which pieces are where, and whether the board is as it
was.

At each place one asks how much of the difference from the ground a piece explains, and at which opacity, as
``matching`` does. Sites are compared by duels between looks, only where they differ and no piece covers them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Mask
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.kit.board_layout import FLOOR, Cell
from vmevalkit.tasks.kit.board_looks import CAP, BoardLooks, Cutout
from vmevalkit.tasks.kit.looks import Floats
from vmevalkit.tasks.kit.matching import FAINT

EXPLAINS, EXPLAINS_COARSELY = 0.72, 0.62
"""Share of the difference from the ground that a piece must explain. White where black was is explained by a red piece
to .65, by a blue one to .45: a cell that is redrawn must not count as a piece."""
CONTRAST = 24.0
"""Levels by which a place must differ from the ground to be looked at."""
DIFFER = 40.0
"""Levels from which on two looks differ at a pixel."""
CHANGED, CLEARLY = 30.0, 0.6
"""A site has changed where it differs from itself by so many levels and is this much more like something else."""
ENOUGH = 0.35
"""Share of the pixels that tell of a site that must be in sight, and not behind a piece."""
LOST = 0.8
"""Share of all sites of one kind that are unlike themselves at once: the frame shows something else, or is a fade."""
SMALL = 0.06
"""Share of the mover's area from which on something of its colour is seen: a quarter of its size across."""
MOST = 6
"""Pieces of one look that are listed."""
HELD_S = 0.2
"""Seconds for which something must hold to count, and for which a piece may be out of sight at the end."""
TURNED_AWAY, TURNED_AREA, TURNED_SIZE = 0.75, (0.4, 1.6), 1.6
"""A mover that shows another side is at most so many cells from where it was, with such shares of its area and size."""
BEYOND = 0.3
"""How far a piece may reach beyond the board, in cells."""
STROKE = 0.14
"""Breadth of a pen's stroke, in cells: what is thinner is a mark, and no piece."""
NEW_LEVELS = 40
"""Levels by which something must differ from the ground to be the mover that appears."""
_SHIFTS = ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0))
"""Rows and columns by which another look of a site may be off, at half the size of the board."""
_CLOSE = np.ones((3, 3), np.uint8)
_AROUND = np.ones((5, 5), np.uint8)


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece that is seen, in cells from the board's corner."""

    look: str
    x: float
    y: float
    opacity: float = 1.0

    @property
    def cell(self) -> Cell:
        """The cell that its middle is in."""
        return int(np.floor(self.y)), int(np.floor(self.x))


@dataclass(frozen=True, slots=True)
class BoardState:
    """What a frame shows of a board."""

    pieces: Mapping[str, Placed | None]
    """Each piece where it is, by name; None where it is not seen."""
    others: tuple[Placed, ...] = ()
    """Further things that look like the mover, or have its colour and another shape."""
    changed: tuple[tuple[int, str], ...] = ()
    """Sites that look like something else, and like what."""
    covered: frozenset[int] = frozenset()
    """Sites that cannot be read: out of sight, or behind a piece."""
    recent: Mapping[str, Placed] | None = None
    """Each piece where it is, or was seen a moment ago."""


@dataclass(frozen=True, slots=True)
class _Coloured:
    """Something in the mover's colour."""

    placed: Placed
    area: float
    """In pixels of the board."""
    size: float
    """Its longer side, in cells."""


class _Matcher:
    """Looks for one piece in pictures of one scale."""

    def __init__(self, ground: Floats, piece: Cutout, scale: int) -> None:
        colour, core = piece.colour, piece.telling
        if scale > 1:
            size = max(2, core.shape[1] // scale), max(2, core.shape[0] // scale)
            colour = np.asarray(cv2.resize(colour, size, interpolation=cv2.INTER_AREA))
            shares = np.asarray(cv2.resize(core, size, interpolation=cv2.INTER_AREA))
            core = (shares > min(0.5, 0.5 * float(shares.max()))).astype(np.float32)  # thin strokes stay
        self.ground, self.core, self._shaped = ground, core, colour * core[..., None]
        self._area = float(core.sum())
        self._power = (
            float((self._shaped * colour).sum())
            - 2 * _correlate(ground, self._shaped)
            + _correlate((ground * ground).sum(axis=2), core)
        )

    def match(self, off: Floats, box: tuple[int, int, int, int], explains: float) -> tuple[Floats, Floats]:
        """Return for every corner in a box how clearly the piece is there, and its opacity."""
        height, width = self.core.shape
        x0, y0, x1, y1 = box
        area = np.s_[y0 : y1 + height - 1, x0 : x1 + width - 1]
        field, ground = off[area], self.ground[area]
        common = _correlate(field, self._shaped) - _correlate((field * ground).sum(axis=2), self.core)
        energy = _correlate((field * field).sum(axis=2), self.core)
        opacity = common / np.maximum(self._power[y0:y1, x0:x1], 1.0)
        share = np.clip(common, 0, None) * opacity / np.maximum(energy, 1.0)
        is_there = (share > explains) & (opacity > FAINT) & (energy > 3 * self._area * CONTRAST**2)
        return np.where(is_there, share * np.minimum(opacity, 1.0), 0).astype(np.float32), opacity


class BoardReader:
    """Reads the frames of one video."""

    def __init__(self, looks: BoardLooks, may_vanish_at_goal: bool = False) -> None:
        self._looks, self._cell = looks, looks.view.cell
        self._may_vanish_at_goal = may_vanish_at_goal
        # A piece at the edge may reach beyond the board: there it is not seen.
        self._beyond = 2 * round(BEYOND * looks.view.cell / 2)
        self._ground = self._widen(looks.ground, cv2.BORDER_REPLICATE)
        self._half_ground = _halve(self._ground)
        self._matchers: dict[str, tuple[_Matcher, _Matcher]] = {}
        self._names: dict[str, list[str]] = {}
        self._pieces: dict[str, Cutout] = {}
        for name, piece in looks.pieces.items():
            same = next((look for look, other in self._pieces.items() if _is_same(piece, other)), None)
            if same is None:
                self._add_look(name, piece)
            self._names.setdefault(same or name, []).append(name)
        self._last = {name: (cell[1] + 0.5, cell[0] + 0.5) for name, cell in looks.layout.starts.items()}
        self._seen_s: dict[str, tuple[float, Placed]] = {}
        self._sites, self._own = looks.labels[::2, ::2], looks.ground[::2, ::2]
        self._others = {kind: image[::2, ::2] for kind, image in looks.alternatives.items()}
        self._kinds = np.array([kind for kind, _ in looks.sites])
        self._telling: dict[str, tuple[Mask, NDArray[np.float64]]] = {}
        # A site tells nothing against its own kind: what reaches into it at the start, such as a tail, or the grain of
        # a texture is all that differs there.
        of_pixel = self._kinds[np.maximum(self._sites, 0)]
        for kind, image in self._others.items():
            where = (self._sites >= 0) & (of_pixel != kind) & (np.abs(image - self._own).max(axis=2) > DIFFER)
            self._telling[kind] = where, np.bincount(self._sites[where], minlength=len(looks.sites)).astype(float)

    def _add_look(self, name: str, piece: Cutout) -> None:
        self._pieces[name] = piece
        self._matchers[name] = _Matcher(self._half_ground, piece, 2), _Matcher(self._ground, piece, 1)

    def _widen(self, board: Floats, border: int) -> Floats:
        by = self._beyond
        return np.asarray(cv2.copyMakeBorder(board, by, by, by, by, border))

    def read(self, frame: RegisteredFrame, before: BoardState | None) -> BoardState | None:
        del before  # the reader keeps where each piece was last seen
        looks, mover = self._looks, self._looks.layout.mover
        board, seen = looks.view.cut(frame.image), looks.view.find_seen(frame.visible)
        off = board - looks.ground
        off[~seen] = 0
        if mover not in looks.pieces and mover not in self._pieces:
            self._learn_mover(board, off)
        found = self._find(off)
        unseen = cv2.dilate(self._draw_cores(found), _AROUND) > 0
        unseen |= ~seen
        changed, covered, is_lost = self._read_sites(board[::2, ::2], unseen[::2, ::2])
        if is_lost:
            return None
        pieces = self._follow(found)
        used = {id(piece) for piece in pieces.values() if piece is not None}
        others = [piece for piece in found if piece.look == mover and id(piece) not in used]
        coloured = self._find_coloured(board, off, unseen)
        if pieces[mover] is None and mover in self._pieces:
            turned = self._find_turned(coloured)
            if turned is not None:
                pieces[mover] = turned
                self._last[mover] = turned.x, turned.y
        others += [thing.placed for thing in coloured if pieces[mover] is not thing.placed]
        for name, piece in pieces.items():
            if piece is not None:
                self._seen_s[name] = frame.seconds, piece
        # The slack is for rounding.
        recent = {
            n: p for n, (s, p) in self._seen_s.items() if frame.seconds - s <= HELD_S + 1e-6 or self._is_home(n, p)
        }
        return BoardState(pieces, tuple(others), tuple(sorted(changed.items())), covered, recent)

    def _is_home(self, name: str, piece: Placed) -> bool:
        """Return whether a piece that was last seen here may have become what the goal is now."""
        return (
            self._may_vanish_at_goal and name in self._looks.layout.targets and piece.cell in self._looks.layout.goals
        )

    # -- pieces --------------------------------------------------------------------------------------------------

    def _follow(self, found: list[Placed]) -> dict[str, Placed | None]:
        """Return each piece where it is nearest to where it was."""
        result: dict[str, Placed | None] = dict.fromkeys(self._looks.layout.starts)
        for look, names in self._names.items():
            free = [piece for piece in found if piece.look == look]
            pairs = sorted(
                (hypot(piece.x - self._last[name][0], piece.y - self._last[name][1]), name, index)
                for name in names
                for index, piece in enumerate(free)
            )
            used: set[int] = set()
            for _, name, index in pairs:
                if result[name] is None and index not in used:
                    used.add(index)
                    result[name] = free[index]
                    self._last[name] = free[index].x, free[index].y
        return result

    def _find(self, off: Floats) -> list[Placed]:
        """Return all pieces, the one that explains most first."""
        off = self._widen(off, cv2.BORDER_CONSTANT)
        half = _halve(off)
        odd = cv2.morphologyEx((np.abs(half).max(axis=2) > CONTRAST).astype(np.uint8), cv2.MORPH_OPEN, _CLOSE)
        if not odd.any():
            return []
        left, top, width, height = cv2.boundingRect(odd)
        maps: dict[str, tuple[Floats, tuple[int, int, int, int]]] = {}
        for name, (coarse, _) in self._matchers.items():
            high, wide = coarse.core.shape
            box = (
                max(0, left - wide // 2),
                max(0, top - high // 2),
                min(half.shape[1] - wide, left + width) + 1,
                min(half.shape[0] - high, top + height) + 1,
            )
            if box[2] > box[0] and box[3] > box[1]:
                maps[name] = coarse.match(half, box, EXPLAINS_COARSELY)[0], box
        found: list[Placed] = []
        while len(found) < MOST * len(self._names):
            best: tuple[float, str, int, int] | None = None
            for name, (gain, box) in maps.items():
                _, value, _, (x, y) = cv2.minMaxLoc(gain)
                if value > 0 and (best is None or value > best[0]):
                    best = value, name, x + box[0], y + box[1]
            if best is None:
                break
            _, name, x, y = best
            self._leave_out(maps, name, x, y)
            piece = self._refine(off, name, 2 * x, 2 * y)
            if piece is not None:
                found.append(piece)
        return found

    def _leave_out(
        self, maps: Mapping[str, tuple[Floats, tuple[int, int, int, int]]], name: str, x: int, y: int
    ) -> None:
        """No second piece is in the same place: its middle may not be under the first one."""
        height, width = self._matchers[name][0].core.shape
        for other, (gain, box) in maps.items():
            high, wide = self._matchers[other][0].core.shape
            column, row = x + (width - wide) / 2 - box[0], y + (height - high) / 2 - box[1]
            across, down = 0.45 * (width + wide), 0.45 * (height + high)
            gain[
                max(0, int(row - down)) : max(0, int(row + down) + 1),
                max(0, int(column - across)) : max(0, int(column + across) + 1),
            ] = 0

    def _refine(self, off: Floats, name: str, x: int, y: int) -> Placed | None:
        fine = self._matchers[name][1]
        height, width = fine.core.shape
        box = (
            max(0, x - 3),
            max(0, y - 3),
            min(off.shape[1] - width, x + 3) + 1,
            min(off.shape[0] - height, y + 3) + 1,
        )
        if box[2] <= box[0] or box[3] <= box[1]:
            return None
        gain, opacity = fine.match(off, box, EXPLAINS)
        _, value, _, (i, j) = cv2.minMaxLoc(gain)
        if value <= 0:
            return None
        x, y = i + box[0] - self._beyond, j + box[1] - self._beyond
        return Placed(name, (x + width / 2) / self._cell, (y + height / 2) / self._cell, round(float(opacity[j, i]), 2))

    def _draw_cores(self, found: list[Placed]) -> NDArray[np.uint8]:
        covers = np.zeros(self._looks.labels.shape, np.uint8)
        for piece in found:
            core = self._pieces[piece.look].core
            height, width = core.shape
            x, y = round(piece.x * self._cell - width / 2), round(piece.y * self._cell - height / 2)
            inside = core[max(0, -y) :, max(0, -x) :].astype(np.uint8)
            part = covers[max(0, y) : max(0, y + height), max(0, x) : max(0, x + width)]
            part |= inside[: part.shape[0], : part.shape[1]]
        return covers

    def _learn_mover(self, board: Floats, off: Floats) -> None:
        """Take the first compact thing that has left the start cell as the mover, where the first frame shows none.

        It is alone, of a piece's size, wholly outside the start cell and within two cells of it."""
        cell, (row, column), (width, height) = self._cell, self._looks.layout.start, self._looks.view.size
        stroke = max(3, round(STROKE * cell))
        odd = (np.abs(off).max(axis=2) > NEW_LEVELS).astype(np.uint8)
        odd = cv2.morphologyEx(odd, cv2.MORPH_OPEN, np.ones((stroke, stroke), np.uint8))
        _, _, stats, centres = cv2.connectedComponentsWithStats(odd, connectivity=8)
        things = [i for i in range(1, len(stats)) if stats[i, cv2.CC_STAT_AREA] > 0.04 * cell * cell]
        if len(things) != 1:
            return
        x, y, w, h, area = (int(value) for value in stats[things[0]])
        at = centres[things[0]] / cell
        away = max(abs(at[0] - column - 0.5), abs(at[1] - row - 0.5))
        is_outside = x >= (column + 1) * cell or x + w <= column * cell or y >= (row + 1) * cell or y + h <= row * cell
        if is_outside and away < 2 and max(w, h) < 1.3 * cell and area > 0.08 * cell * cell:
            box = max(0, x - 2), max(0, y - 2), min(width, x + w + 2), min(height, y + h + 2)
            mover = self._looks.layout.mover
            self._add_look(mover, self._looks.cut_piece(board, box))
            self._names[mover] = [mover]

    # -- the board -----------------------------------------------------------------------------------------------

    def _read_sites(self, board: Floats, unseen: Mask) -> tuple[dict[int, str], frozenset[int], bool]:
        """Return the sites that have changed, those that cannot be read, and whether most of a kind are lost."""
        size = len(self._looks.sites)
        own = np.minimum(np.abs(board - self._own).max(axis=2), CAP)
        odd_sites, all_known = np.zeros(size, bool), np.zeros(size, bool)
        changed: dict[int, str] = {}
        for kind, image in self._others.items():
            where, whole = self._telling[kind]
            where = where & ~unseen
            which = self._sites[where]
            count = np.bincount(which, minlength=size)
            known = (count >= ENOUGH * whole) & (count > 0)
            all_known |= known
            mine = np.bincount(which, weights=own[where], minlength=size) / np.maximum(count, 1)
            odd = known & (mine > CHANGED)
            if not odd.any():
                continue
            odd_sites |= odd
            # A line that a video draws is rarely on the very pixels of the others.
            nearest = np.full(size, CAP)
            for shift in _SHIFTS:
                other = np.minimum(np.abs(board - np.roll(image, shift, (0, 1))).max(axis=2), CAP)[where]
                theirs = np.bincount(which, weights=other, minlength=size) / np.maximum(count, 1)
                nearest = np.minimum(nearest, theirs)
            for number in np.flatnonzero(odd & (nearest < CLEARLY * mine)).tolist():
                changed.setdefault(number, kind)
        is_lost = False
        for kind in set(self._kinds.tolist()):
            known = all_known & (self._kinds == kind)
            is_lost |= known.sum() >= 3 and (known & odd_sites).sum() > LOST * known.sum()
        return changed, frozenset(np.flatnonzero(~all_known).tolist()), bool(is_lost)

    # -- what is left --------------------------------------------------------------------------------------------

    def _find_turned(self, things: Sequence[_Coloured]) -> Placed | None:
        """Return the mover where it is seen in its colour and size, but not in its shape: a sprite that turns.

        It is the only such thing near where the mover was."""
        piece, (x, y) = self._pieces[self._looks.layout.mover], self._last[self._looks.layout.mover]
        size, area = max(piece.alpha.shape) / self._cell, float(piece.telling.sum())
        near = [
            thing.placed
            for thing in things
            if hypot(thing.placed.x - x, thing.placed.y - y) < TURNED_AWAY
            and TURNED_AREA[0] * area < thing.area < TURNED_AREA[1] * area
            and thing.size < TURNED_SIZE * size
        ]
        return near[0] if len(near) == 1 else None

    def _find_coloured(self, board: Floats, off: Floats, unseen: Mask) -> list[_Coloured]:
        """Return what is more like the mover's colour than like anything else on the board."""
        mover = self._looks.layout.mover
        if mover not in self._pieces:
            return []
        rows, columns = np.nonzero((np.abs(off).max(axis=2) > DIFFER) & ~unseen)
        if len(rows) < 9:
            return []
        plain = [np.median(tile.reshape(-1, 3), axis=0) for tile in self._looks.tiles.values()]
        plain += [piece.plain_colour for name, piece in self._pieces.items() if name != mover]
        plain += self._looks.line_colours
        pixels = board[rows, columns]
        mine = np.abs(pixels - self._pieces[mover].plain_colour).sum(axis=1)
        is_like = np.ones(len(rows), bool)
        for other in plain:
            is_like &= mine < CLEARLY * np.abs(pixels - other).sum(axis=1)
        marked = np.zeros(unseen.shape, np.uint8)
        marked[rows[is_like], columns[is_like]] = 1
        marked = np.asarray(cv2.morphologyEx(marked, cv2.MORPH_OPEN, _CLOSE))
        _, labels, stats, centres = cv2.connectedComponentsWithStats(marked, connectivity=8)
        least = SMALL * self._pieces[mover].area
        found = []
        for number in range(1, len(stats)):
            if stats[number, cv2.CC_STAT_AREA] > least:
                # The middle of a bent trail is beside it: of its own pixels the one that is nearest to its middle.
                at = np.argwhere(labels == number)
                y, x = at[np.abs(at - centres[number][::-1]).sum(axis=1).argmin()]
                placed = Placed(FLOOR, (float(x) + 0.5) / self._cell, (float(y) + 0.5) / self._cell)
                size = max(int(stats[number, cv2.CC_STAT_WIDTH]), int(stats[number, cv2.CC_STAT_HEIGHT])) / self._cell
                found.append(_Coloured(placed, float(stats[number, cv2.CC_STAT_AREA]), size))
        return found


def _is_same(one: Cutout, other: Cutout) -> bool:
    """Return whether two pieces look the same, up to where they were cut."""
    return bool(np.abs(one.plain_colour - other.plain_colour).max() < CONTRAST) and 0.8 < one.area / other.area < 1.25


def _halve(image: Floats) -> Floats:
    size = max(1, image.shape[1] // 2), max(1, image.shape[0] // 2)
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA))


def _correlate(image: Floats, template: Floats) -> Floats:
    return np.asarray(cv2.matchTemplate(np.ascontiguousarray(image), np.ascontiguousarray(template), cv2.TM_CCORR))
