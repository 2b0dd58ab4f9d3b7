"""A task whose pieces move on a board, read by looks that were cut out of somebody else's picture of it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.residual import Box
from vmevalkit.tasks.kit.board_layout import BoardLayout
from vmevalkit.tasks.kit.board_looks import BoardLooks, Cutout
from vmevalkit.tasks.kit.board_reader import BoardReader, BoardState, Placed
from vmevalkit.tasks.kit.board_rules import check_board
from vmevalkit.tasks.kit.board_view import BoardView, PixelBox, find_board
from vmevalkit.tasks.kit.looks import Floats
from vmevalkit.tasks.kit.picture_task import PictureTask
from vmevalkit.tasks.kit.question_pictures import PictureRecord, Pictures, UnreadablePictures
from vmevalkit.tasks.task import CheckResult, Reader, Trace, readable

if TYPE_CHECKING:
    from vmevalkit.tasks.kit.move_task import MoveTask

_OFF_CENTRE = 0.5
"""How far from the middle of its cell a piece may be in the first frame, in cells."""


def calibrate_board(
    task: MoveTask[Any, Any], puzzle: Any, layout: BoardLayout, pictures: Pictures
) -> tuple[BoardPictureTask, PictureRecord]:
    """Return the task that reads this board's own pictures. Raises UnreadablePictures where it cannot."""
    if len(layout.plain) < 2:
        raise UnreadablePictures("fewer than two free cells show the floor alone, so that its look is not known")
    record = pictures.record
    boxes = [record.box] if record.box is not None else find_board(layout, pictures.first)
    problems = []
    for box in boxes:
        _check_box(box, pictures.first)
        candidate = BoardPictureTask(task, layout, pictures.first, replace(record, box=box))
        problem = candidate.find_problem(puzzle, pictures.final)
        if problem is None:
            return candidate, candidate.record
        problems.append(problem)
    if record.box is None:
        where = f"; the likeliest place has {problems[0]}" if problems else ""
        raise UnreadablePictures(f"the board is not found in the first frame{where}; give its box")
    raise UnreadablePictures(problems[0])


def _check_box(box: PixelBox, picture: Frame) -> None:
    height, width = picture.shape[:2]
    wide, high = box[2] - box[0], box[3] - box[1]
    inside = min(box[2], width) - max(box[0], 0), min(box[3], height) - max(box[1], 0)
    if min(wide, high) < 16 or inside[0] < 0.5 * wide or inside[1] < 0.5 * high:
        raise UnreadablePictures(
            f"the box {[round(side, 1) for side in box]} is not in the picture of {width} x {height} pixels"
        )


class BoardPictureTask(PictureTask):
    """The state is what each frame shows of the board."""

    def __init__(self, task: MoveTask[Any, Any], layout: BoardLayout, first: Frame, record: PictureRecord) -> None:
        super().__init__(task, first, record)
        assert record.box is not None
        self.layout = layout
        self._view = BoardView(layout, record.box, self.picture_size)
        small = cv2.resize(first, self._view.reading_size, interpolation=cv2.INTER_AREA)
        self.looks = BoardLooks(self._view, np.asarray(small, np.uint8), record.mover_may_appear)

    # -- calibration ---------------------------------------------------------------------------------------------

    def find_problem(self, puzzle: Any, final: Frame | None) -> str | None:
        """Return why the question's own pictures are not read as its puzzle says; None where they are."""
        problem = self.looks.find_problem()
        if problem is not None:
            return problem
        state = self._read_picture(puzzle, self.first)
        if state is None:
            return "the first frame cannot be read by its own looks"
        for name, (row, column) in self.layout.starts.items():
            piece = state.pieces[name]
            if name == self.layout.mover and self.record.mover_may_appear:
                continue
            if piece is None or max(abs(piece.x - column - 0.5), abs(piece.y - row - 0.5)) > _OFF_CENTRE:
                return f"the piece {name} is not read in its cell in the first frame"
        if state.changed or state.others:
            return "the first frame is not read as the puzzle says by its own looks"
        if final is None or self.record.goal_may_change or self.record.mover_may_appear:
            return None
        if final.shape != self.first.shape:
            return "the final frame has another size than the first frame"
        end = self._read_picture(puzzle, final)
        if end is None or not self.accepted(puzzle, end):
            return "the final frame is not read as solved"
        return None

    def _read_picture(self, puzzle: Any, picture: Frame) -> BoardState | None:
        small = cv2.resize(picture, self._view.reading_size, interpolation=cv2.INTER_AREA)
        return self.reader(puzzle).read(RegisteredFrame(np.asarray(small, np.uint8), 0.0), None)

    # -- the scene -----------------------------------------------------------------------------------------------

    def reading_size(self, puzzle: Any) -> tuple[int, int]:
        return self._view.reading_size

    def reader(self, puzzle: Any) -> Reader[BoardState]:
        return BoardReader(self.looks, self.record.goal_may_change)

    def solution(self, puzzle: Any, t: float) -> BoardState:
        path = self.inner.path(puzzle)
        position = min(max(t, 0.0), 1.0) * (len(path) - 1)
        index = min(int(position), len(path) - 2)
        share = position - index
        pieces: dict[str, Placed | None] = {}
        named = zip(self.inner.pieces(puzzle), path[index], path[index + 1], strict=True)
        for piece, before, after in named:
            x, y = (before[k] + share * (after[k] - before[k]) + 0.5 for k in (1, 0))
            pieces[piece.name] = Placed(piece.name, x, y)
        if self.record.mover_may_appear and t <= 0:
            pieces[self.layout.mover] = None
        return BoardState(pieces, recent={name: piece for name, piece in pieces.items() if piece is not None})

    def draw(self, puzzle: Any, state: BoardState) -> Frame:
        board = self.looks.ground.copy()
        changed = np.abs(self.looks.ground - self.looks.first).max(axis=2) > 0
        for number, kind in state.changed:
            changed |= self.looks.draw_site(board, number, kind)
        for name, piece in state.pieces.items():
            if piece is not None and name in self.looks.pieces:
                changed |= _paste(board, self.looks.pieces[name], piece, self._view.cell)
        return self._view.paste(self.looks.picture, board, changed)

    # -- the logic -----------------------------------------------------------------------------------------------

    def accepted(self, puzzle: Any, state: BoardState) -> bool:
        recent = state.recent or {}
        reached = [recent[name].cell for name in self.layout.targets if name in recent]
        return len(reached) == len(self.layout.targets) and set(reached) == set(self.layout.goals)

    def progress(self, puzzle: Any, state: BoardState) -> float:
        whole = sum(self._count_missing(self.layout.starts[name]) for name in self.layout.targets)
        recent = state.recent or {}
        left = [
            self._count_missing(recent[name].cell if name in recent else self.layout.starts[name])
            for name in self.layout.targets
        ]
        return min(max(1 - sum(left) / max(1, whole), 0.0), 1.0)

    def _count_missing(self, cell: tuple[int, int]) -> int:
        """Return the steps from a cell to the nearest goal."""
        ways = [self.layout.count_steps(cell, goal) for goal in self.layout.goals]
        return min((way for way in ways if way is not None), default=self.layout.rows * self.layout.columns)

    def state_key(self, puzzle: Any, state: BoardState) -> Hashable:
        places = tuple(
            None if piece is None else (round(3 * (piece.x - 0.5)), round(3 * (piece.y - 0.5)))
            for piece in state.pieces.values()
        )
        return places, state.changed

    def consensus_state(self, puzzle: Any, states: Sequence[BoardState]) -> BoardState:
        return states[-1]  # the end is the last sighting: a mover may arrive in the last moment

    def is_intact(self, puzzle: Any, state: BoardState) -> bool:
        return not state.changed

    def check(self, puzzle: Any, trace: Trace[BoardState]) -> CheckResult:
        read = readable(trace)
        record = self.record
        found = check_board(
            self.layout, read, mover_may_appear=record.mover_may_appear, goal_may_change=record.goal_may_change
        )
        return CheckResult(tuple(found), {"readable_share": len(read) / max(1, len(trace))})

    def board_box(self, puzzle: Any) -> Box:
        left, top, right, bottom = self._view.box
        width, height = self.picture_size
        return max(0.0, left / width), max(0.0, top / height), min(1.0, right / width), min(1.0, bottom / height)


def _paste(board: Floats, piece: Cutout, at: Placed, cell: int) -> np.ndarray[Any, Any]:
    height, width = piece.alpha.shape
    x, y = round(at.x * cell - width / 2), round(at.y * cell - height / 2)
    where = np.zeros(board.shape[:2], bool)
    x0, y0, x1, y1 = max(0, x), max(0, y), min(board.shape[1], x + width), min(board.shape[0], y + height)
    if x1 > x0 and y1 > y0:
        of = np.s_[y0 - y : y1 - y, x0 - x : x1 - x]
        alpha = piece.alpha[of][..., None]
        board[y0:y1, x0:x1] = (1 - alpha) * board[y0:y1, x0:x1] + alpha * piece.colour[of]
        where[y0:y1, x0:x1] = piece.alpha[of] > 0
    return where
