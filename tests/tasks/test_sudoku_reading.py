"""What is drawn is read back: plain, and through what films do to pictures."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from random import Random

import cv2
import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.media.canvas import Canvas, blend
from vmevalkit.media.picture import Frame
from vmevalkit.media.sighting import Sighting
from vmevalkit.media.video import read_frames, write_video
from vmevalkit.tasks.sudoku_task import TASK, Ink, Sudoku, SudokuKnobs, SudokuState
from vmevalkit.tasks.sudoku_task.digit_samples import digit_sample
from vmevalkit.tasks.sudoku_task.digits import beliefs
from vmevalkit.tasks.sudoku_task.films import with_ink
from vmevalkit.tasks.sudoku_task.sudoku_reasoning import BLANK, FAINT, UNCLEAR, filled, filling_order, printed

settled = settings(deadline=None, derandomize=True, max_examples=60)


def shrunk(puzzle: Sudoku, frame: Frame) -> Frame:
    return np.asarray(cv2.resize(frame, TASK.reading_size(puzzle), interpolation=cv2.INTER_AREA))


def read(puzzle: Sudoku, frame: Frame, before: SudokuState | None = None) -> SudokuState | None:
    return TASK.reader(puzzle).read(Sighting(shrunk(puzzle, frame), 0.0), before)


def values(puzzle: Sudoku, frame: Frame, before: SudokuState | None = None) -> tuple[int, ...]:
    state = read(puzzle, frame, before)
    assert state is not None
    return state.values


@st.composite
def scenes(draw: st.DrawFn) -> tuple[Sudoku, SudokuState]:
    """A puzzle with anything in its blanks, and some of its givens changed, faded, doubled or gone."""
    order = draw(st.sampled_from([3, 4, 9]))
    rng = Random(draw(st.integers(0, 10**6)))
    puzzle = TASK.sample(rng, SudokuKnobs(order, draw(st.integers(1, {3: 5, 4: 8, 9: 40}[order]))))

    def anything() -> Ink:
        digit, other = rng.randint(1, order), rng.randint(1, order)
        return rng.choice(
            [
                BLANK,
                Ink((digit,)),
                Ink((digit,), face="plain"),
                Ink((digit,), face="serif"),
                Ink((digit,), rng.uniform(0.2, 0.47)),
                Ink((digit, other)),
                Ink((0,)),
            ]
        )

    cells = [Ink((digit,)) if digit and rng.random() < 0.75 else anything() for digit in puzzle.givens]
    return puzzle, SudokuState(tuple(cells))


@settled
@given(scenes())
def test_a_drawn_state_is_read_back(scene: tuple[Sudoku, SudokuState]) -> None:
    puzzle, state = scene
    assert values(puzzle, TASK.draw(puzzle, state)) == state.values


@st.composite
def plain_scenes(draw: st.DrawFn) -> tuple[Sudoku, SudokuState]:
    """A puzzle with digits, right or wrong, or nothing in any cell; most givens as they were."""
    order = draw(st.sampled_from([3, 4, 9]))
    rng = Random(draw(st.integers(0, 10**6)))
    puzzle = TASK.sample(rng, SudokuKnobs(order, draw(st.integers(1, {3: 5, 4: 8, 9: 40}[order]))))
    digits = [digit if digit and rng.random() < 0.8 else rng.randint(0, order) for digit in puzzle.givens]
    return puzzle, printed(digits)


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


@pytest.mark.parametrize("worsen", [blurred, jpeg, darker, cast, noisy, shifted])
@settings(deadline=None, derandomize=True, max_examples=25)
@given(plain_scenes())
def test_a_worsened_state_is_read_back(worsen: object, scene: tuple[Sudoku, SudokuState]) -> None:
    puzzle, state = scene
    assert values(puzzle, worsen(TASK.draw(puzzle, state))) == state.values  # type: ignore[operator]


@pytest.mark.parametrize("worsen", [blurred, jpeg, cast, noisy, shifted])
@settings(deadline=None, derandomize=True, max_examples=20)
@given(scenes())
def test_damage_is_read_in_worsened_pictures_too(worsen: object, scene: tuple[Sudoku, SudokuState]) -> None:
    puzzle, state = scene
    # How strong ink is can be said beside most givens alone.
    cells = [Ink(ink.digits, 0.35 if ink.opacity < 1 and not given_digit else 1.0, ink.face)
             for ink, given_digit in zip(state.cells, puzzle.givens, strict=True)]  # fmt: skip
    damaged = SudokuState(tuple(cells))
    assert values(puzzle, worsen(TASK.draw(puzzle, damaged))) == damaged.values  # type: ignore[operator]


@pytest.mark.parametrize("order", [3, 4, 9])
def test_two_digits_stay_two_in_a_blur(order: int) -> None:
    puzzle = TASK.sample(Random(1), SudokuKnobs(order, 1))
    solved = printed(puzzle.solution)
    for pair in permutations(range(1, order + 1), 2):
        state = with_ink(solved, puzzle.blanks[0], Ink(pair))
        assert values(puzzle, blurred(TASK.draw(puzzle, state)))[puzzle.blanks[0]] == UNCLEAR, pair


@pytest.mark.parametrize(("order", "blanks"), [(3, 1), (4, 6), (9, 30)])
def test_a_film_at_a_low_rate_is_read(tmp_path: Path, order: int, blanks: int) -> None:
    puzzle = TASK.sample(Random(4), SudokuKnobs(order, blanks))
    states = [TASK.solution(puzzle, i / 23) for i in range(24)]
    write_video(tmp_path / "film.mp4", [TASK.draw(puzzle, state) for state in states], 24, crf=35)
    found = [read(puzzle, timed.frame) for timed in read_frames(tmp_path / "film.mp4")]
    for state, seen in zip(states, found, strict=True):
        assert seen is not None
        for shown, told in zip(state.cells, seen.cells, strict=True):
            sharp = not shown.digits or shown.opacity < 0.1 or 0.25 < shown.opacity < 0.4 or shown.opacity > 0.65
            assert not sharp or told.value == shown.value


@pytest.mark.parametrize("order", [3, 4, 9])
def test_opacity_is_measured(order: int) -> None:
    puzzle = TASK.sample(Random(2), SudokuKnobs(order, 1))
    blank = puzzle.blanks[0]
    for opacity in (0.2, 0.3, 0.4, 0.45):
        cells = list(printed(puzzle.solution).cells)
        cells[blank] = Ink((puzzle.solution[blank],), opacity)
        state = read(puzzle, TASK.draw(puzzle, SudokuState(tuple(cells))))
        assert state is not None
        assert state.cells[blank].digits == (puzzle.solution[blank],)
        assert abs(state.cells[blank].opacity - opacity) < 0.03
        assert state.values[blank] == FAINT


@pytest.mark.parametrize("order", [3, 4, 9])
def test_a_dissolve_goes_from_blank_through_faint_to_the_digit(order: int) -> None:
    puzzle = TASK.sample(Random(9), SudokuKnobs(order, 1))
    first, final, blank = TASK.first_frame(puzzle), TASK.final_frame(puzzle), puzzle.blanks[0]
    seen = [values(puzzle, blend(first, final, share))[blank] for share in np.linspace(0, 1, 41)]
    assert seen[0] == 0 and seen[-1] == puzzle.solution[blank]
    stages = [value for place, value in enumerate(seen) if place == 0 or value != seen[place - 1]]
    assert stages == [0, FAINT, puzzle.solution[blank]]


def test_digits_by_hand_are_read() -> None:
    wrong = total = 0
    for seed in range(12):
        puzzle = TASK.sample(Random(seed), SudokuKnobs(9, 50))
        state = filled(puzzle, puzzle.solution, 1.0, filling_order(puzzle), "hand")
        seen = values(puzzle, TASK.draw(puzzle, state))
        wrong += sum(seen[cell] != puzzle.solution[cell] for cell in puzzle.blanks)
        total += len(puzzle.blanks)
    assert wrong == 0 and total == 600


FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
HELD_OUT = (
    "DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf", "DejaVuSerif-Italic.ttf", "DejaVuSansMono.ttf",
    "DejaVuSansMono-Bold.ttf", "STIXGeneral.ttf", "STIXGeneralBol.ttf", "STIXGeneralItalic.ttf",
)  # fmt: skip
"""Typefaces that the reading of digits was not trained with."""


def told_right(source: Path | str, count: int) -> float:
    dice = np.random.default_rng(7)
    wanted = [1 + i % 9 for i in range(count)]
    samples = [digit_sample(dice, source, digit, harsh=0.5) for digit in wanted]
    seen = beliefs(np.array(samples)).argmax(axis=1)
    return float((seen == wanted).mean())


def test_digits_of_unseen_typefaces_are_told_apart() -> None:
    rates = [told_right(FONTS / name, 180) for name in HELD_OUT] + [told_right("hershey held out", 180)]
    assert np.mean(rates) > 0.98 and min(rates) > 0.95


def test_digits_of_the_own_typeface_are_all_told_apart() -> None:
    assert told_right(FONTS / "DejaVuSans-Bold.ttf", 900) > 0.998


@pytest.mark.parametrize("colour", ["#000000", "#d02020", "#107010", "#8020a0", "#505050", "#e07000"])
@pytest.mark.parametrize("order", [3, 9])
def test_answers_in_any_colour_and_size_are_read(order: int, colour: str) -> None:
    puzzle = TASK.sample(Random(3), SudokuKnobs(order, 4))
    for size in (30, 34, 40) if order == 9 else (30, 60, 110):
        frame = painted(puzzle, colour, size)
        assert values(puzzle, frame) == puzzle.solution


def painted(puzzle: Sudoku, colour: str, size: float, ground: str | None = None) -> Frame:
    canvas = Canvas(600, 600)
    canvas.paste(TASK.first_frame(puzzle), 0, 0)
    side = 540 / puzzle.order
    for cell in puzzle.blanks:
        x, y = 30 + (cell % puzzle.order + 0.5) * side, 30 + (cell // puzzle.order + 0.5) * side
        if ground:
            canvas.rectangle(round(x - side / 2) + 3, round(y - side / 2) + 3, round(side) - 6, round(side) - 6, ground)
        canvas.text(str(puzzle.solution[cell]), x + 0.04 * side, y - 0.03 * side, size, fill=colour)
    return canvas.frame()


@pytest.mark.parametrize("ground", ["#fff3b0", "#c8f0c8", "#ffd0d0", "#cfe0ff", "#ffe000"])
def test_answers_on_coloured_cells_are_read(ground: str) -> None:
    for order in (3, 9):
        puzzle = TASK.sample(Random(3), SudokuKnobs(order, 4))
        assert values(puzzle, painted(puzzle, "#0000ff", 34, ground)) == puzzle.solution


def test_answers_in_a_glow_are_read() -> None:
    puzzle = TASK.sample(Random(8), SudokuKnobs(3, 2))
    frame = TASK.final_frame(puzzle).astype(np.float32)
    y, x = np.mgrid[0:600, 0:600]
    for cell in puzzle.blanks:
        middle = 120 + 180 * (cell % 3), 120 + 180 * (cell // 3)
        glow = np.exp(-((x - middle[0]) ** 2 + (y - middle[1]) ** 2) / (2 * 35.0**2))[..., None]
        frame = np.where(
            frame[..., 2:] > frame[..., :1] + 40, frame, frame * (1 - glow) + glow * np.array([255, 240, 60])
        )
    assert values(puzzle, frame.astype(np.uint8)) == puzzle.solution


@pytest.mark.parametrize("order", [3, 4, 9])
def test_what_is_behind_a_hand_or_a_caption_stays_as_it_was(order: int) -> None:
    puzzle = TASK.sample(Random(6), SudokuKnobs(order, 2))
    state = printed(puzzle.solution)
    for dark in (True, False):
        canvas = Canvas(600, 600)
        canvas.paste(TASK.draw(puzzle, state), 0, 0)
        canvas.line([(0, 420), (330, 330)], "#d9a57e", 70)
        canvas.line([(330, 330), (400, 290)], "#303040", 7)
        canvas.rectangle(100, 90, 380, 60, (0.0, 0.0, 0.0, 0.75) if dark else (1.0, 1.0, 1.0))
        canvas.text("Solving the puzzle", 290, 120, 30, fill=(1.0, 1.0, 1.0) if dark else (0.0, 0.0, 0.0))
        assert values(puzzle, canvas.frame(), state) == puzzle.solution


def test_unseen_cells_stay_as_they_were() -> None:
    puzzle = TASK.sample(Random(6), SudokuKnobs(3, 1))
    solved, reader = printed(puzzle.solution), TASK.reader(puzzle)
    row, column = divmod(puzzle.blanks[0], 3)
    drawn = np.ones((600, 600), np.uint8)
    drawn[30 + 180 * row : 30 + 180 * (row + 1), 30 + 180 * column : 30 + 180 * (column + 1)] = 0
    seen = cv2.resize(drawn, TASK.reading_size(puzzle), interpolation=cv2.INTER_NEAREST) > 0
    state = reader.read(Sighting(shrunk(puzzle, TASK.first_frame(puzzle)), 0.0, seen), solved)
    assert state is not None and state.values == puzzle.solution
    assert reader.read(Sighting(shrunk(puzzle, TASK.first_frame(puzzle)), 0.0, seen), None).values == puzzle.givens  # type: ignore[union-attr]


@pytest.mark.parametrize("order", [3, 4, 9])
def test_marks_that_are_no_digit_are_unclear(order: int) -> None:
    puzzle = TASK.sample(Random(5), SudokuKnobs(order, 1))
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
        assert values(puzzle, canvas.frame())[blank] == UNCLEAR, name


def test_large_digits_that_nearly_touch_the_lines_are_read() -> None:
    puzzle = TASK.sample(Random(3), SudokuKnobs(9, 40))
    assert values(puzzle, painted(puzzle, "#202020", 58)) == puzzle.solution


def test_specks_are_no_digits() -> None:
    puzzle = TASK.sample(Random(3), SudokuKnobs(4, 4))
    frame = TASK.first_frame(puzzle)
    for cell in puzzle.blanks:
        y, x = 30 + 135 * (cell // 4) + 60, 30 + 135 * (cell % 4) + 70
        frame[y : y + 4, x : x + 4] = 0
    assert values(puzzle, frame) == puzzle.givens


def test_what_is_no_board_is_unreadable() -> None:
    puzzle = TASK.sample(Random(1), SudokuKnobs(9, 30))
    assert read(puzzle, np.full((600, 600, 3), 255, np.uint8)) is None
    assert read(puzzle, np.zeros((600, 600, 3), np.uint8)) is None
    for grain in (2, 6, 12):
        dice = np.random.default_rng(grain)
        side = 600 // grain
        noise = cv2.resize(
            dice.integers(0, 256, (side, side, 3), np.uint8), (600, 600), interpolation=cv2.INTER_NEAREST
        )
        assert read(puzzle, np.asarray(noise)) is None


def test_a_reading_depends_on_the_frame_alone() -> None:
    puzzle = TASK.sample(Random(1), SudokuKnobs(4, 6))
    reader = TASK.reader(puzzle)
    wanted = printed(puzzle.solution)
    others = [printed(puzzle.givens), TASK.solution(puzzle, 0.4), SudokuState((Ink((0,)),) * 16), None]
    sighting = Sighting(shrunk(puzzle, TASK.draw(puzzle, wanted)), 0.0)
    assert {reader.read(sighting, before) for before in others} == {wanted}
