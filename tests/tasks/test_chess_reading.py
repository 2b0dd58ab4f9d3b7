"""What is drawn is read back: plain, and through what films do to pictures."""

from __future__ import annotations

from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.media.canvas import Canvas, blend
from vmevalkit.media.picture import Frame
from vmevalkit.media.sighting import Sighting
from vmevalkit.media.video import read_frames, write_video
from vmevalkit.tasks.chess_task import TASK, BoardState, ChessPuzzle, Flyer
from vmevalkit.tasks.chess_task.pieces import SYMBOLS
from vmevalkit.tasks.chess_task.sprites import banks

settled = settings(deadline=None, derandomize=True, max_examples=50)
SIZE = 200


def shrunk(frame: Frame) -> Frame:
    return np.asarray(cv2.resize(frame, (SIZE, SIZE), interpolation=cv2.INTER_AREA))


def read(frame: Frame, before: BoardState | None = None) -> BoardState | None:
    puzzle = ChessPuzzle("", (), "given")
    small = frame if frame.shape[0] == SIZE else shrunk(frame)
    return TASK.reader(puzzle).read(Sighting(small, 0.0), before)


def drawn(state: BoardState) -> Frame:
    return TASK.draw(ChessPuzzle("", (), "given"), state)


@st.composite
def boards(draw: st.DrawFn) -> BoardState:
    """Anything on any square, from sparse to crowded: no rule of chess is assumed."""
    rng = Random(draw(st.integers(0, 10**6)))
    sparse = draw(st.sampled_from([2, 12, 36]))
    letters = [rng.choice("." * sparse + SYMBOLS) for _ in range(64)]
    letters[rng.randrange(0, 8, 2)] = "."  # one light and one dark square stay empty
    letters[rng.randrange(1, 8, 2)] = "."
    return BoardState("".join(letters))


@settled
@given(boards())
def test_a_drawn_board_is_read_back(state: BoardState) -> None:
    assert read(drawn(state)) == state


@settled
@given(boards(), st.integers(0, 10**6))
def test_a_changed_square_is_seen_whatever_stood_there_before(state: BoardState, seed: int) -> None:
    rng = Random(seed)
    place = rng.randrange(8, 64)
    other = rng.choice([letter for letter in "." + SYMBOLS if letter != state.squares[place]])
    changed = BoardState(state.squares[:place] + other + state.squares[place + 1 :])
    assert read(drawn(changed), state) == changed


def shifted(frame: Frame, rng: Random) -> Frame:
    """Half a pixel off at reading size, and half a per cent too large or small."""
    scale = 1 + rng.uniform(-0.005, 0.005)
    x, y = (rng.uniform(-1, 1) + 200 * (1 - scale) for _ in range(2))
    matrix = np.array([[scale, 0, x], [0, scale, y]])
    return np.asarray(cv2.warpAffine(frame, matrix, (400, 400), borderMode=cv2.BORDER_REPLICATE))


def worsened(state: BoardState, sigma: float, rng: Random) -> Frame:
    """Shifted, then at reading size blurred, 8 levels off in each channel, with noise of 8 levels."""
    small = shrunk(shifted(drawn(state), rng)).astype(np.float32)
    if sigma:
        small = cv2.GaussianBlur(small, (0, 0), sigma)
    small += np.array([rng.uniform(-8, 8) for _ in range(3)], np.float32)
    small += np.random.default_rng(rng.getrandbits(32)).normal(0, 8, small.shape).astype(np.float32)
    return np.clip(np.round(small), 0, 255).astype(np.uint8)


@pytest.mark.parametrize(("sigma", "most_hidden"), [(0.0, 0), (1.0, 0), (2.0, 12)])
def test_a_worsened_board_is_read_back(sigma: float, most_hidden: int) -> None:
    hidden = 0
    for seed in range(40):
        rng = Random(seed)
        state = BoardState("".join(rng.choice("." * 12 + SYMBOLS) for _ in range(64)))
        found = read(worsened(state, sigma, rng))
        assert found is not None
        assert all(seen in ("?", due) for seen, due in zip(found.squares, state.squares, strict=True))
        hidden += found.squares.count("?")
    assert hidden <= most_hidden  # of 2,560


def test_a_film_at_a_low_rate_is_read(tmp_path: Path) -> None:
    for seed, crf in ((1, 35), (2, 35), (3, 40)):
        puzzle = TASK.sample(Random(seed), TASK.preset("hard"))
        states = [TASK.solution(puzzle, max(0.0, i / 20 - 0.2)) for i in range(28)]
        frames = [cv2.GaussianBlur(TASK.draw(puzzle, state), (0, 0), 1.2) for state in states]
        write_video(tmp_path / "film.mp4", frames, 24, crf=crf)
        found = [read(timed.frame) for timed in read_frames(tmp_path / "film.mp4")]
        assert len(found) == 28
        for state, seen in zip(states, found, strict=True):
            assert seen is not None
            if not state.flyers:
                assert seen == state


@pytest.mark.parametrize(("sigma", "least"), [(0.0, 0.95), (1.0, 0.9), (2.0, 0.7)])
def test_a_piece_in_flight_is_found_where_it_is(sigma: float, least: float) -> None:
    right = total = 0
    for seed in range(50):
        rng = Random(seed)
        puzzle = TASK.sample(rng, TASK.preset(rng.choice(["easy", "medium"])))
        state = TASK.solution(puzzle, rng.uniform(0.05, 0.6))
        (flyer,) = state.flyers
        if flyer.rests_on() is not None:
            continue
        total += 1
        found = read(worsened(state, sigma, rng), TASK.solution(puzzle, 0.0))
        assert found is not None
        near = [f for f in found.flyers if abs(f.x - flyer.x) < 0.1 and abs(f.y - flyer.y) < 0.1]
        right += [f.symbol for f in near] == [flyer.symbol]
    assert total > 25
    assert right >= least * total


@settled
@given(st.sampled_from(SYMBOLS), st.integers(8, 55), st.floats(-0.25, 0.25), st.floats(-0.25, 0.25))
def test_a_piece_off_its_centre_stands_on_its_square(symbol: str, place: int, dx: float, dy: float) -> None:
    others = "k......." + "." * 48 + "......KQ"
    state = BoardState(others, (Flyer(symbol, place % 8 + 0.5 + dx, place // 8 + 0.5 + dy),))
    found = read(drawn(state))
    assert found is not None
    assert found.standing() == state.standing() and not found.aloft()


def test_glowing_and_recoloured_squares_are_read() -> None:
    for seed in range(10):
        rng = Random(seed)
        puzzle = TASK.sample(rng, TASK.preset("medium"))
        state = TASK.solution(puzzle, 1.0)
        frame = drawn(state).astype(np.float32)
        for place in rng.sample(range(64), 6):
            row, column = divmod(place, 8)
            part = frame[16 + 46 * row : 62 + 46 * row, 16 + 46 * column : 62 + 46 * column]
            colour = rng.choice([(170, 162, 59), (205, 209, 106), (120, 200, 120), (255, 120, 120)])
            ground = (np.ptp(part, axis=2, keepdims=True) > 40).astype(np.float32)  # pieces keep their colour
            part[:] = part * (1 - 0.8 * ground) + 0.8 * ground * np.array(colour, np.float32)
        found = read(frame.astype(np.uint8))
        assert found is not None
        assert all(seen in ("?", due) for seen, due in zip(found.squares, state.squares, strict=True))
        assert found.squares.count("?") <= 2 and not found.aloft()


def test_in_a_dissolve_neither_ghost_flies() -> None:
    for seed in range(8):
        puzzle = TASK.sample(Random(seed), TASK.preset())
        first, final = TASK.first_frame(puzzle), TASK.final_frame(puzzle)
        for share in (0.0, 0.3, 0.4, 0.5, 1.0):
            found = read(blend(first, final, share))
            assert found is not None and not found.aloft()
            assert TASK.accepted(puzzle, found) == (share == 1.0), share


@pytest.mark.parametrize("level", [0, 30, 128, 255])
def test_a_plain_picture_is_no_board(level: int) -> None:
    assert read(np.full((SIZE, SIZE, 3), level, np.uint8)) is None


def test_noise_and_a_faded_board_are_no_board() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (SIZE, SIZE, 3), np.uint8)
    assert read(noise) is None
    coarse = np.random.default_rng(2).integers(0, 256, (25, 25, 3), np.uint8)
    assert read(cv2.resize(coarse, (SIZE, SIZE), interpolation=cv2.INTER_NEAREST)) is None
    puzzle = TASK.sample(Random(1), TASK.preset())
    assert read(blend(TASK.first_frame(puzzle), np.zeros((400, 400, 3), np.uint8), 0.7)) is None


def test_what_is_covered_is_not_told_and_the_rest_is() -> None:
    for seed in range(6):
        puzzle = TASK.sample(Random(seed), TASK.preset("hard"))
        state = TASK.solution(puzzle, 1.0)
        canvas = Canvas(400, 400)
        canvas.paste(drawn(state), 0, 0)
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


def test_squares_outside_the_film_are_not_told() -> None:
    puzzle = TASK.sample(Random(3), TASK.preset("hard"))
    state = TASK.solution(puzzle, 0.0)
    seen = np.ones((SIZE, SIZE), np.bool_)
    seen[:, : 8 + 23] = False
    found = TASK.reader(puzzle).read(Sighting(shrunk(drawn(state)), 0.0, seen), None)
    assert found is not None
    for i, letter in enumerate(found.squares):
        assert letter == ("?" if i % 8 == 0 else state.squares[i])


@pytest.mark.parametrize(("x", "y"), [(0.0, 0.0), (0.25, 0.9), (0.99, 0.01)])
def test_a_letter_between_pixels_is_a_mixture_of_its_neighbours(x: float, y: float) -> None:
    bank = banks()[0]
    size = bank.clear.shape[:0:-1]
    for letter in (1, 5, 12):
        for found, layer in zip(bank.shifted(letter, x, y), (bank.clear[letter], bank.added[letter]), strict=True):
            shift = np.array([[1, 0, x], [0, 1, y]], np.float32)
            expected = cv2.warpAffine(layer, shift, size, borderMode=cv2.BORDER_REPLICATE)
            assert np.abs(found - expected).max() < 1e-3


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_a_piece_off_its_centre_is_not_taken_for_another(symbol: str) -> None:
    """A knight that stands low looks much like a pawn."""
    puzzle = TASK.sample(Random(3), TASK.preset())
    for right in (-0.14, -0.07, 0.0, 0.07, 0.14):
        for down in (-0.14, -0.07, 0.0, 0.07, 0.14):
            state = BoardState("." * 64, (Flyer(symbol, 3.5 + right, 4.5 + down),))
            found = read(TASK.draw(puzzle, state))
            assert found is not None
            there = {found.squares[8 * 4 + 3], *(flyer.symbol for flyer in found.flyers)} - {"?"}
            assert there == {symbol}, (right, down)
