"""Cheats and wrong answers: each a trajectory of states with its expected verdict."""

from __future__ import annotations

from random import Random

import chess

from vmevalkit.tasks.chess_task.board_state import EMPTY, BoardState, MovingPiece, get_centre
from vmevalkit.tasks.chess_task.chess_reasoning import ARRIVAL, ChessPuzzle
from vmevalkit.tasks.chess_task.motion import MoveAnimation, animate_move
from vmevalkit.tasks.chess_task.outcomes import list_answers
from vmevalkit.tasks.chess_task.rules import accepted
from vmevalkit.tasks.chess_task.unusual_answers import Cheats, StateFunction, make_unusual_answers
from vmevalkit.tasks.task import StateTrajectory


def cheats(puzzle: ChessPuzzle, rng: Random) -> dict[str, StateTrajectory[BoardState]]:
    """Return the trajectories that are possible for this position."""
    trajectories: dict[str, StateTrajectory[BoardState]] = {}
    for make in (
        _make_wrong_moves,
        _make_damage,
        _make_illegal_mate,
        _make_wrong_promotions,
        _make_unfinished,
        make_unusual_answers,
    ):
        for name, state_at, expected, why in make(puzzle, rng):
            trajectories[name] = StateTrajectory(state_at, expected, why)
    return trajectories


def _play(animation: MoveAnimation, begin: float = 0.0, end: float = ARRIVAL) -> StateFunction:
    """Return the video of a move between two times."""
    return lambda t: animation.at((t - begin) / (end - begin))


def _animate_mate(puzzle: ChessPuzzle) -> MoveAnimation:
    return animate_move(puzzle.fen, puzzle.mates[0])


def _make_wrong_moves(puzzle: ChessPuzzle, rng: Random) -> Cheats:
    board = chess.Board(puzzle.fen)
    source = chess.parse_square(puzzle.mates[0][:2])
    mating = {move[:4] for move in puzzle.mates}
    # A pawn that would mate as another piece is another kind of mistake.
    legal = [move for move in board.legal_moves if move.uci()[:4] not in mating]
    checks = [move for move in legal if board.gives_check(move)]
    same = [move for move in legal if move.from_square == source]
    other = [move for move in legal if move.from_square != source and move not in checks]
    for name, moves, why in (
        ("other_move", other, "another piece makes a legal move that is not mate"),
        ("wrong_square", same, "the right piece goes to a wrong square"),
        ("only_check", checks, "a move that gives check, but not mate"),
    ):
        if moves:
            yield name, _play(animate_move(puzzle.fen, rng.choice(moves).uci())), "fail", why
    board.turn = not board.turn
    replies = list(board.legal_moves)
    if replies:
        reply = rng.choice(replies)
        yield "wrong_side", _play(animate_move(board.fen(), reply.uci())), "fail", "the other side moves"
    yield from _make_reply(puzzle, rng)


def _make_reply(puzzle: ChessPuzzle, rng: Random) -> Cheats:
    """The mate is played, and then the other side moves as if it were not mate."""
    board = chess.Board(puzzle.fen)
    board.push_uci(puzzle.mates[0])
    movable = [move for move in board.pseudo_legal_moves if not board.is_castling(move)]
    if movable:
        first, second = _animate_mate(puzzle), animate_move(board.fen(), rng.choice(movable).uci())
        yield (
            "both_move",
            lambda t: first.at(t / 0.45) if t < 0.5 else second.at((t - 0.5) / 0.35),
            "fail",
            "after the mate the other side moves too",
        )


def _make_damage(puzzle: ChessPuzzle, rng: Random) -> Cheats:
    """The mate is played, but something else changes on the board."""
    animation, when = _animate_mate(puzzle), rng.uniform(0.2, 0.8)
    before, after = animation.before, animation.after
    unmoved = [s for s in chess.SQUARES if before.at(s) == after.at(s) != EMPTY]
    crossed = {square for glide in animation.glides for square in chess.SquareSet.between(glide.source, glide.target)}
    free = [s for s in chess.SQUARES if before.at(s) == after.at(s) == EMPTY and s not in crossed]
    others = [s for s in unmoved if before.at(s) not in "kK"]

    def with_change(square: chess.Square, symbol: str) -> StateFunction:
        def state_at(t: float) -> BoardState:
            state = animation.at(t / ARRIVAL)
            return state.with_changes({square: symbol}, *state.moving) if t >= when else state

        return state_at

    added = rng.choice("PNBRQpnbrq")
    yield "extra_piece", with_change(rng.choice(free), added), "fail", "a piece appears that was not there"
    if others:
        square = rng.choice(others)
        symbol = before.at(square)
        yield "piece_vanishes", with_change(square, EMPTY), "fail", "a piece that takes no part vanishes"
        kinds = "PNBRQ" if symbol.isupper() else "pnbrq"
        other = rng.choice(kinds.replace(symbol, ""))
        yield "piece_changes", with_change(square, other), "fail", "a piece that takes no part becomes another"
        yield "piece_recoloured", with_change(square, symbol.swapcase()), "fail", "a piece changes its colour"
        yield (
            "piece_strays",
            _move_second_piece(animation, square, free, rng),
            "fail",
            "a second piece is moved as well",
        )
    source = animation.glides[0].source
    yield (
        "piece_cloned",
        with_change(source, before.at(source)) if when > 0.5 else _clone_piece(animation),
        "fail",
        "the piece arrives, and is on its old square too",
    )
    gone = before.with_changes({source: EMPTY})
    yield (
        "piece_lost",
        lambda t: animation.at(t / ARRIVAL) if t < 0.5 else gone,
        "fail",
        "the piece starts to move and vanishes",
    )


def _clone_piece(animation: MoveAnimation) -> StateFunction:
    source = animation.glides[0].source

    def state_at(t: float) -> BoardState:
        state = animation.at(t / ARRIVAL)
        return state.with_changes({source: animation.before.at(source)}, *state.moving)

    return state_at


def _move_second_piece(
    animation: MoveAnimation, square: chess.Square, free: list[chess.Square], rng: Random
) -> StateFunction:
    end = rng.choice([s for s in free if chess.square_distance(s, square) <= 2] or free)
    (x, y), (end_x, end_y) = get_centre(square), get_centre(end)
    symbol = animation.before.at(square)

    def state_at(t: float) -> BoardState:
        state, share = animation.at(t / ARRIVAL), min(t / ARRIVAL, 1.0)
        if share <= 0:
            return state
        if share >= 1:
            return state.with_changes({square: EMPTY, end: symbol}, *state.moving)
        piece = MovingPiece(symbol, x + share * (end_x - x), y + share * (end_y - y))
        return state.with_changes({square: EMPTY}, *state.moving, piece)

    return state_at


def _make_illegal_mate(puzzle: ChessPuzzle, rng: Random) -> Cheats:
    """A piece makes an illegal move to a position that is mate."""
    board = chess.Board(puzzle.fen)
    mine = list(chess.scan_forward(board.occupied_co[board.turn] & ~board.kings))
    free = list(chess.scan_forward(~board.occupied_co[board.turn] & chess.BB_ALL & ~board.kings))
    answers = {answer.letters for answer in list_answers(puzzle)}
    pairs = [(source, target) for source in mine for target in free]
    for source, target in rng.sample(pairs, min(len(pairs), 120)):
        move = chess.Move(source, target)
        kind = board.piece_type_at(source)
        if kind == chess.PAWN and chess.BB_SQUARES[target] & chess.BB_BACKRANKS:
            continue
        placed = board.copy(stack=False)
        placed.set_piece_at(target, placed.remove_piece_at(source))
        placed.turn = not placed.turn
        if not placed.is_checkmate() or board.is_legal(move) or not placed.is_valid():
            continue
        animation = animate_move(puzzle.fen, move.uci())
        if animation.after.squares not in answers:
            yield (
                "illegal_mate",
                _play(animation),
                "fail",
                "a piece makes an illegal move to a position that would be mate",
            )
            return


def _make_wrong_promotions(puzzle: ChessPuzzle, rng: Random) -> Cheats:
    move = puzzle.mates[0]
    if len(move) < 5:
        return
    others = [kind for kind in "qrbn" if move[:4] + kind not in puzzle.mates]
    if others:
        animation = animate_move(puzzle.fen, move[:4] + rng.choice(others))
        yield "wrong_promotion", _play(animation), "fail", "the pawn becomes a piece that does not mate"
    animation, target = _animate_mate(puzzle), chess.parse_square(move[2:4])
    pawn = animation.glides[0].symbol
    yield (
        "not_promoted",
        lambda t: animation.at(t / ARRIVAL) if t < ARRIVAL else animation.after.with_changes({target: pawn}),
        "fail",
        "the pawn stays a pawn on the last rank",
    )


def _make_unfinished(puzzle: ChessPuzzle, rng: Random) -> Cheats:
    animation, share = _animate_mate(puzzle), rng.uniform(0.4, 0.6)
    if not accepted(puzzle, animation.at(share)):  # on its way it can pass a square that mates too
        yield (
            "stops_short",
            lambda t: animation.at(min(t / ARRIVAL, share)),
            "fail",
            "the piece stops on its way",
        )
    yield (
        "taken_back",
        lambda t: animation.at(t / 0.4) if t < 0.5 else animation.at(1 - (t - 0.5) / 0.4),
        "fail",
        "the mate is played and taken back",
    )
