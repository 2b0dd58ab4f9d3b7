"""The logic of a chess film: when it is solved, how far it got, and what happened on the way. No pixels here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import hypot

import chess

from vmevalkit.core.records import Finding
from vmevalkit.tasks.chess_task.board_state import EMPTY, HIDDEN, BoardState, centre_of, place_of
from vmevalkit.tasks.chess_task.chess_reasoning import ChessPuzzle
from vmevalkit.tasks.chess_task.mates import board_of
from vmevalkit.tasks.chess_task.motion import Course, course_of
from vmevalkit.tasks.task import Checked, Trace, readable

LEGAL, CHECKING, RIGHT_PIECE = 0.1, 0.1, 0.2
"""Progress of a legal move, of one that gives check besides, and of one by a piece that could give mate: together
less than a half, for none of them is the answer."""
LIFTED = 0.2
"""Progress while a piece that could give mate is away from its square and not yet on another."""
LEAST_TOLD = 40
"""Squares that must be told at the end. What is hidden is taken to be as it was."""
BELIEVED, BELIEVED_S = 3, 0.2
"""A position is believed that is read so often in a row, or twice and for so long."""
SETTLED_S = 0.5
"""The end of a film is read over this time."""
_ON_THE_WAY = 0.2
"""A piece farther than this from both ends of its way is seen on it, in squares."""

_BESIDE = 0.6
"""Squares whose centres are no farther than this from a way are passed on it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The position after one move, as letters, and what must be seen of it."""

    move: str
    """In UCI notation."""
    letters: str
    targets: tuple[int, ...]
    """Places where something stands that did not before: these must be told."""

    def matches(self, letters: str) -> bool:
        """Whether the letters are this position, as far as they are told."""
        if letters == self.letters:
            return True
        if any(letters[place] != self.letters[place] for place in self.targets):
            return False
        return all(seen in (HIDDEN, due) for seen, due in zip(letters, self.letters, strict=True))


def _outcome(puzzle: ChessPuzzle, uci: str) -> Outcome:
    course = course_of(puzzle.fen, uci)
    before, after = course.before.squares, course.after.squares
    targets = tuple(i for i in range(64) if after[i] not in (EMPTY, before[i]))
    return Outcome(uci, after, targets)


@lru_cache(maxsize=64)
def answers(puzzle: ChessPuzzle) -> tuple[Outcome, ...]:
    return tuple(_outcome(puzzle, uci) for uci in puzzle.mates)


@lru_cache(maxsize=16)
def wrong_moves(puzzle: ChessPuzzle) -> tuple[Outcome, ...]:
    """What every legal move that is no answer leads to."""
    moves = [move.uci() for move in board_of(puzzle.fen).legal_moves]
    return tuple(_outcome(puzzle, uci) for uci in moves if uci not in puzzle.mates)


@lru_cache(maxsize=16)
def replies(puzzle: ChessPuzzle) -> tuple[Outcome, ...]:
    """What every move of the other side leads to, as if it were to move."""
    board = board_of(puzzle.fen).copy(stack=False)
    board.turn = not board.turn
    turned = ChessPuzzle(board.fen(), (), puzzle.family)
    return tuple(_outcome(turned, move.uci()) for move in board.legal_moves)


def start_letters(puzzle: ChessPuzzle) -> str:
    return course_of(puzzle.fen, puzzle.mates[0]).before.squares


def accepted(puzzle: ChessPuzzle, state: BoardState) -> bool:
    """The board after a mating move: the piece seen where it mates, everything else as it was or hidden."""
    return answered(puzzle, state) is not None


def answered(puzzle: ChessPuzzle, state: BoardState) -> Outcome | None:
    if state.aloft():
        return None
    letters = state.standing()
    if letters.count(HIDDEN) > 64 - LEAST_TOLD:
        return None
    return next((answer for answer in answers(puzzle) if answer.matches(letters)), None)


def progress(puzzle: ChessPuzzle, state: BoardState) -> float:
    """1 for an answer, less than a half for another legal move, 0 for anything else."""
    if accepted(puzzle, state):
        return 1.0
    letters = state.standing()
    if letters.count(HIDDEN) > 64 - LEAST_TOLD:
        return 0.0
    if state.aloft():
        return LIFTED if _lifted(puzzle, state, letters) else 0.0
    if _filled(letters, start_letters(puzzle)) == start_letters(puzzle):
        return 0.0
    played = next((other for other in wrong_moves(puzzle) if other.matches(letters)), None)
    if played is None:
        return 0.0
    checks = board_of(puzzle.fen).copy(stack=False).gives_check(chess.Move.from_uci(played.move))
    right = played.move[:2] in {uci[:2] for uci in puzzle.mates}
    return LEGAL + CHECKING * checks + RIGHT_PIECE * right


def _lifted(puzzle: ChessPuzzle, state: BoardState, letters: str) -> bool:
    """Whether a piece that could give mate is in the air, and nothing else has changed."""
    start = start_letters(puzzle)
    gone = [i for i in range(64) if letters[i] not in (HIDDEN, start[i])]
    symbols = [flyer.symbol for flyer in state.aloft()]
    for uci in puzzle.mates:
        source = place_of(chess.parse_square(uci[:2]))
        if gone == [source] and letters[source] == EMPTY and symbols == [start[source]]:
            return True
    return False


def identity(puzzle: ChessPuzzle, state: BoardState) -> Hashable:
    """What is hidden counts as unchanged; flyers count by the half square."""
    letters = _filled(state.standing(), start_letters(puzzle))
    return (letters, tuple((flyer.symbol, round(2 * flyer.x), round(2 * flyer.y)) for flyer in state.aloft()))


def _filled(letters: str, known: str) -> str:
    if HIDDEN not in letters:
        return letters
    return "".join(due if seen == HIDDEN else seen for seen, due in zip(letters, known, strict=True))


def settle(states: Sequence[BoardState]) -> BoardState:
    """Each square by the majority of the readings that told it, the latest where they are even. What flies at the end
    flies, if it was not seen once only."""
    read = [state.standing() for state in states]
    letters = "".join(_majority([letters[place] for letters in read]) for place in range(64))
    flown = sum(bool(state.aloft()) for state in states)
    return BoardState(letters, states[-1].aloft() if 3 * flown >= len(states) else ())


def _majority(seen: Sequence[str]) -> str:
    told = [letter for letter in seen if letter != HIDDEN]
    if 3 * len(told) < len(seen):
        return HIDDEN
    counts = Counter(reversed(told))
    return max(counts, key=lambda letter: counts[letter])


def check(puzzle: ChessPuzzle, trace: Trace[BoardState]) -> Checked:
    seen = readable(trace)
    if not seen:
        return Checked()
    last_s = seen[-1][0]
    final = settle([state for seconds, state in seen if seconds > last_s - SETTLED_S])
    answer = answered(puzzle, final)
    between = _on_the_way(course_of(puzzle.fen, answer.move), seen) if answer else 0
    findings = [*_abrupt(puzzle, answer, between, seen), *_wrong_first(puzzle, answer, seen)]
    if answer is None:
        findings += _wrong_end(puzzle, final, last_s)
    letters = _filled(final.standing(), start_letters(puzzle))
    nearest = min(answers(puzzle), key=lambda other: _differences(other.letters, letters))
    metrics = {
        "squares_wrong_at_end": float(_differences(nearest.letters, letters)),
        "readings_on_the_way": float(between),
        "told_share": round(sum(64 - s.standing().count(HIDDEN) for _, s in seen) / (64 * len(seen)), 4),
        "readable_share": round(len(seen) / len(trace), 4),
    }
    return Checked(tuple(findings), metrics)


def _differences(one: str, other: str) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


Seen = Sequence[tuple[float, BoardState]]


def _on_the_way(course: Course, seen: Seen) -> int:
    """In how many readings a moving piece is seen away from both ends of its way."""
    start, glide = course.before.squares, course.glides[0]
    ends = [centre_of(glide.source), centre_of(glide.target)]
    count = 0
    for _, state in seen:
        spots = [(flyer.x, flyer.y) for flyer in state.flyers if flyer.symbol == glide.symbol]
        spots += [
            (i % 8 + 0.5, i // 8 + 0.5)
            for i, letter in enumerate(state.squares)
            if letter == glide.symbol and start[i] == EMPTY
        ]
        count += any(all(max(abs(x - a), abs(y - b)) > _ON_THE_WAY for a, b in ends) for x, y in spots)
    return count


def _abrupt(puzzle: ChessPuzzle, answer: Outcome | None, between: int, seen: Seen) -> Iterator[Finding]:
    if answer is not None and not between:
        since = next((seconds for seconds, state in seen if accepted(puzzle, state)), None)
        detail = f"{_san(puzzle, answer.move)} is played abruptly: the piece is not seen on its way."
        yield Finding("abrupt_move", False, detail, since)


def _wrong_first(puzzle: ChessPuzzle, answer: Outcome | None, seen: Seen) -> Iterator[Finding]:
    """Another move that stood on the board for a while before it was taken back."""
    if answer is None:
        return
    start = start_letters(puzzle)
    for began, letters in _believed(seen):
        filled = _filled(letters, start)
        if filled == start or any(other.matches(letters) for other in answers(puzzle)):
            continue
        others = (*wrong_moves(puzzle), *replies(puzzle))
        wrong = next((other for other in others if other.letters == filled), None)
        if wrong is not None and not _passes(answer.move, wrong.move):
            detail = f"Another move, {wrong.move[:2]}-{wrong.move[2:4]}, is played first and taken back."
            yield Finding("wrong_move_first", False, detail, began)
            return


def _passes(uci: str, other: str) -> bool:
    """Whether a piece on the straight way of one move passes the square where the other ends."""
    if uci[:2] != other[:2]:
        return False
    source, end, stop = (centre_of(chess.parse_square(name)) for name in (uci[:2], uci[2:4], other[2:4]))
    way, gone = (end[0] - source[0], end[1] - source[1]), (stop[0] - source[0], stop[1] - source[1])
    length = hypot(*way)
    along, across = (way[0] * gone[0] + way[1] * gone[1]) / length, (way[0] * gone[1] - way[1] * gone[0]) / length
    return 0 < along < length and abs(across) <= _BESIDE


def _believed(seen: Seen) -> Iterator[tuple[float, str]]:
    """Positions that stood for a while with nothing in the air, and when each began."""
    began, count, latest = 0.0, 0, ""
    for seconds, state in seen:
        letters = state.standing()
        if state.aloft():
            count, latest = 0, ""
            continue
        if letters != latest:
            began, count, latest = seconds, 0, letters
        count += 1
        if count == BELIEVED or (count == 2 and seconds - began >= BELIEVED_S):
            yield began, letters


def _wrong_end(puzzle: ChessPuzzle, final: BoardState, seconds: float) -> Iterator[Finding]:
    """What keeps the final position from being an answer."""
    start, letters = start_letters(puzzle), final.standing()
    if final.aloft():
        yield Finding("piece_between_squares", False, "At the end a piece is between squares.", seconds)
        return
    filled = _filled(letters, start)
    if filled == start:
        return
    played = next((other for other in wrong_moves(puzzle) if other.letters == filled), None)
    if played is not None:
        yield Finding("wrong_move", False, f"The move played, {_san(puzzle, played.move)}, is not mate.", seconds)
        return
    yield from _damage(puzzle, filled, seconds)


def _damage(puzzle: ChessPuzzle, letters: str, seconds: float) -> Iterator[Finding]:
    """Pieces added, lost or changed, besides the nearest answer or the start, whichever is nearer."""
    references = [start_letters(puzzle), *(answer.letters for answer in answers(puzzle))]
    due = min(references, key=lambda reference: _differences(reference, letters))
    wrong = [(chess.square_name(place_of(i)), due[i], letters[i]) for i in range(64) if due[i] != letters[i]]
    kinds = (
        ("piece_added", [f"{now} on {name}" for name, was, now in wrong if was == EMPTY]),
        ("piece_lost", [f"{was} on {name}" for name, was, now in wrong if now == EMPTY]),
        ("piece_changed", [f"{was} to {now} on {name}" for name, was, now in wrong if EMPTY not in (was, now)]),
    )
    for kind, which in kinds:
        if which:
            verb = kind.removeprefix("piece_")
            yield Finding(kind, True, f"At the end pieces are {verb}: {', '.join(which[:4])}.", seconds)


def _san(puzzle: ChessPuzzle, uci: str) -> str:
    return board_of(puzzle.fen).copy(stack=False).san(chess.Move.from_uci(uci))
