"""Drawn states are read back: unchanged, and with the degradations of videos."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest
from arbitrary_frames import read_arbitrary_frames
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.media.canvas import Canvas, blend
from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.video import read_frames, write_video
from vmevalkit.tasks.sudoku_task import TASK, CellInk, Sudoku, SudokuParams, SudokuState
from vmevalkit.tasks.sudoku_task.cheats import replace_ink
from vmevalkit.tasks.sudoku_task.render import MARGIN, cell_px
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import (
    BLANK,
    FAINT,
    UNCLEAR,
    fill_blanks,
    filling_order,
    make_printed_state,
)

few_examples = settings(max_examples=60)


def shrink(puzzle: Sudoku, frame: Frame) -> Frame:
    return np.asarray(cv2.resize(frame, TASK.reading_size(puzzle), interpolation=cv2.INTER_AREA))


def read(puzzle: Sudoku, frame: Frame, before: SudokuState | None = None) -> SudokuState | None:
    return TASK.reader(puzzle).read(RegisteredFrame(shrink(puzzle, frame), 0.0), before)


def read_values(puzzle: Sudoku, frame: Frame, before: SudokuState | None = None) -> tuple[int, ...]:
    state = read(puzzle, frame, before)
    assert state is not None
    return state.values


@st.composite
def scenes(draw: st.DrawFn) -> tuple[Sudoku, SudokuState]:
    """Return a puzzle with anything in its blanks, and some of its givens changed, faded, doubled or removed."""
    order = draw(st.sampled_from([3, 4, 9]))
    rng = Random(draw(st.integers(0, 10**6)))
    puzzle = TASK.sample(rng, SudokuParams(order, draw(st.integers(1, {3: 5, 4: 8, 9: 40}[order]))))

    def random_ink() -> CellInk:
        digit, other = rng.randint(1, order), rng.randint(1, order)
        return rng.choice(
            [
                BLANK,
                CellInk((digit,)),
                CellInk((digit,), face="plain"),
                CellInk((digit,), face="serif"),
                CellInk((digit,), rng.uniform(0.2, 0.47)),
                CellInk((digit, other)),
                CellInk((0,)),
            ]
        )

    cells = [CellInk((digit,)) if digit and rng.random() < 0.75 else random_ink() for digit in puzzle.givens]
    return puzzle, SudokuState(tuple(cells))


@few_examples
@given(scenes())
def test_a_drawn_state_is_read_back(scene: tuple[Sudoku, SudokuState]) -> None:
    puzzle, state = scene
    assert read_values(puzzle, TASK.draw(puzzle, state)) == state.values


@st.composite
def plain_scenes(draw: st.DrawFn) -> tuple[Sudoku, SudokuState]:
    """Return a puzzle with digits, right or wrong, or nothing in any cell; most givens are unchanged."""
    order = draw(st.sampled_from([3, 4, 9]))
    rng = Random(draw(st.integers(0, 10**6)))
    puzzle = TASK.sample(rng, SudokuParams(order, draw(st.integers(1, {3: 5, 4: 8, 9: 40}[order]))))
    digits = [digit if digit and rng.random() < 0.8 else rng.randint(0, order) for digit in puzzle.givens]
    return puzzle, make_printed_state(digits)


def blurred(frame: Frame) -> Frame:
    return np.asarray(cv2.GaussianBlur(frame, (0, 0), 2 / 0.75))


def jpeg(frame: Frame) -> Frame:
    coded = cv2.imencode(".jpg", frame[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 20])[1]
    return np.ascontiguousarray(cv2.imdecode(coded, cv2.IMREAD_COLOR)[..., ::-1])


def darker(frame: Frame) -> Frame:
    return np.asarray(cv2.subtract(frame, (13, 13, 13, 0)))


def cast(frame: Frame) -> Frame:
    return np.clip(frame.astype(np.int16) + np.array([8, -8, 8]), 0, 255).astype(np.uint8)


def noisy(frame: Frame) -> Frame:
    noise = np.random.default_rng(1).normal(0, 10, frame.shape)
    return np.clip(frame + noise, 0, 255).astype(np.uint8)


def shifted(frame: Frame) -> Frame:
    moved = np.array([[1.005, 0, -1.5 + 0.66], [0, 1.005, -1.5 - 0.66]])
    return np.asarray(cv2.warpAffine(frame, moved, (600, 600), borderMode=cv2.BORDER_REPLICATE))


@pytest.mark.parametrize("degrade", [blurred, jpeg, darker, cast, noisy, shifted])
@settings(max_examples=25)
@given(plain_scenes())
def test_a_degraded_state_is_read_back(degrade: object, scene: tuple[Sudoku, SudokuState]) -> None:
    puzzle, state = scene
    assert read_values(puzzle, degrade(TASK.draw(puzzle, state))) == state.values  # type: ignore[operator]


@pytest.mark.parametrize("degrade", [blurred, jpeg, cast, noisy, shifted])
@settings(max_examples=20)
@given(scenes())
def test_damage_is_read_in_degraded_images(degrade: object, scene: tuple[Sudoku, SudokuState]) -> None:
    puzzle, state = scene
    # Opacity is only measured relative to the givens, so givens are drawn with full opacity.
    cells = [CellInk(ink.digits, 0.35 if ink.opacity < 1 and not given_digit else 1.0, ink.face)
             for ink, given_digit in zip(state.cells, puzzle.givens, strict=True)]  # fmt: skip
    damaged = SudokuState(tuple(cells))
    assert read_values(puzzle, degrade(TASK.draw(puzzle, damaged))) == damaged.values  # type: ignore[operator]


@pytest.mark.parametrize("order", [3, 4, 9])
def test_two_blurred_digits_are_unclear(order: int) -> None:
    puzzle = TASK.sample(Random(1), SudokuParams(order, 1))
    solved = make_printed_state(puzzle.solution)
    for pair in permutations(range(1, order + 1), 2):
        state = replace_ink(solved, puzzle.blanks[0], CellInk(pair))
        assert read_values(puzzle, blurred(TASK.draw(puzzle, state)))[puzzle.blanks[0]] == UNCLEAR, pair


@pytest.mark.parametrize("order", [3, 4])
def test_a_second_fainter_digit_beside_the_answer_is_unclear(order: int) -> None:
    puzzle = TASK.sample(Random(1), SudokuParams(order, 1))
    frame = TASK.draw(puzzle, make_printed_state(puzzle.solution))
    cell, side = puzzle.blanks[0], cell_px(order)
    x, y = MARGIN + (cell % order + 0.77) * side, MARGIN + (cell // order + 0.77) * side
    canvas = Canvas(frame.shape[1], frame.shape[0])
    canvas.paste(frame, 0, 0)
    canvas.text(str(puzzle.solution[cell] % order + 1), x, y, 0.3 * side, fill=(0.0, 0.0, 0.0, 0.35), bold=True)
    assert read_values(puzzle, canvas.frame())[cell] == UNCLEAR


@pytest.mark.parametrize(("order", "blanks"), [(3, 1), (4, 6), (9, 30)])
def test_a_video_with_a_low_bit_rate_is_read(tmp_path: Path, order: int, blanks: int) -> None:
    puzzle = TASK.sample(Random(4), SudokuParams(order, blanks))
    states = [TASK.solution(puzzle, i / 23) for i in range(24)]
    write_video(tmp_path / "video.mp4", [TASK.draw(puzzle, state) for state in states], 24, crf=35)
    found = [read(puzzle, timed.frame) for timed in read_frames(tmp_path / "video.mp4")]
    for state, seen in zip(states, found, strict=True):
        assert seen is not None
        for drawn, found_ink in zip(state.cells, seen.cells, strict=True):
            is_definite = not drawn.digits or drawn.opacity < 0.1 or 0.25 < drawn.opacity < 0.4 or drawn.opacity > 0.65
            assert not is_definite or found_ink.value == drawn.value


@pytest.mark.parametrize("order", [3, 4, 9])
def test_opacity_is_measured(order: int) -> None:
    puzzle = TASK.sample(Random(2), SudokuParams(order, 1))
    blank = puzzle.blanks[0]
    for opacity in (0.2, 0.3, 0.4, 0.45):
        cells = list(make_printed_state(puzzle.solution).cells)
        cells[blank] = CellInk((puzzle.solution[blank],), opacity)
        state = read(puzzle, TASK.draw(puzzle, SudokuState(tuple(cells))))
        assert state is not None
        assert state.cells[blank].digits == (puzzle.solution[blank],)
        assert abs(state.cells[blank].opacity - opacity) < 0.03
        assert state.values[blank] == FAINT


@pytest.mark.parametrize("order", [3, 4, 9])
def test_a_dissolve_goes_from_blank_through_faint_to_the_digit(order: int) -> None:
    puzzle = TASK.sample(Random(9), SudokuParams(order, 1))
    first, final, blank = TASK.first_frame(puzzle), TASK.final_frame(puzzle), puzzle.blanks[0]
    seen = [read_values(puzzle, blend(first, final, share))[blank] for share in np.linspace(0, 1, 41)]
    assert seen[0] == 0 and seen[-1] == puzzle.solution[blank]
    stages = [value for place, value in enumerate(seen) if place == 0 or value != seen[place - 1]]
    assert stages == [0, FAINT, puzzle.solution[blank]]


def test_handwritten_digits_are_read() -> None:
    wrong = total = 0
    for seed in range(12):
        puzzle = TASK.sample(Random(seed), SudokuParams(9, 50))
        state = fill_blanks(puzzle, puzzle.solution, 1.0, filling_order(puzzle), "hand")
        seen = read_values(puzzle, TASK.draw(puzzle, state))
        wrong += sum(seen[cell] != puzzle.solution[cell] for cell in puzzle.blanks)
        total += len(puzzle.blanks)
    assert wrong == 0 and total == 600


@pytest.mark.parametrize("colour", ["#000000", "#d02020", "#107010", "#8020a0", "#505050", "#e07000"])
@pytest.mark.parametrize("order", [3, 9])
def test_answers_in_any_colour_and_size_are_read(order: int, colour: str) -> None:
    puzzle = TASK.sample(Random(3), SudokuParams(order, 4))
    for size in (30, 34, 40) if order == 9 else (30, 60, 110):
        frame = paint_answers(puzzle, colour, size)
        assert read_values(puzzle, frame) == puzzle.solution


def paint_answers(puzzle: Sudoku, colour: str, size: float, background: str | None = None) -> Frame:
    canvas = Canvas(600, 600)
    canvas.paste(TASK.first_frame(puzzle), 0, 0)
    side = 540 / puzzle.order
    for cell in puzzle.blanks:
        x, y = 30 + (cell % puzzle.order + 0.5) * side, 30 + (cell // puzzle.order + 0.5) * side
        if background:
            canvas.rectangle(
                round(x - side / 2) + 3, round(y - side / 2) + 3, round(side) - 6, round(side) - 6, background
            )
        canvas.text(str(puzzle.solution[cell]), x + 0.04 * side, y - 0.03 * side, size, fill=colour)
    return canvas.frame()


@pytest.mark.parametrize("background", ["#fff3b0", "#c8f0c8", "#ffd0d0", "#cfe0ff", "#ffe000"])
def test_answers_on_coloured_cells_are_read(background: str) -> None:
    for order in (3, 9):
        puzzle = TASK.sample(Random(3), SudokuParams(order, 4))
        assert read_values(puzzle, paint_answers(puzzle, "#0000ff", 34, background)) == puzzle.solution


def test_answers_with_a_glow_are_read() -> None:
    puzzle = TASK.sample(Random(8), SudokuParams(3, 2))
    frame = TASK.final_frame(puzzle).astype(np.float32)
    y, x = np.mgrid[0:600, 0:600]
    for cell in puzzle.blanks:
        middle = 120 + 180 * (cell % 3), 120 + 180 * (cell // 3)
        glow = np.exp(-((x - middle[0]) ** 2 + (y - middle[1]) ** 2) / (2 * 35.0**2))[..., None]
        frame = np.where(
            frame[..., 2:] > frame[..., :1] + 40, frame, frame * (1 - glow) + glow * np.array([255, 240, 60])
        )
    assert read_values(puzzle, frame.astype(np.uint8)) == puzzle.solution


@pytest.mark.parametrize("order", [3, 4, 9])
def test_cells_behind_a_hand_or_a_caption_keep_their_state(order: int) -> None:
    puzzle = TASK.sample(Random(6), SudokuParams(order, 2))
    state = make_printed_state(puzzle.solution)
    for dark in (True, False):
        canvas = Canvas(600, 600)
        canvas.paste(TASK.draw(puzzle, state), 0, 0)
        canvas.line([(0, 420), (330, 330)], "#d9a57e", 70)
        canvas.line([(330, 330), (400, 290)], "#303040", 7)
        canvas.rectangle(100, 90, 380, 60, (0.0, 0.0, 0.0, 0.75) if dark else (1.0, 1.0, 1.0))
        canvas.text("Solving the puzzle", 290, 120, 30, fill=(1.0, 1.0, 1.0) if dark else (0.0, 0.0, 0.0))
        assert read_values(puzzle, canvas.frame(), state) == puzzle.solution


def test_cells_outside_the_video_keep_their_state() -> None:
    puzzle = TASK.sample(Random(6), SudokuParams(3, 1))
    solved, reader = make_printed_state(puzzle.solution), TASK.reader(puzzle)
    row, column = divmod(puzzle.blanks[0], 3)
    drawn = np.ones((600, 600), np.uint8)
    drawn[30 + 180 * row : 30 + 180 * (row + 1), 30 + 180 * column : 30 + 180 * (column + 1)] = 0
    seen = cv2.resize(drawn, TASK.reading_size(puzzle), interpolation=cv2.INTER_NEAREST) > 0
    state = reader.read(RegisteredFrame(shrink(puzzle, TASK.first_frame(puzzle)), 0.0, seen), solved)
    assert state is not None and state.values == puzzle.solution
    assert (
        reader.read(RegisteredFrame(shrink(puzzle, TASK.first_frame(puzzle)), 0.0, seen), None).values == puzzle.givens
    )  # type: ignore[union-attr]


@pytest.mark.parametrize("order", [3, 4, 9])
def test_marks_that_are_not_digits_are_unclear(order: int) -> None:
    puzzle = TASK.sample(Random(5), SudokuParams(order, 1))
    blank = puzzle.blanks[0]
    side = 540 / order
    x, y = 30 + (blank % order + 0.5) * side, 30 + (blank // order + 0.5) * side
    marks = {
        "cross": [[(-1, -1), (1, 1)], [(-1, 1), (1, -1)]],
        "tick": [[(-1, 0), (-0.3, 1), (1, -1)]],
        "question": [],
    }
    for name, strokes in marks.items():
        canvas = Canvas(600, 600)
        canvas.paste(TASK.first_frame(puzzle), 0, 0)
        for stroke in strokes:
            canvas.line(np.array(stroke) * 14 + [x, y], "#202020", 4)
        if name == "question":
            canvas.text("?", x, y, 34, bold=True)
        assert read_values(puzzle, canvas.frame())[blank] == UNCLEAR, name


def test_large_digits_that_nearly_touch_the_lines_are_read() -> None:
    puzzle = TASK.sample(Random(3), SudokuParams(9, 40))
    assert read_values(puzzle, paint_answers(puzzle, "#202020", 58)) == puzzle.solution


def test_specks_are_ignored() -> None:
    puzzle = TASK.sample(Random(3), SudokuParams(4, 4))
    frame = TASK.first_frame(puzzle)
    for cell in puzzle.blanks:
        y, x = 30 + 135 * (cell // 4) + 60, 30 + 135 * (cell % 4) + 70
        frame[y : y + 4, x : x + 4] = 0
    assert read_values(puzzle, frame) == puzzle.givens


def test_other_images_are_unreadable() -> None:
    puzzle = TASK.sample(Random(1), SudokuParams(9, 30))
    assert read(puzzle, np.full((600, 600, 3), 255, np.uint8)) is None
    assert read(puzzle, np.zeros((600, 600, 3), np.uint8)) is None
    for grain in (2, 6, 12):
        rng = np.random.default_rng(grain)
        side = 600 // grain
        noise = cv2.resize(rng.integers(0, 256, (side, side, 3), np.uint8), (600, 600), interpolation=cv2.INTER_NEAREST)
        assert read(puzzle, np.asarray(noise)) is None


@pytest.mark.slow
@few_examples
@given(st.sampled_from([3, 4, 9]), st.integers(0, 2**32 - 1))
def test_arbitrary_pixels_never_raise(order: int, seed: int) -> None:
    puzzle = TASK.sample(Random(seed), SudokuParams(order, order))
    for reading in read_arbitrary_frames(TASK, puzzle, seed):
        if reading.state is not None:
            assert len(reading.state.cells) == order**2
            assert all(0 <= digit <= 9 for ink in reading.state.cells for digit in ink.digits)


def test_a_reading_of_an_uncovered_board_depends_on_the_frame_alone() -> None:
    puzzle = TASK.sample(Random(1), SudokuParams(4, 6))
    reader = TASK.reader(puzzle)
    wanted = make_printed_state(puzzle.solution)
    others = [make_printed_state(puzzle.givens), TASK.solution(puzzle, 0.4), SudokuState((CellInk((0,)),) * 16), None]
    frame = RegisteredFrame(shrink(puzzle, TASK.draw(puzzle, wanted)), 0.0)
    assert {reader.read(frame, before) for before in others} == {wanted}
