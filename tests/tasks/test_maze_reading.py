"""What is drawn is read back: plain, and through what films do to pictures."""

from __future__ import annotations

from math import dist
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
from vmevalkit.tasks.maze_task import TASK, Maze, MazeKnobs, MazeState
from vmevalkit.tasks.maze_task.lattice import centre, wall_between, wall_count, wall_ends
from vmevalkit.tasks.maze_task.maze_reasoning import home_walls
from vmevalkit.tasks.maze_task.render import layout_of

settled = settings(deadline=None, derandomize=True, max_examples=60)


def shrunk(frame: Frame) -> Frame:
    return np.asarray(cv2.resize(frame, (416, 240), interpolation=cv2.INTER_AREA))


def read(maze: Maze, frame: Frame, before: MazeState | None = None) -> MazeState | None:
    return TASK.reader(maze).read(Sighting(shrunk(frame), 0.0), before)


@st.composite
def scenes(draw: st.DrawFn) -> tuple[Maze, MazeState]:
    """A maze with dots and flag anywhere, and some walls changed, though not under a mark."""
    grid_n = draw(st.integers(2, 12))
    rng = Random(draw(st.integers(0, 10**6)))
    maze = TASK.sample(rng, MazeKnobs(grid_n, 2))

    def somewhere() -> tuple[float, float]:
        return (rng.uniform(0.3, grid_n - 0.3), rng.uniform(0.3, grid_n - 0.3))

    flag = somewhere() if draw(st.integers(0, 3)) == 0 else centre(maze.goal)
    dots: list[tuple[float, float]] = []
    for _ in range(draw(st.sampled_from([1, 1, 1, 2]))):
        dot = centre(maze.goal) if draw(st.integers(0, 4)) == 0 else somewhere()
        if all(dist(dot, other) > 0.8 for other in dots):
            dots.append(dot)
    walls = home_walls(maze)
    for _ in range(draw(st.integers(0, 2))):
        wall = rng.randrange(wall_count(grid_n))
        (x, y), (end_x, end_y) = wall_ends(grid_n, wall)
        middle = ((x + end_x) / 2, (y + end_y) / 2)
        if all(dist(middle, mark) > 1.0 for mark in (*dots, flag)):
            walls ^= 1 << wall
    return maze, MazeState(tuple(sorted(dots)), walls, (flag,))


def agrees(state: MazeState, found: MazeState | None, dot_cells: float, flag_cells: float) -> None:
    assert found is not None
    assert found.walls == state.walls
    assert len(found.dots) == len(state.dots)
    for dot, seen in zip(state.dots, found.dots, strict=True):
        assert dist(dot, seen) < dot_cells
    assert len(found.flags) == 1
    clear = all(dist(state.flags[0], dot) > 0.7 for dot in state.dots)
    assert dist(state.flags[0], found.flags[0]) < (flag_cells if clear else 0.3)


@settled
@given(scenes())
def test_a_drawn_state_is_read_back(scene: tuple[Maze, MazeState]) -> None:
    maze, state = scene
    agrees(state, read(maze, TASK.draw(maze, state)), 0.02, 0.04)


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


@pytest.mark.parametrize("worsen", [blurred, jpeg, darker, cast, noisy])
@settings(deadline=None, derandomize=True, max_examples=25)
@given(scenes())
def test_a_worsened_state_is_read_back(worsen: object, scene: tuple[Maze, MazeState]) -> None:
    maze, state = scene
    agrees(state, read(maze, worsen(TASK.draw(maze, state))), 0.08, 0.2)  # type: ignore[operator]


@pytest.mark.parametrize(("grid_n", "crf", "most_unreadable"), [(3, 40, 0), (12, 35, 0), (12, 40, 2)])
def test_a_film_at_a_low_rate_is_read(tmp_path: Path, grid_n: int, crf: int, most_unreadable: int) -> None:
    maze = TASK.sample(Random(4), MazeKnobs(grid_n))
    states = [TASK.solution(maze, i / 23) for i in range(24)]
    frames = [cv2.GaussianBlur(TASK.draw(maze, state), (0, 0), 1.5) for state in states]
    write_video(tmp_path / "film.mp4", frames, 24, crf=crf)
    found = [read(maze, timed.frame) for timed in read_frames(tmp_path / "film.mp4")]
    assert len(found) == 24
    for state, seen in zip(states, found, strict=True):
        if seen is not None:
            agrees(state, seen, 0.12, 0.25)
    assert found.count(None) <= most_unreadable


@settled
@given(st.integers(2, 12), st.integers(0, 10**6))
def test_a_missing_dot_and_a_missing_flag_are_missed(grid_n: int, seed: int) -> None:
    maze = TASK.sample(Random(seed), MazeKnobs(grid_n, 2))
    whole = TASK.solution(maze, 0.0)
    without_dot = read(maze, TASK.draw(maze, MazeState((), whole.walls, whole.flags)), whole)
    assert without_dot is not None and without_dot.dots == () and len(without_dot.flags) == 1
    without_flag = read(maze, TASK.draw(maze, MazeState(whole.dots, whole.walls, ())), whole)
    assert without_flag is not None and without_flag.flags == () and len(without_flag.dots) == 1


@pytest.mark.parametrize("grid_n", [3, 8, 12])
def test_in_a_dissolve_there_is_never_more_than_one_dot(grid_n: int) -> None:
    maze = TASK.sample(Random(9), MazeKnobs(grid_n))
    first, final = TASK.first_frame(maze), TASK.final_frame(maze)
    counts = []
    for share in np.linspace(0, 1, 41):
        state = read(maze, blend(first, final, float(share)))
        assert state is not None
        counts.append(len(state.dots))
    assert set(counts) == {0, 1}
    assert counts[0] == counts[-1] == 1
    assert counts[20] == 0


def test_what_is_no_maze_is_unreadable() -> None:
    maze = TASK.sample(Random(1), MazeKnobs(5))
    other = TASK.sample(Random(1), MazeKnobs(12))
    grains = np.random.default_rng(0).integers(0, 256, (60, 104, 3), np.uint8)
    pictures = [
        np.zeros((480, 832, 3), np.uint8),
        np.full((480, 832, 3), 255, np.uint8),
        np.full((480, 832, 3), 128, np.uint8),
        cv2.resize(grains, (832, 480), interpolation=cv2.INTER_NEAREST),
        np.random.default_rng(0).integers(0, 256, (480, 832, 3), np.uint8),
        TASK.first_frame(other),
        blend(TASK.first_frame(maze), np.full((480, 832, 3), 255, np.uint8), 0.9),
    ]
    assert [read(maze, picture) for picture in pictures] == [None] * len(pictures)


def covered(frame: Frame, box: tuple[int, int, int, int], colour: object, text: str = "") -> Frame:
    canvas = Canvas(832, 480)
    canvas.paste(frame, 0, 0)
    canvas.rectangle(*box, colour)  # type: ignore[arg-type]
    if text:
        canvas.text(text, box[0] + box[2] / 2, box[1] + box[3] / 2, box[3] / 2)
    return canvas.frame()


@pytest.mark.parametrize("grid_n", [3, 5, 8, 12])
def test_walls_behind_a_hand_or_a_caption_are_as_they_were(grid_n: int) -> None:
    maze = TASK.sample(Random(2), MazeKnobs(grid_n))
    state = TASK.solution(maze, 0.0)
    frame = TASK.draw(maze, state)
    layout = layout_of(grid_n)
    left = 560 if state.dots[0][0] * layout.cell + layout.left < 416 else 190
    for colour in ("#d9a57e", "#7d4f35", (0.0, 0.0, 0.0, 0.75), (0.5, 0.5, 0.5)):
        found = read(maze, covered(frame, (left, 0, 80, 480), colour))
        assert found is not None and found.walls == state.walls
    for top in range(30, 440, 29):
        found = read(maze, covered(frame, (220, top, 320, 48), (1, 1, 1), "Step 2: the answer"))
        assert found is None or found.walls == state.walls


def test_a_hidden_dot_is_unreadable_and_a_hidden_flag_stays() -> None:
    maze = TASK.sample(Random(3), MazeKnobs(3, 4))
    state = TASK.solution(maze, 0.0)
    layout = layout_of(3)

    def cell_box(cell: tuple[int, int]) -> tuple[int, int, int, int]:
        x, y = layout.pixel((cell[1], cell[0]))
        return (round(x) + 10, round(y) + 10, layout.cell - 20, layout.cell - 20)

    assert read(maze, covered(TASK.draw(maze, state), cell_box(maze.start), "#d9a57e")) is None
    no_flag = read(maze, covered(TASK.draw(maze, state), cell_box(maze.goal), "#d9a57e"))
    assert no_flag is not None and no_flag.flags == (centre(maze.goal),)


def test_a_dot_hides_only_behind_what_it_has_reached_and_comes_out_of_there() -> None:
    maze = TASK.sample(Random(3), MazeKnobs(3, 4))
    layout = layout_of(3)
    states = [TASK.solution(maze, t) for t in (0.0, 0.02, 0.04)]
    reader = TASK.reader(maze)

    def look(frame: Frame, before: MazeState | None) -> MazeState | None:
        return reader.read(Sighting(shrunk(frame), 0.0), before)

    def hand(x: float, y: float) -> tuple[int, int, int, int]:
        left, top = layout.pixel((x, y))
        return (round(left) - 40, round(top) - 40, 80, 80)

    before = None
    for state in states:
        before = look(TASK.draw(maze, state), before)
    assert before is not None
    x, y = before.dots[0]
    bare = TASK.draw(maze, MazeState((), states[0].walls, states[0].flags))
    far = look(covered(bare, hand(x, y - 1 if y > 1 else y + 1), "#d9a57e"), before)
    assert far is not None and far.dots == ()  # it vanished in plain view
    reader = TASK.reader(maze)
    for state in states:
        before = look(TASK.draw(maze, state), before)
    assert look(covered(bare, hand(x, y), "#d9a57e"), before) is None  # it is behind the hand
    again = look(TASK.draw(maze, TASK.solution(maze, 1.0)), before)
    assert again is not None and again.emerged
    assert all(abs(px - x) < 0.8 and abs(py - y) < 0.8 for px, py in again.emerged)


def test_walls_outside_the_film_are_as_they_were() -> None:
    maze = TASK.sample(Random(6), MazeKnobs(8))
    state = TASK.solution(maze, 0.0)
    picture = shrunk(TASK.draw(maze, state))
    seen = np.ones(picture.shape[:2], np.bool_)
    seen[:30], seen[-30:] = False, False
    cut = np.where(seen[..., None], picture, 255).astype(np.uint8)
    found = TASK.reader(maze).read(Sighting(cut, 0.0, seen), None)
    assert found is not None and found.walls == state.walls
    blind = TASK.reader(maze).read(Sighting(cut, 0.0), None)
    assert blind is not None and blind.walls != state.walls


def test_a_wall_is_open_once_it_is_seen_open_and_shut_once_it_is_seen_shut() -> None:
    maze = TASK.sample(Random(8), MazeKnobs(5, 8))
    home = TASK.solution(maze, 0.0)
    closed = next(c for c in ((2, 2), (2, 3), (3, 3)) if home.walls >> wall_between(5, c, (c[0], c[1] + 1)) & 1)
    wall = 1 << wall_between(5, closed, (closed[0], closed[1] + 1))
    opened = MazeState(home.dots, home.walls & ~wall, home.flags)
    found = read(maze, TASK.draw(maze, opened), home)
    assert found is not None and found.walls == opened.walls
    shut = read(maze, TASK.draw(maze, home), found)
    assert shut is not None and shut.walls == home.walls
    behind = MazeState(((closed[1] + 1.0, closed[0] + 0.5),), home.walls, home.flags)
    under_dot = read(maze, TASK.draw(maze, behind), opened)
    assert under_dot is not None and under_dot.walls == opened.walls


def test_a_dot_with_a_glow_or_a_trail_is_one_dot() -> None:
    maze = TASK.sample(Random(11), MazeKnobs(3))
    state = TASK.solution(maze, 0.3)
    x, y = layout_of(3).pixel(state.dots[0])
    for paint in ("glow", "trail", "pen"):
        canvas = Canvas(832, 480)
        canvas.paste(TASK.draw(maze, state), 0, 0)
        if paint == "glow":
            canvas.circle(x, y, 40, fill=(0.5, 0.95, 0.65, 0.5))
            canvas.circle(x, y, 28, fill="#22c55e")
        elif paint == "trail":
            canvas.line([(x, y), layout_of(3).pixel(centre(maze.start))], "#22c55e", 12)
        else:
            canvas.line([(x - 60, y - 4), (x + 60, y + 4)], "#303040", 6)
        found = read(maze, canvas.frame())
        assert found is not None and len(found.dots) == 1
        assert dist(found.dots[0], state.dots[0]) < 0.1
