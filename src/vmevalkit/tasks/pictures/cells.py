"""Boards of cells in other people's pictures: what each cell contains, by pictures of its contents.

A cell is read by its ink: the difference from the colour at its edge. Ink is matched anywhere inside the cell, in any
strength, so a digit that a model draws a little beside its place is still that digit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from vmevalkit.media.image import Frame, Mask, Size
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.residual import Box
from vmevalkit.media.view import ViewRect, extract_view
from vmevalkit.tasks.kit.question_pictures import Pictures, UnreadablePictures
from vmevalkit.tasks.pictures.grid_lines import find_grids, view_from_boxes
from vmevalkit.tasks.pictures.scene import PicturedScene

S = TypeVar("S")
Floats = NDArray[np.float32]
Content = Hashable

INSET, RING = 0.07, 0.16
"""Shares of a cell's side: where its inside begins, and where the edge of its inside ends, which is its background."""
SMOOTHING = 0.025
"""Cells are smoothed by this share of their side before they are compared: thin strokes need not be exactly alike."""
NOISE = 14.0
"""Levels up to which a pixel has the colour of the background."""
FITS = 0.6
"""Share of a cell's ink that its content must explain."""
CLEARLY = 0.8
"""What another content leaves unexplained, times this, must be more than what the content itself leaves."""
FAINT, STRONG = 0.5, 1.8
"""Opacity of a content, relative to the question's picture of it: below it fades, above it is something else."""
SAME_GROUND = 16.0
"""Levels by which the backgrounds of two cells may differ and are one."""
NO_INK = 0.05
"""Ink up to this share of the usual ink of a content is none."""
ALIKE = 0.97
"""Two cells that explain each other's ink so far have the same content, whatever the puzzle says."""
COVERED_SHARE, COVERED_LEVELS = 0.35, 40.0
"""Share of a cell's background that another colour covers where something is over the cell, and its levels."""
CROSSED_SHARE, MAX_CROSSED = 0.015, 0.5
"""Share of the edge of a cell's inside that a line takes which crosses it, and most cells that may be crossed."""
SAME_LEVELS = 20.0
"""Levels by which a cell may differ, after smoothing, from how it looked when it was read, and is not read again."""
MIN_VISIBLE = 0.75
"""Share of a cell that the video must show."""
MAX_HIDDEN = 0.5
"""With a larger share of cells hidden there is no board."""
_MOST_BOXES = 16


@dataclass(frozen=True)
class CellBoard(Generic[S]):
    """A puzzle as a board of cells, as its task describes it for reading pictures of it."""

    rows: int
    columns: int
    boxes: Sequence[Box]
    """The cells in the drawn image, row by row."""
    start: tuple[Content, ...]
    """What each cell contains in the first picture."""
    answer: tuple[Content, ...]
    """What each cell contains in the final picture."""
    blank: Content
    """The content of a cell that shows nothing."""
    unclear: Content
    """The content of a cell that shows something unknown."""
    make_state: Callable[[tuple[Content, ...], frozenset[int]], S]
    """Returns the state of contents; the numbers are those of hidden cells, which have the content seen last."""
    list_contents: Callable[[S], tuple[Content, ...]]
    draw: Callable[[Content], Frame]
    """Draws a cell with a content as the task does: for contents that no picture shows."""
    recognise: Callable[[NDArray[np.uint8]], Content | None] | None = None
    """Returns the content of ink that no picture shows, such as a digit in any typeface."""
    may_be_blank: frozenset[Content] = frozenset()
    """Contents of the start that a picture need not show, such as a question mark."""

    @property
    def box(self) -> Box:
        """The box of the whole board in the drawn image."""
        left, top, right, bottom = zip(*self.boxes, strict=True)
        return min(left), min(top), max(right), max(bottom)


@dataclass(frozen=True, slots=True)
class _Ink:
    """The ink of a content, cut to where there is some."""

    pixels: Floats
    power: float


class CellPicture:
    """The looks of one picture of a board: the ink of each cell, and of each content."""

    def __init__(self, board: CellBoard[Any], picture: Frame, contents: Sequence[Content], size: Size) -> None:
        """``picture`` has the geometry of the drawn image, ``size`` is the reading size."""
        self.picture = picture
        self._board, self._contents = board, contents
        small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
        self._insides = [small[find_inside(box, size)] for box in board.boxes]
        measured = [measure_ink(inside) for inside in self._insides]
        self.inks, self._grounds = [ink for ink, _, _ in measured], [ground for _, _, ground in measured]
        powers = [_measure_power(ink) for ink in self.inks]
        self.usual = float(np.median([power for power, each in zip(powers, contents, strict=True)
                                      if each != board.blank] or [1.0]))  # fmt: skip
        self.has_ink = [power > NO_INK * self.usual for power in powers]
        self._cuts: dict[tuple[int, tuple[int, ...] | None], _Ink] = {}
        self.by_content: dict[Content, list[int]] = defaultdict(list)
        for cell, content in enumerate(contents):
            self.by_content[content].append(cell)

    def find_flaw(self) -> str | None:
        """Return in which cell the picture does not show what the puzzle says, and how; None where it shows it.

        Cells with the same content must explain each other's ink, and those with different contents must not. Where a
        grid is found in a wrong place, its own lines cross most cells."""
        board = self._board
        crossed = sum(map(_is_crossed, self._insides, self._grounds))
        if crossed > MAX_CROSSED * len(self._insides):
            return f"{crossed} cells of the grid that is found are crossed by something"
        for cell, content in enumerate(self._contents):
            place = f"row {cell // board.columns + 1}, column {cell % board.columns + 1}"
            if content == board.blank or content in board.may_be_blank:
                if self.has_ink[cell] and content == board.blank:
                    return f"{place} is not blank"
                continue
            if not self.has_ink[cell]:
                return f"{place} is blank"
            same = [self._explain(cell, other) for other in self.by_content[content] if other != cell]
            others = [
                self._explain(cell, other)
                for other in range(len(self._contents))
                if self._contents[other] not in (content, board.blank)
            ]
            worst_other = max(others, default=0.0)
            if worst_other > ALIKE:
                return f"{place} looks like another content"
            if same and (max(same) < FITS or 1 - max(same) > 1 - worst_other):
                return f"{place} does not look like other cells with the same content"
        return None

    def _explain(self, cell: int, other: int) -> float:
        cut = self.cut_ink(other, self._grounds[cell])
        return 0.0 if cut is None else match_ink(self.inks[cell], cut)[0]

    def cut_ink(self, cell: int, ground: Floats) -> _Ink | None:
        """Return the ink that the content of a cell has on a ground; None where it has none.

        A piece is cut out with what its outline encloses, because on another square its ink is another one."""
        if not self.has_ink[cell]:
            return None
        is_same = float(np.abs(ground - self._grounds[cell]).max()) < SAME_GROUND
        key = cell, None if is_same else tuple(int(level) // 8 for level in ground)
        if key not in self._cuts:
            ink = self.inks[cell]
            if not is_same:
                ink = _extract_ink(_put_on_ground(self._insides[cell], ground).astype(np.float32), ground)
            self._cuts[key] = _cut_ink(ink)
        return self._cuts[key]


def _is_crossed(inside: Frame, ground: Floats) -> bool:
    """Return whether something goes on beyond the inside of a cell."""
    edge = np.concatenate([inside[0], inside[-1], inside[:, 0], inside[:, -1]])
    return bool((np.abs(edge - ground).max(axis=1) > COVERED_LEVELS).mean() > CROSSED_SHARE)


def find_inside(box: Box, size: Size, inset: float = INSET) -> tuple[slice, slice]:
    """Return rows and columns of the inside of a cell, of the same extent for all cells of a size."""
    left, top, right, bottom = box
    wide, high = round((right - left) * size[0] * (1 - 2 * inset)), round((bottom - top) * size[1] * (1 - 2 * inset))
    x, y = round((left + right) / 2 * size[0] - wide / 2), round((top + bottom) / 2 * size[1] - high / 2)
    x, y = min(max(x, 0), size[0] - wide), min(max(y, 0), size[1] - high)
    return slice(y, y + high), slice(x, x + wide)


def measure_ink(inside: Frame) -> tuple[Floats, bool, Floats]:
    """Return the ink of a cell, whether something covers its edge, and the colour of its background."""
    height, width = inside.shape[:2]
    rim = max(1, round((RING - INSET) * min(height, width)))
    ring = np.ones((height, width), np.bool_)
    ring[rim:-rim, rim:-rim] = False
    around = inside[ring].astype(np.float32)
    ground = np.median(around, axis=0)
    is_covered = bool((np.abs(around - ground).max(axis=1) > COVERED_LEVELS).mean() > COVERED_SHARE)
    return _extract_ink(inside.astype(np.float32), ground), is_covered, ground


def _extract_ink(inside: Floats, ground: Floats) -> Floats:
    ink = inside - ground
    smooth = max(0.7, SMOOTHING * min(inside.shape[:2]))
    ink = np.sign(ink) * np.maximum(np.abs(ink) - NOISE, 0)
    return np.asarray(cv2.GaussianBlur(ink, (0, 0), smooth), np.float32)


def match_ink(ink: Floats, content: _Ink) -> tuple[float, float]:
    """Return the share of a cell's ink that a content explains where it explains most, and its opacity there."""
    height, width = content.pixels.shape[:2]
    if height > ink.shape[0] or width > ink.shape[1]:
        return 0.0, 0.0
    common = float(cv2.matchTemplate(ink, content.pixels, cv2.TM_CCORR).max())
    whole = _measure_power(ink)
    return (common * common / (content.power * whole), common / content.power) if common > 0 and whole > 0 else (0, 0)


def _measure_power(ink: Floats) -> float:
    return float(np.einsum("ijk,ijk->", ink, ink))


def _cut_ink(ink: Floats) -> _Ink:
    strength = np.abs(ink).max(axis=2)
    rows, columns = np.nonzero(strength > 0.1 * strength.max())
    pixels = np.ascontiguousarray(ink[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1])
    return _Ink(pixels, _measure_power(pixels))


class CellScene(PicturedScene[S]):
    """A board of cells as a question's own pictures show it."""

    def __init__(self, board: CellBoard[S], view: ViewRect, styles: Sequence[CellPicture], size: Size) -> None:
        """``styles`` are the looks of the first picture, and of the final one where there is one."""
        self.board, self.view, self.styles, self.reading_size = board, view, styles, size
        self.first = styles[0].picture

    def draw(self, state: S) -> Frame:
        return self._draw(self.board.list_contents(state), self.styles[0], self.board.start)

    def vary(self, state: S, image: Frame) -> list[Frame]:
        contents = self.board.list_contents(state)
        return [self._draw(contents, style, self.board.answer) for style in self.styles[1:]]

    def make_reader(self) -> CellReader[S]:
        return CellReader(self)

    def _draw(self, contents: Sequence[Content], style: CellPicture, shown: Sequence[Content]) -> Frame:
        """Return a picture in which each cell that shows something else than the style's picture is painted over."""
        picture = style.picture
        size = picture.shape[1], picture.shape[0]
        changed = [cell for cell, content in enumerate(contents) if content != shown[cell]]
        if not changed:
            return picture
        picture = picture.copy()
        for cell in changed:
            window = find_inside(self.board.boxes[cell], size)
            inside = picture[window]
            ground = _find_ground(inside)
            inside[:] = ground
            source = self._find_source(contents[cell], style, size)
            if source is not None:
                picture[window] = _put_on_ground(source, ground)
        return picture

    def _find_source(self, content: Content, style: CellPicture, size: Size) -> Frame | None:
        """Return the inside of a cell with a content: in the style, in another one, or as the task draws it."""
        if content in (self.board.blank, self.board.unclear):
            return None
        for each in (style, *self.styles):
            if each.by_content.get(content):
                return each.picture[find_inside(self.board.boxes[each.by_content[content][0]], size)]
        drawn, wanted = self.board.draw(content), find_inside(self.board.boxes[0], size)
        height, width = (part.stop - part.start for part in wanted)
        inside = drawn[find_inside((0, 0, 1, 1), (drawn.shape[1], drawn.shape[0]))]
        return np.asarray(cv2.resize(inside, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _put_on_ground(inside: Frame, ground: Floats) -> Frame:
    """Return a cell on another background."""
    own = _find_ground(inside)
    off = inside.astype(np.float32) - own
    if float(np.abs(ground - own).max()) < SAME_GROUND:
        return np.asarray(np.clip(ground + off, 0, 255), np.uint8)
    other = (np.abs(off).max(axis=2) > NOISE).astype(np.uint8)
    outlines, _ = cv2.findContours(other, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    whole = cv2.drawContours(np.zeros_like(other), outlines, -1, 1, cv2.FILLED) > 0
    return np.asarray(np.where(whole[..., None], inside, ground), np.uint8)


def _find_ground(inside: Frame) -> Floats:
    height, width = inside.shape[:2]
    rim = max(1, round((RING - INSET) * min(height, width)))
    edges = (inside[:rim], inside[-rim:], inside[:, :rim], inside[:, -rim:])
    return np.asarray(np.median(np.concatenate([edge.reshape(-1, 3) for edge in edges]), axis=0), np.float32)


class CellReader(Generic[S]):
    """Reads the frames of one video."""

    def __init__(self, scene: CellScene[S]) -> None:
        self._scene, self._board = scene, scene.board
        self._windows = [find_inside(box, scene.reading_size) for box in self._board.boxes]
        self._blank = self._name_blank()
        self._known: dict[Content, list[tuple[CellPicture, int]]] = defaultdict(list)
        for style in scene.styles:
            for content, cells in style.by_content.items():
                self._known[content] += [(style, cell) for cell in cells[:1] if style.has_ink[cell]]
        self._read_before: dict[int, tuple[Frame, Content | None]] = {}

    def _name_blank(self) -> Content:
        """Return what a blank cell is called: a content that the first picture need not show, and does not."""
        start = self._scene.styles[0]
        named = [each for each in start.by_content if each in self._board.may_be_blank]
        return next((each for each in named if not start.has_ink[start.by_content[each][0]]), self._board.blank)

    def read(self, frame: RegisteredFrame, before: S | None) -> S | None:
        """Return the state, or None where most cells are hidden. A hidden cell is taken to be as it was last seen."""
        last = self._board.start if before is None else self._board.list_contents(before)
        contents, hidden = [], set()
        for cell, window in enumerate(self._windows):
            content = None if _is_outside(frame.visible, window) else self._read_changed(frame.image[window], cell)
            if content is None:
                hidden.add(cell)
            contents.append(last[cell] if content is None else content)
        if len(hidden) > MAX_HIDDEN * len(contents):
            return None
        return self._board.make_state(tuple(contents), frozenset(hidden))

    def _read_changed(self, inside: Frame, cell: int) -> Content | None:
        """Return the content of a cell as it was read before, where nothing has changed in it since then."""
        inside = np.asarray(cv2.blur(inside, (3, 3)), np.uint8)
        before = self._read_before.get(cell)
        if before is None or cv2.norm(inside, before[0], cv2.NORM_INF) > SAME_LEVELS:
            before = self._read_before[cell] = inside, self._read_cell(inside)
        return before[1]

    def _read_cell(self, inside: Frame) -> Content | None:
        """Return the content of a cell; None where something covers it."""
        ink, is_covered, ground = measure_ink(inside)
        if is_covered:
            return None
        styles = self._scene.styles
        if _measure_power(ink) <= NO_INK * min(style.usual for style in styles):
            return self._blank
        found: list[tuple[float, float, Content]] = []
        for content, shown in self._known.items():
            cuts = [cut for style, cell in shown if (cut := style.cut_ink(cell, ground)) is not None]
            if cuts:
                share, opacity = max(match_ink(ink, cut) for cut in cuts)
                found.append((share, opacity, content))
        found.sort(key=lambda each: -each[0])
        share, opacity, content = found[0] if found else (0.0, 0.0, self._board.unclear)
        second = found[1][0] if len(found) > 1 else 0.0
        if share >= FITS and 1 - share <= CLEARLY * (1 - second) and FAINT <= opacity <= STRONG:
            return content
        if self._board.recognise is not None:
            strength = np.abs(ink).max(axis=2)
            strong = np.clip(strength * (255 / max(float(strength.max()), 1.0)), 0, 255).astype(np.uint8)
            recognised = self._board.recognise(strong)
            if recognised is not None:
                return recognised
        return self._board.unclear


def _is_outside(visible: Mask | None, window: tuple[slice, slice]) -> bool:
    return visible is not None and float(visible[window].mean()) < MIN_VISIBLE


def find_cell_scene(board: CellBoard[S], pictures: Pictures, drawn: Size, reading: Size) -> CellScene[S]:
    """Return how the pictures show the board. Raises UnreadablePictures where they do not show the puzzle."""
    view, first = _find_board(board, pictures.first, board.start, drawn, reading, "first_frame.png")
    styles = [first]
    if pictures.final is not None:
        styles.append(_find_board(board, pictures.final, board.answer, drawn, reading, "final_frame.png")[1])
    elif board.recognise is None and (unknown := set(board.answer) - {*board.start, board.blank}):
        raise UnreadablePictures(
            f"first_frame.png does not show how {len(unknown)} of the answer's contents look; add final_frame.png"
        )
    return CellScene(board, view, styles, reading)


def _find_board(
    board: CellBoard[Any], picture: Frame, contents: Sequence[Content], drawn: Size, reading: Size, name: str
) -> tuple[ViewRect, CellPicture]:
    """Return where a picture shows the board, with its looks: the first place in which it shows the puzzle."""
    flaw = "no grid is found in it"
    for number, view in enumerate(_list_views(board, picture)):
        image = extract_view(picture, view, drawn)
        shown = CellPicture(board, image, contents, reading)
        found = shown.find_flaw()
        if found is None:
            return view, shown
        flaw = found if number == 0 else flaw
    raise UnreadablePictures(f"{name} does not show the puzzle: {flaw}")


def _list_views(board: CellBoard[Any], picture: Frame) -> Iterator[ViewRect]:
    shares = [1.0] * (board.columns + 1), [1.0] * (board.rows + 1)
    for box in islice(find_grids(picture, *shares), _MOST_BOXES):
        yield view_from_boxes(board.box, box)
