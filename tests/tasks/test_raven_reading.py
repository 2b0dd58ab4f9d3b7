"""A drawn state is read back: as drawn, and degraded as videos degrade images. No image makes the reader fail."""

from __future__ import annotations

from dataclasses import replace
from math import cos, pi, sin
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
from vmevalkit.tasks.raven_task import TASK, Cell, RavenState, Tile
from vmevalkit.tasks.raven_task.raven_reasoning import ANSWER
from vmevalkit.tasks.raven_task.scene import EMPTY, QUESTION, SCRIBBLE
from vmevalkit.tasks.raven_task.vocabulary import COLOURS, NUMBERS, POSES

quick = settings(max_examples=60)
PUZZLE = TASK.sample(Random(5), TASK.preset("medium"))
START = TASK.solution(PUZZLE, 0.0)
SIZE = 288


def shrink(frame: Frame) -> Frame:
    return np.asarray(cv2.resize(frame, (SIZE, SIZE), interpolation=cv2.INTER_AREA))


def read(frame: Frame, before: RavenState | None = None) -> RavenState | None:
    small = frame if frame.shape[0] == SIZE else shrink(frame)
    return TASK.reader(PUZZLE).read(RegisteredFrame(small, 0.0), before)


def draw(state: RavenState) -> Frame:
    return TASK.draw(PUZZLE, state)


def random_tile(rng: Random) -> Tile:
    shape, angle_deg = rng.choice(POSES)
    return Tile(shape, rng.choice(NUMBERS), angle_deg, rng.choice(list(COLOURS)))


def random_state(rng: Random) -> RavenState:
    """Return a state with any content in any cell: no rule of matrices is assumed."""
    return RavenState(
        tuple(
            Cell(random_tile(rng)) if rng.random() < 0.75 else rng.choice([EMPTY, QUESTION, SCRIBBLE]) for _ in range(9)
        )
    )


@quick
@given(st.integers(0, 10**6))
def test_a_drawn_state_is_read_back(seed: int) -> None:
    state = random_state(Random(seed))
    assert read(draw(state)) == state


def test_every_tile_is_read_back() -> None:
    tiles = [Tile(s, n, a, c) for s, a in POSES for n in NUMBERS for c in COLOURS]
    tiles += tiles[: -len(tiles) % 9]
    for i in range(0, len(tiles), 9):
        state = RavenState(tuple(Cell(tile) for tile in tiles[i : i + 9]))
        assert read(draw(state)) == state


@quick
@given(st.integers(0, 10**6))
def test_a_changed_cell_is_read_whatever_the_state_before(seed: int) -> None:
    rng = Random(seed)
    state = random_state(rng)
    place = rng.randrange(9)
    changed = state.with_cell(place, rng.choice([Cell(random_tile(rng)), EMPTY, QUESTION, SCRIBBLE]))
    assert read(draw(changed), state) == changed


@quick
@given(st.integers(0, 10**6), st.floats(0.6, 1.0))
def test_size_and_arrangement_do_not_matter(seed: int, scale: float) -> None:
    rng = Random(seed)
    tile = random_tile(rng)
    for cell in (
        Cell(tile, scale=round(max(scale, 0.75), 2)),
        Cell(replace(tile, number=1), scale=round(1.7 * scale, 2)),
        Cell(tile, arrangement="other"),
    ):
        found = read(draw(START.with_cell(ANSWER, cell)))
        assert found is not None and found.readings[ANSWER] == cell.tile


@pytest.mark.parametrize("shape", ["square", "circle", "star", "triangle"])
def test_a_shape_of_any_size_is_read(shape: str) -> None:
    for percent in range(60, 176, 2):
        tile = Tile(shape, 1, 0, "blue")
        found = read(draw(START.with_cell(ANSWER, Cell(tile, scale=percent / 100))))
        assert found is not None and found.readings[ANSWER] == tile, percent


def degrade(state: RavenState, sigma: float, rng: Random) -> Frame:
    """Return the image half a pixel and half a per cent off; at reading size blurred, 8 levels off, with noise."""
    scale = 1 + rng.uniform(-0.005, 0.005)
    x, y = (rng.uniform(-0.75, 0.75) + 225 * (1 - scale) for _ in range(2))
    matrix = np.array([[scale, 0, x], [0, scale, y]])
    small = shrink(cv2.warpAffine(draw(state), matrix, (450, 450), borderMode=cv2.BORDER_REPLICATE)).astype(np.float32)
    if sigma:
        small = cv2.GaussianBlur(small, (0, 0), sigma)
    small += np.array([rng.uniform(-8, 8) for _ in range(3)], np.float32)
    small += np.random.default_rng(rng.getrandbits(32)).normal(0, 8, small.shape).astype(np.float32)
    return np.clip(np.round(small), 0, 255).astype(np.uint8)


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [0.0, 1.0, 2.0])
def test_a_degraded_state_is_read_back(sigma: float) -> None:
    for seed in range(100):
        rng = Random(seed)
        state = random_state(rng)
        assert read(degrade(state, sigma, rng)) == state, seed


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
            assert seen.readings[:ANSWER] == state.readings[:ANSWER]
            if state.cells[ANSWER].opacity in (0.0, 1.0):
                assert seen == state


@pytest.mark.slow
def test_a_fade_is_read_as_a_fade() -> None:
    for seed in range(40):
        rng = Random(seed)
        tile = random_tile(rng)
        for share in (0.05, 0.45, 0.5, 0.55, 0.95):
            for image in (
                draw(START.with_cell(ANSWER, Cell(tile, share, 1 - share))),
                blend(draw(START), draw(START.with_cell(ANSWER, Cell(tile))), share),
            ):
                found = read(image)
                assert found is not None and found.cells[:ANSWER] == START.cells[:ANSWER]
                cell = found.cells[ANSWER]
                if share < 0.1:
                    assert cell == QUESTION
                elif share > 0.9:
                    assert cell == Cell(tile)
                else:
                    assert cell.reading == "fading" and cell.tile == tile, (seed, share, cell)
                    assert cell.opacity == pytest.approx(share, abs=0.08)
                    assert cell.question == pytest.approx(1 - share, abs=0.08)


def test_a_half_opaque_tile_is_not_a_tile_yet() -> None:
    for seed in range(40):
        rng = Random(seed)
        tile = random_tile(rng)
        for opacity in (0.3, 0.5):
            found = read(degrade(START.with_cell(ANSWER, Cell(tile, opacity)), 1.0, rng))
            assert found is not None and found.readings[ANSWER] == "fading"
            assert found.cells[ANSWER].opacity == pytest.approx(opacity, abs=0.1)
        nearly = read(degrade(START.with_cell(ANSWER, Cell(tile, 0.8)), 1.0, rng))
        assert nearly is not None and nearly.readings[ANSWER] == tile


def test_a_question_mark_that_stays_is_read_beside_and_behind_the_answer() -> None:
    for seed in range(60):
        rng = Random(seed)
        tile = random_tile(rng)
        for question in (0.5, 1.0):
            found = read(degrade(START.with_cell(ANSWER, Cell(tile, 1.0, question)), rng.choice([0.0, 1.5]), rng))
            assert found is not None and not isinstance(found.readings[ANSWER], Tile), (seed, question)


def draw_mark(name: str, x: float, y: float, radius: float) -> Frame:
    """Return a mark that is not one of the shapes, in red, on an empty cell."""
    canvas = Canvas(120, 120)
    red = (0.84, 0.14, 0.16)

    def corners(count: int, turn: float, inner: float = 1.0) -> list[tuple[float, float]]:
        lengths = (radius, radius * inner)
        angles = [turn + 2 * pi * i / count for i in range(count)]
        return [(x + lengths[i % 2] * cos(a), y + lengths[i % 2] * sin(a)) for i, a in enumerate(angles)]

    if name == "diagonal_triangle":
        canvas.polygon(corners(3, pi / 4), fill=red)
    elif name == "rectangle":
        canvas.polygon(
            [(x + a * radius, y + b * radius / 2) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))], fill=red
        )
    elif name == "ellipse":
        canvas.ellipse(x, y, radius, 0.6 * radius, fill=red)
    elif name == "six_pointed_star":
        canvas.polygon(corners(12, 0.0, 0.5), fill=red)
    elif name == "cross":
        canvas.line([(x - radius, y - radius), (x + radius, y + radius)], red, 9)
        canvas.line([(x - radius, y + radius), (x + radius, y - radius)], red, 9)
    elif name == "crescent":
        canvas.circle(x, y, radius, fill=red)
        canvas.circle(x + radius / 2, y, 0.9 * radius, fill=(1.0, 1.0, 1.0))
    elif name == "square_ring":
        canvas.polygon([(x + a * radius, y + b * radius) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))], fill=red)
        half = radius / 2
        canvas.polygon([(x + a * half, y + b * half) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))], fill="#ffffff")
    else:
        canvas.text(name, x, y, 2.6 * radius, fill=red, bold=True)
    return canvas.frame()


@pytest.mark.parametrize(
    "name",
    [
        "diagonal_triangle",
        "rectangle",
        "ellipse",
        "six_pointed_star",
        "cross",
        "crescent",
        "square_ring",
        *"ABGMR234589&",
    ],
)
def test_a_mark_that_is_not_a_known_shape_is_unclear(name: str) -> None:
    for seed in range(6):
        rng = Random(seed)
        frame = draw(START)
        frame[315:435, 315:435] = draw_mark(name, 60 + rng.uniform(-6, 6), 60 + rng.uniform(-6, 6), rng.uniform(18, 30))
        for sigma in (0.0, 1.0):
            found = read(cv2.GaussianBlur(shrink(frame), (0, 0), sigma) if sigma else shrink(frame))
            assert found is not None and found.readings[ANSWER] == "unclear", (seed, sigma, found.readings[ANSWER])


def test_shapes_that_differ_are_unclear() -> None:
    for seed in range(60):
        rng = Random(seed)
        one, other = random_tile(rng), random_tile(rng)
        if one == replace(other, number=one.number):
            continue
        left, right = (draw(RavenState((Cell(replace(tile, number=2)),) * 9)) for tile in (one, other))
        frame = draw(START)
        frame[310:440, 310:375], frame[310:440, 375:440] = left[310:440, 310:375], right[310:440, 375:440]
        found = read(frame)
        assert found is not None and found.readings[ANSWER] == "unclear", (one, other, found.readings[ANSWER])


def test_glowing_and_tinted_cells_are_read() -> None:
    for seed in range(20):
        rng = Random(seed)
        state = random_state(rng)
        frame = draw(state).astype(np.float32)
        for place in rng.sample(range(9), 3):
            row, column = divmod(place, 3)
            part = frame[150 * row + 4 : 150 * row + 146, 150 * column + 4 : 150 * column + 146]
            part[:] = part * np.array(rng.choice([(1, 1, 0.8), (0.88, 1, 0.9), (1, 0.9, 0.9)]), np.float32)
        found = read(frame.astype(np.uint8))
        assert found is not None
        assert found.readings == state.readings, seed


@pytest.mark.parametrize("level", [0, 30, 128, 255])
def test_a_flat_image_is_not_a_matrix(level: int) -> None:
    assert read(np.full((SIZE, SIZE, 3), level, np.uint8)) is None


def test_noise_and_a_faded_matrix_are_not_read() -> None:
    for seed, grain in ((1, 1), (2, 4), (3, 12), (4, 25)):
        noise = np.random.default_rng(seed).integers(0, 256, (SIZE // grain, SIZE // grain, 3), np.uint8)
        assert read(cv2.resize(noise, (SIZE, SIZE), interpolation=cv2.INTER_NEAREST)) is None
    assert read(blend(draw(START), np.zeros((450, 450, 3), np.uint8), 0.9)) is None


def test_covered_cells_keep_their_content_and_the_rest_is_read() -> None:
    for seed in range(10):
        rng = Random(seed)
        before, now = (RavenState(tuple(Cell(random_tile(rng)) for _ in range(9))) for _ in range(2))
        canvas = Canvas(450, 450)
        canvas.paste(draw(now), 0, 0)
        canvas.rectangle(30, 40, 330, 44, rng.choice([(0.0, 0.0, 0.0, 0.75), (1.0, 1.0, 1.0, 1.0)]))
        canvas.text("Watch closely!", 200, 62, 24, fill=(0.5, 0.5, 0.5))
        canvas.line([(380, 470), (375, 375)], rng.choice(["#f1c9a5", "#7d4f35"]), 50)
        canvas.line([(75, 470), (75, 375)], "#303040", 6)
        found = read(canvas.frame(), before)
        assert found is not None
        covered = {0, 1, 2, 6, 8}
        due = [before.cells[i] if i in covered else now.cells[i] for i in range(9)]
        assert list(found.cells) == due, seed
        first = read(canvas.frame())
        assert first is not None and first.cells[ANSWER] == QUESTION


def test_cells_outside_the_video_keep_their_content() -> None:
    state = random_state(Random(3))
    seen = np.ones((SIZE, SIZE), np.bool_)
    seen[:, :40] = False
    found = TASK.reader(PUZZLE).read(RegisteredFrame(shrink(draw(state)), 0.0, seen), START)
    assert found is not None
    assert [found.cells[i] for i in (0, 3, 6)] == [START.cells[i] for i in (0, 3, 6)]
    assert all(found.cells[i] == state.cells[i] for i in (1, 2, 4, 5, 7, 8))
    seen = np.ones((SIZE, SIZE), np.bool_)
    seen[:, -16:] = False  # a tenth of the video, cut off on both sides, takes nothing away
    found = TASK.reader(PUZZLE).read(RegisteredFrame(shrink(draw(state)), 0.0, seen), START)
    assert found == state


def test_a_tile_that_slides_in_is_read_at_every_step() -> None:
    """The first sliver of a tile has ink at the edge of its cell, and none in the middle."""
    for tile in (PUZZLE.answer, Tile("star", 4, 0, "red"), Tile("triangle", 1, 0, "black")):
        content = draw(START.with_cell(ANSWER, Cell(tile)))[302:446, 302:446]
        for step in range(0, 145, 2):
            frame = draw(START.with_cell(ANSWER, EMPTY))
            frame[302:446, 446 - step : 446] = content[:, :step]
            found = read(frame, START.with_cell(ANSWER, EMPTY))
            assert found is not None and found.cells[:ANSWER] == START.cells[:ANSWER]
            reading = found.readings[ANSWER]
            assert isinstance(reading, str) or replace(reading, number=tile.number) == tile, (step, reading)
            assert step > 8 or reading == "empty", (step, reading)
        assert found.readings[ANSWER] == tile


@settings(max_examples=300)
@given(st.integers(0, 10**9))
def test_no_image_makes_the_reader_fail(seed: int) -> None:
    rng = Random(seed)
    before = random_state(rng) if rng.random() < 0.5 else None
    frame = make_arbitrary_frame(np.random.default_rng(seed), shrink(draw(random_state(rng))))
    found = TASK.reader(PUZZLE).read(frame, before)
    assert found is None or (len(found.cells) == len(found.readings) == 9)
