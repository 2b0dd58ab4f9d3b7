"""Kinds of raven videos: the right tile in other styles, and matrices that are wrong at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import numpy as np

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind, make_honest_kind
from vmevalkit.audit.kinds.timeline import BuildPainter, Moment, Painter, clamp, ease, paint_states, rise
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER, Raven
from vmevalkit.tasks.raven_task.render import ROOM, TILE
from vmevalkit.tasks.raven_task.scene import EMPTY, QUESTION, Cell, RavenState, initial_state
from vmevalkit.tasks.raven_task.vocabulary import COLOURS, NUMBERS, ORIENTED, Tile
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("raven",)
_MIDDLE = 2 * TILE + TILE // 2
"""Row and column of the middle of the missing cell."""
_ROOM = slice(_MIDDLE - ROOM // 2, _MIDDLE + ROOM // 2)
"""Rows and columns of the middle of the missing cell."""


def _show(state_at: Callable[[Raven, float], RavenState]) -> BuildPainter:
    """Return a builder of videos that show a scene for each time."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        return paint_states(task, puzzle, lambda t: state_at(puzzle, t))

    return build


def _decorate(draw: Callable[[AnyTask, Raven, float], Frame]) -> BuildPainter:
    """Return a builder of videos whose frames are drawn by a function."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        del rng
        return lambda moment: draw(task, puzzle, moment.t)

    return build


def _fill(puzzle: Raven, cell: Cell) -> RavenState:
    """Return the question with something in the missing cell."""
    return initial_state(puzzle).with_cell(ANSWER, cell)


def _shrink_question(puzzle: Raven, t: float) -> RavenState:
    """Fade the question mark out completely, then the answer in."""
    if t < 0.5:
        return _fill(puzzle, Cell(question=1 - rise(t, 0.1, 0.45)))
    return _fill(puzzle, Cell(puzzle.answer, rise(t, 0.5, 0.9)))


def _grow_answer(puzzle: Raven, t: float) -> RavenState:
    return _fill(puzzle, QUESTION if t < 0.15 else Cell(puzzle.answer, scale=max(ease(rise(t, 0.15, 0.8)), 0.05)))


def _draw_smaller(puzzle: Raven, t: float) -> RavenState:
    share = rise(t, 0.1, 0.9)
    return _fill(puzzle, Cell(puzzle.answer, share, 1 - share, scale=0.9) if share else QUESTION)


def _slide_in(task: AnyTask, puzzle: Raven, t: float) -> Frame:
    """Return a frame in which the tile comes in from the right edge and pushes the question mark away by a fade."""
    frame = task.draw(puzzle, _fill(puzzle, Cell(question=1 - rise(t, 0.05, 0.25)))).copy()
    shift = round((1 - ease(rise(t, 0.25, 0.9))) * (ROOM + 14))
    if t > 0.25 and shift < ROOM:
        tile = task.draw(puzzle, _fill(puzzle, Cell(puzzle.answer)))[_ROOM, _ROOM]
        frame[_ROOM, _ROOM.start + shift : _ROOM.stop] = tile[:, : ROOM - shift]
    return frame


def _uncover(task: AnyTask, puzzle: Raven, t: float) -> Frame:
    """Return a frame in which the answer is uncovered from left to right."""
    frame, final = task.first_frame(puzzle).copy(), task.final_frame(puzzle)
    edge = _ROOM.start + round(ROOM * rise(t, 0.1, 0.9))
    frame[_ROOM, _ROOM.start : edge] = final[_ROOM, _ROOM.start : edge]
    return frame


def _frame_answer(task: AnyTask, puzzle: Raven, t: float) -> Frame:
    """Return a frame of the solution with a thin golden frame inside the edge of the missing cell."""
    frame = task.draw(puzzle, task.solution(puzzle, t))
    low, high = 2 * TILE + 7, 3 * TILE - 9
    corners = [(low, low), (high, low), (high, high), (low, high)]
    colour = (0.85, 0.65, 0.1, 0.8 * rise(t, 0.1, 0.4))
    return effects.draw_over(frame, lambda canvas: canvas.polygon(corners, stroke=colour, width=2.0))


def _draw_soft_shadow(task: AnyTask, puzzle: Raven, t: float) -> Frame:
    """Return a frame in which the appearing shapes have a soft shadow that is gone at the end."""
    frame = task.draw(puzzle, task.solution(puzzle, t)).copy()
    strength = 0.3 * min(rise(t, 0.3, 0.5), 1 - rise(t, 0.8, 0.95))
    part = frame[_ROOM, _ROOM]
    ink = effects.blur(np.roll(255 - part.min(axis=2), (4, 4), (0, 1)), 3.0).astype(np.float32) / 255
    shaded = part * (1 - strength * ink[..., None])
    frame[_ROOM, _ROOM] = effects.to_frame(np.where(part.min(axis=2, keepdims=True) > 200, shaded, part))
    return frame


def _pick_other_number(tile: Tile) -> Tile:
    return replace(tile, number=tile.number + 1 if tile.number < max(NUMBERS) else tile.number - 1)


def _pick_other_colour(tile: Tile) -> Tile:
    names = list(COLOURS)
    return replace(tile, colour=names[(names.index(tile.colour) + 1) % len(names)])


def _pick_other_shape(tile: Tile) -> Tile:
    return replace(tile, shape="ring" if tile.shape in ORIENTED else "arrow")


def _answer_with(choose: Callable[[Tile], Tile]) -> BuildPainter:
    """Return a builder of videos in which another tile appears."""

    def state_at(puzzle: Raven, t: float) -> RavenState:
        share = rise(t, 0.1, 0.9)
        return _fill(puzzle, Cell(choose(puzzle.answer), share, 1 - share) if share else QUESTION)

    return _show(state_at)


def _replace_given(puzzle: Raven, t: float) -> RavenState:
    """Let the answer appear over a given tile that differs from it; the question mark stays."""
    state = initial_state(puzzle)
    place = next(place for place, tile in enumerate(puzzle.tiles[:ANSWER]) if tile != puzzle.answer)
    return state.with_cell(place, Cell(puzzle.answer)) if t > 0.4 else state


def _exchange_givens(puzzle: Raven, t: float) -> RavenState:
    """Solve the matrix, then exchange two different given tiles."""
    state = _fill(puzzle, Cell(puzzle.answer) if t > 0.4 else QUESTION)
    other = next(place for place in range(1, ANSWER) if puzzle.tiles[place] != puzzle.tiles[0])
    if t < 0.7:
        return state
    return state.with_cell(0, Cell(puzzle.tiles[other])).with_cell(other, Cell(puzzle.tiles[0]))


def _erase_given(puzzle: Raven, t: float) -> RavenState:
    state = _fill(puzzle, Cell(puzzle.answer) if t > 0.4 else QUESTION)
    return state.with_cell(4, EMPTY if t > 0.9 else Cell(puzzle.tiles[4], 1 - rise(t, 0.5, 0.9)))


def _spread_answer(puzzle: Raven, t: float) -> RavenState:
    """Fill all nine cells with the answer, one after another."""
    state = initial_state(puzzle)
    for place in range(ANSWER, ANSWER - round(9 * clamp(t)), -1):
        state = state.with_cell(place, Cell(puzzle.answer))
    return state


def _recolour_given(puzzle: Raven, t: float) -> RavenState:
    state = _fill(puzzle, Cell(puzzle.answer) if t > 0.4 else QUESTION)
    return state.with_cell(3, Cell(_pick_other_colour(puzzle.tiles[3]))) if t > 0.7 else state


def _cut_answer(task: AnyTask, puzzle: Raven, t: float) -> Frame:
    """Return a frame in which only the upper half of the answer appears."""
    frame = task.draw(puzzle, task.solution(puzzle, t)).copy()
    if t > 0.5:
        frame[_MIDDLE - 4 : _ROOM.stop, _ROOM] = 255
    return frame


def _add_letter(task: AnyTask, puzzle: Raven, t: float) -> Frame:
    """Return a frame of the solution with a large letter over the answer."""
    frame = task.draw(puzzle, task.solution(puzzle, t))

    def draw(canvas: Canvas) -> None:
        canvas.text("X", _MIDDLE, _MIDDLE, 110, fill=(0.15, 0.15, 0.15), bold=True)

    return effects.draw_over(frame, draw) if t > 0.7 else frame


def _show_two_tiles(task: AnyTask, puzzle: Raven, t: float) -> Frame:
    """Return a frame with the right tile in one half of the cell and a wrong one in the other."""
    frame = task.first_frame(puzzle).copy()
    if t < 0.4:
        return frame
    tiles = (puzzle.answer, _pick_other_shape(_pick_other_colour(puzzle.answer)))
    half = ROOM // 2
    frame[_ROOM, _ROOM] = 255
    for place, tile in enumerate(tiles):
        image = task.draw(puzzle, _fill(puzzle, Cell(tile)))[_ROOM, _ROOM]
        left = _ROOM.start + place * half
        frame[_MIDDLE - half // 2 : _MIDDLE + half // 2, left : left + half] = effects.resize(image, half, half)
    return frame


def _build_moved_answer(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """The answer appears in its cell and then slides out of it over the neighbouring cell."""
    del rng
    final = task.final_frame(puzzle)
    tile, empty = final[_ROOM, _ROOM].copy(), task.draw(puzzle, _fill(puzzle, EMPTY))

    def paint(moment: Moment) -> Frame:
        if moment.t < 0.5:
            return task.draw(puzzle, task.solution(puzzle, 2 * moment.t))
        left = _ROOM.start - round(TILE * ease(rise(moment.t, 0.55, 0.9)))
        frame = empty.copy()
        frame[_ROOM, left : left + ROOM] = tile
        return frame

    return paint


_honest, _cheat = partial(make_honest_kind, needs=_NEEDS), partial(make_cheat_kind, needs=_NEEDS)

RAVEN_KINDS: tuple[VideoKind, ...] = (
    _honest("raven_blank_between", "The question mark fades out completely before the answer fades in.",
            _show(_shrink_question)),
    _honest("raven_grows", "The shapes of the answer grow from nothing to their size.", _show(_grow_answer)),
    _honest("raven_slightly_smaller", "The answer is drawn at nine tenths of the usual size.", _show(_draw_smaller)),
    _honest("raven_slides_in", "The answer slides into its cell from the right edge.", _decorate(_slide_in)),
    _honest("raven_uncovered", "The answer is uncovered from left to right, over the question mark.",
            _decorate(_uncover)),
    _honest("raven_golden_frame", "A thin golden frame inside its cell marks the answer.", _decorate(_frame_answer)),
    _honest("raven_soft_shadow", "The appearing shapes have a soft shadow that is gone at the end.",
            _decorate(_draw_soft_shadow)),
    _cheat("raven_other_number", "The tile that appears has one shape more or less than the answer.",
           _answer_with(_pick_other_number)),
    _cheat("raven_other_colour", "The tile that appears has another colour than the answer.",
           _answer_with(_pick_other_colour)),
    _cheat("raven_other_shape", "The tile that appears has other shapes than the answer.",
           _answer_with(_pick_other_shape)),
    _cheat("raven_wrong_cell", "The answer replaces a given tile; the question mark stays.", _show(_replace_given)),
    _cheat("raven_givens_exchanged", "The answer is right, but two given tiles change places.",
           _show(_exchange_givens)),
    _cheat("raven_given_erased", "The answer is right, but the tile in the middle disappears.", _show(_erase_given)),
    _cheat("raven_given_recoloured", "The answer is right, but a given tile gets another colour.",
           _show(_recolour_given)),
    _cheat("raven_answer_everywhere", "The answer fills all nine cells.", _show(_spread_answer)),
    _cheat("raven_half_answer", "Only the upper half of the answer is left at the end.", _decorate(_cut_answer)),
    _cheat("raven_letter_over_answer", "A large letter is written over the answer.", _decorate(_add_letter)),
    _cheat("raven_two_tiles", "The missing cell shows the right tile and a wrong one side by side, both small.",
           _decorate(_show_two_tiles)),
    _cheat("raven_answer_slides_away", "The answer slides out of its cell over the tile beside it.",
           _build_moved_answer),
)  # fmt: skip
