"""Positions are legal, distinct and reproducible, and list all mates; the specification's names work."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.core.errors import Exhausted, Uncertified, UnknownName, UsageError
from vmevalkit.core.jsonable import digest, from_json, to_json
from vmevalkit.core.randomness import rng_for
from vmevalkit.media.image import pixel_digest, read_image
from vmevalkit.tasks.chess_task import (
    TASK,
    ChessGenerator,
    ChessParams,
    ChessPuzzle,
    create_dataset,
    create_task_pair,
    generate_chess_board_png,
    generate_prompt,
)
from vmevalkit.tasks.chess_task.chess_reasoning import FAMILIES, make_puzzle
from vmevalkit.tasks.chess_task.mates import find_flaw, find_oddity, list_mating_moves
from vmevalkit.tasks.planning import plan

quick = settings(max_examples=60)
CASTLING = "rn3r2/pbppq1p1/1p2pN2/8/3P2NP/6P1/PPP1BP1R/R3K1k1 w Q - 5 18"
EN_PASSANT = "r1bq1r2/pp2n3/4N2k/3pPppP/1b1n2Q1/2N5/PP3PP1/R1B1K2R w KQ g6 0 15"
BACK_RANK = "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"
PROMOTION = "7k/4P1pp/8/8/8/8/8/K7 w - - 0 1"


def brute_mates(fen: str) -> set[str]:
    """Return every legal move that gives mate: an independent implementation with python-chess alone."""
    board = chess.Board(fen)
    found = set()
    for move in list(board.legal_moves):
        board.push(move)
        if board.is_checkmate():
            found.add(move.uci())
        board.pop()
    return found


def check_position(puzzle: ChessPuzzle, unique: bool) -> None:
    board = chess.Board(puzzle.fen)
    assert board.is_valid() and not board.is_check()
    assert brute_mates(puzzle.fen) == set(puzzle.mates)
    assert len(puzzle.mates) == len(set(puzzle.mates)) >= 1
    assert len(puzzle.mates) == 1 or not unique
    for colour in chess.COLORS:
        counts = [len(board.pieces(kind, colour)) for kind in chess.PIECE_TYPES]
        assert counts[0] <= 8 and counts[1] <= 2 and counts[2] <= 2 and counts[3] <= 2 and counts[4] <= 1


@st.composite
def sampled_puzzles(draw: st.DrawFn) -> tuple[ChessPuzzle, ChessParams]:
    fewest = draw(st.integers(0, 16))
    params = ChessParams(
        families=draw(st.sampled_from([(family,) for family in FAMILIES] + [FAMILIES])),
        extra_pieces=(fewest, fewest + draw(st.integers(0, 4))),
        unique=draw(st.booleans()),
        side=draw(st.sampled_from(["white", "black", "either"])),
    )
    return TASK.sample(Random(draw(st.integers(0, 10**6))), params), params


@quick
@given(sampled_puzzles())
def test_every_position_is_legal_and_lists_its_mates(given_: tuple[ChessPuzzle, ChessParams]) -> None:
    puzzle, params = given_
    check_position(puzzle, params.unique)
    TASK.certify(puzzle)
    assert puzzle.family in params.families
    if params.side != "either":
        assert TASK.metadata(puzzle)["side_to_move"] == params.side
    assert from_json(ChessPuzzle, json.loads(json.dumps(to_json(puzzle)))) == puzzle


@pytest.mark.slow
@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_a_thousand_questions_are_valid_distinct_and_mixed(difficulty: str) -> None:
    params = TASK.preset(difficulty)
    planned = plan(TASK, 1000, 42, params)
    assert len({puzzle.fen for puzzle in planned}) == len({digest(puzzle) for puzzle in planned}) == 1000
    for puzzle in planned:
        check_position(puzzle, params.unique)
    families = Counter(puzzle.family for puzzle in planned)
    assert set(families) == set(FAMILIES) and max(families.values()) < 400
    sides = Counter(puzzle.fen.split()[1] for puzzle in planned)
    assert min(sides.values()) > 400
    several = sum(len(puzzle.mates) > 1 for puzzle in planned)
    assert several == 0 if params.unique else several > 100
    kinds = Counter(tag for puzzle in planned for tag in TASK.metadata(puzzle)["chess_data"]["pattern_tags"])
    assert all(kinds[tag] > 30 for tag in ("rook", "queen", "knight", "bishop", "pawn", "promotion", "capture"))


@pytest.mark.slow
def test_ten_thousand_positions_are_reached() -> None:
    """Each position is reached in four ways: mirrored or not, with White to move or Black."""
    classes = set()
    for i in range(2600):
        board = chess.Board(TASK.sample(rng_for("many", i), TASK.preset()).fen)
        if board.turn == chess.BLACK:
            board.apply_mirror()
        classes.add(min(board.board_fen(), board.transform(chess.flip_horizontal).board_fen()))
    assert 4 * len(classes) >= 10_000


def test_the_families_match_their_names() -> None:
    for family in FAMILIES:
        for seed in range(40):
            puzzle = TASK.sample(Random(seed), ChessParams((family,), extra_pieces=(0, 3)))
            board, move = chess.Board(puzzle.fen), chess.Move.from_uci(puzzle.mates[0])
            king = board.king(not board.turn)
            assert king is not None
            mover = board.piece_type_at(move.from_square)
            if family == "back_rank":
                assert mover in (chess.ROOK, chess.QUEEN)
                assert chess.square_rank(king) == chess.square_rank(move.to_square) in (0, 7)
            elif family == "queen_corner":
                assert mover == chess.QUEEN and chess.square_distance(move.to_square, king) == 1
                assert min(chess.square_distance(king, corner) for corner in chess.SquareSet(chess.BB_CORNERS)) <= 1
                side = board.turn
                board.push(move)
                assert board.attackers(side, move.to_square)
            elif family == "smothered":
                around = chess.SquareSet(chess.BB_KING_ATTACKS[king])
                own = sum(board.color_at(square) == (not board.turn) for square in around)
                assert mover == chess.KNIGHT and own >= len(around) - 1
            elif family == "rook_endgame":
                kinds = {piece.piece_type for piece in board.piece_map().values()}
                assert mover == chess.ROOK and kinds <= {chess.KING, chess.ROOK, chess.PAWN}
            elif family == "minor_pieces":
                assert mover in (chess.KNIGHT, chess.BISHOP)
            else:
                assert mover == chess.PAWN


def test_mating_moves_are_found_in_games_as_by_trying_all() -> None:
    mates = 0
    for seed in range(16):
        rng, board = Random(seed), chess.Board()
        while not board.is_game_over() and board.ply() < 120:
            if board.ply() > 40 and board.ply() % 2 == 0:
                wanted = sorted(brute_mates(board.fen()))
                assert sorted(move.uci() for move in list_mating_moves(board)) == wanted, board.fen()
                mates += len(wanted)
            board.push(rng.choice(list(board.legal_moves)))
    assert mates >= 3


@pytest.mark.parametrize(
    ("fen", "mates"),
    [
        (CASTLING, ("e1c1", "e1d2")),
        (EN_PASSANT, ("h5g6",)),
        (BACK_RANK, ("a1a8",)),
        (PROMOTION, ("e7e8q", "e7e8r")),
    ],
)
def test_special_moves_are_found(fen: str, mates: tuple[str, ...]) -> None:
    assert make_puzzle(fen).mates == mates
    assert brute_mates(fen) == set(mates)


def test_a_castling_mate_that_is_not_visible_is_refused() -> None:
    with pytest.raises(Uncertified, match="castling"):
        make_puzzle(CASTLING.replace(" Q ", " - "))


@pytest.mark.parametrize(
    ("fen", "message"),
    [
        ("nonsense", "Forsyth-Edwards"),
        ("6k1/5ppp/8/8/8/8/8/7K w - - 0 1", "no move gives mate"),
        ("6k1/5ppp/8/8/8/8/8/7R w - - 0 1", "not legal"),
        ("R5k1/5ppp/8/8/8/8/8/7K w - - 0 1", "not legal"),
        ("6k1/5ppp/8/8/8/8/8/RP5K w - - 0 1", "not legal"),
    ],
)
def test_invalid_positions_are_refused(fen: str, message: str) -> None:
    with pytest.raises(Uncertified, match=message):
        make_puzzle(fen)


def test_certify_refuses_lists_that_are_wrong() -> None:
    for mates in ((), ("a1a7",), ("a1a8", "a1a7"), ("e7e8q",)):
        with pytest.raises(Uncertified):
            TASK.certify(ChessPuzzle(BACK_RANK, mates, "given"))
    with pytest.raises(Uncertified, match="e7e8r"):
        TASK.certify(ChessPuzzle(PROMOTION, ("e7e8q",), "given"))


def test_odd_positions_are_distinguished_from_illegal_ones() -> None:
    assert find_oddity(chess.Board("6k1/5ppp/8/8/8/8/r7/R6K w - - 0 1")) is None
    assert "check" in str(find_oddity(chess.Board("6k1/5ppp/8/8/8/8/8/r6K w - - 0 1")))
    assert "more than 1" in str(find_oddity(chess.Board("6k1/5ppp/8/8/8/8/8/QQ5K w - - 0 1")))
    assert "one colour" in str(find_oddity(chess.Board("6k1/5ppp/8/8/8/8/B1B5/7K w - - 0 1")))
    assert find_flaw(chess.Board("6k1/5ppp/8/8/8/8/8/QQ5K w - - 0 1")) is None


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"families": ()}, "families is empty"),
        ({"families": ("back_rang",)}, "did you mean 'back_rank'"),
        ({"extra_pieces": (5, 3)}, r"extra_pieces=\(5, 3\)"),
        ({"extra_pieces": (0, 30)}, "0 to 20"),
        ({"side": "red"}, "no side 'red'"),
    ],
)
def test_impossible_params_are_refused(params: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ChessParams(**params)  # type: ignore[arg-type]


def test_asking_for_more_questions_than_exist_is_an_error() -> None:
    class Few(type(TASK)):  # type: ignore[misc]
        def sample(self, rng: Random, params: ChessParams) -> ChessPuzzle:
            return make_puzzle(rng.choice([BACK_RANK, BACK_RANK.replace("R6K", "1R5K")]))

    with pytest.raises(Exhausted, match="only 2"):
        plan(Few(), 3, 1, TASK.preset())
    assert TASK.capacity(TASK.preset()) is None


def test_a_harder_preset_is_not_the_easy_one_with_more_pieces() -> None:
    easy, medium = (plan(TASK, 40, 1, TASK.preset(difficulty)) for difficulty in ("easy", "medium"))
    same = [one for one, other in zip(easy, medium, strict=True) if one.mates == other.mates]
    assert len(same) <= 2


def test_half_of_a_mating_move_is_not_a_mate() -> None:
    for puzzle in plan(TASK, 300, 5, TASK.preset("hard")):
        for t in np.linspace(0.0, 0.5, 40):
            assert not TASK.accepted(puzzle, TASK.solution(puzzle, float(t))), (puzzle, t)


def test_metadata_and_prompt_follow_the_format() -> None:
    puzzle = make_puzzle(BACK_RANK, "back_rank")
    assert TASK.prompt(puzzle) == "White can deliver checkmate in one move. Show the winning move."
    assert json.loads(json.dumps(TASK.metadata(puzzle))) == {
        "chess_data": {
            "generation_method": "constructed mates, proven with python-chess",
            "initial_fen": BACK_RANK,
            "mate_moves": ["Ra8#"],
            "pattern_tags": ["back_rank", "rook"],
        },
        "side_to_move": "white",
        "mate_moves": ["Ra8#"],
        "pattern_description": "Back-rank mate: rook",
    }
    black = make_puzzle("r6k/8/8/8/8/8/5PPP/6K1 b - - 0 1")
    assert TASK.prompt(black) == "Black can deliver checkmate in one move. Show the winning move."
    assert TASK.metadata(black)["pattern_description"] == "Mate in one: rook"
    special = TASK.metadata(make_puzzle(EN_PASSANT))["chess_data"]["pattern_tags"]
    assert special == ["given", "pawn", "capture", "en_passant"]


def test_the_generator_of_the_specification() -> None:
    generator = ChessGenerator(seed=5)
    positions = generator.generate_mate_positions()
    assert len(positions) == 150 == len({position["fen"] for position in positions})
    assert [position["puzzle_id"] for position in positions] == [f"chess_{i:04d}" for i in range(150)]
    for position in positions:
        board = chess.Board(position["fen"])
        sans = {board.san(chess.Move.from_uci(uci)) for uci in brute_mates(position["fen"])}
        assert sans == set(position["mate_moves"])
        assert position["difficulty"] == "easy" and position["tags"][0] in FAMILIES
        assert generate_prompt(position).startswith("White" if board.turn else "Black")
    more = generator.generate_mate_positions(num_positions=5)
    assert generator.generated_positions == positions + more
    assert ChessGenerator(seed=5).generate_mate_positions(155) == positions + more
    assert ChessGenerator(seed=6).generate_mate_positions(1) != positions[:1]
    hard = ChessGenerator(difficulty="hard").generate_mate_positions(1)[0]
    assert hard["difficulty"] == "hard"
    assert ChessGenerator(params=ChessParams(("pawn",))).generate_mate_positions(1)[0]["difficulty"] == "custom"
    with pytest.raises(UsageError, match="at least 1"):
        generator.generate_mate_positions(0)
    with pytest.raises(UnknownName, match=r"did you mean .hard."):
        ChessGenerator(difficulty="hardd")


def test_a_board_is_written_as_png(tmp_path: Path) -> None:
    path = generate_chess_board_png(BACK_RANK, tmp_path / "deep" / "board.png")
    assert pixel_digest(read_image(path)) == pixel_digest(TASK.first_frame(make_puzzle(BACK_RANK)))
    large = generate_chess_board_png(BACK_RANK, str(tmp_path / "large.png"), board_size=777)
    assert read_image(large).shape == (777, 777, 3)
    with pytest.raises(UsageError, match="Forsyth"):
        generate_chess_board_png("8/8", tmp_path / "no.png")
    with pytest.raises(UsageError, match="80 or more"):
        generate_chess_board_png(BACK_RANK, tmp_path / "no.png", board_size=40)
    assert not (tmp_path / "no.png").exists()


def test_create_dataset_writes_questions(tmp_path: Path) -> None:
    dataset = create_dataset(num_samples=6, output_dir=tmp_path)
    assert dataset["name"] == "chess_tasks"
    assert [pair["id"] for pair in dataset["pairs"]] == [f"chess_{i:04d}" for i in range(6)]
    for pair in dataset["pairs"]:
        puzzle = from_json(ChessPuzzle, pair["puzzle"])
        assert pair["task_category"] == "Chess" and pair["difficulty"] == "easy"
        assert pair["prompt"] == generate_prompt(puzzle)
        assert pair["chess_data"]["initial_fen"] == puzzle.fen and pair["mate_moves"]
        assert np.array_equal(read_image(tmp_path / pair["first_image_path"]), TASK.first_frame(puzzle))
        assert np.array_equal(read_image(tmp_path / pair["final_image_path"]), TASK.final_frame(puzzle))


def test_create_task_pair_takes_a_position_in_any_form(tmp_path: Path) -> None:
    position = ChessGenerator().generate_mate_positions(1)[0]
    pair = create_task_pair(position, "chess_mine", output_dir=tmp_path)
    assert pair["id"] == "chess_mine" and pair["chess_data"]["initial_fen"] == position["fen"]
    assert pair["puzzle"]["family"] == position["tags"][0]
    again = create_task_pair(pair["puzzle"], "chess_again", output_dir=tmp_path)
    assert again["puzzle"] == pair["puzzle"]
    assert create_task_pair(make_puzzle(EN_PASSANT), "chess_passing", output_dir=tmp_path)["mate_moves"] == ["hxg6#"]
    with pytest.raises(UsageError, match="not a valid mate in one"):
        create_task_pair({"mate_moves": ["Ra8#"]}, "chess_bad", output_dir=tmp_path)
    with pytest.raises(UsageError, match="no move gives mate"):
        create_task_pair({"fen": chess.STARTING_FEN}, "chess_bad", output_dir=tmp_path)
    with pytest.raises(UsageError, match="Ra7 is not a mate"):
        create_task_pair({"fen": BACK_RANK, "mate_moves": ["Ra7"]}, "chess_bad", output_dir=tmp_path)
