"""Boards look like those of chess.svg; pieces glide; castling, en passant and promotion are drawn correctly."""

from __future__ import annotations

from itertools import pairwise
from math import hypot

import chess
import chess.svg
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.media.canvas import Canvas
from vmevalkit.media.image import Frame
from vmevalkit.tasks.chess_task import TASK, BoardState, MovingPiece
from vmevalkit.tasks.chess_task.board_state import get_centre, get_index, make_state
from vmevalkit.tasks.chess_task.chess_reasoning import ARRIVAL, make_puzzle
from vmevalkit.tasks.chess_task.motion import animate_move
from vmevalkit.tasks.chess_task.pieces import SYMBOLS, draw_piece
from vmevalkit.tasks.chess_task.render import draw, get_layout
from vmevalkit.tasks.chess_task.svg_path import parse_path

NOTHING = BoardState("." * 64)
CASTLING = "rn3r2/pbppq1p1/1p2pN2/8/3P2NP/6P1/PPP1BP1R/R3K1k1 w Q - 5 18"
EN_PASSANT = "r1bq1r2/pp2n3/4N2k/3pPppP/1b1n2Q1/2N5/PP3PP1/R1B1K2R w KQ g6 0 15"
PROMOTION = "7k/4P1pp/8/8/8/8/8/K7 w - - 0 1"


def square_of(frame: Frame, name: str) -> Frame:
    row, column = divmod(get_index(chess.parse_square(name)), 8)
    return frame[16 + 46 * row : 62 + 46 * row, 16 + 46 * column : 62 + 46 * column]


def test_the_colours_and_places_are_those_of_chess_svg() -> None:
    frame = draw(NOTHING)
    assert frame.shape == (400, 400, 3)
    for name, kind in (("a1", "dark"), ("h1", "light"), ("a8", "light"), ("e4", "light"), ("d4", "dark")):
        colour = chess.svg.DEFAULT_COLORS[f"square {kind}"]
        assert (square_of(frame, name) == [int(colour[i : i + 2], 16) for i in (1, 3, 5)]).all(), name
    margin = [int(chess.svg.DEFAULT_COLORS["margin"][i : i + 2], 16) for i in (1, 3, 5)]
    assert tuple(frame[0, 0]) == tuple(frame[399, 399]) == tuple(margin)
    # chess.svg has squares of 45 and margins of 15 in an image of 390.
    square, frame_width = get_layout(400)
    for i in range(9):
        assert abs(frame_width + i * square - (15 + 45 * i) * 400 / 390) < 1.0


def test_every_file_and_rank_is_labelled_on_both_sides() -> None:
    frame = draw(NOTHING).astype(int)
    bright = frame.sum(axis=2) > 3 * 120
    for i in range(8):
        along = slice(16 + 46 * i + 14, 16 + 46 * i + 32)
        for strip in (bright[:16, along], bright[384:, along], bright[along, :16], bright[along, 384:]):
            assert 8 < strip.sum() < 120
    assert not bright[:16, :16].any()


@pytest.mark.parametrize("size", [80, 200, 399, 512, 1000])
def test_a_board_of_any_size_is_complete(size: int) -> None:
    frame = draw(make_state(chess.Board()), size)
    square, margin = get_layout(size)
    assert frame.shape == (size, size, 3) and 2 * margin + 8 * square <= size < 2 * margin + 8 * square + 2
    assert abs(square / size - 0.115) < 0.008


def test_pieces_are_black_and_white_and_fill_their_squares() -> None:
    frames = {symbol: draw(BoardState("." * 27 + symbol + "." * 36)) for symbol in SYMBOLS}
    for symbol, frame in frames.items():
        tile = square_of(frame, "d5").astype(int)
        inked = np.abs(tile - tile[0, 0]).sum(axis=2) > 30
        rows, columns = np.nonzero(inked)
        assert 0.2 < inked.mean() < 0.7, symbol
        assert rows.min() >= 3 and rows.max() <= 42 and columns.min() >= 3 and columns.max() <= 43
        assert abs((columns.min() + columns.max()) / 2 - 22.5) < 3
        white, black = (tile == 255).all(axis=2).sum(), (tile == 0).all(axis=2).sum()
        assert white > 100 if symbol.isupper() else black > 3 * white, symbol
        elsewhere = np.abs(frame.astype(int) - draw(NOTHING)).sum(axis=2)
        elsewhere[16 + 46 * 3 : 62 + 46 * 3, 16 + 46 * 3 : 62 + 46 * 3] = 0
        assert not elsewhere.any()
    assert len({frame.tobytes() for frame in frames.values()}) == 12


def test_a_moving_piece_at_a_square_looks_like_a_piece_on_it() -> None:
    for symbol in SYMBOLS:
        get_letters = draw(BoardState("." * 27 + symbol + "." * 36)).astype(int)
        flying = draw(BoardState("." * 64, (MovingPiece(symbol, 3.5, 3.5),)))
        assert np.abs(get_letters - flying).max() <= 1


@settings(max_examples=40)
@given(st.sampled_from(SYMBOLS), st.floats(-1, 9), st.floats(-1, 9))
def test_a_moving_piece_can_be_anywhere(symbol: str, x: float, y: float) -> None:
    frame = draw(BoardState("." * 64, (MovingPiece(symbol, x, y),))).astype(int)
    with_changes = np.abs(frame - draw(NOTHING)).sum(axis=2) > 0
    rows, columns = np.nonzero(with_changes)
    if len(rows):
        left, top = 16 + 46 * (x - 0.5), 16 + 46 * (y - 0.5)
        assert columns.min() >= left - 1 and columns.max() <= left + 47
        assert rows.min() >= top - 1 and rows.max() <= top + 47


def test_a_piece_moves_by_fractions_of_a_pixel() -> None:
    def centre(x: float) -> float:
        frame = draw(BoardState("." * 64, (MovingPiece("p", x, 3.5),))).astype(float)
        ink = np.abs(frame - draw(NOTHING))[16 + 46 * 3 : 62 + 46 * 3].sum(axis=(0, 2))
        return float((ink * np.arange(400)).sum() / ink.sum())

    places = [centre(3.5 + i / 460) for i in range(11)]
    assert all(0.02 < after - before < 0.2 for before, after in pairwise(places))
    assert abs(places[10] - places[0] - 1.0) < 0.1


def test_arcs_become_curves_of_the_same_circle() -> None:
    vertices, codes = parse_path("M8 12a2 2 0 1 1-4 0 2 2 0 1 1 4 0z")
    assert codes[0] == 1 and codes[-1] == 79 and set(codes[1:-1]) == {4}
    ends = vertices[1:-1][2::3]
    assert all(abs(hypot(x - 6, y - 12) - 2) < 1e-9 for x, y in ends)
    for start, (one, two, end) in zip([vertices[0], *ends], vertices[1:-1].reshape(-1, 3, 2), strict=False):
        middle = (np.asarray(start) + 3 * one + 3 * two + end) / 8
        assert abs(hypot(middle[0] - 6, middle[1] - 12) - 2) < 2e-3


def test_arcs_follow_their_flags() -> None:
    def lowest(large: int, sweep: int) -> tuple[float, float]:
        vertices, _ = parse_path(f"M0 0A5 5 0 {large} {sweep} 6 0")
        assert tuple(vertices[-1]) == (6.0, 0.0)
        return float(vertices[:, 1].min()), float(vertices[:, 1].max())

    assert lowest(0, 1)[0] == pytest.approx(-1.35, abs=0.1) and lowest(0, 1)[1] == pytest.approx(0, abs=1e-9)
    assert lowest(0, 0)[1] == pytest.approx(1.35, abs=0.1)
    assert lowest(1, 1)[0] < -8 and lowest(1, 0)[1] > 8
    wide, _ = parse_path("M0 0a1 1 0 0 1 6 0")  # a radius that is too small is enlarged
    assert wide[:, 1].min() == pytest.approx(-3, abs=1e-9)


def test_paths_are_parsed_by_the_standard() -> None:
    vertices, codes = parse_path("m1 2 3 4h5v-6H0V.5L-.5.25l1e1-1zm2,2c0 0 1 1 2 0s2 1 3 1q1 1 2 0t2 0")
    expected = [
        (1, (1, 2)), (2, (4, 6)), (2, (9, 6)), (2, (9, 0)), (2, (0, 0)), (2, (0, 0.5)), (2, (-0.5, 0.25)),
        (2, (9.5, -0.75)), (79, (1, 2)), (1, (3, 4)), (4, (3, 4)), (4, (4, 5)), (4, (5, 4)), (4, (6, 3)), (4, (7, 5)),
        (4, (8, 5)), (3, (9, 6)), (3, (10, 5)), (3, (11, 4)), (3, (12, 5)),
    ]  # fmt: skip
    assert list(codes) == [code for code, _ in expected]
    assert np.allclose(vertices, [point for _, point in expected])


def test_a_piece_can_be_drawn_at_any_size() -> None:
    canvas = Canvas(450, 450, (1.0, 1.0, 1.0))
    draw_piece(canvas, "n", 0, 0, 450)
    frame = canvas.frame()
    assert tuple(frame[380, 300]) == (0, 0, 0)  # the body
    assert tuple(frame[255, 90]) == (236, 236, 236)  # the nostril
    assert tuple(frame[20, 20]) == (255, 255, 255)


def test_the_solution_glides_straight_and_arrives() -> None:
    puzzle = make_puzzle("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1")
    start, end = TASK.solution(puzzle, 0.0), TASK.solution(puzzle, 1.0)
    assert start == make_state(chess.Board(puzzle.fen)) and end.at(chess.A8) == "R" and end.at(chess.A1) == "."
    way = [TASK.solution(puzzle, t) for t in np.linspace(0.01, ARRIVAL - 0.01, 30)]
    ys = [state.moving[0].y for state in way]
    assert all(state.moving[0].x == 0.5 and state.at(chess.A1) == state.at(chess.A8) == "." for state in way)
    assert ys == sorted(ys, reverse=True) and ys[0] > 7.3 and ys[-1] < 0.7
    assert TASK.solution(puzzle, ARRIVAL + 0.01) == end
    assert TASK.accepted(puzzle, end) and not TASK.accepted(puzzle, start)
    assert TASK.progress(puzzle, start) == 0.0 and TASK.progress(puzzle, end) == 1.0


def test_castling_moves_king_and_rook() -> None:
    animation = animate_move(CASTLING, "e1c1")
    middle = animation.at(0.5)
    assert {(piece.symbol, piece.x, piece.y) for piece in middle.moving} == {("K", 3.5, 7.5), ("R", 2.0, 7.5)}
    assert middle.at(chess.E1) == middle.at(chess.A1) == "."
    assert animation.after.at(chess.C1) == "K" and animation.after.at(chess.D1) == "R"
    board = chess.Board(CASTLING)
    board.push_uci("e1c1")
    assert animation.after == make_state(board)
    short = animate_move("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1")
    assert short.after.squares.endswith("....." + "RK.") and len(short.glides) == 2


def test_a_pawn_captured_en_passant_vanishes() -> None:
    animation = animate_move(EN_PASSANT, "h5g6")
    assert animation.captured == chess.G5
    assert animation.at(0.5).at(chess.G5) == "p" and animation.at(0.9).at(chess.G5) == "."
    assert animation.after.at(chess.G6) == "P" and animation.after.at(chess.G5) == animation.after.at(chess.H5) == "."


def test_a_pawn_is_promoted_when_it_arrives() -> None:
    animation = animate_move(PROMOTION, "e7e8q")
    assert animation.at(0.99).moving[0].symbol == "P" and animation.at(0.99).at(chess.E8) == "."
    assert animation.at(1.0).at(chess.E8) == "Q" and animation.at(1.0).moving == ()


def test_a_captured_piece_is_visible_until_it_is_covered() -> None:
    animation = animate_move("r5k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "a1a8")
    assert animation.at(0.5).at(chess.A8) == "r" and animation.at(0.9).at(chess.A8) == "."


def test_squares_and_indices_agree() -> None:
    state = make_state(chess.Board("7k/8/8/8/8/8/8/K7 w - - 0 1"))
    assert state.squares[7] == "k" and state.squares[56] == "K"
    assert state.at(chess.H8) == "k" and state.at(chess.A1) == "K"
    assert get_centre(chess.H8) == (7.5, 0.5) and get_centre(chess.A1) == (0.5, 7.5)
    for square in chess.SQUARES:
        x, y = get_centre(square)
        assert MovingPiece("P", x, y).get_resting_index() == get_index(square)
        assert MovingPiece("P", x + 0.25, y - 0.25).get_resting_index() == get_index(square)
        assert MovingPiece("P", x + 0.4, y).get_resting_index() is None
