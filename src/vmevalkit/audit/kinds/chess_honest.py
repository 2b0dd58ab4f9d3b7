"""Honest kinds of chess videos: the mating move in other styles."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import pi, sin
from random import Random
from typing import Any

import chess
import numpy as np

from vmevalkit.audit.kinds import effects
from vmevalkit.audit.kinds.kind import VideoKind, make_honest_kind
from vmevalkit.audit.kinds.timeline import BuildPainter, Moment, Painter, ease, paint_states, rise
from vmevalkit.media.image import Frame
from vmevalkit.tasks.chess_task.board_state import BoardState, MovingPiece, get_centre
from vmevalkit.tasks.chess_task.chess_reasoning import ChessPuzzle
from vmevalkit.tasks.chess_task.motion import MoveAnimation, animate_move
from vmevalkit.tasks.chess_task.pieces import draw_piece
from vmevalkit.tasks.chess_task.render import BOARD_SIZE, get_layout
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("chess",)


_SQUARE, _MARGIN = get_layout(BOARD_SIZE)


def get_animation(puzzle: ChessPuzzle) -> MoveAnimation:
    return animate_move(puzzle.fen, puzzle.mates[0])


def get_pixel(x: float, y: float) -> tuple[float, float]:
    """Return the pixel of a point of the board that is given in squares."""
    return _MARGIN + x * _SQUARE, _MARGIN + y * _SQUARE


def locate(animation: MoveAnimation, share: float) -> tuple[float, float]:
    piece = animation.glides[0].at(share)
    return piece.x, piece.y


def show_board(state_at: Callable[[ChessPuzzle, MoveAnimation, float, Random], BoardState]) -> BuildPainter:
    """Return a builder of videos that show a board for each time. The generator starts anew in each frame."""

    def build(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
        animation, seed = get_animation(puzzle), rng.getrandbits(32)
        return paint_states(task, puzzle, lambda t: state_at(puzzle, animation, t, Random(seed)))

    return build


def _build_arc(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """The piece is lifted along an arc, larger while it is in the air, above a soft shadow."""
    del rng
    animation = get_animation(puzzle)

    def paint(moment: Moment) -> Frame:
        share = ease(moment.t)
        if not 0 < share < 1:
            return task.draw(puzzle, animation.at(share))
        board = animation.at(share)
        frame = task.draw(puzzle, BoardState(board.squares))
        x, y = locate(animation, share)
        height = sin(pi * share)
        frame = effects.cast_shadow(frame, *get_pixel(x, y + 0.2), 0.36 * _SQUARE, 0.3 * height)
        side = _SQUARE * (1 + 0.18 * height)
        left, top = get_pixel(x, y - 0.45 * height)
        symbol = animation.glides[0].symbol
        return effects.draw_over(
            frame, lambda canvas: draw_piece(canvas, symbol, left - side / 2, top - side / 2, side)
        )

    return paint


def _tint_square(frame: Frame, square: chess.Square, colour: tuple[int, int, int], strength: float) -> Frame:
    x, y = get_centre(square)
    left, top = (round(value) for value in get_pixel(x - 0.5, y - 0.5))
    part = (slice(top, top + _SQUARE), slice(left, left + _SQUARE))
    tinted = frame.copy()
    tinted[part] = effects.mix(frame[part], effects.fill_like(frame[part], colour), strength)
    return tinted


def _build_highlight(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """The squares of the move are tinted, as chess sites do."""
    del rng
    animation = get_animation(puzzle)

    def paint(moment: Moment) -> Frame:
        frame = task.draw(puzzle, animation.at(ease(moment.t)))
        for square in (animation.glides[0].source, animation.glides[0].target):
            frame = _tint_square(frame, square, (205, 210, 60), 0.35 * rise(moment.t, 0.0, 0.15))
        return frame

    return paint


def _build_fade_over(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """The piece fades out on its square and in on the target."""
    del rng
    animation = get_animation(puzzle)
    before, after = task.draw(puzzle, animation.before), task.draw(puzzle, animation.after)
    return lambda moment: effects.mix(before, after, ease(rise(moment.t, 0.2, 0.8)))


def draw_arrow(frame: Frame, animation: MoveAnimation, opacity: float) -> Frame:
    (x, y), (end_x, end_y) = (np.array(get_pixel(*locate(animation, share))) for share in (0.0, 1.0))
    along = np.array([end_x - x, end_y - y]) / max(float(np.hypot(end_x - x, end_y - y)), 1.0)
    across, tip = np.array([-along[1], along[0]]), np.array([end_x, end_y])
    head = [tip, tip - 16 * along + 9 * across, tip - 16 * along - 9 * across]
    colour = (0.08, 0.5, 0.24, opacity)

    def draw(canvas: Any) -> None:
        canvas.line([(x, y), tuple(tip - 15 * along)], colour, 6.0)
        canvas.polygon(head, fill=colour)

    return effects.draw_over(frame, draw)


def _build_arrow_then_move(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    """An arrow shows the move and fades away, then the piece moves."""
    del rng
    animation = get_animation(puzzle)

    def paint(moment: Moment) -> Frame:
        opacity = 0.8 * min(rise(moment.t, 0.05, 0.15), 1 - rise(moment.t, 0.35, 0.45))
        frame = task.draw(puzzle, animation.at(rise(moment.t, 0.45, 0.9)))
        return draw_arrow(frame, animation, opacity) if opacity > 0 else frame

    return paint


def _move_in_two_legs(puzzle: ChessPuzzle, animation: MoveAnimation, t: float, rng: Random) -> BoardState:
    """Move the piece first along its file, then along its rank."""
    del puzzle, rng
    share = ease(t)
    (x, y), (end_x, end_y) = locate(animation, 0.0), locate(animation, 1.0)
    first, second = rise(share, 0.0, 0.5), rise(share, 0.5, 1.0)
    piece = MovingPiece(animation.glides[0].symbol, x + second * (end_x - x), y + first * (end_y - y))
    return animation.at(share, [piece])


def _move_with_hesitation(puzzle: ChessPuzzle, animation: MoveAnimation, t: float, rng: Random) -> BoardState:
    del puzzle, rng
    if t < 0.35:
        x, y = locate(animation, 0.0)
        wiggle = 0.12 * sin(8 * pi * t / 0.35)
        wiggling = MovingPiece(animation.glides[0].symbol, x + wiggle, y)
        return animation.at(0.01, [wiggling]) if t > 0 else animation.before
    return animation.at(ease(rise(t, 0.35, 0.9)))


def _play_last_mate(puzzle: ChessPuzzle, animation: MoveAnimation, t: float, rng: Random) -> BoardState:
    """Play the last of the listed mates; most puzzles have only one."""
    del animation, rng
    return animate_move(puzzle.fen, puzzle.mates[-1]).at(ease(t))


_honest = partial(make_honest_kind, needs=_NEEDS)


CHESS_HONEST: tuple[VideoKind, ...] = (
    _honest("chess_lifted_arc", "The piece is lifted along an arc above a soft shadow and put on its square.",
            _build_arc),
    _honest("chess_highlighted_squares", "Both squares of the move are tinted yellow-green, as chess sites do.",
            _build_highlight),
    _honest("chess_fades_over", "The piece fades out on its square and in on the target; the end is exact.",
            _build_fade_over),
    _honest("chess_arrow_then_move", "A green arrow announces the move and fades away before the piece moves.",
            _build_arrow_then_move),
    _honest("chess_two_legs", "The piece goes along a file first and along a rank then; the end is exact.",
            show_board(_move_in_two_legs)),
    _honest("chess_hesitates", "The piece wiggles on its square before it moves.", show_board(_move_with_hesitation)),
    _honest("chess_last_mate", "The last of the mating moves is played; every one of them is an answer.",
            show_board(_play_last_mate)),
)  # fmt: skip
