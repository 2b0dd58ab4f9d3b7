"""Cheats, wrong answers, and right answers that look unusual: each a trajectory of states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import pi, sin
from random import Random

import chess

from vmevalkit.tasks.chess_task.board_state import EMPTY, BoardState, Flyer, centre_of
from vmevalkit.tasks.chess_task.chess_reasoning import ARRIVAL, ChessPuzzle
from vmevalkit.tasks.chess_task.motion import Course, course_of
from vmevalkit.tasks.chess_task.rules import accepted, answers
from vmevalkit.tasks.task import Expected, Film

_Shown = Callable[[float], BoardState]


def films(puzzle: ChessPuzzle, rng: Random) -> dict[str, Film[BoardState]]:
    """The films that this position allows."""
    shown: dict[str, Film[BoardState]] = {}
    for make in (_wrong_moves, _damaged, _illegal, _promoted_wrongly, _left_unfinished, _unusual):
        for name, state_at, expected, why in make(puzzle, rng):
            shown[name] = Film(state_at, expected, why)
    return shown


_Films = Iterator[tuple[str, _Shown, Expected, str]]


def _played(course: Course, begin: float = 0.0, end: float = ARRIVAL) -> _Shown:
    """A move between two times."""
    return lambda t: course.at((t - begin) / (end - begin))


def _mate(puzzle: ChessPuzzle) -> Course:
    return course_of(puzzle.fen, puzzle.mates[0])


def _wrong_moves(puzzle: ChessPuzzle, rng: Random) -> _Films:
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
            yield name, _played(course_of(puzzle.fen, rng.choice(moves).uci())), "fail", why
    board.turn = not board.turn
    replies = list(board.legal_moves)
    if replies:
        reply = rng.choice(replies)
        yield "wrong_side", _played(course_of(board.fen(), reply.uci())), "fail", "the other side moves"
    yield from _both_move(puzzle, rng)


def _both_move(puzzle: ChessPuzzle, rng: Random) -> _Films:
    """The mate is played, and then the other side moves as if it were none."""
    board = chess.Board(puzzle.fen)
    board.push_uci(puzzle.mates[0])
    movable = [move for move in board.pseudo_legal_moves if not board.is_castling(move)]
    if movable:
        first, second = _mate(puzzle), course_of(board.fen(), rng.choice(movable).uci())
        yield (
            "both_move",
            lambda t: first.at(t / 0.45) if t < 0.5 else second.at((t - 0.5) / 0.35),
            "fail",
            "after the mate the other side moves too",
        )


def _damaged(puzzle: ChessPuzzle, rng: Random) -> _Films:
    """The mate is played, but something else changes on the board."""
    course, when = _mate(puzzle), rng.uniform(0.2, 0.8)
    before, after = course.before, course.after
    still = [s for s in chess.SQUARES if before.at(s) == after.at(s) != EMPTY]
    crossed = {square for glide in course.glides for square in chess.SquareSet.between(glide.source, glide.target)}
    free = [s for s in chess.SQUARES if before.at(s) == after.at(s) == EMPTY and s not in crossed]
    men = [s for s in still if before.at(s) not in "kK"]

    def with_change(square: chess.Square, symbol: str) -> _Shown:
        def shown(t: float) -> BoardState:
            state = course.at(t / ARRIVAL)
            return state.changed({square: symbol}, *state.flyers) if t >= when else state

        return shown

    added = rng.choice("PNBRQpnbrq")
    yield "extra_piece", with_change(rng.choice(free), added), "fail", "a piece appears that was not there"
    if men:
        square = rng.choice(men)
        symbol = before.at(square)
        yield "piece_vanishes", with_change(square, EMPTY), "fail", "a piece that takes no part vanishes"
        kinds = "PNBRQ" if symbol.isupper() else "pnbrq"
        other = rng.choice(kinds.replace(symbol, ""))
        yield "piece_changes", with_change(square, other), "fail", "a piece that takes no part becomes another"
        yield "piece_recoloured", with_change(square, symbol.swapcase()), "fail", "a piece changes its colour"
        yield "piece_strays", _strays(course, square, free, rng), "fail", "a second piece is moved as well"
    source = course.glides[0].source
    yield (
        "piece_cloned",
        with_change(source, before.at(source)) if when > 0.5 else _cloned(course),
        "fail",
        "the piece arrives, and stands on its old square too",
    )
    gone = before.changed({source: EMPTY})
    yield (
        "piece_lost",
        lambda t: course.at(t / ARRIVAL) if t < 0.5 else gone,
        "fail",
        "the piece sets out and vanishes",
    )


def _cloned(course: Course) -> _Shown:
    source = course.glides[0].source

    def shown(t: float) -> BoardState:
        state = course.at(t / ARRIVAL)
        return state.changed({source: course.before.at(source)}, *state.flyers)

    return shown


def _strays(course: Course, square: chess.Square, free: list[chess.Square], rng: Random) -> _Shown:
    end = rng.choice([s for s in free if chess.square_distance(s, square) <= 2] or free)
    (x, y), (end_x, end_y) = centre_of(square), centre_of(end)
    symbol = course.before.at(square)

    def shown(t: float) -> BoardState:
        state, share = course.at(t / ARRIVAL), min(t / ARRIVAL, 1.0)
        if share <= 0:
            return state
        if share >= 1:
            return state.changed({square: EMPTY, end: symbol}, *state.flyers)
        flyer = Flyer(symbol, x + share * (end_x - x), y + share * (end_y - y))
        return state.changed({square: EMPTY}, *state.flyers, flyer)

    return shown


def _illegal(puzzle: ChessPuzzle, rng: Random) -> _Films:
    """A piece goes where it cannot go, to a position that is mate."""
    board = chess.Board(puzzle.fen)
    mine = list(chess.scan_forward(board.occupied_co[board.turn] & ~board.kings))
    free = list(chess.scan_forward(~board.occupied_co[board.turn] & chess.BB_ALL & ~board.kings))
    accepted = {answer.letters for answer in answers(puzzle)}
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
        course = course_of(puzzle.fen, move.uci())
        if course.after.squares not in accepted:
            yield "illegal_mate", _played(course), "fail", "a piece goes where it cannot go, and that would be mate"
            return


def _promoted_wrongly(puzzle: ChessPuzzle, rng: Random) -> _Films:
    move = puzzle.mates[0]
    if len(move) < 5:
        return
    others = [kind for kind in "qrbn" if move[:4] + kind not in puzzle.mates]
    if others:
        course = course_of(puzzle.fen, move[:4] + rng.choice(others))
        yield "wrong_promotion", _played(course), "fail", "the pawn becomes a piece that does not mate"
    course, target = _mate(puzzle), chess.parse_square(move[2:4])
    pawn = course.glides[0].symbol
    yield (
        "not_promoted",
        lambda t: course.at(t / ARRIVAL) if t < ARRIVAL else course.after.changed({target: pawn}),
        "fail",
        "the pawn stays a pawn on the last rank",
    )


def _left_unfinished(puzzle: ChessPuzzle, rng: Random) -> _Films:
    course, share = _mate(puzzle), rng.uniform(0.4, 0.6)
    if not accepted(puzzle, course.at(share)):  # on its way it may pass a square that mates too
        yield (
            "stops_short",
            lambda t: course.at(min(t / ARRIVAL, share)),
            "fail",
            "the piece stops on its way",
        )
    yield (
        "taken_back",
        lambda t: course.at(t / 0.4) if t < 0.5 else course.at(1 - (t - 0.5) / 0.4),
        "fail",
        "the mate is played and taken back",
    )


def _unusual(puzzle: ChessPuzzle, rng: Random) -> _Films:
    course = _mate(puzzle)
    yield "snaps", lambda t: course.at(float(t >= 0.5)), "pass", "the piece snaps to its square, as on a screen"
    yield "lifted", _arc(course), "pass", "the piece is lifted over the board in an arc"
    yield "overshoots", _overshoot(course), "pass", "the piece goes a little too far and settles"
    askew = rng.uniform(-0.15, 0.15), rng.uniform(-0.15, 0.15)
    yield "askew", _askew(course, askew), "pass", "the piece comes to stand off its square's centre"
    board = chess.Board(puzzle.fen)
    wrong = [
        move for move in board.legal_moves
        if move.uci()[:4] not in {mate[:4] for mate in puzzle.mates} and not board.is_capture(move)
        and not move.promotion and not board.is_castling(move)
    ]  # fmt: skip
    if wrong:
        astray = course_of(puzzle.fen, rng.choice(wrong).uci())
        yield "corrected", _corrected(astray, course), "pass", "a wrong move is played, taken back, and the mate played"
    if len(puzzle.mates) > 1:
        other = course_of(puzzle.fen, rng.choice(puzzle.mates[1:]))
        yield "another_mate", _played(other), "pass", "another move that gives mate too"


def _corrected(astray: Course, course: Course) -> _Shown:
    def shown(t: float) -> BoardState:
        if t < 0.45:
            return astray.at(t / 0.2 if t < 0.3 else 1 - (t - 0.3) / 0.15)
        return course.at((t - 0.5) / 0.4)

    return shown


def _arc(course: Course) -> _Shown:
    def shown(t: float) -> BoardState:
        share = t / ARRIVAL
        if not 0 < share < 1:
            return course.at(share)
        flyers = [glide.at(share) for glide in course.glides]
        return course.at(share, [Flyer(f.symbol, f.x, max(f.y - 0.6 * sin(pi * share), 0.3)) for f in flyers])

    return shown


def _overshoot(course: Course) -> _Shown:
    def shown(t: float) -> BoardState:
        share = t / 0.7
        if share < 1 or t >= 0.9:
            return course.at(share)
        beyond = 0.35 * sin(pi * (t - 0.7) / 0.2)
        flyers = []
        for glide in course.glides:
            (x, y), (end_x, end_y) = centre_of(glide.source), centre_of(glide.target)
            length = max(abs(end_x - x), abs(end_y - y))
            symbol = course.after.at(glide.target)
            flyers.append(Flyer(symbol, end_x + beyond * (end_x - x) / length, end_y + beyond * (end_y - y) / length))
        return course.after.changed({glide.target: EMPTY for glide in course.glides}, *flyers)

    return shown


def _askew(course: Course, by: tuple[float, float]) -> _Shown:
    target = course.glides[0].target
    x, y = centre_of(target)

    def shown(t: float) -> BoardState:
        state = course.at(t / ARRIVAL)
        if t < ARRIVAL:
            return state
        return state.changed({target: EMPTY}, Flyer(state.at(target), x + by[0], y + by[1]))

    return shown
