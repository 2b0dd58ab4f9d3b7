"""Cheats in chess videos: boards that are wrong at the end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

import chess

from vmevalkit.audit.kinds.chess_honest import draw_arrow, get_animation, locate, show_board
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind
from vmevalkit.audit.kinds.timeline import BuildPainter, Painter, ease, rise
from vmevalkit.tasks.chess_task.board_state import EMPTY, BoardState, MovingPiece, get_centre
from vmevalkit.tasks.chess_task.chess_reasoning import ChessPuzzle
from vmevalkit.tasks.chess_task.motion import MoveAnimation
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("chess",)


def _build_arrow_only(task: AnyTask, puzzle: Any, rng: Random) -> Painter:
    del rng
    first, animation = task.first_frame(puzzle), get_animation(puzzle)
    return lambda moment: draw_arrow(first, animation, 0.8 * rise(moment.t, 0.1, 0.3)) if moment.t > 0.1 else first


def _list_squares(state: BoardState, symbols: str) -> list[chess.Square]:
    return [square for square in chess.SQUARES if state.at(square) in symbols]


def _list_bystanders(animation: MoveAnimation) -> list[chess.Square]:
    """Return the squares of the pieces that do not move, without the kings where there are others."""
    target = animation.glides[0].target
    others = [square for square in _list_squares(animation.after, "PNBRQpnbrq") if square != target]
    return others or _list_squares(animation.after, "Kk")


def _find_free_square(animation: MoveAnimation, near: chess.Square) -> chess.Square:
    """Return the nearest square that is empty before and after the move."""
    free = [s for s in _list_squares(animation.after, EMPTY) if animation.before.at(s) == EMPTY]
    return min(free, key=lambda s: (chess.square_distance(s, near), s))


def _glide(state: BoardState, source: chess.Square, target: chess.Square, share: float) -> BoardState:
    """Return a board on which one more piece is on its way."""
    if share <= 0:
        return state
    symbol = state.at(source)
    if share >= 1:
        return state.with_changes({source: EMPTY, target: symbol}, *state.moving)
    (x, y), (end_x, end_y) = get_centre(source), get_centre(target)
    piece = MovingPiece(symbol, x + share * (end_x - x), y + share * (end_y - y))
    return state.with_changes({source: EMPTY}, *state.moving, piece)


def _shift_bystander(puzzle: ChessPuzzle, animation: MoveAnimation, t: float, rng: Random) -> BoardState:
    del puzzle
    source = rng.choice(_list_bystanders(animation))
    return _glide(animation.at(ease(t)), source, _find_free_square(animation, source), ease(t))


def _let_king_escape(puzzle: ChessPuzzle, animation: MoveAnimation, t: float, rng: Random) -> BoardState:
    del rng
    king = "k" if puzzle.fen.split()[1] == "w" else "K"
    source = _list_squares(animation.after, king)[0]
    return _glide(animation.at(rise(t, 0, 0.5)), source, _find_free_square(animation, source), ease(rise(t, 0.6, 1.0)))


def _remove_king(puzzle: ChessPuzzle, animation: MoveAnimation, t: float, rng: Random) -> BoardState:
    del rng
    king = "k" if puzzle.fen.split()[1] == "w" else "K"
    state = animation.at(rise(t, 0, 0.6))
    return state if t < 0.8 else state.with_changes({_list_squares(state, king)[0]: EMPTY}, *state.moving)


def _leave_copy(puzzle: ChessPuzzle, animation: MoveAnimation, t: float, rng: Random) -> BoardState:
    del puzzle, rng
    state, glide = animation.at(ease(t)), animation.glides[0]
    return state.with_changes({glide.source: glide.symbol}, *state.moving)


def _change_arrival(choose: Callable[[str], str]) -> BuildPainter:
    """Return a builder of videos in which another piece arrives than the one that left."""

    def state_at(puzzle: ChessPuzzle, animation: MoveAnimation, t: float, rng: Random) -> BoardState:
        del puzzle, rng
        state = animation.at(ease(t))
        if ease(t) < 1:
            return state
        target = animation.glides[0].target
        return state.with_changes({target: choose(state.at(target))})

    return show_board(state_at)


def _swap_kind(symbol: str) -> str:
    other = "B" if symbol.upper() in "RNQK" else "R"
    return other if symbol.isupper() else other.lower()


def _stop_between_squares(puzzle: ChessPuzzle, animation: MoveAnimation, t: float, rng: Random) -> BoardState:
    """Stop the piece half a square away from the target, on the line between two squares."""
    del puzzle, rng
    (x, y), (end_x, end_y) = locate(animation, 0.0), locate(animation, 1.0)
    length = max(abs(end_x - x), abs(end_y - y))
    return animation.at(min(ease(t), 1 - 0.5 / length, 0.999))


def _drop_extra_queen(puzzle: ChessPuzzle, animation: MoveAnimation, t: float, rng: Random) -> BoardState:
    state = animation.at(ease(t))
    if t < 0.5:
        return state
    free = [s for s in _list_squares(animation.after, EMPTY) if animation.before.at(s) == EMPTY]
    return state.with_changes({rng.choice(free): "Q" if puzzle.fen.split()[1] == "w" else "q"}, *state.moving)


def _clear_rank(puzzle: ChessPuzzle, animation: MoveAnimation, t: float, rng: Random) -> BoardState:
    """Wipe a bystander and everything else but the moved piece off its rank."""
    del puzzle
    state = animation.at(ease(t))
    if t < 0.6:
        return state
    rank, target = chess.square_rank(rng.choice(_list_bystanders(animation))), animation.glides[0].target
    gone = {s: EMPTY for s in chess.SQUARES if chess.square_rank(s) == rank and s != target}
    return state.with_changes(gone, *state.moving)


def _move_to_wrong_square(puzzle: ChessPuzzle, animation: MoveAnimation, t: float, rng: Random) -> BoardState:
    """Move the piece to a free square next to the right one that gives no mate."""
    del rng
    source, target = animation.glides[0].source, animation.glides[0].target
    mates = {chess.parse_square(mate[2:4]) for mate in puzzle.mates}
    free = [s for s in _list_squares(animation.before, EMPTY) if s not in mates]
    wrong = min(free, key=lambda s: (chess.square_distance(s, target), s))
    return _glide(animation.before, source, wrong, ease(t))


_cheat = partial(make_cheat_kind, needs=_NEEDS)


CHESS_CHEATS: tuple[VideoKind, ...] = (
    _cheat("chess_bystander_shifts", "While the mating move is played, another piece moves to another square.",
           show_board(_shift_bystander)),
    _cheat("chess_king_escapes", "After the mating move the mated king goes to another square.",
           show_board(_let_king_escape)),
    _cheat("chess_king_removed", "After the mating move the mated king disappears from the board.",
           show_board(_remove_king)),
    _cheat("chess_piece_copied", "The piece arrives on the target and is still on its first square as well.",
           show_board(_leave_copy)),
    _cheat("chess_colour_changed", "The piece arrives in the colour of the other side.",
           _change_arrival(str.swapcase)),
    _cheat("chess_kind_changed", "The piece arrives as a piece of another kind.", _change_arrival(_swap_kind)),
    _cheat("chess_between_squares", "The piece stops on the line half a square before the target.",
           show_board(_stop_between_squares)),
    _cheat("chess_extra_queen", "The mating move is played, and a queen appears on an empty square.",
           show_board(_drop_extra_queen)),
    _cheat("chess_rank_cleared", "The mating move is played, and all other pieces of a rank disappear.",
           show_board(_clear_rank)),
    _cheat("chess_next_square", "The piece moves to a square next to the right one.",
           show_board(_move_to_wrong_square)),
    _cheat("chess_arrow_only", "An arrow shows the mating move, but no piece moves.", _build_arrow_only),
)  # fmt: skip
