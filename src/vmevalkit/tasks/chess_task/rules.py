"""The logic of a chess video: when it is solved, how far it got, and what happened on the way. No pixels here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from math import hypot

import chess

from vmevalkit.core.records import Finding
from vmevalkit.tasks.chess_task.board_state import EMPTY, HIDDEN, BoardState, get_centre, get_index
from vmevalkit.tasks.chess_task.chess_reasoning import ChessPuzzle
from vmevalkit.tasks.chess_task.mates import parse_board
from vmevalkit.tasks.chess_task.motion import MoveAnimation, animate_move
from vmevalkit.tasks.chess_task.outcomes import (
    MoveOutcome,
    get_start_letters,
    list_answers,
    list_replies,
    list_wrong_moves,
)
from vmevalkit.tasks.evidence import is_long_enough
from vmevalkit.tasks.task import CheckResult, Trace, readable

LEGAL, CHECKING, RIGHT_PIECE = 0.1, 0.1, 0.2
"""Progress of a legal move, and what is added for a check or for a piece that could give mate, whichever is more. It is
less than a half, because none of them is the answer."""
LIFTED = LEGAL + RIGHT_PIECE
"""Progress while a piece that could give mate is between squares: as much as on a square that it passes."""
MIN_READ_SQUARES = 40
"""Squares that must be readable at the end. Hidden squares count as unchanged."""
SETTLED_S = 0.5
"""The final state is read over this time at the end of a video."""
_BESIDE = 1.0
"""A piece that is nearer than this to a square's centre may reach into the square, in squares."""
_MIN_DISTANCE = 0.2
"""A piece that is farther than this from both ends of its way is on the way, in squares."""
_MAX_DETOUR = 0.6
"""Squares whose centres are no farther than this from the straight way are on it, in squares."""

_PROMOTED = {"P": "QRBN", "p": "qrbn"}


def accepted(puzzle: ChessPuzzle, state: BoardState) -> bool:
    """Return whether a mate is on the board: the mating piece is readable, the rest unchanged or hidden."""
    return find_answer(puzzle, state) is not None


def find_answer(puzzle: ChessPuzzle, state: BoardState) -> MoveOutcome | None:
    """Return the mate that the board shows, if any."""
    if state.get_lifted_pieces():
        return None
    letters = state.get_letters()
    if letters.count(HIDDEN) > 64 - MIN_READ_SQUARES:
        return None
    return next((answer for answer in list_answers(puzzle) if answer.matches(letters)), None)


def progress(puzzle: ChessPuzzle, state: BoardState) -> float:
    """Return 1 for an answer, less than a half for another legal move, 0 for anything else."""
    if accepted(puzzle, state):
        return 1.0
    letters = state.get_letters()
    if letters.count(HIDDEN) > 64 - MIN_READ_SQUARES:
        return 0.0
    if state.get_lifted_pieces():
        return LIFTED if _is_piece_lifted(puzzle, state, letters) else 0.0
    if _fill_hidden(letters, get_start_letters(puzzle)) == get_start_letters(puzzle):
        return 0.0
    played = next((other for other in list_wrong_moves(puzzle) if other.matches(letters)), None)
    if played is None:
        return 0.0
    checks = parse_board(puzzle.fen).copy(stack=False).gives_check(chess.Move.from_uci(played.move))
    right = played.move[:2] in {uci[:2] for uci in puzzle.mates}
    return LEGAL + max(CHECKING * checks, RIGHT_PIECE * right)


def is_intact(puzzle: ChessPuzzle, state: BoardState) -> bool:
    """Return whether the pieces are those of the start, less at most one that is taken. A pawn may be promoted."""
    letters = state.get_letters() + "".join(piece.symbol for piece in state.get_lifted_pieces())
    before, now = Counter(get_start_letters(puzzle)), Counter(letters)
    hidden = now.pop(HIDDEN, 0)
    for count in (before, now):
        count.pop(EMPTY, None)
    added, missing = now - before, before - now
    promoted = sum(min(added[piece], missing[pawn]) for pawn, pieces in _PROMOTED.items() for piece in pieces)
    return added.total() - promoted <= 0 and missing.total() - promoted <= 1 + hidden


def _is_piece_lifted(puzzle: ChessPuzzle, state: BoardState, letters: str) -> bool:
    """Return whether a piece that could give mate is between squares, and nothing else has changed."""
    start = get_start_letters(puzzle)
    changed = [i for i in range(64) if letters[i] not in (HIDDEN, start[i])]
    symbols = [piece.symbol for piece in state.get_lifted_pieces()]
    for uci in puzzle.mates:
        source = get_index(chess.parse_square(uci[:2]))
        if changed == [source] and letters[source] == EMPTY and symbols == [start[source]]:
            return True
    return False


def state_key(puzzle: ChessPuzzle, state: BoardState) -> Hashable:
    """Return the letters, with hidden squares as unchanged, and the lifted pieces to the half square."""
    letters = _fill_hidden(state.get_letters(), get_start_letters(puzzle))
    return (
        letters,
        tuple((piece.symbol, round(2 * piece.x), round(2 * piece.y)) for piece in state.get_lifted_pieces()),
    )


def list_unseen_squares(state: BoardState) -> list[int]:
    """Return the squares that cannot be read, away from pieces that are off their squares' centres."""
    return [
        index
        for index, letter in enumerate(state.get_letters())
        if letter == HIDDEN
        and all(
            max(abs(piece.x - index % 8 - 0.5), abs(piece.y - index // 8 - 0.5)) >= _BESIDE for piece in state.moving
        )
    ]


def _fill_hidden(letters: str, known: str) -> str:
    if HIDDEN not in letters:
        return letters
    return "".join(reference if letter == HIDDEN else letter for letter, reference in zip(letters, known, strict=True))


def merge_states(states: Sequence[BoardState]) -> BoardState:
    """Return each square by the majority of its readable letters, the latest if several are equally frequent. Pieces
    that are lifted at the end count if pieces are lifted in a third of the readings."""
    boards = [state.get_letters() for state in states]
    letters = "".join(_majority_letter([board[index] for board in boards]) for index in range(64))
    lifted = sum(bool(state.get_lifted_pieces()) for state in states)
    return BoardState(letters, states[-1].get_lifted_pieces() if 3 * lifted >= len(states) else ())


def _majority_letter(letters: Sequence[str]) -> str:
    read = [letter for letter in letters if letter != HIDDEN]
    if 3 * len(read) < len(letters):
        return HIDDEN
    counts = Counter(reversed(read))
    return max(counts, key=lambda letter: counts[letter])


def check(puzzle: ChessPuzzle, trace: Trace[BoardState]) -> CheckResult:
    """Return the findings and metrics of a whole video."""
    states = readable(trace)
    if not states:
        return CheckResult()
    last_s = states[-1][0]
    final = merge_states([state for seconds, state in states if seconds > last_s - SETTLED_S])
    answer = find_answer(puzzle, final)
    on_the_way = _count_on_the_way(animate_move(puzzle.fen, answer.move), states) if answer else 0
    findings = [*_check_abrupt(puzzle, answer, on_the_way, states), *_check_wrong_first(puzzle, answer, states)]
    if answer is None:
        findings += _check_final(puzzle, final, last_s)
    letters = _fill_hidden(final.get_letters(), get_start_letters(puzzle))
    nearest = min(list_answers(puzzle), key=lambda other: _count_differences(other.letters, letters))
    hidden = sum(state.get_letters().count(HIDDEN) for _, state in states)
    metrics = {
        "squares_wrong_at_end": float(_count_differences(nearest.letters, letters)),
        "readings_on_the_way": float(on_the_way),
        "readable_squares_share": round(1 - hidden / (64 * len(states)), 4),
        "readable_share": round(len(states) / len(trace), 4),
    }
    return CheckResult(tuple(findings), metrics)


def _count_differences(one: str, other: str) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


Readings = Sequence[tuple[float, BoardState]]


def _count_on_the_way(animation: MoveAnimation, states: Readings) -> int:
    """Return the number of readings with the moving piece away from both ends of its way."""
    start, glide = animation.before.squares, animation.glides[0]
    ends = [get_centre(glide.source), get_centre(glide.target)]
    count = 0
    for _, state in states:
        spots = [(piece.x, piece.y) for piece in state.moving if piece.symbol == glide.symbol]
        spots += [
            (i % 8 + 0.5, i // 8 + 0.5)
            for i, letter in enumerate(state.squares)
            if letter == glide.symbol and start[i] == EMPTY
        ]
        count += any(all(max(abs(x - a), abs(y - b)) > _MIN_DISTANCE for a, b in ends) for x, y in spots)
    return count


def _check_abrupt(
    puzzle: ChessPuzzle, answer: MoveOutcome | None, on_the_way: int, states: Readings
) -> Iterator[Finding]:
    if answer is not None and not on_the_way:
        since = next((seconds for seconds, state in states if accepted(puzzle, state)), None)
        detail = f"{_to_san(puzzle, answer.move)} is played abruptly: the piece is never visible on its way."
        yield Finding("abrupt_move", False, detail, since)


def _check_wrong_first(puzzle: ChessPuzzle, answer: MoveOutcome | None, states: Readings) -> Iterator[Finding]:
    """Report another move that was on the board for a while before it was taken back."""
    if answer is None:
        return
    start = get_start_letters(puzzle)
    for began, letters in _list_stable_positions(states):
        filled = _fill_hidden(letters, start)
        if filled == start or any(other.matches(letters) for other in list_answers(puzzle)):
            continue
        others = (*list_wrong_moves(puzzle), *list_replies(puzzle))
        wrong = next((other for other in others if other.letters == filled), None)
        if wrong is not None and not _is_on_path(answer.move, wrong.move):
            detail = f"Another move, {wrong.move[:2]}-{wrong.move[2:4]}, is played first and taken back."
            yield Finding("wrong_move_first", False, detail, began)
            return


def _is_on_path(uci: str, other: str) -> bool:
    """Return whether the straight way of one move passes the square where the other ends."""
    if uci[:2] != other[:2]:
        return False
    source, end, stop = (get_centre(chess.parse_square(name)) for name in (uci[:2], uci[2:4], other[2:4]))
    way, part = (end[0] - source[0], end[1] - source[1]), (stop[0] - source[0], stop[1] - source[1])
    length = hypot(*way)
    along, across = (way[0] * part[0] + way[1] * part[1]) / length, (way[0] * part[1] - way[1] * part[0]) / length
    return 0 < along < length and abs(across) <= _MAX_DETOUR


def _list_stable_positions(states: Readings) -> Iterator[tuple[float, str]]:
    """Yield the positions that lasted for a while with no piece lifted, and when each began."""
    began, count, latest, is_yielded = 0.0, 0, "", False
    for seconds, state in states:
        letters = state.get_letters()
        if state.get_lifted_pieces():
            count, latest = 0, ""
            continue
        if letters != latest:
            began, count, latest, is_yielded = seconds, 0, letters, False
        count += 1
        if not is_yielded and is_long_enough(count, seconds - began):
            is_yielded = True
            yield began, letters


def _check_final(puzzle: ChessPuzzle, final: BoardState, seconds: float) -> Iterator[Finding]:
    """Report why the final position is not an answer."""
    start, letters = get_start_letters(puzzle), final.get_letters()
    if final.get_lifted_pieces():
        yield Finding("piece_between_squares", False, "At the end a piece is between squares.", seconds)
        return
    filled = _fill_hidden(letters, start)
    if filled == start:
        return
    played = next((other for other in list_wrong_moves(puzzle) if other.letters == filled), None)
    if played is not None:
        yield Finding("wrong_move", False, f"The move played, {_to_san(puzzle, played.move)}, is not mate.", seconds)
        return
    yield from _check_damage(puzzle, filled, seconds)


def _check_damage(puzzle: ChessPuzzle, letters: str, seconds: float) -> Iterator[Finding]:
    """Report the pieces added, lost or changed, compared with the start or an answer, whichever is nearest."""
    references = [get_start_letters(puzzle), *(answer.letters for answer in list_answers(puzzle))]
    reference = min(references, key=lambda other: _count_differences(other, letters))
    wrong = [
        (chess.square_name(get_index(i)), reference[i], letters[i]) for i in range(64) if reference[i] != letters[i]
    ]
    kinds = (
        ("piece_added", [f"{now} on {name}" for name, was, now in wrong if was == EMPTY]),
        ("piece_lost", [f"{was} on {name}" for name, was, now in wrong if now == EMPTY]),
        ("piece_changed", [f"{was} to {now} on {name}" for name, was, now in wrong if EMPTY not in (was, now)]),
    )
    for kind, which in kinds:
        if which:
            verb = kind.removeprefix("piece_")
            yield Finding(kind, True, f"At the end pieces are {verb}: {', '.join(which[:4])}.", seconds)


def _to_san(puzzle: ChessPuzzle, uci: str) -> str:
    return parse_board(puzzle.fen).copy(stack=False).san(chess.Move.from_uci(uci))
