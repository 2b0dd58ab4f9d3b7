"""What is drawn is read back: plain, and through what films do to pictures."""

from __future__ import annotations

from dataclasses import replace
from math import hypot
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vmevalkit.baselines.overlays import caption, hand
from vmevalkit.media.picture import Frame
from vmevalkit.media.sighting import Sighting
from vmevalkit.media.video import read_frames, write_video
from vmevalkit.tasks.object_subtraction_task import TASK, ObjectSubtraction, ObjectSubtractionKnobs, Scene
from vmevalkit.tasks.object_subtraction_task.scene import (
    COLOURS,
    NEW,
    OTHER,
    SHAPES,
    Camera,
    Piece,
    box_of,
    gap,
    piece_of,
    scene_of,
)

settled = settings(deadline=None, derandomize=True, max_examples=80)
ALL = ObjectSubtractionKnobs(levels=("L1", "L2", "L3", "L4"))


def read(puzzle: ObjectSubtraction, frame: Frame, before: Scene | None = None) -> Scene | None:
    small = cv2.resize(frame, TASK.reading_size(puzzle), interpolation=cv2.INTER_AREA)
    return TASK.reader(puzzle).read(Sighting(np.asarray(small, np.uint8), 0.0), before)


def damaged(rng: Random, puzzle: ObjectSubtraction) -> Scene:
    """Objects as they were, gone, moved, repainted, reshaped, resized, faded, and new ones; none touch each other."""
    unit, side = puzzle.unit, puzzle.canvas
    pieces: list[Piece] = []

    def free(piece: Piece) -> bool:
        left, top, right, bottom = box = piece.box
        inside = min(left, top, side - right, side - bottom) > 8 * unit
        homes = (t.box for t in puzzle.things if t.id != piece.id)
        return inside and all(gap(box, other) > 9 * unit for other in (*homes, *(p.box for p in pieces)))

    moved = 0
    for thing in puzzle.things:
        piece = piece_of(thing)
        what = rng.choice(["same", "same", "same", "gone", "moved", "painted", "shaped", "resized", "faded"])
        moved += what == "moved"
        if what == "moved" and moved > 1:
            what = "same"  # where half of what is left has moved, nobody can tell it from the camera
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
        new = Piece(
            NEW,
            rng.choice(list(COLOURS)),
            rng.choice(SHAPES),
            rng.uniform(40, side - 40),
            rng.uniform(40, side - 40),
            size,
        )
        taken = any(gap(box_of(new.shape, new.x, new.y, new.size), t.box) < 14 * unit for t in puzzle.things)
        kept = {piece.id for piece in pieces}
        gone = {(thing.colour, thing.shape) for thing in puzzle.things if thing.id not in kept}
        # A new object that looks like one that is gone is that one, gone astray.
        if free(new) and not taken and (new.colour, new.shape) not in gone:
            pieces.append(new)
    return scene_of(pieces)


@st.composite
def scenes(draw: st.DrawFn) -> tuple[ObjectSubtraction, Scene]:
    rng = Random(draw(st.integers(0, 10**6)))
    puzzle = TASK.sample(rng, replace(ALL, canvas=draw(st.sampled_from([256, 256, 256, 400]))))
    return puzzle, damaged(rng, puzzle)


def agrees(
    puzzle: ObjectSubtraction, state: Scene, found: Scene | None, px: float, size: float, opacity: float
) -> None:
    assert found is not None
    assert [piece.id for piece in found.pieces] == [piece.id for piece in state.pieces]
    for piece, seen in zip(state.pieces, found.pieces, strict=True):
        assert (seen.colour, seen.shape) == (piece.colour, piece.shape)
        assert hypot(seen.x - piece.x, seen.y - piece.y) < px * puzzle.unit
        assert seen.size == pytest.approx(piece.size, rel=size)
        assert seen.opacity == pytest.approx(piece.opacity, abs=opacity)


@settled
@given(scenes())
def test_a_drawn_state_is_read_back(scene: tuple[ObjectSubtraction, Scene]) -> None:
    puzzle, state = scene
    before = scene_of(map(piece_of, puzzle.things))
    for last in (None, before):
        # The camera is what most objects agree on: where one of few has moved a little, it takes some of that.
        agrees(puzzle, state, read(puzzle, TASK.draw(puzzle, state), last), 1.5, 0.05, 0.06)


def test_what_stands_still_is_read_to_a_tenth_of_a_pixel() -> None:
    for seed in range(40):
        puzzle = TASK.sample(Random(seed), ALL)
        for state in (TASK.solution(puzzle, 0.0), TASK.solution(puzzle, 1.0)):
            agrees(puzzle, state, read(puzzle, TASK.draw(puzzle, state)), 0.1, 0.01, 0.02)


def blurred(frame: Frame) -> Frame:
    return np.asarray(cv2.GaussianBlur(frame, (0, 0), 2.0))


def noisy(frame: Frame) -> Frame:
    noise = np.random.default_rng(1).normal(0, 8, frame.shape)
    return np.clip(np.round(frame + noise), 0, 255).astype(np.uint8)


def darker(frame: Frame) -> Frame:
    return np.clip(frame.astype(np.int16) - 8, 0, 255).astype(np.uint8)


def brighter(frame: Frame) -> Frame:
    return np.clip(frame.astype(np.int16) + 8, 0, 255).astype(np.uint8)


def dimmed(frame: Frame) -> Frame:
    return (frame * 0.7).astype(np.uint8)


def shifted(frame: Frame) -> Frame:
    shift = np.array([[1.005, 0, 0.5 - 0.64], [0, 1.005, -0.5 - 0.64]])
    return np.asarray(cv2.warpAffine(frame, shift, frame.shape[1::-1], borderValue=(255, 255, 255)))


@pytest.mark.parametrize("harm", [blurred, noisy, darker, brighter, dimmed, shifted])
def test_states_are_read_through_harm(harm: object) -> None:
    for seed in range(30):
        rng = Random(seed)
        puzzle = TASK.sample(rng, ALL)
        state = damaged(rng, puzzle)
        agrees(puzzle, state, read(puzzle, harm(TASK.draw(puzzle, state))), 2.0, 0.08, 0.13)  # type: ignore[operator]


def test_states_are_read_from_coded_films(tmp_path: Path) -> None:
    for seed in range(4):
        rng = Random(seed)
        puzzle = TASK.sample(rng, ALL)
        for place in range(4):
            state = damaged(rng, puzzle)
            path = tmp_path / f"{seed}-{place}.mp4"  # each its own: after a cut, a coder leaves parts of what was there
            write_video(path, [TASK.draw(puzzle, state)] * 8, 24, crf=35)
            *_, last = read_frames(path)
            agrees(puzzle, state, read(puzzle, last.frame), 2.0, 0.1, 0.15)


def test_the_camera_is_read() -> None:
    for seed in range(20):
        rng = Random(seed)
        puzzle = TASK.sample(rng, ALL)
        still = TASK.solution(puzzle, 0.0)
        before = None
        for step in range(1, 7):
            true = Camera(1 - 0.04 * step, rng.uniform(-1, 1), rng.uniform(-1, 1))
            state = Scene(still.pieces, true)
            found = read(puzzle, TASK.draw(puzzle, state), before)
            agrees(puzzle, state, found, 0.3, 0.03, 0.05)
            assert found is not None
            assert found.camera.zoom == pytest.approx(true.zoom, abs=0.003)
            assert (found.camera.x, found.camera.y) == pytest.approx((true.x, true.y), abs=0.3)
            before = found


def test_an_object_that_moves_is_followed_out_of_the_picture() -> None:
    for seed in range(12):
        puzzle = TASK.sample(Random(seed), replace(ALL, animation="slide"))
        before: Scene | None = None
        for i in range(49):
            state = TASK.solution(puzzle, i / 48)
            found = read(puzzle, TASK.draw(puzzle, state), before)
            assert found is not None and not found.new
            for thing in puzzle.kept:
                piece = found.get(thing.id)
                assert piece is not None and hypot(piece.x - thing.x, piece.y - thing.y) < 2.0
            before = found
        assert before is not None and TASK.accepted(puzzle, before)


def test_a_colour_that_is_none_of_the_six_and_a_shape_that_is_none_of_the_four() -> None:
    puzzle = TASK.sample(Random(1), ObjectSubtractionKnobs(levels=("L2",)))
    state = TASK.solution(puzzle, 0.0)
    grey = scene_of(replace(p, colour="#707070") if p.id == 0 else p for p in state.pieces)
    found = read(puzzle, TASK.draw(puzzle, grey))
    assert found is not None
    piece = found.get(0)
    assert piece is not None and piece.colour not in COLOURS
    frame = TASK.draw(puzzle, scene_of(p for p in state.pieces if p.id != 0)).copy()
    x, y, half = puzzle.things[0].x, puzzle.things[0].y, puzzle.things[0].size // 2
    frame[y - half : y + half, x - 4 : x + 4] = frame[y - 4 : y + 4, x - half : x + half] = (30, 80, 230)
    found = read(puzzle, frame)
    assert found is not None
    piece = found.get(0)
    assert piece is not None and piece.shape == OTHER


def test_what_is_behind_a_hand_or_a_caption_is_as_it_was() -> None:
    hidden = 0
    for seed in range(30):
        rng = Random(seed)
        puzzle = TASK.sample(rng, ALL)
        state = TASK.solution(puzzle, 0.0)
        frame = TASK.draw(puzzle, state)
        over = hand(rng, (256, 256))
        before = read(puzzle, frame)
        for i in range(25):
            shown = over(frame, i / 24)
            found = read(puzzle, shown, before)
            if found is None:
                continue
            assert [piece.id for piece in found.pieces if piece.id != NEW] == [thing.id for thing in puzzle.things]
            hidden += bool((shown != frame).any())
            before = found
        agrees(puzzle, state, read(puzzle, frame, before), 0.3, 0.02, 0.05)
    assert hidden > 200


def test_captions_are_no_objects() -> None:
    for seed in range(30):
        rng = Random(seed)
        puzzle = TASK.sample(rng, ALL)
        state = TASK.solution(puzzle, 1.0)
        frame = TASK.draw(puzzle, state)
        shown = caption(rng, (256, 256))(frame, 0.45)
        found = read(puzzle, shown, state)
        assert found is not None
        assert all(piece.colour in COLOURS for piece in found.new)  # a box may leave two ends of an object
        agrees(puzzle, state, read(puzzle, frame, found), 0.3, 0.02, 0.05)


def test_outside_the_film_objects_are_as_they_were() -> None:
    puzzle = TASK.sample(Random(2), ALL)
    state = TASK.solution(puzzle, 0.0)
    frame = TASK.draw(puzzle, state).copy()
    middle = sorted(thing.x for thing in puzzle.things)[2] - 25
    seen = np.ones((256, 256), np.bool_)
    seen[:, :middle] = False
    frame[:, :middle] = 255
    found = TASK.reader(puzzle).read(Sighting(frame, 0.0, seen), state)
    assert found is not None
    assert [piece.id for piece in found.pieces] == [thing.id for thing in puzzle.things]


def test_an_object_much_larger_than_it_was_is_not_hidden_behind_itself() -> None:
    puzzle = TASK.sample(Random(4), ObjectSubtractionKnobs(levels=("L4",), num_objects=(5, 5)))
    thing = puzzle.kept[0]
    final = TASK.solution(puzzle, 1.0)
    grown = scene_of(replace(p, size=min(2.0 * p.size, 78)) if p.id == thing.id else p for p in final.pieces)
    found = read(puzzle, TASK.draw(puzzle, grown), final)
    assert found is None or not TASK.accepted(puzzle, found)


@pytest.mark.parametrize("level", [0, 60, 120])
def test_a_dark_picture_is_unreadable(level: int) -> None:
    puzzle = TASK.sample(Random(0), ALL)
    assert read(puzzle, np.full((256, 256, 3), level, np.uint8)) is None


def test_noise_is_unreadable_and_white_is_empty() -> None:
    puzzle = TASK.sample(Random(0), ALL)
    for grain in (1, 4, 12):
        dice = np.random.default_rng(grain)
        noise = dice.integers(0, 256, (256 // grain + 1, 256 // grain + 1, 3), np.uint8)
        frame = cv2.resize(noise, (256, 256), interpolation=cv2.INTER_NEAREST)
        assert read(puzzle, np.asarray(frame)) is None
    empty = read(puzzle, np.full((256, 256, 3), 255, np.uint8))
    assert empty is not None and empty.pieces == ()
