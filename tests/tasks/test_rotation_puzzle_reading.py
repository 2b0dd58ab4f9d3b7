"""What is drawn is read back: plain, damaged, and through what films do to pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import hypot
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.core.errors import Uncertified
from vmevalkit.media.canvas import Canvas, blend
from vmevalkit.media.picture import Frame
from vmevalkit.media.sighting import Sighting
from vmevalkit.media.video import read_frames, write_video
from vmevalkit.tasks.rotation_puzzle_task import TASK, Pipe, RotationPuzzle, RotationPuzzleKnobs, Scene
from vmevalkit.tasks.rotation_puzzle_task.scene import (
    BLUE,
    NEW,
    OTHER,
    Camera,
    between_deg,
    layout_of,
    period_deg,
    scene_of,
)

settled = settings(deadline=None, derandomize=True, max_examples=60)
GRIDS = [(2, 2, ("L",)), (2, 2, ("L", "I", "T")), (3, 3, ("L", "I", "T")), (4, 6, ("L", "I", "T"))]
COLOURS = ("#ef4444", "#22c55e", "#f59e0b", "#111827", "#9333ea", "#22d3ee")


def puzzle_of(rows: int, cols: int, kinds: tuple[str, ...], seed: int) -> RotationPuzzle:
    for attempt in range(500):
        try:
            return TASK.sample(Random(f"{seed}:{attempt}"), RotationPuzzleKnobs(rows, cols, kinds, 1, 3))
        except Uncertified:
            continue
    raise AssertionError("no puzzle")


PUZZLES = {grid: [puzzle_of(*grid, seed) for seed in range(4)] for grid in GRIDS}


def shrunk(frame: Frame) -> Frame:
    return np.asarray(cv2.resize(frame, (384, 256), interpolation=cv2.INTER_AREA))


def read(puzzle: RotationPuzzle, picture: Frame, before: Scene | None = None) -> Scene | None:
    """Of a picture at its own size, or at reading size."""
    small = shrunk(picture) if picture.shape[0] == 512 else picture
    return TASK.reader(puzzle).read(Sighting(small, 0.0), before)


@st.composite
def arrangements(draw: st.DrawFn) -> tuple[RotationPuzzle, Scene]:
    """A puzzle with its squares at any angle, many of them at rest."""
    puzzle = draw(st.sampled_from(PUZZLES[draw(st.sampled_from(GRIDS))]))
    rng = Random(draw(st.integers(0, 10**6)))
    pipes = [
        replace(pipe, angle_deg=rng.choice([rng.uniform(0, 360), 90.0 * rng.randrange(4)]) % period_deg(pipe.shape))
        for pipe in TASK.solution(puzzle, 0.0).pipes
    ]
    return puzzle, scene_of(pipes)


def agrees(scene: Scene, found: Scene | None, degrees: float, pixels: float) -> None:
    assert found is not None
    assert [(p.home, p.shape, p.seen) for p in found.pipes] == [(p.home, p.shape, p.seen) for p in scene.pipes]
    for pipe, seen in zip(scene.pipes, found.pipes, strict=True):
        if pipe.shape != OTHER:
            assert abs(between_deg(pipe.shape, pipe.angle_deg, seen.angle_deg)) < degrees
        assert hypot(pipe.x - seen.x, pipe.y - seen.y) < pixels
        assert abs(pipe.opacity - seen.opacity) < 0.13
        assert near(pipe.colour, seen.colour)


def near(one: str, other: str) -> bool:
    levels = [np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) for colour in (one, other)]
    return bool(np.linalg.norm(levels[0] - levels[1]) < 40)


@settled
@given(arrangements())
def test_a_drawn_state_is_read_back(made: tuple[RotationPuzzle, Scene]) -> None:
    puzzle, scene = made
    agrees(scene, read(puzzle, TASK.draw(puzzle, scene)), 1.0, 0.6)


def blurred(frame: Frame) -> Frame:
    return np.asarray(cv2.GaussianBlur(frame, (0, 0), 2.0))


def darker(frame: Frame) -> Frame:
    return np.asarray(cv2.subtract(frame, (8, 8, 8, 0)))


def cast(frame: Frame) -> Frame:
    return np.clip(frame.astype(np.int16) + np.array([8, -6, -8]), 0, 255).astype(np.uint8)


def dimmed(frame: Frame) -> Frame:
    return np.asarray(cv2.convertScaleAbs(frame, alpha=0.6))


def noisy(frame: Frame) -> Frame:
    noise = np.random.default_rng(1).normal(0, 8, frame.shape)
    return np.clip(frame + noise, 0, 255).astype(np.uint8)


def nudged(frame: Frame) -> Frame:
    """Half a pixel aside, and half a percent larger."""
    matrix = np.array([[1.005, 0, 0.5 - 0.96], [0, 1.005, 0.5 - 0.64]])
    return np.asarray(cv2.warpAffine(frame, matrix, (384, 256), borderMode=cv2.BORDER_REPLICATE))


def jpeg(frame: Frame) -> Frame:
    coded = cv2.imencode(".jpg", frame[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 20])[1]
    return np.ascontiguousarray(cv2.imdecode(coded, cv2.IMREAD_COLOR)[..., ::-1])


WORSE = [blurred, darker, cast, dimmed, noisy, nudged, jpeg]


@pytest.mark.parametrize("worsen", WORSE)
@settings(deadline=None, derandomize=True, max_examples=30)
@given(arrangements())
def test_a_worsened_state_is_read_back(worsen: Callable[[Frame], Frame], made: tuple[RotationPuzzle, Scene]) -> None:
    puzzle, scene = made
    agrees(scene, read(puzzle, worsen(shrunk(TASK.draw(puzzle, scene)))), 2.5, 2.0)


@st.composite
def damaged(draw: st.DrawFn) -> tuple[RotationPuzzle, Scene]:
    """Four squares at any angle, and one thing wrong."""
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
        pipes[number] = replace(pipe, colour=rng.choice(COLOURS))
    elif kind == "reshaped":
        pipes[number] = replace(pipe, shape=rng.choice([shape for shape in "LIT" if shape != pipe.shape]))
        pipes[number] = replace(pipes[number], angle_deg=pipe.angle_deg % period_deg(pipes[number].shape))
    elif kind == "dissolving":
        angle, share = 90.0 * rng.randrange(4), rng.uniform(0.25, 0.45)
        other = (angle + 90 * rng.randint(1, 3)) % period_deg(pipe.shape)
        angle %= period_deg(pipe.shape)
        if other != angle:
            pipes[number] = replace(pipe, angle_deg=angle, opacity=1 - share)
            pipes.append(replace(pipe, angle_deg=other, opacity=share))
    else:
        pipes[number] = replace(pipe, opacity=rng.uniform(0.45, 0.75))
    return puzzle, scene_of(pipes)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(damaged())
def test_damage_is_read_back(made: tuple[RotationPuzzle, Scene]) -> None:
    puzzle, scene = made
    agrees(scene, read(puzzle, TASK.draw(puzzle, scene)), 3.0, 5.0)


@pytest.mark.parametrize("worsen", [blurred, darker, noisy, nudged])
@settings(deadline=None, derandomize=True, max_examples=40)
@given(damaged())
def test_damage_is_read_back_worsened(worsen: Callable[[Frame], Frame], made: tuple[RotationPuzzle, Scene]) -> None:
    puzzle, scene = made
    agrees(scene, read(puzzle, worsen(shrunk(TASK.draw(puzzle, scene)))), 5.0, 7.0)


@settled
@given(arrangements(), st.floats(0.95, 1.05), st.floats(-8, 8), st.floats(-8, 8))
def test_the_camera_is_followed(made: tuple[RotationPuzzle, Scene], zoom: float, x: float, y: float) -> None:
    puzzle, scene = made
    found = read(puzzle, TASK.draw(puzzle, replace(scene, camera=Camera(zoom, x, y))))
    agrees(scene, found, 3.0, 2.5)
    assert found is not None
    assert abs(found.camera.zoom - zoom) < 0.01 and hypot(found.camera.x - x, found.camera.y - y) < 1.5


@pytest.mark.parametrize("grid", GRIDS)
def test_a_slow_zoom_is_followed_to_three_quarters(grid: tuple[int, int, tuple[str, ...]]) -> None:
    puzzle = PUZZLES[grid][0]
    before: Scene | None = None
    for step in range(31):
        scene = replace(TASK.solution(puzzle, step / 30), camera=Camera(1 - 0.25 * step / 30, step / 3, -step / 4))
        before = read(puzzle, TASK.draw(puzzle, scene), before)
        agrees(scene, before, 3.0, 3.0)


def test_one_moved_square_does_not_move_the_camera() -> None:
    puzzle = PUZZLES[GRIDS[0]][1]
    before: Scene | None = None
    for step in range(41):
        still = TASK.solution(puzzle, 0.0)
        scene = scene_of([replace(still.pipes[0], x=still.pipes[0].x - step), *still.pipes[1:]])
        before = read(puzzle, TASK.draw(puzzle, scene), before)
        agrees(scene, before, 2.0, 4.0)
    assert before is not None and abs(before.camera.x) < 0.5 and abs(before.camera.zoom - 1) < 0.01


@pytest.mark.parametrize(("crf", "degrees"), [(35, 2.0), (40, 4.0)])
def test_a_film_at_a_low_rate_is_read(tmp_path: Path, crf: int, degrees: float) -> None:
    for puzzle in (PUZZLES[GRIDS[0]][2], PUZZLES[GRIDS[3]][0]):
        states = [TASK.solution(puzzle, i / 23) for i in range(24)]
        frames = [cv2.GaussianBlur(TASK.draw(puzzle, state), (0, 0), 1.5) for state in states]
        write_video(tmp_path / "film.mp4", frames, 24, crf=crf)
        found = [read(puzzle, timed.frame) for timed in read_frames(tmp_path / "film.mp4")]
        for state, seen in zip(states, found, strict=True):
            agrees(state, seen, degrees, 3.0)


@pytest.mark.parametrize("turn", [90, 180])
def test_a_dissolve_is_never_read_as_a_turn(turn: int) -> None:
    puzzle = PUZZLES[GRIDS[0]][0]
    start = TASK.solution(puzzle, 0.0)
    end = scene_of([replace(p, angle_deg=(p.angle_deg + turn) % 360) for p in start.pipes])
    frames = TASK.draw(puzzle, start), TASK.draw(puzzle, end)
    before: Scene | None = None
    double = 0
    for share in np.linspace(0, 1, 41):
        before = read(puzzle, blurred(shrunk(blend(*frames, float(share)))), before)
        assert before is not None
        for pipe in before.pipes:
            assert min(pipe.angle_deg % 90, -pipe.angle_deg % 90) < 8
            double += pipe.opacity < 0.8
    assert double > 4 * 20


def test_what_is_no_puzzle_is_unreadable() -> None:
    puzzle = PUZZLES[GRIDS[0]][0]
    grains = np.random.default_rng(0).integers(0, 256, (64, 96, 3), np.uint8)
    ground = TASK.draw(puzzle, Scene(()))
    pictures = [
        np.zeros((512, 768, 3), np.uint8),
        np.full((512, 768, 3), 60, np.uint8),
        ground,
        TASK.draw(puzzle, Scene(TASK.solution(puzzle, 0.0).pipes[:1])),
        cv2.resize(grains, (768, 512), interpolation=cv2.INTER_NEAREST),
        np.random.default_rng(0).integers(0, 256, (512, 768, 3), np.uint8),
        blend(TASK.first_frame(puzzle), ground, 0.85),
    ]
    assert [read(puzzle, picture) for picture in pictures] == [None] * len(pictures)


def covered(frame: Frame, box: tuple[int, int, int, int], colour: object, text: str = "") -> Frame:
    canvas = Canvas(768, 512)
    canvas.paste(frame, 0, 0)
    canvas.rectangle(*box, colour)  # type: ignore[arg-type]
    if text:
        canvas.text(text, box[0] + box[2] / 2, box[1] + box[3] / 2, box[3] / 2)
    return canvas.frame()


@pytest.mark.parametrize("colour", ["#f1c9a5", "#d9a57e", "#7d4f35", "#808080", (0.0, 0.0, 0.0, 0.75)])
def test_a_hidden_square_is_as_it_was(colour: object) -> None:
    puzzle = PUZZLES[GRIDS[0]][3]
    was, now = TASK.solution(puzzle, 0.0), TASK.solution(puzzle, 1.0)
    found = read(puzzle, covered(TASK.draw(puzzle, now), (224, 96, 160, 160), colour), was)
    assert found is not None
    assert [pipe.seen for pipe in found.pipes] == [False, True, True, True]
    assert found.pipes[0] == replace(was.pipes[0], seen=False)
    agrees(Scene(now.pipes[1:]), Scene(found.pipes[1:]), 3.0, 3.0)


@settled
@given(arrangements(), st.integers(0, 10**6))
def test_a_hand_or_a_caption_changes_no_angle(made: tuple[RotationPuzzle, Scene], seed: int) -> None:
    """What is said to be seen is right; what is not seen is as it was."""
    puzzle, scene = made
    rng = Random(seed)
    box = (rng.randrange(0, 600), rng.randrange(0, 440), rng.randrange(60, 300), rng.randrange(40, 70))
    text = rng.random() < 0.5
    colour = (1.0, 1.0, 1.0) if text else rng.choice(["#f1c9a5", "#d9a57e", "#b97a56", "#7d4f35"])
    if text:
        box = (box[0], box[1], 320, 52)
    found = read(puzzle, covered(TASK.draw(puzzle, scene), box, colour, "Step 2: the answer" if text else ""), scene)
    agrees(scene, found and scene_of(replace(pipe, seen=True) for pipe in found.pipes), 5.0, 5.0)


def test_squares_outside_the_film_are_as_they_were() -> None:
    puzzle = PUZZLES[GRIDS[3]][1]
    scene = TASK.solution(puzzle, 0.0)
    picture = shrunk(TASK.draw(puzzle, scene))
    seen = np.ones(picture.shape[:2], np.bool_)
    seen[:, :60] = False
    cut = np.where(seen[..., None], picture, picture[0, 0]).astype(np.uint8)
    found = TASK.reader(puzzle).read(Sighting(cut, 0.0, seen), scene)
    assert found is not None and len(found.pipes) == 24
    assert not any(pipe.seen for pipe in found.pipes if pipe.home % 6 == 0)
    agrees(scene, scene_of(replace(pipe, seen=True) for pipe in found.pipes), 2.0, 2.0)
    blind = TASK.reader(puzzle).read(Sighting(cut, 0.0), scene)
    assert blind is None or len(blind.pipes) < 24 or any(pipe.shape == OTHER for pipe in blind.pipes)


def test_a_glow_or_a_bridge_between_pipes_does_no_harm() -> None:
    puzzle = PUZZLES[GRIDS[0]][0]
    scene = TASK.solution(puzzle, 1.0)
    frame = TASK.draw(puzzle, scene)
    glow = cv2.addWeighted(frame, 1.0, cv2.subtract(cv2.GaussianBlur(frame, (0, 0), 6), frame), 0.25, 0)
    canvas = Canvas(768, 512)
    canvas.paste(frame, 0, 0)
    for one, other in ((0, 1), (0, 2)):
        homes = layout_of(2, 2).homes
        (x, y), (end_x, end_y) = homes[one], homes[other]
        middle = ((x + end_x) / 2, (y + end_y) / 2)
        canvas.rectangle(middle[0] - 18, middle[1] - 18, 36, 36, BLUE)
    for picture in (np.asarray(glow, np.uint8), canvas.frame()):
        agrees(scene, read(puzzle, picture), 4.0, 6.0)


def test_lighter_and_darker_blues_are_blue_and_others_are_not() -> None:
    puzzle = PUZZLES[GRIDS[0]][0]
    start = TASK.solution(puzzle, 0.0)
    for colour, same in (("#60a5fa", True), ("#2563eb", True), ("#ef4444", False), ("#22c55e", False)):
        found = read(puzzle, TASK.draw(puzzle, scene_of([replace(start.pipes[0], colour=colour), *start.pipes[1:]])))
        assert found is not None and (found.pipes[0].colour == BLUE) == same
