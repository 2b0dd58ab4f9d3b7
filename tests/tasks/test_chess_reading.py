"""A drawn board is read back: as drawn, and degraded as videos degrade images. No image makes the reader fail."""

from __future__ import annotations

from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest
from arbitrary_frames import make_arbitrary_frame
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.media.canvas import Canvas, blend
from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.video import read_frames, write_video
from vmevalkit.tasks.chess_task import TASK, BoardState, ChessPuzzle, MovingPiece
from vmevalkit.tasks.chess_task.pieces import SYMBOLS
from vmevalkit.tasks.chess_task.sprites import load_templates

quick = settings(max_examples=50)
SIZE = 200


def shrink(frame: Frame) -> Frame:
    return np.asarray(cv2.resize(frame, (SIZE, SIZE), interpolation=cv2.INTER_AREA))


def read(frame: Frame, before: BoardState | None = None) -> BoardState | None:
    puzzle = ChessPuzzle("", (), "given")
    small = frame if frame.shape[0] == SIZE else shrink(frame)
    return TASK.reader(puzzle).read(RegisteredFrame(small, 0.0), before)


def draw_state(state: BoardState) -> Frame:
    return TASK.draw(ChessPuzzle("", (), "given"), state)


@st.composite
def boards(draw: st.DrawFn) -> BoardState:
    """Generate any piece on any square, from sparse to crowded: no rule of chess is assumed."""
    rng = Random(draw(st.integers(0, 10**6)))
    sparse = draw(st.sampled_from([2, 12, 36]))
    letters = [rng.choice("." * sparse + SYMBOLS) for _ in range(64)]
    letters[rng.randrange(0, 8, 2)] = "."  # one light and one dark square stay empty
    letters[rng.randrange(1, 8, 2)] = "."
    return BoardState("".join(letters))


@quick
@given(boards())
def test_a_drawn_board_is_read_back(state: BoardState) -> None:
    assert read(draw_state(state)) == state


@quick
@given(boards(), st.integers(0, 10**6))
def test_a_changed_square_is_read_whatever_the_state_before(state: BoardState, seed: int) -> None:
    rng = Random(seed)
    place = rng.randrange(8, 64)
    other = rng.choice([letter for letter in "." + SYMBOLS if letter != state.squares[place]])
    with_changes = BoardState(state.squares[:place] + other + state.squares[place + 1 :])
    assert read(draw_state(with_changes), state) == with_changes


def shift(frame: Frame, rng: Random) -> Frame:
    """Return the image half a pixel off at reading size, and half a per cent too large or small."""
    scale = 1 + rng.uniform(-0.005, 0.005)
    x, y = (rng.uniform(-1, 1) + 200 * (1 - scale) for _ in range(2))
    matrix = np.array([[scale, 0, x], [0, scale, y]])
    return np.asarray(cv2.warpAffine(frame, matrix, (400, 400), borderMode=cv2.BORDER_REPLICATE))


def degrade(state: BoardState, sigma: float, rng: Random) -> Frame:
    """Return the image shifted; at reading size blurred, 8 levels off in each channel, with noise of 8 levels."""
    small = shrink(shift(draw_state(state), rng)).astype(np.float32)
    if sigma:
        small = cv2.GaussianBlur(small, (0, 0), sigma)
    small += np.array([rng.uniform(-8, 8) for _ in range(3)], np.float32)
    small += np.random.default_rng(rng.getrandbits(32)).normal(0, 8, small.shape).astype(np.float32)
    return np.clip(np.round(small), 0, 255).astype(np.uint8)


@pytest.mark.parametrize(("sigma", "most_hidden"), [(0.0, 0), (1.0, 0), (2.0, 12)])
def test_a_degraded_board_is_read_back(sigma: float, most_hidden: int) -> None:
    hidden = 0
    for seed in range(40):
        rng = Random(seed)
        state = BoardState("".join(rng.choice("." * 12 + SYMBOLS) for _ in range(64)))
        found = read(degrade(state, sigma, rng))
        assert found is not None
        assert all(seen in ("?", due) for seen, due in zip(found.squares, state.squares, strict=True))
        hidden += found.squares.count("?")
    assert hidden <= most_hidden  # of 2,560


def test_a_video_at_a_low_rate_is_read(tmp_path: Path) -> None:
    for seed, crf in ((1, 35), (2, 35), (3, 40)):
        puzzle = TASK.sample(Random(seed), TASK.preset("hard"))
        states = [TASK.solution(puzzle, max(0.0, i / 20 - 0.2)) for i in range(28)]
        frames = [cv2.GaussianBlur(TASK.draw(puzzle, state), (0, 0), 1.2) for state in states]
        write_video(tmp_path / "video.mp4", frames, 24, crf=crf)
        found = [read(timed.frame) for timed in read_frames(tmp_path / "video.mp4")]
        assert len(found) == 28
        for state, seen in zip(states, found, strict=True):
            assert seen is not None
            if not state.moving:
                assert seen == state


@pytest.mark.parametrize(("sigma", "least"), [(0.0, 0.95), (1.0, 0.9), (2.0, 0.7)])
def test_a_moving_piece_is_found_where_it_is(sigma: float, least: float) -> None:
    right = total = 0
    for seed in range(50):
        rng = Random(seed)
        puzzle = TASK.sample(rng, TASK.preset(rng.choice(["easy", "medium"])))
        state = TASK.solution(puzzle, rng.uniform(0.05, 0.6))
        (piece,) = state.moving
        if piece.get_resting_index() is not None:
            continue
        total += 1
        found = read(degrade(state, sigma, rng), TASK.solution(puzzle, 0.0))
        assert found is not None
        near = [f for f in found.moving if abs(f.x - piece.x) < 0.1 and abs(f.y - piece.y) < 0.1]
        right += [f.symbol for f in near] == [piece.symbol]
    assert total > 25
    assert right >= least * total


@quick
@given(st.sampled_from(SYMBOLS), st.integers(8, 55), st.floats(-0.25, 0.25), st.floats(-0.25, 0.25))
def test_a_piece_off_its_centre_is_on_its_square(symbol: str, place: int, dx: float, dy: float) -> None:
    others = "k......." + "." * 48 + "......KQ"
    state = BoardState(others, (MovingPiece(symbol, place % 8 + 0.5 + dx, place // 8 + 0.5 + dy),))
    found = read(draw_state(state))
    assert found is not None
    assert not found.get_lifted_pieces() and found.get_letters()[place] == symbol
    for index, letter in enumerate(found.get_letters()):
        is_next = max(abs(index % 8 - place % 8), abs(index // 8 - place // 8)) == 1
        # The piece reaches into squares next to it, which are then hidden.
        assert letter == state.get_letters()[index] or (letter == "?" and is_next), index


def test_glowing_and_recoloured_squares_are_read() -> None:
    for seed in range(10):
        rng = Random(seed)
        puzzle = TASK.sample(rng, TASK.preset("medium"))
        state = TASK.solution(puzzle, 1.0)
        frame = draw_state(state).astype(np.float32)
        for place in rng.sample(range(64), 6):
            row, column = divmod(place, 8)
            part = frame[16 + 46 * row : 62 + 46 * row, 16 + 46 * column : 62 + 46 * column]
            colour = rng.choice([(170, 162, 59), (205, 209, 106), (120, 200, 120), (255, 120, 120)])
            ground = (np.ptp(part, axis=2, keepdims=True) > 40).astype(np.float32)  # pieces keep their colour
            part[:] = part * (1 - 0.8 * ground) + 0.8 * ground * np.array(colour, np.float32)
        found = read(frame.astype(np.uint8))
        assert found is not None
        assert all(seen in ("?", due) for seen, due in zip(found.squares, state.squares, strict=True))
        assert found.squares.count("?") <= 2 and not found.get_lifted_pieces()


def test_a_dissolve_shows_no_moving_piece() -> None:
    for seed in range(8):
        puzzle = TASK.sample(Random(seed), TASK.preset())
        first, final = TASK.first_frame(puzzle), TASK.final_frame(puzzle)
        for share in (0.0, 0.3, 0.4, 0.5, 1.0):
            found = read(blend(first, final, share))
            assert found is not None and not found.get_lifted_pieces()
            assert TASK.accepted(puzzle, found) == (share == 1.0), share


@pytest.mark.parametrize("level", [0, 30, 128, 255])
def test_a_flat_image_is_not_a_board(level: int) -> None:
    assert read(np.full((SIZE, SIZE, 3), level, np.uint8)) is None


def test_noise_and_a_faded_board_are_not_read() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (SIZE, SIZE, 3), np.uint8)
    assert read(noise) is None
    coarse = np.random.default_rng(2).integers(0, 256, (25, 25, 3), np.uint8)
    assert read(cv2.resize(coarse, (SIZE, SIZE), interpolation=cv2.INTER_NEAREST)) is None
    puzzle = TASK.sample(Random(1), TASK.preset())
    assert read(blend(TASK.first_frame(puzzle), np.zeros((400, 400, 3), np.uint8), 0.7)) is None


def test_covered_squares_are_hidden_and_the_rest_is_read() -> None:
    for seed in range(6):
        puzzle = TASK.sample(Random(seed), TASK.preset("hard"))
        state = TASK.solution(puzzle, 1.0)
        canvas = Canvas(400, 400)
        canvas.paste(draw_state(state), 0, 0)
        canvas.rectangle(40, 100, 320, 36, (0.0, 0.0, 0.0, 0.75))
        canvas.text("Watch closely!", 200, 118, 22, fill=(1.0, 1.0, 1.0))
        canvas.line([(330, 420), (300, 250)], "#d9a57e", 50)
        found = read(canvas.frame())
        assert found is not None
        rows = [found.squares[8 * i : 8 * i + 8] for i in range(8)]
        due = [state.squares[8 * i : 8 * i + 8] for i in range(8)]
        for i in (0, 3, 4, 5, 6, 7):
            for seen, wanted, column in zip(rows[i], due[i], range(8), strict=True):
                if not (i >= 4 and column in (5, 6, 7)):
                    assert seen == wanted, (seed, i, column)


def test_squares_outside_the_video_are_hidden() -> None:
    puzzle = TASK.sample(Random(3), TASK.preset("hard"))
    state = TASK.solution(puzzle, 0.0)
    seen = np.ones((SIZE, SIZE), np.bool_)
    seen[:, : 8 + 23] = False
    found = TASK.reader(puzzle).read(RegisteredFrame(shrink(draw_state(state)), 0.0, seen), None)
    assert found is not None
    for i, letter in enumerate(found.squares):
        assert letter == ("?" if i % 8 == 0 else state.squares[i])


@pytest.mark.parametrize(("x", "y"), [(0.0, 0.0), (0.25, 0.9), (0.99, 0.01)])
def test_a_letter_between_pixels_is_a_mixture_of_its_neighbours(x: float, y: float) -> None:
    templates = load_templates()[0]
    size = templates.clear.shape[:0:-1]
    for letter in (1, 5, 12):
        for found, layer in zip(
            templates.shifted(letter, x, y), (templates.clear[letter], templates.added[letter]), strict=True
        ):
            shift = np.array([[1, 0, x], [0, 1, y]], np.float32)
            expected = cv2.warpAffine(layer, shift, size, borderMode=cv2.BORDER_REPLICATE)
            assert np.abs(found - expected).max() < 1e-3


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_a_piece_off_its_centre_is_not_taken_for_another(symbol: str) -> None:
    """A knight low on its square looks much like a pawn."""
    puzzle = TASK.sample(Random(3), TASK.preset())
    for right in (-0.14, -0.07, 0.0, 0.07, 0.14):
        for down in (-0.14, -0.07, 0.0, 0.07, 0.14):
            state = BoardState("." * 64, (MovingPiece(symbol, 3.5 + right, 4.5 + down),))
            found = read(TASK.draw(puzzle, state))
            assert found is not None
            symbols = {found.squares[8 * 4 + 3], *(piece.symbol for piece in found.moving)} - {"?"}
            assert symbols == {symbol}, (right, down)


def random_board(rng: Random) -> BoardState:
    sparse = rng.choice([1, 12, 36])
    return BoardState("".join(rng.choice("." * sparse + SYMBOLS) for _ in range(64)))


@settings(max_examples=300)
@given(st.integers(0, 10**9))
def test_no_image_makes_the_reader_fail(seed: int) -> None:
    rng = Random(seed)
    before = random_board(rng) if rng.random() < 0.5 else None
    frame = make_arbitrary_frame(np.random.default_rng(seed), shrink(draw_state(random_board(rng))))
    found = TASK.reader(ChessPuzzle("", (), "given")).read(frame, before)
    assert found is None or (len(found.squares) == 64 and set(found.squares) <= set(".?" + SYMBOLS))
    assert found is None or all(-1 <= piece.x <= 9 and -1 <= piece.y <= 9 for piece in found.moving)


@pytest.mark.parametrize("colour", [(205, 210, 60), (240, 40, 40), (60, 160, 240)])
def test_pieces_under_a_tint_are_read(colour: tuple[int, int, int]) -> None:
    """Chess sites tint the squares of the last move, and a king in check, together with the pieces on them."""
    for seed in range(10):
        rng = Random(seed)
        state = TASK.solution(TASK.sample(rng, TASK.preset("medium")), 1.0)
        frame = draw_state(state).astype(np.float32)
        for place in range(64):
            row, column = divmod(place, 8)
            if rng.random() < 0.3:
                part = frame[16 + 46 * row : 62 + 46 * row, 16 + 46 * column : 62 + 46 * column]
                part[:] = 0.6 * part + 0.4 * np.array(colour, np.float32)
        found = read(np.clip(frame, 0, 255).astype(np.uint8))
        assert found is not None
        assert found.get_letters() == state.get_letters(), seed
