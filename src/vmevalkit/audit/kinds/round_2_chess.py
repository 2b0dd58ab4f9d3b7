"""Kinds of the second round for chess."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, sin
from random import Random

import chess

from vmevalkit.audit.kinds.effects import draw_over, fill_like, make_soft_disc, mix_by_mask
from vmevalkit.audit.kinds.kind import VideoKind, make_cheat_kind, make_honest_kind
from vmevalkit.audit.kinds.timeline import LONG_END, Moment, Painter, ease, rise
from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.chess_task.board_state import EMPTY, BoardState, MovingPiece, get_centre, get_index
from vmevalkit.tasks.chess_task.chess_reasoning import ChessPuzzle
from vmevalkit.tasks.chess_task.render import box_of_square
from vmevalkit.tasks.task import AnyTask

_NEEDS = ("chess",)
BuildEnd = Callable[[BoardState, ChessPuzzle, Random], BoardState]


def _get_move(puzzle: ChessPuzzle) -> chess.Move:
    return chess.Move.from_uci(puzzle.mates[0])


def _spoil_end(spoil: BuildEnd) -> Callable[[AnyTask, ChessPuzzle, Random], Painter]:
    """Return a builder of videos in which the board is changed after the mating move."""

    def build(task: AnyTask, puzzle: ChessPuzzle, rng: Random) -> Painter:
        end = spoil(task.solution(puzzle, 1.0), puzzle, rng)

        def paint(moment: Moment) -> Frame:
            return task.draw(puzzle, task.solution(puzzle, moment.t) if moment.remaining_s > 0.9 else end)

        return paint

    return build


def _list_bystanders(state: BoardState, puzzle: ChessPuzzle) -> list[chess.Square]:
    """Return the squares of all pieces but the kings and the mating piece."""
    target = _get_move(puzzle).to_square
    squares = [square for square in chess.SQUARES if square != target]
    return [square for square in squares if state.at(square) not in (EMPTY, "K", "k")]


def _exchange_sides(state: BoardState, puzzle: ChessPuzzle, rng: Random) -> BoardState:
    del puzzle, rng
    return BoardState(state.squares.swapcase())


def _change_bystander(state: BoardState, puzzle: ChessPuzzle, rng: Random) -> BoardState:
    occupied = [square for square in chess.SQUARES if state.at(square) != EMPTY]
    square = rng.choice(_list_bystanders(state, puzzle) or occupied)
    symbol = state.at(square)
    other = "q" if symbol.lower() != "q" else "n"
    return state.with_changes({square: other.upper() if symbol.isupper() else other})


def _remove_mating_piece(state: BoardState, puzzle: ChessPuzzle, rng: Random) -> BoardState:
    del rng
    return state.with_changes({_get_move(puzzle).to_square: EMPTY})


def _turn_board(state: BoardState, puzzle: ChessPuzzle, rng: Random) -> BoardState:
    del puzzle, rng
    return BoardState(state.squares[::-1])


def _move_own_king(state: BoardState, puzzle: ChessPuzzle, rng: Random) -> BoardState:
    del rng
    side = chess.Board(puzzle.fen).turn
    king = "K" if side else "k"
    old = get_index(state.squares.index(king))
    free = [square for square in chess.SQUARES if state.at(square) == EMPTY and chess.square_distance(square, old) > 2]
    return state.with_changes({old: EMPTY, free[len(free) // 2]: king})


def _light_king(task: AnyTask, puzzle: ChessPuzzle, rng: Random) -> Painter:
    del rng
    end = task.solution(puzzle, 1.0)
    left, top, right, bottom = box_of_square(end.squares.index("k" if chess.Board(puzzle.fen).turn else "K"))

    def paint(moment: Moment) -> Frame:
        frame = task.draw(puzzle, task.solution(puzzle, moment.t))
        height, width = frame.shape[:2]
        x, y, radius = (left + right) / 2 * width, (top + bottom) / 2 * height, 0.42 * (right - left) * width
        mask = 0.5 * ease(rise(1.3 - moment.remaining_s, 0.0, 0.4)) * make_soft_disc(frame, x, y, radius, 0.6 * radius)
        return mix_by_mask(frame, fill_like(frame, (240, 40, 40)), mask)

    return paint


def _fly(task: AnyTask, puzzle: ChessPuzzle, path: Callable[[float], tuple[float, float]]) -> Painter:
    """Return a painter of the mating move along a path that is relative to the straight way."""
    move = _get_move(puzzle)
    start: BoardState = task.solution(puzzle, 0.0)
    symbol = start.at(move.from_square)
    (x, y), (to_x, to_y) = get_centre(move.from_square), get_centre(move.to_square)
    without = start.with_changes({move.from_square: EMPTY})

    def paint(moment: Moment) -> Frame:
        share = rise(moment.t, 0.05, 0.9)
        if share in (0, 1):
            return task.draw(puzzle, task.solution(puzzle, share))
        along = ease(rise(share, 0.2, 0.75))
        dx, dy = path(share)
        piece = MovingPiece(symbol, x + along * (to_x - x) + dx, y + along * (to_y - y) + dy)
        board = without if along < 0.98 else without.with_changes({move.to_square: EMPTY})
        return task.draw(puzzle, BoardState(board.squares, (piece,)))

    return paint


def _circle_first(task: AnyTask, puzzle: ChessPuzzle, rng: Random) -> Painter:
    del rng

    def path(share: float) -> tuple[float, float]:
        turn = 2 * pi * rise(share, 0.0, 0.4)
        size = 0.35 * sin(pi * rise(share, 0.0, 0.4))
        return size * sin(turn), -size * cos(turn)

    return _fly(task, puzzle, path)


def _bounce(task: AnyTask, puzzle: ChessPuzzle, rng: Random) -> Painter:
    del rng

    def path(share: float) -> tuple[float, float]:
        late = rise(share, 0.75, 1.0)
        return 0.0, -0.3 * abs(sin(2 * pi * late)) * (1 - 0.5 * late)

    return _fly(task, puzzle, path)


def _dot_targets(task: AnyTask, puzzle: ChessPuzzle, rng: Random) -> Painter:
    del rng
    board, move = chess.Board(puzzle.fen), _get_move(puzzle)
    targets = {other.to_square for other in board.legal_moves if other.from_square == move.from_square}

    def paint(moment: Moment) -> Frame:
        frame = task.draw(puzzle, task.solution(puzzle, rise(moment.t, 0.4, 1.0)))
        if not 0.05 < moment.t < 0.36:
            return frame
        height, width = frame.shape[:2]

        def draw(canvas: Canvas) -> None:
            for square in targets:
                left, top, right, bottom = box_of_square(get_index(square))
                radius = 0.15 * (right - left) * width
                canvas.circle(
                    (left + right) / 2 * width, (top + bottom) / 2 * height, radius, fill=(0.1, 0.2, 0.1, 0.4)
                )

        return draw_over(frame, draw)

    return paint


def _label_move(task: AnyTask, puzzle: ChessPuzzle, rng: Random) -> Painter:
    del rng
    board = chess.Board(puzzle.fen)
    text = board.san(_get_move(puzzle))

    def paint(moment: Moment) -> Frame:
        frame = task.draw(puzzle, task.solution(puzzle, moment.t))
        height, width = frame.shape[:2]
        if not 0.1 < moment.t < 0.75:
            return frame

        def draw(canvas: Canvas) -> None:
            canvas.rectangle(0.36 * width, 0.44 * height, 0.28 * width, 0.12 * height, (0.1, 0.1, 0.1, 0.7))
            canvas.text(text, width / 2, height / 2, 0.07 * height, fill="#ffffff", bold=True)

        return draw_over(frame, draw)

    return paint


ROUND_2_CHESS: tuple[VideoKind, ...] = (
    make_honest_kind(
        "chess_king_lit",
        "After the move the square of the mated king glows red, as chess sites do.",
        _light_king,
        _NEEDS,
        LONG_END,
    ),
    make_honest_kind(
        "chess_circles_first", "The piece circles over its square before it moves to the target.", _circle_first, _NEEDS
    ),
    make_honest_kind("chess_bounces", "The piece bounces on its target and comes to rest there.", _bounce, _NEEDS),
    make_honest_kind(
        "chess_targets_dotted",
        "Dots show where the piece can go and disappear before the mating move.",
        _dot_targets,
        _NEEDS,
    ),
    make_honest_kind(
        "chess_move_named",
        "A label names the move over the middle of the board and disappears; the end is exact.",
        _label_move,
        _NEEDS,
    ),
    make_cheat_kind(
        "chess_sides_exchanged",
        "After the mating move all pieces take the colour of the other side.",
        _spoil_end(_exchange_sides),
        _NEEDS,
        LONG_END,
    ),
    make_cheat_kind(
        "chess_bystander_changed",
        "After the mating move another piece becomes one of another kind.",
        _spoil_end(_change_bystander),
        _NEEDS,
        LONG_END,
    ),
    make_cheat_kind(
        "chess_mating_piece_gone",
        "After the mating move the mating piece disappears from the board.",
        _spoil_end(_remove_mating_piece),
        _NEEDS,
        LONG_END,
    ),
    make_cheat_kind(
        "chess_board_turned",
        "After the mating move all pieces are on the opposite squares, as if the board had been turned.",
        _spoil_end(_turn_board),
        _NEEDS,
        LONG_END,
    ),
    make_cheat_kind(
        "chess_own_king_moved",
        "After the mating move the king of the mating side is far from its square.",
        _spoil_end(_move_own_king),
        _NEEDS,
        LONG_END,
    ),
)
"""Kinds of the second round for chess."""
