"""Every trick video gets the expected verdict, read from its drawn frames."""

from __future__ import annotations

from collections import Counter
from random import Random

import chess
import pytest
from drawn_videos import check_verdicts, gold, judged

from vmevalkit.tasks.chess_task import TASK, ChessParams, ChessPuzzle
from vmevalkit.tasks.chess_task.board_state import make_state
from vmevalkit.tasks.chess_task.chess_reasoning import make_puzzle

USUAL = {
    "other_move": "fail",
    "wrong_square": "fail",
    "wrong_side": "fail",
    "both_move": "fail",
    "extra_piece": "fail",
    "piece_vanishes": "fail",
    "piece_changes": "fail",
    "piece_recoloured": "fail",
    "piece_strays": "fail",
    "piece_cloned": "fail",
    "piece_lost": "fail",
    "stops_short": "fail",
    "taken_back": "fail",
    "snaps": "pass",
    "lifted": "pass",
    "overshoots": "pass",
    "askew": "pass",
    "corrected": "pass",
}
SOMETIMES = {
    "only_check": "fail",
    "illegal_mate": "fail",
    "wrong_promotion": "fail",
    "not_promoted": "fail",
    "another_mate": "pass",
}


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_trick_videos_get_the_expected_verdict(difficulty: str) -> None:
    check_verdicts(TASK, difficulty, puzzles=4, failing_below=0.5)


def test_another_mate_passes() -> None:
    for seed in range(12):
        params = ChessParams(extra_pieces=(4, 10), unique=False)
        puzzle = next(p for k in range(40) if len((p := TASK.sample(Random(f"{seed}:{k}"), params)).mates) > 1)
        video = TASK.cheats(puzzle, Random(seed))["another_mate"]
        assert video.expected == "pass" and judged(TASK, puzzle, video).passed, puzzle
        alone = ChessPuzzle(puzzle.fen, puzzle.mates[:1], puzzle.family)
        assert not judged(TASK, alone, video).passed  # if it is not listed, it is not accepted


def test_a_snap_scores_four() -> None:
    puzzle = TASK.sample(Random(3), TASK.preset())
    assert judged(TASK, puzzle, TASK.cheats(puzzle, Random(3))["snaps"]).value == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    "fen",
    [
        "rn3r2/pbppq1p1/1p2pN2/8/3P2NP/6P1/PPP1BP1R/R3K1k1 w Q - 5 18",
        "r1bq1r2/pp2n3/4N2k/3pPppP/1b1n2Q1/2N5/PP3PP1/R1B1K2R w KQ g6 0 15",
        "7k/4P1pp/8/8/8/8/8/K7 w - - 0 1",
    ],
)
def test_castling_en_passant_and_promotion_get_the_expected_verdict(fen: str) -> None:
    puzzle = make_puzzle(fen)
    found = judged(TASK, puzzle, gold(TASK, puzzle))
    assert (found.value, found.findings) == (5, ()), found.explanation
    for name, video in TASK.cheats(puzzle, Random(1)).items():
        assert judged(TASK, puzzle, video).passed == (video.expected == "pass"), name


def test_trick_videos_begin_with_the_first_frame_and_change() -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        puzzle = TASK.sample(Random(seed), TASK.preset("hard" if seed % 2 else "easy"))
        cheats = TASK.cheats(puzzle, Random(seed))
        assert {name: video.expected for name, video in cheats.items()}.items() <= {**USUAL, **SOMETIMES}.items()
        seen.update(cheats.keys())
        for name, video in cheats.items():
            assert video.why
            assert video.state_at(0.0) == TASK.solution(puzzle, 0.0), name
            assert any(video.state_at(i / 20) != video.state_at(0.0) for i in range(1, 21)), name
            assert TASK.accepted(puzzle, video.state_at(1.0)) == (video.expected == "pass"), name
    assert all(seen[name] >= 50 for name in USUAL), seen
    assert all(seen[name] >= 3 for name in SOMETIMES), seen


def test_trick_videos_show_what_their_names_say() -> None:
    for seed in range(20):
        puzzle = TASK.sample(Random(seed), TASK.preset("hard"))
        board = chess.Board(puzzle.fen)
        final = {name: video.state_at(1.0) for name, video in TASK.cheats(puzzle, Random(seed)).items()}
        reached = {}
        for move in board.legal_moves:
            board.push(move)
            reached[make_state(board)] = (move, board.is_check(), board.is_checkmate())
            board.pop()
        source = puzzle.mates[0][:2]
        if "other_move" in final:
            move, check, mate = reached[final["other_move"]]
            assert move.uci()[:2] != source and not check and not mate
        if "wrong_square" in final:
            move, _, mate = reached[final["wrong_square"]]
            assert move.uci()[:2] == source and not mate
        if "only_check" in final:
            assert reached[final["only_check"]][1:] == (True, False)
        if "illegal_mate" in final:
            assert final["illegal_mate"] not in reached
            placed = chess.Board(None)
            for square in chess.SQUARES:
                if (letter := final["illegal_mate"].at(square)) != ".":
                    placed.set_piece_at(square, chess.Piece.from_symbol(letter))
            placed.turn = not board.turn
            assert placed.is_checkmate()
        if "another_mate" in final:
            assert reached[final["another_mate"]][2]
        solved = TASK.solution(puzzle, 1.0).squares
        count = sum(letter != "." for letter in solved)
        assert sum(letter != "." for letter in final["extra_piece"].squares) == count + 1
        assert sum(letter != "." for letter in final["piece_vanishes"].squares) == count - 1
        assert sum(letter != "." for letter in final["piece_cloned"].squares) == count + 1
        assert sum(a != b for a, b in zip(final["piece_changes"].squares, solved, strict=True)) == 1
        assert final["piece_recoloured"].squares.upper() == solved.upper()
