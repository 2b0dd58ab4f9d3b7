"""A task whose cells get contents, read by looks that were cut out of somebody else's picture of it.

The look of a content is the median of all cells that show it. A cell shows the content that it is least unlike, by a
clear margin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from vmevalkit.media.image import Frame, Mask
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.residual import Box
from vmevalkit.tasks.kit.board_view import KindGrid, PixelBox, find_grid
from vmevalkit.tasks.kit.looks import Floats
from vmevalkit.tasks.kit.picture_task import PictureTask
from vmevalkit.tasks.kit.question_pictures import DerivedLook, PictureRecord, Pictures, UnreadablePictures
from vmevalkit.tasks.task import CheckResult, Reader, Trace

if TYPE_CHECKING:
    from vmevalkit.tasks.kit.fill_task import FillTask

BLANK, UNKNOWN, UNSEEN = "", "?unknown", "?unseen"
"""What a cell shows beside its contents: nothing yet, something that is not known, or nothing that can be seen."""
SIDE, RIM, SMOOTHING = 12, 0.15, 0.8
"""Pixels of a cell when it is compared, the share of each side that is not, and smoothing."""
CELL_PX, LEAST_PX, MOST_PX = 18, 320, 900
"""Pixels of the smallest cell at reading size, and of the longer side of the picture, at least and at most."""
UNLIKE, CLEARLY = 45.0, 0.7
"""Mean levels from which on a cell is like nothing known, and how much less like all else it must be."""
CAP = 128.0
"""A pixel counts with at most so many levels."""
NEAR_SIZES = (1.0, 0.9, 1.1)
"""A size that is made of another one may be so much off."""
FITS = 16.0
"""Mean levels by which a cell, with its rim, may differ from the median of its content in the first frame."""
MAX_UNFIT = 0.1
"""Share of the cells that may differ by more."""
SEEN_SHARE = 0.8
"""Share of a cell that must be inside the video's picture."""


@dataclass(frozen=True, slots=True)
class CellsState:
    """What each cell shows, by the order of the cells."""

    shown: tuple[str, ...]


@dataclass(frozen=True)
class CellGoals:
    """The cells of a puzzle: what each shows at first, and what it shows in each answer."""

    names: tuple[str, ...]
    start: tuple[str, ...]
    answers: tuple[tuple[str, ...], ...]


def list_goals(task: FillTask[Any, Any], puzzle: Any) -> CellGoals:
    """Return the cells of a puzzle of a FillTask."""
    cells = task.cells(puzzle)
    answers = tuple(tuple(answer.get(cell.name, cell.look) for cell in cells) for answer in task.answers(puzzle))
    return CellGoals(tuple(cell.name for cell in cells), tuple(cell.look for cell in cells), answers)


def calibrate_cells(
    task: FillTask[Any, Any], puzzle: Any, shape: tuple[int, int] | None, pictures: Pictures
) -> tuple[FillPictureTask, PictureRecord]:
    """Return the task that reads these cells in their own picture. Raises UnreadablePictures where it cannot.

    ``shape`` is the rows and columns where all cells are those of one grid."""
    goals, record = list_goals(task, puzzle), pictures.record
    if record.cells:
        layouts = [record.cells]
    elif shape is None:
        raise UnreadablePictures("the boxes of the cells are not given; they are found only where there is one grid")
    elif record.box is not None:
        layouts = [split_box(record.box, *shape)]
    else:
        at = [(row, column) for row in range(shape[0]) for column in range(shape[1])]
        grid = KindGrid(*shape, tuple(zip(goals.start, at, strict=True)))
        layouts = [split_box(box, *shape) for box in find_grid(grid, pictures.first)]
    problems = []
    for cells in layouts:
        if len(cells) != len(goals.start):
            raise UnreadablePictures(f"{len(cells)} boxes are given for {len(goals.start)} cells")
        candidate = FillPictureTask(task, goals, pictures, replace(record, cells=cells))
        problem = candidate.find_problem()
        if problem is None:
            return candidate, candidate.record
        problems.append(problem)
    raise UnreadablePictures(problems[0] if problems else "the grid is not found in the first frame; give its box")


def split_box(box: PixelBox, rows: int, columns: int) -> tuple[PixelBox, ...]:
    """Return the boxes of the cells of a grid, row by row."""
    left, top, right, bottom = box
    wide, high = (right - left) / columns, (bottom - top) / rows
    return tuple(
        (
            round(left + column * wide, 2),
            round(top + row * high, 2),
            round(left + (column + 1) * wide, 2),
            round(top + (row + 1) * high, 2),
        )
        for row in range(rows)
        for column in range(columns)
    )


class FillPictureTask(PictureTask):
    """The state is what each cell shows."""

    def __init__(self, task: FillTask[Any, Any], goals: CellGoals, pictures: Pictures, record: PictureRecord) -> None:
        super().__init__(task, pictures.first, record)
        self.goals, self._final = goals, pictures.final
        sides = [min(right - left, bottom - top) for left, top, right, bottom in record.cells]
        if min(sides) < 4:
            raise UnreadablePictures(f"a cell of {min(sides):.1f} pixels is too small to be read")
        longest = max(self.picture_size)
        self._scale = min(max(longest * CELL_PX / min(sides), LEAST_PX), MOST_PX) / longest
        self._size = round(self.picture_size[0] * self._scale), round(self.picture_size[1] * self._scale)
        self._boxes = [tuple(side * self._scale for side in box) for box in record.cells]
        self._small = self._shrink(pictures.first)
        self._shown = self._cut(self._small)
        starts = np.array(goals.start)
        self.looks: dict[str, Floats] = {
            name: np.median(self._shown[starts == name], axis=0) for name in dict.fromkeys(goals.start)
        }
        if self._final is not None and self._final.shape == pictures.first.shape:
            shown = self._cut(self._shrink(self._final))
            ends = np.array(goals.answers[0])
            for name in dict.fromkeys(goals.answers[0]):
                if name not in self.looks:
                    self.looks[name] = np.median(shown[ends == name], axis=0)
        self._variants: dict[str, list[Floats]] = {}
        self._derive_looks(record.looks)

    # -- looks ---------------------------------------------------------------------------------------------------

    def _shrink(self, picture: Frame) -> Frame:
        return np.asarray(cv2.resize(picture, self._size, interpolation=cv2.INTER_AREA), np.uint8)

    def _cut(self, picture: Frame, rim: float = RIM) -> Floats:
        return np.stack([_cut_tile(picture, box, rim) for box in self._boxes])

    def _derive_looks(self, derived: Sequence[tuple[str, DerivedLook]]) -> None:
        """Turn, mirror and scale what is shown into contents that are not."""
        for name, how in derived:
            if how.of not in self.goals.start:
                raise UnreadablePictures(
                    f"the look of {name!r} is to be made of {how.of!r}, which the first frame does not show"
                )
            if name in self.looks:
                continue
            sizes = (1.0,) if how.scaled == 1 else NEAR_SIZES
            made = [self._derive_look(replace(how, scaled=how.scaled * size)) for size in sizes]
            self.looks[name], self._variants[name] = made[0], made[1:]

    def _derive_look(self, how: DerivedLook) -> Floats:
        tiles = []
        height, width = self._small.shape[:2]
        for box, content in zip(self._boxes, self.goals.start, strict=True):
            if content != how.of:
                continue
            left, top, right, bottom = box
            middle = (left + right) / 2, (top + bottom) / 2
            matrix = cv2.getRotationMatrix2D(middle, -how.turned, how.scaled)
            if how.mirrored:
                matrix = matrix @ np.array([[-1, 0, 2 * middle[0]], [0, 1, 0], [0, 0, 1]])
            cell = np.full_like(self._small, np.median(self._small[round(top) : round(bottom), round(left)], axis=0))
            inside = np.s_[max(0, round(top)) : round(bottom), max(0, round(left)) : round(right)]
            cell[inside] = self._small[inside]  # what is beside the cell must not come in
            turned = cv2.warpAffine(cell, matrix, (width, height), borderMode=cv2.BORDER_REPLICATE)
            tiles.append(_cut_tile(np.asarray(turned, np.uint8), box, RIM))
        return np.asarray(np.median(np.stack(tiles), axis=0), np.float32)

    def find_problem(self) -> str | None:
        """Return why the question's own pictures are not read as its puzzle says; None where they are."""
        needed = {content for answer in self.goals.answers for content in answer}
        missing = sorted(needed - self.looks.keys())
        if missing:
            return f"no picture shows what {', '.join(map(repr, missing))} looks like"
        problem = self._compare_with_start(self._shown)
        if problem is not None:
            return problem
        whole = self._cut(self._small, 0.0)
        starts = np.array(self.goals.start)
        unlike = sum(
            float(np.minimum(np.abs(tile - np.median(whole[starts == name], axis=0)).max(axis=2), CAP).mean()) > FITS
            for tile, name in zip(whole, self.goals.start, strict=True)
        )
        if unlike > MAX_UNFIT * len(whole):
            return f"{unlike} of {len(whole)} cells do not look like others of their content: the grid is elsewhere"
        if self._final is None:
            return None
        if self._final.shape != self.first.shape:
            return "the final frame has another size than the first frame"
        read = tuple(self.read_cells(self._cut(self._shrink(self._final))))
        return None if read in self.goals.answers else "the final frame is not read as an answer"

    def _compare_with_start(self, tiles: Floats) -> str | None:
        read = self.read_cells(tiles)
        wrong = sum(seen != start for seen, start in zip(read, self.goals.start, strict=True))
        return f"{wrong} of {len(read)} cells of the first frame are not read as the puzzle says" if wrong else None

    def read_cells(self, tiles: Floats) -> list[str]:
        """Return what each of the cells shows."""
        looks = [(name, look) for name, first in self.looks.items() for look in (first, *self._variants.get(name, ()))]
        off = np.stack(
            [np.minimum(np.abs(tiles - look).max(axis=3), CAP).mean(axis=(1, 2)) for _, look in looks], axis=1
        )
        names = np.array([name for name, _ in looks])
        best = off.argmin(axis=1)
        least = off.min(axis=1)
        others = np.where(names[None] == names[best][:, None], 2 * CAP, off).min(axis=1)
        is_sure = (least < UNLIKE) & (least < CLEARLY * others + 2)
        return [
            str(names[index]) if sure else UNKNOWN for index, sure in zip(best.tolist(), is_sure.tolist(), strict=True)
        ]

    # -- the scene -----------------------------------------------------------------------------------------------

    def reading_size(self, puzzle: Any) -> tuple[int, int]:
        return self._size

    def reader(self, puzzle: Any) -> Reader[CellsState]:
        return _CellsReader(self)

    def read_picture(self, image: Frame, visible: Mask | None) -> CellsState:
        """Return what the cells of a registered frame show."""
        shown = self.read_cells(self._cut(image))
        if visible is not None:
            for index, (left, top, right, bottom) in enumerate(self._boxes):
                part = visible[max(0, round(top)) : round(bottom), max(0, round(left)) : round(right)]
                if part.size == 0 or part.mean() < SEEN_SHARE:
                    shown[index] = UNSEEN
        return CellsState(tuple(shown))

    def solution(self, puzzle: Any, t: float) -> CellsState:
        start, answer = self.goals.start, self.goals.answers[0]
        changed = [index for index, pair in enumerate(zip(start, answer, strict=True)) if pair[0] != pair[1]]
        filled = set(changed[: round(min(max(t, 0.0), 1.0) * len(changed))])
        return CellsState(tuple(answer[i] if i in filled else each for i, each in enumerate(start)))

    def accepted_states(self, puzzle: Any) -> Sequence[CellsState]:
        return [CellsState(answer) for answer in self.goals.answers]

    def draw(self, puzzle: Any, state: CellsState) -> Frame:
        picture = self._small.copy()
        for box, shown, start in zip(self._boxes, state.shown, self.goals.start, strict=True):
            if shown != start and shown in self.looks:
                dx, dy = RIM * (box[2] - box[0]), RIM * (box[3] - box[1])
                x0, y0, x1, y1 = round(box[0] + dx), round(box[1] + dy), round(box[2] - dx), round(box[3] - dy)
                x0, y0, x1, y1 = max(0, x0), max(0, y0), min(picture.shape[1], x1), min(picture.shape[0], y1)
                if x1 > x0 and y1 > y0:
                    tile = np.clip(self.looks[shown], 0, 255).astype(np.uint8)
                    picture[y0:y1, x0:x1] = cv2.resize(tile, (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR)
        return picture

    # -- the logic -----------------------------------------------------------------------------------------------

    def accepted(self, puzzle: Any, state: CellsState) -> bool:
        return state.shown in self.goals.answers

    def progress(self, puzzle: Any, state: CellsState) -> float:
        return max(self._measure_progress(state, answer) for answer in self.goals.answers)

    def _measure_progress(self, state: CellsState, answer: tuple[str, ...]) -> float:
        right = wrong = whole = 0
        for seen, start, wanted in zip(state.shown, self.goals.start, answer, strict=True):
            whole += start != wanted
            if seen not in (start, UNSEEN):
                right, wrong = right + (seen == wanted), wrong + (seen != wanted)
        return min(max((right - wrong) / max(1, whole), 0.0), 1.0)

    def is_intact(self, puzzle: Any, state: CellsState) -> bool:
        return all(
            start == BLANK or seen in (start, UNSEEN) for seen, start in zip(state.shown, self.goals.start, strict=True)
        )

    def state_key(self, puzzle: Any, state: CellsState) -> Hashable:
        return state.shown

    def consensus_state(self, puzzle: Any, states: Sequence[CellsState]) -> CellsState:
        columns = zip(*(state.shown for state in states), strict=True)
        return CellsState(tuple(Counter(reversed(column)).most_common(1)[0][0] for column in columns))

    def check(self, puzzle: Any, trace: Trace[CellsState]) -> CheckResult:
        return CheckResult()

    def highlight_boxes(self, puzzle: Any) -> Sequence[Box]:
        width, height = self._size
        return [
            (left / width, top / height, right / width, bottom / height) for left, top, right, bottom in self._boxes
        ]


class _CellsReader:
    def __init__(self, task: FillPictureTask) -> None:
        self._task = task

    def read(self, frame: RegisteredFrame, before: CellsState | None) -> CellsState | None:
        state = self._task.read_picture(frame.image, frame.visible)
        return None if all(shown in (UNKNOWN, UNSEEN) for shown in state.shown) else state


def _cut_tile(picture: Frame, box: Sequence[float], rim: float) -> Floats:
    """Return a cell at the size at which cells are compared: each pixel is the mean of those of a larger cell."""
    left, top, right, bottom = box
    dx, dy = rim * (right - left), rim * (bottom - top)
    wide, high = right - left - 2 * dx, bottom - top - 2 * dy
    fine = SIDE * max(1, ceil(max(wide, high) / SIDE))
    across, down = wide / fine, high / fine
    matrix = np.array([[across, 0, left + dx + across / 2 - 0.5], [0, down, top + dy + down / 2 - 0.5]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    tile = cv2.warpAffine(picture, matrix, (fine, fine), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    tile = cv2.resize(tile, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(tile, (0, 0), SMOOTHING), np.float32)
