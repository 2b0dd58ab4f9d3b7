"""Every film gets the verdict it deserves, read from its drawn frames."""

from __future__ import annotations

from collections import Counter
from random import Random

import chess
import pytest
from drawn_films import check_verdicts, gold, judged

from vmevalkit.tasks.chess_task import TASK, ChessKnobs, ChessPuzzle
from vmevalkit.tasks.chess_task.board_state import state_of
from vmevalkit.tasks.chess_task.chess_reasoning import posed

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


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_what_fails_is_not_solved_and_is_worth_less_than_half(difficulty: str) -> None:
    check_verdicts(TASK, difficulty, puzzles=4, failing_below=0.5)


def test_another_mate_passes() -> None:
    for seed in range(12):
        knobs = ChessKnobs(extra_pieces=(4, 10), unique=False)
        puzzle = next(p for k in range(40) if len((p := TASK.sample(Random(f"{seed}:{k}"), knobs)).mates) > 1)
        film = TASK.films(puzzle, Random(seed))["another_mate"]
        assert film.expected == "pass" and judged(TASK, puzzle, film).passed, puzzle
        alone = ChessPuzzle(puzzle.fen, puzzle.mates[:1], puzzle.family)
        assert not judged(TASK, alone, film).passed  # were it not listed, it would not be accepted


def test_a_snap_is_worth_four() -> None:
    puzzle = TASK.sample(Random(3), TASK.preset())
    assert judged(TASK, puzzle, TASK.films(puzzle, Random(3))["snaps"]).value == 4


@pytest.mark.parametrize(
    "fen",
    [
        "rn3r2/pbppq1p1/1p2pN2/8/3P2NP/6P1/PPP1BP1R/R3K1k1 w Q - 5 18",
        "r1bq1r2/pp2n3/4N2k/3pPppP/1b1n2Q1/2N5/PP3PP1/R1B1K2R w KQ g6 0 15",
        "7k/4P1pp/8/8/8/8/8/K7 w - - 0 1",
    ],
)
def test_castling_passing_and_promotion_are_filmed(fen: str) -> None:
    puzzle = posed(fen)
    found = judged(TASK, puzzle, gold(TASK, puzzle))
    assert (found.value, found.findings) == (5, ()), found.explanation
    for name, film in TASK.films(puzzle, Random(1)).items():
        assert judged(TASK, puzzle, film).passed == (film.expected == "pass"), name


def test_films_begin_with_the_first_frame_and_change() -> None:
    told: Counter[str] = Counter()
    for seed in range(60):
        puzzle = TASK.sample(Random(seed), TASK.preset("hard" if seed % 2 else "easy"))
        films = TASK.films(puzzle, Random(seed))
        assert {name: film.expected for name, film in films.items()}.items() <= {**USUAL, **SOMETIMES}.items()
        told.update(films.keys())
        for name, film in films.items():
            assert film.why
            assert film.state_at(0.0) == TASK.solution(puzzle, 0.0), name
            assert any(film.state_at(i / 20) != film.state_at(0.0) for i in range(1, 21)), name
            assert TASK.accepted(puzzle, film.state_at(1.0)) == (film.expected == "pass"), name
    assert all(told[name] >= 50 for name in USUAL), told
    assert all(told[name] >= 3 for name in SOMETIMES), told


def test_the_films_do_what_they_say() -> None:
    for seed in range(20):
        puzzle = TASK.sample(Random(seed), TASK.preset("hard"))
        board = chess.Board(puzzle.fen)
        final = {name: film.state_at(1.0) for name, film in TASK.films(puzzle, Random(seed)).items()}
        reached = {}
        for move in board.legal_moves:
            board.push(move)
            reached[state_of(board)] = (move, board.is_check(), board.is_checkmate())
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
