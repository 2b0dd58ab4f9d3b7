"""Right answers that look unusual: each a trajectory of states with its expected verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import pi, sin
from random import Random
from typing import TypeAlias

import chess

from vmevalkit.tasks.chess_task.board_state import EMPTY, BoardState, MovingPiece, get_centre
from vmevalkit.tasks.chess_task.chess_reasoning import ARRIVAL, ChessPuzzle
from vmevalkit.tasks.chess_task.motion import MoveAnimation, animate_move
from vmevalkit.tasks.task import Expected

StateFunction: TypeAlias = Callable[[float], BoardState]
"""The state at time t, from 0 to 1."""
Cheats: TypeAlias = Iterator[tuple[str, StateFunction, Expected, str]]
"""Name, trajectory, expected verdict and description of each video."""


def make_unusual_answers(puzzle: ChessPuzzle, rng: Random) -> Cheats:
    """Yield right answers that a scorer must not mistake for cheats."""
    animation = animate_move(puzzle.fen, puzzle.mates[0])
    yield "snaps", lambda t: animation.at(float(t >= 0.5)), "pass", "the piece snaps to its square, as on a screen"
    yield "lifted", _lift_in_arc(animation), "pass", "the piece is lifted over the board in an arc"
    yield "overshoots", _overshoot_target(animation), "pass", "the piece goes a little too far and comes back"
    offset = rng.uniform(-0.15, 0.15), rng.uniform(-0.15, 0.15)
    yield "askew", _offset_piece(animation, offset), "pass", "the piece ends away from its square's centre"
    board = chess.Board(puzzle.fen)
    wrong = [
        move for move in board.legal_moves
        if move.uci()[:4] not in {mate[:4] for mate in puzzle.mates} and not board.is_capture(move)
        and not move.promotion and not board.is_castling(move)
    ]  # fmt: skip
    if wrong:
        wrong_animation = animate_move(puzzle.fen, rng.choice(wrong).uci())
        yield (
            "corrected",
            _correct_move(wrong_animation, animation),
            "pass",
            "a wrong move is played, taken back, and the mate played",
        )
    if len(puzzle.mates) > 1:
        other = animate_move(puzzle.fen, rng.choice(puzzle.mates[1:]))
        yield "another_mate", lambda t: other.at(t / ARRIVAL), "pass", "another move that gives mate too"


def _correct_move(wrong_animation: MoveAnimation, animation: MoveAnimation) -> StateFunction:
    def state_at(t: float) -> BoardState:
        if t < 0.45:
            return wrong_animation.at(t / 0.2 if t < 0.3 else 1 - (t - 0.3) / 0.15)
        return animation.at((t - 0.5) / 0.4)

    return state_at


def _lift_in_arc(animation: MoveAnimation) -> StateFunction:
    def state_at(t: float) -> BoardState:
        share = t / ARRIVAL
        if not 0 < share < 1:
            return animation.at(share)
        moving = [glide.at(share) for glide in animation.glides]
        return animation.at(share, [MovingPiece(f.symbol, f.x, max(f.y - 0.6 * sin(pi * share), 0.3)) for f in moving])

    return state_at


def _overshoot_target(animation: MoveAnimation) -> StateFunction:
    def state_at(t: float) -> BoardState:
        share = t / 0.7
        if share < 1 or t >= 0.9:
            return animation.at(share)
        beyond = 0.35 * sin(pi * (t - 0.7) / 0.2)
        moving = []
        for glide in animation.glides:
            (x, y), (end_x, end_y) = get_centre(glide.source), get_centre(glide.target)
            length = max(abs(end_x - x), abs(end_y - y))
            symbol = animation.after.at(glide.target)
            moving.append(
                MovingPiece(symbol, end_x + beyond * (end_x - x) / length, end_y + beyond * (end_y - y) / length)
            )
        return animation.after.with_changes({glide.target: EMPTY for glide in animation.glides}, *moving)

    return state_at


def _offset_piece(animation: MoveAnimation, offset: tuple[float, float]) -> StateFunction:
    target = animation.glides[0].target
    x, y = get_centre(target)

    def state_at(t: float) -> BoardState:
        state = animation.at(t / ARRIVAL)
        if t < ARRIVAL:
            return state
        return state.with_changes({target: EMPTY}, MovingPiece(state.at(target), x + offset[0], y + offset[1]))

    return state_at
