"""Kinds of the second round for Raven's matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import cos, pi
from random import Random
from typing import TypeAlias

import cv2
import numpy as np

from vmevalkit.audit.kinds.effects import draw_over, scale_levels
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind, make_honest_kind
from vmevalkit.audit.kinds.timeline import LONG_END, Moment, Painter, ease, rise
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER, Raven
from vmevalkit.tasks.raven_task.render import box_of_cell
from vmevalkit.tasks.raven_task.scene import EMPTY, Cell, RavenState
from vmevalkit.tasks.raven_task.vocabulary import COLOURS, SHAPES, Tile
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("raven",)
_INSET = 5
"""Pixels between the edge of a cell and the part that is animated, so that lines stay as they are."""
Window: TypeAlias = tuple[slice, slice]
SpoilEnd: TypeAlias = Callable[[RavenState, Raven, Random], RavenState]


def _get_window(frame: Frame, index: int) -> Window:
    left, top, right, bottom = box_of_cell(index)
    height, width = frame.shape[:2]
    rows = slice(round(top * height) + _INSET, round(bottom * height) - _INSET)
    return rows, slice(round(left * width) + _INSET, round(right * width) - _INSET)


def _spoil_end(spoil: SpoilEnd) -> Callable[[AnyTask, Raven, Random], Painter]:
    """Return a builder of videos in which the scene is changed after the answer has appeared."""

    def build(task: AnyTask, puzzle: Raven, rng: Random) -> Painter:
        end = spoil(task.solution(puzzle, 1.0), puzzle, rng)

        def paint(moment: Moment) -> Frame:
            return task.draw(puzzle, task.solution(puzzle, moment.t) if moment.remaining_s > 0.9 else end)

        return paint

    return build


def _pick_other_tile(tile: Tile, rng: Random) -> Tile:
    """Return a tile of another shape and another colour."""
    shape = rng.choice([name for name in SHAPES[5:] if name != tile.shape])
    return Tile(shape, tile.number, 0, rng.choice([name for name in COLOURS if name != tile.colour]))


def _keep_question(state: RavenState, puzzle: Raven, rng: Random) -> RavenState:
    del rng
    return state.with_cell(ANSWER, Cell(puzzle.answer, question=1.0))


def _erase_givens(state: RavenState, puzzle: Raven, rng: Random) -> RavenState:
    del puzzle, rng
    return RavenState((*([EMPTY] * ANSWER), state.cells[ANSWER]))


def _change_given_number(state: RavenState, puzzle: Raven, rng: Random) -> RavenState:
    index = rng.randrange(ANSWER)
    tile = puzzle.tiles[index]
    return state.with_cell(index, Cell(replace(tile, number=tile.number + 1 if tile.number < 4 else 1)))


def _replace_given(state: RavenState, puzzle: Raven, rng: Random) -> RavenState:
    index = rng.randrange(ANSWER)
    return state.with_cell(index, Cell(_pick_other_tile(puzzle.tiles[index], rng)))


def _overlay_wrong_tile(task: AnyTask, puzzle: Raven, rng: Random) -> Painter:
    end: RavenState = task.solution(puzzle, 1.0)
    wrong = task.draw(puzzle, end.with_cell(ANSWER, Cell(_pick_other_tile(puzzle.answer, rng), scale=1.3)))

    def paint(moment: Moment) -> Frame:
        frame = task.draw(puzzle, task.solution(puzzle, moment.t))
        return np.asarray(np.minimum(frame, wrong), np.uint8) if moment.remaining_s <= 0.9 else frame

    return paint


def _warp_cell(task: AnyTask, puzzle: Raven, warp: Callable[[Frame, Frame, float], Frame]) -> Painter:
    """Return a painter of videos in which the missing cell is animated from the question to the answer."""
    before, after = task.draw(puzzle, task.solution(puzzle, 0.0)), task.draw(puzzle, task.solution(puzzle, 1.0))
    window = _get_window(before, ANSWER)

    def paint(moment: Moment) -> Frame:
        share = rise(moment.t, 0.1, 0.9)
        if share in (0, 1):
            return after if share else before
        frame = before.copy()
        frame[window] = warp(before[window], after[window], share)
        return frame

    return paint


def _transform(part: Frame, matrix: list[list[float]]) -> Frame:
    height, width = part.shape[:2]
    ground = tuple(float(level) for level in part[0, 0])
    moved = cv2.warpAffine(part, np.array(matrix), (width, height), borderMode=cv2.BORDER_CONSTANT, borderValue=ground)
    return np.asarray(moved, np.uint8)


def _flip_card(task: AnyTask, puzzle: Raven, rng: Random) -> Painter:
    del rng

    def warp(before: Frame, after: Frame, share: float) -> Frame:
        width = max(abs(cos(pi * share)), 0.02)
        part = before if share < 0.5 else after
        middle = part.shape[1] / 2
        return _transform(part, [[width, 0, middle - width * middle], [0, 1, 0]])

    return _warp_cell(task, puzzle, warp)


def _spin_in(task: AnyTask, puzzle: Raven, rng: Random) -> Painter:
    del rng

    def warp(before: Frame, after: Frame, share: float) -> Frame:
        half = share < 0.4
        size = max(1 - share / 0.4 if half else ease((share - 0.4) / 0.6), 0.02)
        part = before if half else after
        middle = part.shape[1] / 2
        matrix = cv2.getRotationMatrix2D((middle, middle), 0.0 if half else 360 * (1 - share) / 0.6, size)
        return _transform(part, matrix.tolist())

    return _warp_cell(task, puzzle, warp)


def _frame_givens(task: AnyTask, puzzle: Raven, rng: Random) -> Painter:
    del rng

    def paint(moment: Moment) -> Frame:
        frame = task.draw(puzzle, task.solution(puzzle, rise(moment.t, 0.7, 1.0)))
        index = int(moment.t / 0.7 * ANSWER)
        if moment.t == 0 or index >= ANSWER:
            return frame
        rows, columns = _get_window(frame, index)

        def draw(canvas: Canvas) -> None:
            left, top, right, bottom = columns.start + 3, rows.start + 3, columns.stop - 3, rows.stop - 3
            canvas.polygon([(left, top), (right, top), (right, bottom), (left, bottom)], stroke="#38bdf8", width=3.0)

        return draw_over(frame, draw)

    return paint


def _tint_answer(task: AnyTask, puzzle: Raven, rng: Random) -> Painter:
    del rng

    def paint(moment: Moment) -> Frame:
        frame = task.draw(puzzle, task.solution(puzzle, moment.t)).copy()
        window = _get_window(frame, ANSWER)
        share = rise(moment.t, 0.5, 1.0)
        frame[window] = scale_levels(frame[window], (1 - 0.12 * share, 1.0, 1 - 0.12 * share))
        return frame

    return paint


ROUND_2_RAVEN: tuple[VideoKind, ...] = (
    make_honest_kind(
        "raven_card_flipped", "The missing cell flips like a card with the answer on its back.", _flip_card, _NEEDS
    ),
    make_honest_kind(
        "raven_spins_in",
        "The question mark shrinks away, and the answer grows while it spins; it ends upright.",
        _spin_in,
        _NEEDS,
    ),
    make_honest_kind(
        "raven_givens_framed",
        "A blue frame visits the given tiles one by one and is gone before the answer appears.",
        _frame_givens,
        _NEEDS,
    ),
    make_honest_kind(
        "raven_answer_tinted", "The background of the answer's cell becomes light green.", _tint_answer, _NEEDS
    ),
    make_cheat_kind(
        "raven_question_stays",
        "The answer appears, but the question mark comes back over it.",
        _spoil_end(_keep_question),
        _NEEDS,
        LONG_END,
    ),
    make_cheat_kind(
        "raven_givens_erased",
        "The answer is right, but all eight given tiles disappear.",
        _spoil_end(_erase_givens),
        _NEEDS,
        LONG_END,
    ),
    make_cheat_kind(
        "raven_given_miscounted",
        "The answer is right, but a given tile has another number of shapes at the end.",
        _spoil_end(_change_given_number),
        _NEEDS,
        LONG_END,
    ),
    make_cheat_kind(
        "raven_given_replaced",
        "The answer is right, but a given tile has another shape and colour at the end.",
        _spoil_end(_replace_given),
        _NEEDS,
        LONG_END,
    ),
    make_cheat_kind(
        "raven_wrong_tile_on_top",
        "The answer appears, then a wrong tile is printed over it.",
        _overlay_wrong_tile,
        _NEEDS,
        LONG_END,
    ),
)
"""Kinds of the second round for Raven's matrices."""
