"""Drawn states are read back: unchanged, and with the degradations of videos."""

from __future__ import annotations

from math import dist
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
from vmevalkit.tasks.maze_task import TASK, Maze, MazeParams, MazeState
from vmevalkit.tasks.maze_task.lattice import centre, wall_between, wall_count, wall_ends
from vmevalkit.tasks.maze_task.markers import find_spots, flag_reference, redness
from vmevalkit.tasks.maze_task.maze_reasoning import initial_walls
from vmevalkit.tasks.maze_task.render import draw_state, geometry_of
from vmevalkit.tasks.maze_task.sampling import READING_SIZE, sampler_of

few_examples = settings(max_examples=60)


def shrink(frame: Frame) -> Frame:
    return np.asarray(cv2.resize(frame, (416, 240), interpolation=cv2.INTER_AREA))


def read(maze: Maze, frame: Frame, before: MazeState | None = None) -> MazeState | None:
    return TASK.reader(maze).read(RegisteredFrame(shrink(frame), 0.0), before)


@st.composite
def scenes(draw: st.DrawFn) -> tuple[Maze, MazeState]:
    """Return a maze with dots and flag anywhere, and some changed walls that no marker covers."""
    grid_n = draw(st.integers(2, 12))
    rng = Random(draw(st.integers(0, 10**6)))
    maze = TASK.sample(rng, MazeParams(grid_n, 2))

    def random_point() -> tuple[float, float]:
        return (rng.uniform(0.3, grid_n - 0.3), rng.uniform(0.3, grid_n - 0.3))

    flag = random_point() if draw(st.integers(0, 3)) == 0 else centre(maze.goal)
    dots: list[tuple[float, float]] = []
    for _ in range(draw(st.sampled_from([1, 1, 1, 2]))):
        dot = centre(maze.goal) if draw(st.integers(0, 4)) == 0 else random_point()
        if all(dist(dot, other) > 0.8 for other in dots):
            dots.append(dot)
    walls = initial_walls(maze)
    for _ in range(draw(st.integers(0, 2))):
        wall = rng.randrange(wall_count(grid_n))
        (x, y), (end_x, end_y) = wall_ends(grid_n, wall)
        middle = ((x + end_x) / 2, (y + end_y) / 2)
        if all(dist(middle, marker) > 1.0 for marker in (*dots, flag)):
            walls ^= 1 << wall
    return maze, MazeState(tuple(sorted(dots)), walls, (flag,))


def assert_same_state(state: MazeState, found: MazeState | None, dot_cells: float, flag_cells: float) -> None:
    assert found is not None
    assert found.walls == state.walls
    assert len(found.dots) == len(state.dots)
    for dot, seen in zip(state.dots, found.dots, strict=True):
        assert dist(dot, seen) < dot_cells
    assert len(found.flags) == 1
    clear = all(dist(state.flags[0], dot) > 0.7 for dot in state.dots)
    assert dist(state.flags[0], found.flags[0]) < (flag_cells if clear else 0.3)


@few_examples
@given(scenes())
def test_a_drawn_state_is_read_back(scene: tuple[Maze, MazeState]) -> None:
    maze, state = scene
    assert_same_state(state, read(maze, TASK.draw(maze, state)), 0.02, 0.04)


def blurred(frame: Frame) -> Frame:
    return np.asarray(cv2.GaussianBlur(frame, (0, 0), 3.0))


def jpeg(frame: Frame) -> Frame:
    coded = cv2.imencode(".jpg", frame[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 20])[1]
    return np.ascontiguousarray(cv2.imdecode(coded, cv2.IMREAD_COLOR)[..., ::-1])


def darker(frame: Frame) -> Frame:
    return np.asarray(cv2.subtract(frame, (13, 13, 13, 0)))


def cast(frame: Frame) -> Frame:
    return np.clip(frame.astype(np.int16) + np.array([13, -6, 8]), 0, 255).astype(np.uint8)


def noisy(frame: Frame) -> Frame:
    noise = np.random.default_rng(1).normal(0, 10, frame.shape)
    return np.clip(frame + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("degrade", [blurred, jpeg, darker, cast, noisy])
@settings(max_examples=25)
@given(scenes())
def test_a_degraded_state_is_read_back(degrade: object, scene: tuple[Maze, MazeState]) -> None:
    maze, state = scene
    assert_same_state(state, read(maze, degrade(TASK.draw(maze, state))), 0.08, 0.2)  # type: ignore[operator]


@pytest.mark.parametrize(("grid_n", "crf", "most_unreadable"), [(3, 40, 0), (12, 35, 0), (12, 40, 2)])
def test_a_video_with_a_low_bit_rate_is_read(tmp_path: Path, grid_n: int, crf: int, most_unreadable: int) -> None:
    maze = TASK.sample(Random(4), MazeParams(grid_n))
    states = [TASK.solution(maze, i / 23) for i in range(24)]
    frames = [cv2.GaussianBlur(TASK.draw(maze, state), (0, 0), 1.5) for state in states]
    write_video(tmp_path / "video.mp4", frames, 24, crf=crf)
    found = [read(maze, timed.frame) for timed in read_frames(tmp_path / "video.mp4")]
    assert len(found) == 24
    for state, seen in zip(states, found, strict=True):
        if seen is not None:
            assert_same_state(state, seen, 0.12, 0.25)
    assert found.count(None) <= most_unreadable


@few_examples
@given(st.integers(2, 12), st.integers(0, 10**6))
def test_a_missing_dot_and_a_missing_flag_are_read_as_missing(grid_n: int, seed: int) -> None:
    maze = TASK.sample(Random(seed), MazeParams(grid_n, 2))
    whole = TASK.solution(maze, 0.0)
    without_dot = read(maze, TASK.draw(maze, MazeState((), whole.walls, whole.flags)), whole)
    assert without_dot is not None and without_dot.dots == () and len(without_dot.flags) == 1
    without_flag = read(maze, TASK.draw(maze, MazeState(whole.dots, whole.walls, ())), whole)
    assert without_flag is not None and without_flag.flags == () and len(without_flag.dots) == 1


@pytest.mark.parametrize("grid_n", [3, 8, 12])
def test_a_dissolve_never_shows_more_than_one_dot(grid_n: int) -> None:
    maze = TASK.sample(Random(9), MazeParams(grid_n))
    first, final = TASK.first_frame(maze), TASK.final_frame(maze)
    counts = []
    for share in np.linspace(0, 1, 41):
        state = read(maze, blend(first, final, float(share)))
        assert state is not None
        counts.append(len(state.dots))
    assert set(counts) == {0, 1}
    assert counts[0] == counts[-1] == 1
    assert counts[20] == 0


@pytest.mark.parametrize("grid_n", [3, 5, 7])
@pytest.mark.parametrize(("width", "opacity"), [(0.02, 1.0), (0.4, 0.25), (0.1, 1.0), (0.3, 0.4)])
def test_a_trail_of_the_dots_colour_is_no_dot(grid_n: int, width: float, opacity: float) -> None:
    """It may be thin, or faint and as wide as the dot, or broken into dashes that are not connected with it."""
    maze = TASK.sample(Random(5), MazeParams(grid_n, 2))
    geometry = geometry_of(grid_n)
    state = TASK.solution(maze, 0.9)
    points = [geometry.pixel(TASK.solution(maze, 0.9 * step / 40).dots[0]) for step in range(41)]
    for first in (0, 3):
        canvas = Canvas(832, 480, (1.0, 1.0, 1.0, 0.0))
        frame = TASK.draw(maze, state)
        canvas.paste(frame, 0, 0)
        canvas.line(
            points[first : 41 - first], (0x22 / 255, 0xC5 / 255, 0x5E / 255, opacity), max(1.0, width * geometry.cell)
        )
        x, y = geometry.pixel(state.dots[0])
        canvas.circle(x, y, 0.2 * geometry.cell, fill="#22c55e")
        found = read(maze, jpeg(canvas.frame()))
        assert found is not None and len(found.dots) == 1
        assert dist(found.dots[0], state.dots[0]) < 0.1


def test_other_images_are_unreadable() -> None:
    maze = TASK.sample(Random(1), MazeParams(5))
    other = TASK.sample(Random(1), MazeParams(12))
    grains = np.random.default_rng(0).integers(0, 256, (60, 104, 3), np.uint8)
    images = [
        np.zeros((480, 832, 3), np.uint8),
        np.full((480, 832, 3), 255, np.uint8),
        np.full((480, 832, 3), 128, np.uint8),
        cv2.resize(grains, (832, 480), interpolation=cv2.INTER_NEAREST),
        np.random.default_rng(0).integers(0, 256, (480, 832, 3), np.uint8),
        TASK.first_frame(other),
        blend(TASK.first_frame(maze), np.full((480, 832, 3), 255, np.uint8), 0.9),
    ]
    assert [read(maze, image) for image in images] == [None] * len(images)


@pytest.mark.slow
@few_examples
@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_arbitrary_pixels_never_raise(grid_n: int, seed: int) -> None:
    maze = TASK.sample(Random(seed), MazeParams(grid_n, 2))
    for reading in read_arbitrary_frames(TASK, maze, seed):
        if reading.state is not None:
            assert 0 <= reading.state.walls < 1 << wall_count(grid_n)
            assert np.isfinite([*reading.state.dots, *reading.state.flags]).all()


def cover(frame: Frame, box: tuple[int, int, int, int], colour: object, text: str = "") -> Frame:
    canvas = Canvas(832, 480)
    canvas.paste(frame, 0, 0)
    canvas.rectangle(*box, colour)  # type: ignore[arg-type]
    if text:
        canvas.text(text, box[0] + box[2] / 2, box[1] + box[3] / 2, box[3] / 2)
    return canvas.frame()


@pytest.mark.parametrize("grid_n", [3, 5, 8, 12])
def test_walls_behind_a_hand_or_a_caption_keep_their_state(grid_n: int) -> None:
    maze = TASK.sample(Random(2), MazeParams(grid_n))
    state = TASK.solution(maze, 0.0)
    frame = TASK.draw(maze, state)
    geometry = geometry_of(grid_n)
    left = 560 if state.dots[0][0] * geometry.cell + geometry.left < 416 else 190
    for colour in ("#d9a57e", "#7d4f35", (0.0, 0.0, 0.0, 0.75), (0.5, 0.5, 0.5)):
        found = read(maze, cover(frame, (left, 0, 80, 480), colour))
        assert found is not None and found.walls == state.walls
    for top in range(30, 440, 29):
        found = read(maze, cover(frame, (220, top, 320, 48), (1, 1, 1), "Step 2: the answer"))
        assert found is None or found.walls == state.walls


def test_a_hidden_dot_is_unreadable_and_a_hidden_flag_keeps_its_place() -> None:
    maze = TASK.sample(Random(3), MazeParams(3, 4))
    state = TASK.solution(maze, 0.0)
    geometry = geometry_of(3)

    def cell_box(cell: tuple[int, int]) -> tuple[int, int, int, int]:
        x, y = geometry.pixel((cell[1], cell[0]))
        return (round(x) + 10, round(y) + 10, geometry.cell - 20, geometry.cell - 20)

    assert read(maze, cover(TASK.draw(maze, state), cell_box(maze.start), "#d9a57e")) is None
    no_flag = read(maze, cover(TASK.draw(maze, state), cell_box(maze.goal), "#d9a57e"))
    assert no_flag is not None and no_flag.flags == (centre(maze.goal),)


def test_a_dot_can_only_hide_behind_a_cover_that_it_reached() -> None:
    maze = TASK.sample(Random(3), MazeParams(3, 4))
    geometry = geometry_of(3)
    states = [TASK.solution(maze, t) for t in (0.0, 0.02, 0.04)]
    reader = TASK.reader(maze)

    def read_next(frame: Frame, before: MazeState | None) -> MazeState | None:
        return reader.read(RegisteredFrame(shrink(frame), 0.0), before)

    def hand_box(x: float, y: float) -> tuple[int, int, int, int]:
        left, top = geometry.pixel((x, y))
        return (round(left) - 40, round(top) - 40, 80, 80)

    before = None
    for state in states:
        before = read_next(TASK.draw(maze, state), before)
    assert before is not None
    x, y = before.dots[0]
    without_dot = TASK.draw(maze, MazeState((), states[0].walls, states[0].flags))
    far = read_next(cover(without_dot, hand_box(x, y - 1 if y > 1 else y + 1), "#d9a57e"), before)
    assert far is not None and far.dots == ()  # it vanished in plain view
    reader = TASK.reader(maze)
    for state in states:
        before = read_next(TASK.draw(maze, state), before)
    assert read_next(cover(without_dot, hand_box(x, y), "#d9a57e"), before) is None  # it is behind the hand
    again = read_next(TASK.draw(maze, TASK.solution(maze, 1.0)), before)
    assert again is not None and again.emerged_from
    assert all(abs(px - x) < 0.8 and abs(py - y) < 0.8 for px, py in again.emerged_from)


def test_walls_outside_the_video_keep_their_state() -> None:
    maze = TASK.sample(Random(6), MazeParams(8))
    state = TASK.solution(maze, 0.0)
    image = shrink(TASK.draw(maze, state))
    seen = np.ones(image.shape[:2], np.bool_)
    seen[:30], seen[-30:] = False, False
    cut = np.where(seen[..., None], image, 255).astype(np.uint8)
    found = TASK.reader(maze).read(RegisteredFrame(cut, 0.0, seen), None)
    assert found is not None and found.walls == state.walls
    without_mask = TASK.reader(maze).read(RegisteredFrame(cut, 0.0), None)
    assert without_mask is not None and without_mask.walls != state.walls


def test_a_wall_opens_and_closes_when_it_is_visible() -> None:
    maze = TASK.sample(Random(8), MazeParams(5, 8))
    initial = TASK.solution(maze, 0.0)
    closed = next(c for c in ((2, 2), (2, 3), (3, 3)) if initial.walls >> wall_between(5, c, (c[0], c[1] + 1)) & 1)
    wall = 1 << wall_between(5, closed, (closed[0], closed[1] + 1))
    opened = MazeState(initial.dots, initial.walls & ~wall, initial.flags)
    found = read(maze, TASK.draw(maze, opened), initial)
    assert found is not None and found.walls == opened.walls
    closed_again = read(maze, TASK.draw(maze, initial), found)
    assert closed_again is not None and closed_again.walls == initial.walls
    behind = MazeState(((closed[1] + 1.0, closed[0] + 0.5),), initial.walls, initial.flags)
    under_dot = read(maze, TASK.draw(maze, behind), opened)
    assert under_dot is not None and under_dot.walls == opened.walls


def test_a_dot_with_a_glow_or_a_trail_is_one_dot() -> None:
    maze = TASK.sample(Random(11), MazeParams(3))
    state = TASK.solution(maze, 0.3)
    x, y = geometry_of(3).pixel(state.dots[0])
    for paint in ("glow", "trail", "pen"):
        canvas = Canvas(832, 480)
        canvas.paste(TASK.draw(maze, state), 0, 0)
        if paint == "glow":
            canvas.circle(x, y, 40, fill=(0.5, 0.95, 0.65, 0.5))
            canvas.circle(x, y, 28, fill="#22c55e")
        elif paint == "trail":
            canvas.line([(x, y), geometry_of(3).pixel(centre(maze.start))], "#22c55e", 12)
        else:
            canvas.line([(x - 60, y - 4), (x + 60, y + 4)], "#303040", 6)
        found = read(maze, canvas.frame())
        assert found is not None and len(found.dots) == 1
        assert dist(found.dots[0], state.dots[0]) < 0.1


@pytest.mark.parametrize(("half", "flags"), [(0.15, 2), (0.46, 1)])
def test_what_is_thicker_than_a_flag_is_no_flag(half: float, flags: int) -> None:
    """A red square of a cell's size is a cover; a small one may be a flag."""
    grid_n = 3
    sampler, reference = sampler_of(grid_n), flag_reference(grid_n)
    image = cv2.resize(draw_state(grid_n, MazeState((), 0, ((0.5, 0.5),))), READING_SIZE, interpolation=cv2.INTER_AREA)
    x, y = sampler.pixel((2.5, 2.5))
    reach = half * sampler.cell_px
    image[round(y - reach) : round(y + reach), round(x - reach) : round(x + reach)] = 205, 45, 50
    spots = find_spots(redness(image), reference, sampler)
    assert spots is not None
    assert len(spots) == flags
