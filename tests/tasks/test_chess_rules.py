"""What is an answer, how far a video got, and what is found on the way: logic over hand-made traces."""

from __future__ import annotations

from collections.abc import Sequence

import chess
import pytest

from vmevalkit.eval.verdict import judge
from vmevalkit.tasks.chess_task import TASK, BoardState, ChessPuzzle, MovingPiece
from vmevalkit.tasks.chess_task.board_state import get_index, make_state
from vmevalkit.tasks.chess_task.chess_reasoning import make_puzzle
from vmevalkit.tasks.chess_task.motion import animate_move
from vmevalkit.tasks.task import FrameReading

PUZZLE = make_puzzle("6k1/5ppp/8/3n4/8/4P3/8/R3N2K w - - 0 1", "back_rank")
TWO = make_puzzle("6k1/5ppp/8/8/8/8/8/R3R2K w - - 0 1")
START = TASK.solution(PUZZLE, 0.0)
END = TASK.solution(PUZZLE, 1.0)
HALF = TASK.solution(PUZZLE, 0.425)


def after(puzzle: ChessPuzzle, uci: str) -> BoardState:
    return animate_move(puzzle.fen, uci).after


def with_letters(state: BoardState, **squares: str) -> BoardState:
    return state.with_changes({chess.parse_square(name): letter for name, letter in squares.items()}, *state.moving)


def trace(*parts: tuple[int, BoardState | None]) -> list[FrameReading[BoardState]]:
    """So many readings of each state, twelve a second."""
    states = [state for count, state in parts for _ in range(count)]
    return [FrameReading(i / 12, state, is_card=state is None) for i, state in enumerate(states)]


def gliding(puzzle: ChessPuzzle, uci: str, count: int = 12) -> list[tuple[int, BoardState | None]]:
    animation = animate_move(puzzle.fen, uci)
    return [(1, animation.at(i / count)) for i in range(1, count)]


def names(findings: Sequence[object]) -> set[str]:
    return {finding.name for finding in findings}  # type: ignore[attr-defined]


def test_the_position_after_a_mate_is_accepted_and_nothing_else() -> None:
    assert TASK.accepted(PUZZLE, END)
    assert not TASK.accepted(PUZZLE, START) and not TASK.accepted(PUZZLE, HALF)
    board = chess.Board(PUZZLE.fen)
    for move in board.legal_moves:
        assert TASK.accepted(PUZZLE, after(PUZZLE, move.uci())) == (move.uci() == "a1a8")


@pytest.mark.parametrize(
    "squares",
    [{"d5": "."}, {"d5": "b"}, {"d5": "N"}, {"c3": "P"}, {"a1": "R"}, {"a8": "Q"}, {"a8": "r"}, {"a8": "."}],
)
def test_anything_added_lost_or_changed_is_not_accepted(squares: dict[str, str]) -> None:
    assert not TASK.accepted(PUZZLE, with_letters(END, **squares))


def test_hidden_squares_count_as_unchanged_but_the_mating_piece_must_be_readable() -> None:
    assert TASK.accepted(PUZZLE, with_letters(END, d5="?", g7="?", b3="?", a1="?"))
    assert not TASK.accepted(PUZZLE, with_letters(END, a8="?"))
    hidden = BoardState("R" + "?" * 30 + END.squares[31:])
    assert not TASK.accepted(PUZZLE, hidden)


def test_a_piece_off_centre_is_accepted_and_one_between_squares_is_not() -> None:
    bare = with_letters(END, a8=".")
    assert TASK.accepted(PUZZLE, BoardState(bare.squares, (MovingPiece("R", 0.7, 0.35),)))
    hidden = with_letters(END, a8="?")
    assert TASK.accepted(PUZZLE, BoardState(hidden.squares, (MovingPiece("R", 0.5, 0.75),)))
    assert not TASK.accepted(PUZZLE, BoardState(hidden.squares, (MovingPiece("R", 0.5, 0.95),)))
    assert not TASK.accepted(PUZZLE, BoardState(END.squares, (MovingPiece("N", 4.0, 4.0),)))


def test_every_listed_mate_is_accepted() -> None:
    assert TWO.mates == ("a1a8", "e1e8")
    assert TASK.accepted(TWO, after(TWO, "a1a8")) and TASK.accepted(TWO, after(TWO, "e1e8"))


def test_progress_is_graded_below_a_half() -> None:
    def of(state: BoardState) -> float:
        return TASK.progress(PUZZLE, state)

    assert of(START) == 0.0 and of(END) == 1.0
    assert of(after(PUZZLE, "e3e4")) == pytest.approx(0.1)
    assert of(after(PUZZLE, "a1a5")) == pytest.approx(0.3)
    assert of(HALF) == pytest.approx(0.3)
    assert of(with_letters(END, d5=".")) == 0.0
    assert of(with_letters(START, d5=".")) == 0.0
    assert of(BoardState("?" * 64)) == 0.0
    checks = make_puzzle("6k1/5ppp/8/8/8/8/7K/R2Q4 w - - 0 1")
    assert TASK.progress(checks, after(checks, "d1d5")) == pytest.approx(0.3)
    two_rooks = make_puzzle("7k/R7/8/8/8/8/5K2/1R5N w - - 0 1")
    assert two_rooks.mates == ("b1b8",)
    assert TASK.progress(two_rooks, after(two_rooks, "a7a8")) == pytest.approx(0.2)


def test_the_state_key_ignores_hidden_squares() -> None:
    assert TASK.state_key(PUZZLE, with_letters(START, d5="?", e3="?")) == TASK.state_key(PUZZLE, START)
    assert TASK.state_key(PUZZLE, with_letters(START, d5=".")) != TASK.state_key(PUZZLE, START)
    assert TASK.state_key(PUZZLE, HALF) != TASK.state_key(PUZZLE, START)


def test_the_consensus_takes_each_square_by_majority() -> None:
    misread = with_letters(END, d5="b", g7="?")
    assert TASK.consensus_state(PUZZLE, [END, misread, END]) == END
    assert TASK.consensus_state(PUZZLE, [START, END]) == END  # the latest where they are even
    assert TASK.consensus_state(PUZZLE, [HALF, HALF, HALF]).moving == HALF.moving
    assert TASK.consensus_state(PUZZLE, [HALF, HALF, END]).moving == ()
    hidden = with_letters(END, a8="?")
    assert TASK.consensus_state(PUZZLE, [hidden, hidden, hidden, END]).at(chess.A8) == "?"
    assert TASK.consensus_state(PUZZLE, [hidden, END, hidden]).at(chess.A8) == "R"


def test_a_glide_scores_five_and_a_snap_four() -> None:
    glide = judge(TASK, PUZZLE, trace((6, START), *gliding(PUZZLE, "a1a8"), (12, END)), "rules")
    assert (glide.value, glide.passed, glide.findings) == (5, True, ())
    assert glide.metrics["readings_on_the_way"] >= 9 and glide.metrics["squares_wrong_at_end"] == 0
    snap = judge(TASK, PUZZLE, trace((12, START), (12, END)), "rules")
    assert (snap.value, snap.passed) == (4, True) and names(snap.findings) == {"abrupt_move"}
    assert "Ra8#" in snap.findings[0].detail and snap.findings[0].seconds == 1.0
    ghost = with_letters(with_letters(START, a1="?"), a8="?")
    fade = judge(TASK, PUZZLE, trace((6, START), (8, ghost), (12, END)), "rules")
    assert (fade.value, names(fade.findings)) == (4, {"abrupt_move"})


def test_a_still_video_is_static() -> None:
    score = judge(TASK, PUZZLE, trace((24, START)), "rules")
    assert (score.value, score.outcome, score.failure_mode) == (1, 0.0, "static")
    flicker = with_letters(START, d5="?")
    score = judge(TASK, PUZZLE, trace((10, START), (5, flicker), (10, START)), "rules")
    assert score.failure_mode == "static"


def test_a_wrong_move_is_reported() -> None:
    score = judge(TASK, PUZZLE, trace((6, START), *gliding(PUZZLE, "a1a7"), (12, after(PUZZLE, "a1a7"))), "rules")
    assert (score.value, score.passed, score.failure_mode) == (2, False, "partial")
    assert names(score.findings) == {"wrong_move"} and "Ra7" in score.findings[0].detail


@pytest.mark.parametrize(
    ("squares", "name"),
    [({"d5": "."}, "piece_lost"), ({"d5": "b"}, "piece_changed"), ({"c3": "P"}, "piece_added")],
)
def test_damage_at_the_end_is_reported_and_gates(squares: dict[str, str], name: str) -> None:
    damaged = with_letters(END, **squares)
    score = judge(TASK, PUZZLE, trace((6, START), *gliding(PUZZLE, "a1a8"), (12, damaged)), "rules")
    assert not score.passed and score.value == 1 and score.outcome == 0.0
    assert [(finding.name, finding.gating) for finding in score.findings] == [(name, True)]


def test_damage_that_is_undone_does_not_gate() -> None:
    damaged = with_letters(START, d5=".")
    score = judge(TASK, PUZZLE, trace((6, damaged), *gliding(PUZZLE, "a1a8"), (12, END)), "rules")
    assert score.passed


def test_a_wrong_move_taken_back_is_reported_and_does_not_gate() -> None:
    wrong = after(PUZZLE, "e3e4")
    score = judge(TASK, PUZZLE, trace((6, START), (6, wrong), (4, START), *gliding(PUZZLE, "a1a8"), (12, END)), "rules")
    assert (score.value, score.passed) == (4, True)
    assert names(score.findings) == {"wrong_move_first"} and "e3-e4" in score.findings[0].detail


def test_a_detour_is_a_wrong_move_and_a_pause_on_the_way_is_not() -> None:
    pause, detour = after(PUZZLE, "a1a5"), after(PUZZLE, "a1d1")
    paused = trace((6, START), *gliding(PUZZLE, "a1a5"), (9, pause), (1, TASK.solution(PUZZLE, 0.6)), (12, END))
    assert judge(TASK, PUZZLE, paused, "rules").value == 5
    strayed = trace((6, START), (9, detour), (1, TASK.solution(PUZZLE, 0.6)), (12, END))
    assert names(judge(TASK, PUZZLE, strayed, "rules").findings) == {"wrong_move_first"}


def test_a_mate_taken_back_fails() -> None:
    score = judge(TASK, PUZZLE, trace((6, START), *gliding(PUZZLE, "a1a8"), (12, END), (12, START)), "rules")
    assert not score.passed and score.ever_solved and score.failure_mode == "incorrect_termination"


def test_a_piece_left_between_squares_fails() -> None:
    score = judge(TASK, PUZZLE, trace((6, START), (18, HALF)), "rules")
    assert not score.passed and names(score.findings) == {"piece_between_squares"}
    assert score.value == 2 and score.outcome == pytest.approx(0.3)


def test_both_sides_moving_fails() -> None:
    reply = with_letters(END, d5=".", f6="n")
    score = judge(TASK, PUZZLE, trace((6, START), *gliding(PUZZLE, "a1a8"), (12, END), (12, reply)), "rules")
    assert not score.passed and names(score.findings) == {"piece_added", "piece_lost"}


def test_the_other_side_moving_alone_is_damage() -> None:
    moved = with_letters(START, d5=".", f6="n")
    score = judge(TASK, PUZZLE, trace((6, START), (18, moved)), "rules")
    assert not score.passed and score.outcome == 0.0 and names(score.findings) == {"piece_added", "piece_lost"}


def test_unreadable_frames_are_skipped() -> None:
    score = judge(
        TASK, PUZZLE, trace((6, START), (3, None), *gliding(PUZZLE, "a1a8"), (3, None), (12, END), (4, None)), "rules"
    )
    assert score.value == 5 and score.metrics["readable_share"] < 0.8
    assert judge(TASK, PUZZLE, trace((24, None)), "rules").failure_mode == "scene_broken"
    assert TASK.check(PUZZLE, trace((3, None))).findings == ()


@pytest.mark.parametrize(
    ("fen", "uci"),
    [
        ("rn3r2/pbppq1p1/1p2pN2/8/3P2NP/6P1/PPP1BP1R/R3K1k1 w Q - 5 18", "e1c1"),
        ("r1bq1r2/pp2n3/4N2k/3pPppP/1b1n2Q1/2N5/PP3PP1/R1B1K2R w KQ g6 0 15", "h5g6"),
        ("7k/4P1pp/8/8/8/8/8/K7 w - - 0 1", "e7e8q"),
    ],
)
def test_castling_en_passant_and_promotion_are_answers(fen: str, uci: str) -> None:
    puzzle = make_puzzle(fen)
    start, end = TASK.solution(puzzle, 0.0), after(puzzle, uci)
    score = judge(TASK, puzzle, trace((6, start), *gliding(puzzle, uci), (12, end)), "rules")
    assert (score.value, score.findings) == (5, ())
    board = chess.Board(fen)
    board.push_uci(uci)
    assert make_state(board) == end
    for square in chess.SQUARES:
        if start.at(square) != end.at(square) and end.at(square) == ".":
            left = end.with_changes({square: start.at(square)})  # a king without its rook, a pawn that stays
            assert not TASK.accepted(puzzle, left), chess.square_name(square)
    assert get_index(chess.A8) == 0
