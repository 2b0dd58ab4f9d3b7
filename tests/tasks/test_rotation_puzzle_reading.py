"""Drawn scenes are read back: intact, damaged, and after degradations of the image."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import hypot
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest
from arbitrary_frames import read_arbitrary_frames
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.core.errors import Uncertified
from vmevalkit.media.canvas import Canvas, blend
from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.video import read_frames, write_video
from vmevalkit.tasks.rotation_puzzle_task import TASK, Pipe, PipeScene, RotationPuzzle, RotationPuzzleParams
from vmevalkit.tasks.rotation_puzzle_task.scene import (
    BLUE,
    NEW,
    OTHER,
    PipeCamera,
    build_scene,
    compute_turn_deg,
    get_layout,
    get_period_deg,
)

many_examples = settings(max_examples=60)
GRIDS = [(2, 2, ("L",)), (2, 2, ("L", "I", "T")), (3, 3, ("L", "I", "T")), (4, 6, ("L", "I", "T"))]
OTHER_COLOURS = ("#ef4444", "#22c55e", "#f59e0b", "#111827", "#9333ea", "#22d3ee")


def sample_puzzle(rows: int, cols: int, kinds: tuple[str, ...], seed: int) -> RotationPuzzle:
    for attempt in range(500):
        try:
            return TASK.sample(Random(f"{seed}:{attempt}"), RotationPuzzleParams(rows, cols, kinds, 1, 3))
        except Uncertified:
            continue
    raise AssertionError("no puzzle")


PUZZLES = {grid: [sample_puzzle(*grid, seed) for seed in range(4)] for grid in GRIDS}


def shrink(frame: Frame) -> Frame:
    return np.asarray(cv2.resize(frame, (384, 256), interpolation=cv2.INTER_AREA))


def read_frame(puzzle: RotationPuzzle, image: Frame, before: PipeScene | None = None) -> PipeScene | None:
    """Return the scene of an image at drawn size or at reading size."""
    small = shrink(image) if image.shape[0] == 512 else image
    return TASK.reader(puzzle).read(RegisteredFrame(small, 0.0), before)


@st.composite
def arrangements(draw: st.DrawFn) -> tuple[RotationPuzzle, PipeScene]:
    """Return a puzzle with its squares at any angle, many of them at rest."""
    puzzle = draw(st.sampled_from(PUZZLES[draw(st.sampled_from(GRIDS))]))
    rng = Random(draw(st.integers(0, 10**6)))
    pipes = [
        replace(pipe, angle_deg=rng.choice([rng.uniform(0, 360), 90.0 * rng.randrange(4)]) % get_period_deg(pipe.shape))
        for pipe in TASK.solution(puzzle, 0.0).pipes
    ]
    return puzzle, build_scene(pipes)


def assert_agrees(scene: PipeScene, found: PipeScene | None, degrees: float, pixels: float) -> None:
    assert found is not None
    assert [(p.home, p.shape, p.is_visible) for p in found.pipes] == [
        (p.home, p.shape, p.is_visible) for p in scene.pipes
    ]
    for pipe, seen in zip(scene.pipes, found.pipes, strict=True):
        if pipe.shape != OTHER:
            assert abs(compute_turn_deg(pipe.shape, pipe.angle_deg, seen.angle_deg)) < degrees
        assert hypot(pipe.x - seen.x, pipe.y - seen.y) < pixels
        assert abs(pipe.opacity - seen.opacity) < 0.13
        assert is_near_colour(pipe.colour, seen.colour)


def is_near_colour(one: str, other: str) -> bool:
    levels = [np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) for colour in (one, other)]
    return bool(np.linalg.norm(levels[0] - levels[1]) < 40)


@many_examples
@given(arrangements())
def test_drawn_scene_is_read_back(case: tuple[RotationPuzzle, PipeScene]) -> None:
    puzzle, scene = case
    assert_agrees(scene, read_frame(puzzle, TASK.draw(puzzle, scene)), 1.0, 0.6)


def blur(frame: Frame) -> Frame:
    return np.asarray(cv2.GaussianBlur(frame, (0, 0), 2.0))


def darken(frame: Frame) -> Frame:
    return np.asarray(cv2.subtract(frame, (8, 8, 8, 0)))


def tint(frame: Frame) -> Frame:
    return np.clip(frame.astype(np.int16) + np.array([8, -6, -8]), 0, 255).astype(np.uint8)


def dim(frame: Frame) -> Frame:
    return np.asarray(cv2.convertScaleAbs(frame, alpha=0.6))


def add_noise(frame: Frame) -> Frame:
    noise = np.random.default_rng(1).normal(0, 8, frame.shape)
    return np.clip(frame + noise, 0, 255).astype(np.uint8)


def nudge(frame: Frame) -> Frame:
    """Shift by half a pixel and enlarge by half a percent."""
    matrix = np.array([[1.005, 0, 0.5 - 0.96], [0, 1.005, 0.5 - 0.64]])
    return np.asarray(cv2.warpAffine(frame, matrix, (384, 256), borderMode=cv2.BORDER_REPLICATE))


def encode_jpeg(frame: Frame) -> Frame:
    coded = cv2.imencode(".jpg", frame[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 20])[1]
    return np.ascontiguousarray(cv2.imdecode(coded, cv2.IMREAD_COLOR)[..., ::-1])


DEGRADATIONS = [blur, darken, tint, dim, add_noise, nudge, encode_jpeg]


@pytest.mark.parametrize("degrade", DEGRADATIONS)
@settings(max_examples=30)
@given(arrangements())
def test_degraded_scene_is_read_back(degrade: Callable[[Frame], Frame], case: tuple[RotationPuzzle, PipeScene]) -> None:
    puzzle, scene = case
    assert_agrees(scene, read_frame(puzzle, degrade(shrink(TASK.draw(puzzle, scene)))), 2.5, 2.0)


@st.composite
def damaged_scenes(draw: st.DrawFn) -> tuple[RotationPuzzle, PipeScene]:
    """Return four squares at some time of the solution, with one of them damaged."""
    puzzle = draw(st.sampled_from(PUZZLES[draw(st.sampled_from(GRIDS[:2]))]))
    rng = Random(draw(st.integers(0, 10**6)))
    pipes = list(TASK.solution(puzzle, draw(st.sampled_from([0.0, 0.3, 1.0]))).pipes)
    number = rng.randrange(4)
    pipe = pipes[number]
    kind = draw(st.sampled_from(["moved", "missing", "added", "recoloured", "reshaped", "dissolving", "fading"]))
    if kind == "moved":
        outward = [1 if pipe.x > 384 else -1, 1 if pipe.y > 256 else -1]
        pipes[number] = replace(
            pipe, x=pipe.x + outward[0] * rng.uniform(0, 90), y=pipe.y + outward[1] * rng.uniform(0, 30)
        )
    elif kind == "missing":
        del pipes[number]
    elif kind == "added":
        pipes.append(Pipe(NEW, rng.choice("LT"), rng.uniform(0, 360), rng.choice([110.0, 660.0]), rng.uniform(90, 420)))
    elif kind == "recoloured":
        pipes[number] = replace(pipe, colour=rng.choice(OTHER_COLOURS))
    elif kind == "reshaped":
        pipes[number] = replace(pipe, shape=rng.choice([shape for shape in "LIT" if shape != pipe.shape]))
        pipes[number] = replace(pipes[number], angle_deg=pipe.angle_deg % get_period_deg(pipes[number].shape))
    elif kind == "dissolving":
        angle, share = 90.0 * rng.randrange(4), rng.uniform(0.25, 0.45)
        other = (angle + 90 * rng.randint(1, 3)) % get_period_deg(pipe.shape)
        angle %= get_period_deg(pipe.shape)
        if other != angle:
            pipes[number] = replace(pipe, angle_deg=angle, opacity=1 - share)
            pipes.append(replace(pipe, angle_deg=other, opacity=share))
    else:
        pipes[number] = replace(pipe, opacity=rng.uniform(0.45, 0.75))
    return puzzle, build_scene(pipes)


@settings(max_examples=150)
@given(damaged_scenes())
def test_damaged_scene_is_read_back(case: tuple[RotationPuzzle, PipeScene]) -> None:
    puzzle, scene = case
    assert_agrees(scene, read_frame(puzzle, TASK.draw(puzzle, scene)), 3.0, 5.0)


@pytest.mark.parametrize("degrade", [blur, darken, add_noise, nudge])
@settings(max_examples=40)
@given(damaged_scenes())
def test_damaged_and_degraded_scene_is_read_back(
    degrade: Callable[[Frame], Frame], case: tuple[RotationPuzzle, PipeScene]
) -> None:
    puzzle, scene = case
    assert_agrees(scene, read_frame(puzzle, degrade(shrink(TASK.draw(puzzle, scene)))), 5.0, 7.0)


@many_examples
@given(arrangements(), st.floats(0.95, 1.05), st.floats(-8, 8), st.floats(-8, 8))
def test_camera_is_estimated(case: tuple[RotationPuzzle, PipeScene], zoom: float, x: float, y: float) -> None:
    puzzle, scene = case
    found = read_frame(puzzle, TASK.draw(puzzle, replace(scene, camera=PipeCamera(zoom, x, y))))
    assert_agrees(scene, found, 3.0, 2.5)
    assert found is not None
    assert abs(found.camera.zoom - zoom) < 0.01 and hypot(found.camera.x - x, found.camera.y - y) < 1.5


@pytest.mark.parametrize("grid", GRIDS)
def test_slow_zoom_to_three_quarters_is_estimated(grid: tuple[int, int, tuple[str, ...]]) -> None:
    puzzle = PUZZLES[grid][0]
    before: PipeScene | None = None
    for step in range(31):
        scene = replace(TASK.solution(puzzle, step / 30), camera=PipeCamera(1 - 0.25 * step / 30, step / 3, -step / 4))
        before = read_frame(puzzle, TASK.draw(puzzle, scene), before)
        assert_agrees(scene, before, 3.0, 3.0)


@pytest.mark.parametrize(("x", "y"), [(420.0, 0.0), (-60.0, 260.0)])
def test_a_camera_that_leaves_the_puzzle_and_returns_is_followed(x: float, y: float) -> None:
    """What is outside of the picture is unseen, and not gone."""
    puzzle = PUZZLES[GRIDS[0]][0]
    start = TASK.solution(puzzle, 0.0)
    before: PipeScene | None = None
    for share in (0.0, 0.25, 0.5, 0.75, 0.5, 0.25, 0.0):
        scene = replace(start, camera=PipeCamera(1.0, share * x, share * y))
        found = read_frame(puzzle, TASK.draw(puzzle, scene), before)
        before = found or before
        assert before is not None
        assert_agrees(start, build_scene(replace(pipe, is_visible=True) for pipe in before.pipes), 4.0, 4.0)


def test_one_moved_square_does_not_change_camera() -> None:
    puzzle = PUZZLES[GRIDS[0]][1]
    before: PipeScene | None = None
    for step in range(41):
        still = TASK.solution(puzzle, 0.0)
        scene = build_scene([replace(still.pipes[0], x=still.pipes[0].x - step), *still.pipes[1:]])
        before = read_frame(puzzle, TASK.draw(puzzle, scene), before)
        assert_agrees(scene, before, 2.0, 4.0)
    assert before is not None and abs(before.camera.x) < 0.5 and abs(before.camera.zoom - 1) < 0.01


@pytest.mark.parametrize(("crf", "degrees"), [(35, 2.0), (40, 4.0)])
def test_strongly_compressed_video_is_read(tmp_path: Path, crf: int, degrees: float) -> None:
    for puzzle in (PUZZLES[GRIDS[0]][2], PUZZLES[GRIDS[3]][0]):
        states = [TASK.solution(puzzle, i / 23) for i in range(24)]
        frames = [cv2.GaussianBlur(TASK.draw(puzzle, state), (0, 0), 1.5) for state in states]
        write_video(tmp_path / "video.mp4", frames, 24, crf=crf)
        found = [read_frame(puzzle, timed.frame) for timed in read_frames(tmp_path / "video.mp4")]
        for state, seen in zip(states, found, strict=True):
            assert_agrees(state, seen, degrees, 3.0)


@pytest.mark.parametrize("turn", [90, 180])
def test_dissolve_is_never_read_as_turn(turn: int) -> None:
    puzzle = PUZZLES[GRIDS[0]][0]
    start = TASK.solution(puzzle, 0.0)
    end = build_scene([replace(p, angle_deg=(p.angle_deg + turn) % 360) for p in start.pipes])
    frames = TASK.draw(puzzle, start), TASK.draw(puzzle, end)
    before: PipeScene | None = None
    double = 0
    for share in np.linspace(0, 1, 41):
        before = read_frame(puzzle, blur(shrink(blend(*frames, float(share)))), before)
        assert before is not None
        for pipe in before.pipes:
            assert min(pipe.angle_deg % 90, -pipe.angle_deg % 90) < 8
            double += pipe.opacity < 0.8
    assert double > 4 * 20


def test_images_of_something_else_are_unreadable() -> None:
    puzzle = PUZZLES[GRIDS[0]][0]
    grains = np.random.default_rng(0).integers(0, 256, (64, 96, 3), np.uint8)
    ground = TASK.draw(puzzle, PipeScene(()))
    images = [
        np.zeros((512, 768, 3), np.uint8),
        np.full((512, 768, 3), 60, np.uint8),
        ground,
        TASK.draw(puzzle, PipeScene(TASK.solution(puzzle, 0.0).pipes[:1])),
        cv2.resize(grains, (768, 512), interpolation=cv2.INTER_NEAREST),
        np.random.default_rng(0).integers(0, 256, (512, 768, 3), np.uint8),
        blend(TASK.first_frame(puzzle), ground, 0.85),
    ]
    assert [read_frame(puzzle, image) for image in images] == [None] * len(images)


@pytest.mark.slow
@many_examples
@given(st.sampled_from(GRIDS), st.integers(0, 2**32 - 1))
def test_arbitrary_pixels_never_raise(grid: tuple[int, int, tuple[str, ...]], seed: int) -> None:
    puzzle = PUZZLES[grid][0]
    for reading in read_arbitrary_frames(TASK, puzzle, seed):
        if reading.state is not None:
            pipes = reading.state.pipes
            assert {pipe.home for pipe in pipes} <= {NEW, *range(len(puzzle.squares))}
            assert np.isfinite([(pipe.angle_deg, pipe.x, pipe.y, pipe.opacity) for pipe in pipes]).all()
            assert TASK.draw(puzzle, reading.state).shape == (512, 768, 3)


def cover(frame: Frame, box: tuple[int, int, int, int], colour: object, text: str = "") -> Frame:
    canvas = Canvas(768, 512)
    canvas.paste(frame, 0, 0)
    canvas.rectangle(*box, colour)  # type: ignore[arg-type]
    if text:
        canvas.text(text, box[0] + box[2] / 2, box[1] + box[3] / 2, box[3] / 2)
    return canvas.frame()


@pytest.mark.parametrize("colour", ["#f1c9a5", "#d9a57e", "#7d4f35", "#808080", (0.0, 0.0, 0.0, 0.75)])
def test_covered_square_keeps_its_last_state(colour: object) -> None:
    puzzle = PUZZLES[GRIDS[0]][3]
    was, now = TASK.solution(puzzle, 0.0), TASK.solution(puzzle, 1.0)
    found = read_frame(puzzle, cover(TASK.draw(puzzle, now), (224, 96, 160, 160), colour), was)
    assert found is not None
    assert [pipe.is_visible for pipe in found.pipes] == [False, True, True, True]
    assert found.pipes[0] == replace(was.pipes[0], is_visible=False)
    assert_agrees(PipeScene(now.pipes[1:]), PipeScene(found.pipes[1:]), 3.0, 3.0)


@many_examples
@given(arrangements(), st.integers(0, 10**6))
def test_hand_or_caption_changes_no_angle(case: tuple[RotationPuzzle, PipeScene], seed: int) -> None:
    """Visible pipes are read correctly; covered ones keep their last state."""
    puzzle, scene = case
    rng = Random(seed)
    box = (rng.randrange(0, 600), rng.randrange(0, 440), rng.randrange(60, 300), rng.randrange(40, 70))
    text = rng.random() < 0.5
    colour = (1.0, 1.0, 1.0) if text else rng.choice(["#f1c9a5", "#d9a57e", "#b97a56", "#7d4f35"])
    if text:
        box = (box[0], box[1], 320, 52)
    found = read_frame(
        puzzle, cover(TASK.draw(puzzle, scene), box, colour, "Step 2: the answer" if text else ""), scene
    )
    assert_agrees(scene, found and build_scene(replace(pipe, is_visible=True) for pipe in found.pipes), 5.0, 5.0)


def test_squares_outside_the_video_keep_their_last_state() -> None:
    puzzle = PUZZLES[GRIDS[3]][1]
    scene = TASK.solution(puzzle, 0.0)
    image = shrink(TASK.draw(puzzle, scene))
    seen = np.ones(image.shape[:2], np.bool_)
    seen[:, :60] = False
    cut = np.where(seen[..., None], image, image[0, 0]).astype(np.uint8)
    found = TASK.reader(puzzle).read(RegisteredFrame(cut, 0.0, seen), scene)
    assert found is not None and len(found.pipes) == 24
    assert not any(pipe.is_visible for pipe in found.pipes if pipe.home % 6 == 0)
    assert_agrees(scene, build_scene(replace(pipe, is_visible=True) for pipe in found.pipes), 2.0, 2.0)
    blind = TASK.reader(puzzle).read(RegisteredFrame(cut, 0.0), scene)
    assert blind is None or len(blind.pipes) < 24 or any(pipe.shape == OTHER for pipe in blind.pipes)


def test_glow_or_bridge_between_pipes_is_read_correctly() -> None:
    puzzle = PUZZLES[GRIDS[0]][0]
    scene = TASK.solution(puzzle, 1.0)
    frame = TASK.draw(puzzle, scene)
    glow = cv2.addWeighted(frame, 1.0, cv2.subtract(cv2.GaussianBlur(frame, (0, 0), 6), frame), 0.25, 0)
    canvas = Canvas(768, 512)
    canvas.paste(frame, 0, 0)
    for one, other in ((0, 1), (0, 2)):
        homes = get_layout(2, 2).centres
        (x, y), (end_x, end_y) = homes[one], homes[other]
        middle = ((x + end_x) / 2, (y + end_y) / 2)
        canvas.rectangle(middle[0] - 18, middle[1] - 18, 36, 36, BLUE)
    for image in (np.asarray(glow, np.uint8), canvas.frame()):
        assert_agrees(scene, read_frame(puzzle, image), 4.0, 6.0)


def test_light_and_dark_blue_are_blue_and_other_colours_are_not() -> None:
    puzzle = PUZZLES[GRIDS[0]][0]
    start = TASK.solution(puzzle, 0.0)
    for colour, same in (("#60a5fa", True), ("#2563eb", True), ("#ef4444", False), ("#22c55e", False)):
        found = read_frame(
            puzzle, TASK.draw(puzzle, build_scene([replace(start.pipes[0], colour=colour), *start.pipes[1:]]))
        )
        assert found is not None and (found.pipes[0].colour == BLUE) == same
