"""Drawn scenes are read back, also after degradations of the image."""

from __future__ import annotations

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

from vmevalkit.baselines.overlays import make_caption_overlay, make_hand_overlay
from vmevalkit.media.image import Frame
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.media.video import read_frames, write_video
from vmevalkit.tasks.object_subtraction_task import TASK, ObjectScene, ObjectSubtraction, ObjectSubtractionParams
from vmevalkit.tasks.object_subtraction_task.scene import (
    COLOURS,
    NEW,
    OTHER,
    SHAPES,
    ObjectCamera,
    VisibleObject,
    build_scene,
    compute_box,
    make_visible,
    measure_gap,
)

many_examples = settings(max_examples=80)
ALL = ObjectSubtractionParams(levels=("L1", "L2", "L3", "L4"))


def read_frame(puzzle: ObjectSubtraction, frame: Frame, before: ObjectScene | None = None) -> ObjectScene | None:
    small = cv2.resize(frame, TASK.reading_size(puzzle), interpolation=cv2.INTER_AREA)
    return TASK.reader(puzzle).read(RegisteredFrame(np.asarray(small, np.uint8), 0.0), before)


def damage_scene(rng: Random, puzzle: ObjectSubtraction) -> ObjectScene:
    """Return a scene with unchanged, removed, moved, changed and new objects that do not touch each other."""
    unit, side = puzzle.scale, puzzle.canvas
    pieces: list[VisibleObject] = []

    def free(piece: VisibleObject) -> bool:
        left, top, right, bottom = box = piece.box
        inside = min(left, top, side - right, side - bottom) > 8 * unit
        homes = (t.box for t in puzzle.things if t.id != piece.id)
        return inside and all(measure_gap(box, other) > 9 * unit for other in (*homes, *(p.box for p in pieces)))

    moved = 0
    for thing in puzzle.things:
        piece = make_visible(thing)
        what = rng.choice(["same", "same", "same", "gone", "moved", "painted", "shaped", "resized", "faded"])
        moved += what == "moved"
        if what == "moved" and moved > 1:
            what = "same"  # two moved objects of few look like camera motion
        changed = {
            "same": piece,
            "gone": None,
            "moved": replace(piece, x=piece.x + rng.uniform(-9, 9) * unit, y=piece.y + rng.uniform(-9, 9) * unit),
            "painted": replace(piece, colour=rng.choice(list(COLOURS))),
            "shaped": replace(piece, shape=rng.choice(SHAPES)),
            "resized": replace(piece, size=piece.size * rng.uniform(0.75, 1.3)),
            "faded": replace(piece, opacity=rng.uniform(0.25, 0.95)),
        }[what]
        if changed is not None:
            pieces.append(changed if free(changed) else piece)
    for _ in range(rng.choice([0, 0, 1, 2])):
        size = rng.uniform(20, 40) * unit
        new = VisibleObject(
            NEW,
            rng.choice(list(COLOURS)),
            rng.choice(SHAPES),
            rng.uniform(40, side - 40),
            rng.uniform(40, side - 40),
            size,
        )
        taken = any(
            measure_gap(compute_box(new.shape, new.x, new.y, new.size), t.box) < 14 * unit for t in puzzle.things
        )
        kept = {piece.id for piece in pieces}
        gone = {(thing.colour, thing.shape) for thing in puzzle.things if thing.id not in kept}
        # A new object that looks like a removed one is read as that one, moved.
        if free(new) and not taken and (new.colour, new.shape) not in gone:
            pieces.append(new)
    return build_scene(pieces)


@st.composite
def scenes(draw: st.DrawFn) -> tuple[ObjectSubtraction, ObjectScene]:
    rng = Random(draw(st.integers(0, 10**6)))
    puzzle = TASK.sample(rng, replace(ALL, canvas=draw(st.sampled_from([256, 256, 256, 400]))))
    return puzzle, damage_scene(rng, puzzle)


def assert_agrees(
    puzzle: ObjectSubtraction, state: ObjectScene, found: ObjectScene | None, px: float, size: float, opacity: float
) -> None:
    assert found is not None
    assert [piece.id for piece in found.objects] == [piece.id for piece in state.objects]
    for piece, seen in zip(state.objects, found.objects, strict=True):
        assert (seen.colour, seen.shape) == (piece.colour, piece.shape)
        assert hypot(seen.x - piece.x, seen.y - piece.y) < px * puzzle.scale
        assert seen.size == pytest.approx(piece.size, rel=size)
        assert seen.opacity == pytest.approx(piece.opacity, abs=opacity)


@many_examples
@given(scenes())
def test_drawn_scene_is_read_back(scene: tuple[ObjectSubtraction, ObjectScene]) -> None:
    puzzle, state = scene
    before = build_scene(map(make_visible, puzzle.things))
    for last in (None, before):
        # The camera is fitted to most objects: where one of few has moved a little, it follows in part.
        assert_agrees(puzzle, state, read_frame(puzzle, TASK.draw(puzzle, state), last), 1.5, 0.05, 0.06)


def test_still_objects_are_read_to_a_tenth_of_a_pixel() -> None:
    for seed in range(40):
        puzzle = TASK.sample(Random(seed), ALL)
        for state in (TASK.solution(puzzle, 0.0), TASK.solution(puzzle, 1.0)):
            assert_agrees(puzzle, state, read_frame(puzzle, TASK.draw(puzzle, state)), 0.1, 0.01, 0.02)


def blur(frame: Frame) -> Frame:
    return np.asarray(cv2.GaussianBlur(frame, (0, 0), 2.0))


def add_noise(frame: Frame) -> Frame:
    noise = np.random.default_rng(1).normal(0, 8, frame.shape)
    return np.clip(np.round(frame + noise), 0, 255).astype(np.uint8)


def darken(frame: Frame) -> Frame:
    return np.clip(frame.astype(np.int16) - 8, 0, 255).astype(np.uint8)


def brighten(frame: Frame) -> Frame:
    return np.clip(frame.astype(np.int16) + 8, 0, 255).astype(np.uint8)


def dim(frame: Frame) -> Frame:
    return (frame * 0.7).astype(np.uint8)


def shift(frame: Frame) -> Frame:
    shift = np.array([[1.005, 0, 0.5 - 0.64], [0, 1.005, -0.5 - 0.64]])
    return np.asarray(cv2.warpAffine(frame, shift, frame.shape[1::-1], borderValue=(255, 255, 255)))


@pytest.mark.parametrize("degrade", [blur, add_noise, darken, brighten, dim, shift])
def test_degraded_scene_is_read_back(degrade: object) -> None:
    for seed in range(30):
        rng = Random(seed)
        puzzle = TASK.sample(rng, ALL)
        state = damage_scene(rng, puzzle)
        assert_agrees(puzzle, state, read_frame(puzzle, degrade(TASK.draw(puzzle, state))), 2.0, 0.08, 0.13)  # type: ignore[operator]


def test_scenes_are_read_from_encoded_videos(tmp_path: Path) -> None:
    for seed in range(4):
        rng = Random(seed)
        puzzle = TASK.sample(rng, ALL)
        for place in range(4):
            state = damage_scene(rng, puzzle)
            path = tmp_path / f"{seed}-{place}.mp4"  # one file each: encoders leave traces of the image before a cut
            write_video(path, [TASK.draw(puzzle, state)] * 8, 24, crf=35)
            *_, last = read_frames(path)
            assert_agrees(puzzle, state, read_frame(puzzle, last.frame), 2.0, 0.1, 0.15)


def test_camera_is_estimated() -> None:
    for seed in range(20):
        rng = Random(seed)
        puzzle = TASK.sample(rng, ALL)
        still = TASK.solution(puzzle, 0.0)
        before = None
        for step in range(1, 7):
            true = ObjectCamera(1 - 0.04 * step, rng.uniform(-1, 1), rng.uniform(-1, 1))
            state = ObjectScene(still.objects, true)
            found = read_frame(puzzle, TASK.draw(puzzle, state), before)
            assert_agrees(puzzle, state, found, 0.3, 0.03, 0.05)
            assert found is not None
            assert found.camera.zoom == pytest.approx(true.zoom, abs=0.003)
            assert (found.camera.x, found.camera.y) == pytest.approx((true.x, true.y), abs=0.3)
            before = found


def test_object_is_followed_out_of_the_image() -> None:
    for seed in range(12):
        puzzle = TASK.sample(Random(seed), replace(ALL, animation="slide"))
        before: ObjectScene | None = None
        for i in range(49):
            state = TASK.solution(puzzle, i / 48)
            found = read_frame(puzzle, TASK.draw(puzzle, state), before)
            assert found is not None and not found.new_objects
            for thing in puzzle.kept:
                piece = found.get(thing.id)
                assert piece is not None and hypot(piece.x - thing.x, piece.y - thing.y) < 2.0
            before = found
        assert before is not None and TASK.accepted(puzzle, before)


def test_unknown_colour_and_unknown_shape_are_recognised() -> None:
    puzzle = TASK.sample(Random(1), ObjectSubtractionParams(levels=("L2",)))
    state = TASK.solution(puzzle, 0.0)
    grey = build_scene(replace(p, colour="#707070") if p.id == 0 else p for p in state.objects)
    found = read_frame(puzzle, TASK.draw(puzzle, grey))
    assert found is not None
    piece = found.get(0)
    assert piece is not None and piece.colour not in COLOURS
    frame = TASK.draw(puzzle, build_scene(p for p in state.objects if p.id != 0)).copy()
    x, y, half = puzzle.things[0].x, puzzle.things[0].y, puzzle.things[0].size // 2
    frame[y - half : y + half, x - 4 : x + 4] = frame[y - 4 : y + 4, x - half : x + half] = (30, 80, 230)
    found = read_frame(puzzle, frame)
    assert found is not None
    piece = found.get(0)
    assert piece is not None and piece.shape == OTHER


def test_object_behind_a_hand_keeps_its_last_state() -> None:
    hidden = 0
    for seed in range(30):
        rng = Random(seed)
        puzzle = TASK.sample(rng, ALL)
        state = TASK.solution(puzzle, 0.0)
        frame = TASK.draw(puzzle, state)
        over = make_hand_overlay(rng, (256, 256))
        before = read_frame(puzzle, frame)
        for i in range(25):
            shown = over(frame, i / 24)
            found = read_frame(puzzle, shown, before)
            if found is None:
                continue
            assert [piece.id for piece in found.objects if piece.id != NEW] == [thing.id for thing in puzzle.things]
            hidden += bool((shown != frame).any())
            before = found
        assert_agrees(puzzle, state, read_frame(puzzle, frame, before), 0.3, 0.02, 0.05)
    assert hidden > 200


def test_captions_are_not_objects() -> None:
    for seed in range(30):
        rng = Random(seed)
        puzzle = TASK.sample(rng, ALL)
        state = TASK.solution(puzzle, 1.0)
        frame = TASK.draw(puzzle, state)
        shown = make_caption_overlay(rng, (256, 256))(frame, 0.45)
        found = read_frame(puzzle, shown, state)
        assert found is not None
        assert all(piece.colour in COLOURS for piece in found.new_objects)  # a box may leave two ends of an object
        assert_agrees(puzzle, state, read_frame(puzzle, frame, found), 0.3, 0.02, 0.05)


def test_objects_outside_the_video_keep_their_last_state() -> None:
    puzzle = TASK.sample(Random(2), ALL)
    state = TASK.solution(puzzle, 0.0)
    frame = TASK.draw(puzzle, state).copy()
    middle = sorted(thing.x for thing in puzzle.things)[2] - 25
    seen = np.ones((256, 256), np.bool_)
    seen[:, :middle] = False
    frame[:, :middle] = 255
    found = TASK.reader(puzzle).read(RegisteredFrame(frame, 0.0, seen), state)
    assert found is not None
    assert [piece.id for piece in found.objects] == [thing.id for thing in puzzle.things]


def test_grown_object_is_not_covered_by_itself() -> None:
    puzzle = TASK.sample(Random(4), ObjectSubtractionParams(levels=("L4",), num_objects=(5, 5)))
    thing = puzzle.kept[0]
    final = TASK.solution(puzzle, 1.0)
    grown = build_scene(replace(p, size=min(2.0 * p.size, 78)) if p.id == thing.id else p for p in final.objects)
    found = read_frame(puzzle, TASK.draw(puzzle, grown), final)
    assert found is None or not TASK.accepted(puzzle, found)


@pytest.mark.parametrize("level", [0, 60, 120])
def test_dark_image_is_unreadable(level: int) -> None:
    puzzle = TASK.sample(Random(0), ALL)
    assert read_frame(puzzle, np.full((256, 256, 3), level, np.uint8)) is None


def test_noise_is_unreadable_and_white_image_is_empty() -> None:
    puzzle = TASK.sample(Random(0), ALL)
    for grain in (1, 4, 12):
        rng = np.random.default_rng(grain)
        noise = rng.integers(0, 256, (256 // grain + 1, 256 // grain + 1, 3), np.uint8)
        frame = cv2.resize(noise, (256, 256), interpolation=cv2.INTER_NEAREST)
        assert read_frame(puzzle, np.asarray(frame)) is None
    empty = read_frame(puzzle, np.full((256, 256, 3), 255, np.uint8))
    assert empty is not None and empty.objects == ()


@pytest.mark.slow
@many_examples
@given(st.sampled_from([256, 400]), st.integers(0, 2**32 - 1))
def test_arbitrary_pixels_never_raise(canvas: int, seed: int) -> None:
    puzzle = TASK.sample(Random(seed), replace(ALL, canvas=canvas))
    for reading in read_arbitrary_frames(TASK, puzzle, seed):
        if reading.state is not None:
            objects = reading.state.objects
            ids = [visible.id for visible in objects if visible.id != NEW]
            assert len(ids) == len(set(ids)) and set(ids) <= {thing.id for thing in puzzle.things}
            assert np.isfinite([(v.x, v.y, v.size, v.opacity) for v in objects]).all()
            assert TASK.draw(puzzle, reading.state).shape == (canvas, canvas, 3)
