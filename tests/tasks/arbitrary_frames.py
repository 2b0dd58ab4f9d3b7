"""Frames with arbitrary pixels, and a check that a reader copes with all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np

from vmevalkit.media.image import Frame, Mask
from vmevalkit.media.registered_frame import RegisteredFrame
from vmevalkit.tasks.task import AnyTask, FrameReading

Rng = np.random.Generator


def make_noise(rng: Rng, drawn: Frame) -> Frame:
    """Return noise with grains of 1 to 40 pixels, in colour or grey, over the full range or a part of it."""
    height, width = drawn.shape[:2]
    grain = int(rng.integers(1, 41))
    low, high = sorted(rng.integers(0, 256, 2).tolist())
    shape = (-(-height // grain), -(-width // grain), int(rng.choice([1, 3])))
    small = np.broadcast_to(rng.integers(low, high + 1, shape, np.uint8), (*shape[:2], 3))
    return np.ascontiguousarray(small.repeat(grain, axis=0).repeat(grain, axis=1)[:height, :width])


def make_flat(rng: Rng, drawn: Frame) -> Frame:
    """Return one colour, often an extreme one, or a gradient between two."""
    one, other = (rng.choice([0, 128, 255, int(rng.integers(256))], 3) for _ in range(2))
    if rng.random() < 0.5:
        other = one
    share = np.linspace(0, 1, drawn.shape[1])[None, :, None]
    return np.broadcast_to(one * (1 - share) + other * share, drawn.shape).astype(np.uint8)


def warp(rng: Rng, drawn: Frame) -> Frame:
    """Return the drawn frame in a random perspective: moved, turned, mirrored, shrunk to a line, or partly outside."""
    height, width = drawn.shape[:2]
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    spread = rng.choice([0.02, 0.2, 1.0]) * np.array([width, height])
    moved = corners + rng.normal(0, 1, (4, 2)) * spread
    matrix = cv2.getPerspectiveTransform(corners, moved.astype(np.float32))
    border = [int(level) for level in rng.choice([0, 128, 255], 3)]
    return np.asarray(cv2.warpPerspective(drawn, matrix, (width, height), borderValue=border), np.uint8)


def paint_over(rng: Rng, drawn: Frame) -> Frame:
    """Return the drawn frame with rectangles, lines, circles and letters of any colour over it."""
    frame = drawn.copy()
    height, width = frame.shape[:2]
    for _ in range(int(rng.integers(1, 30))):
        x, y = int(rng.integers(width)), int(rng.integers(height))
        size, colour = int(rng.integers(1, width // 3)), [int(level) for level in rng.integers(0, 256, 3)]
        kind = rng.integers(4)
        if kind == 0:
            cv2.rectangle(frame, (x, y), (x + size, y + int(rng.integers(1, 80))), colour, -1)
        elif kind == 1:
            cv2.line(frame, (x, y), (int(rng.integers(width)), int(rng.integers(height))), colour, 1 + size // 12)
        elif kind == 2:
            cv2.circle(frame, (x, y), 1 + size // 3, colour, int(rng.choice([-1, 1, 5])))
        else:
            letter = chr(int(rng.integers(33, 127)))
            cv2.putText(frame, letter, (x, y), cv2.FONT_HERSHEY_SIMPLEX, size / 40, colour, 1 + size // 30)
    return frame


def change_colours(rng: Rng, drawn: Frame) -> Frame:
    """Return the drawn frame with random gains and offsets, some channels inverted or swapped, and noise."""
    levels = drawn[..., rng.permutation(3)].astype(np.float64)
    levels = levels * rng.normal(0, 1.5, 3) + rng.uniform(-128, 383, 3) + rng.normal(0, rng.uniform(0, 60), drawn.shape)
    return np.clip(levels, 0, 255).astype(np.uint8)


CHANGES: tuple[Callable[[Rng, Frame], Frame], ...] = (make_noise, make_flat, warp, paint_over, change_colours)


def make_mask(rng: Rng, shape: tuple[int, int]) -> Mask | None:
    """Return no mask in half of the cases; otherwise all or nothing, a window, or random pixels."""
    kind = rng.integers(6)
    if kind < 3:
        return None
    if kind == 3:
        return np.full(shape, rng.random() < 0.5)
    if kind == 4:
        return rng.random(shape) < rng.random()
    mask = np.zeros(shape, np.bool_)
    top, left = int(rng.integers(shape[0])), int(rng.integers(shape[1]))
    mask[top : top + int(rng.integers(1, shape[0])), left : left + int(rng.integers(1, shape[1]))] = True
    return mask


def make_arbitrary_frame(rng: Rng, image: Frame, time: float = 0.0) -> RegisteredFrame:
    """Return a drawn image after none, one or two changes, of which all or a part is visible."""
    for _ in range(int(rng.integers(0, 3))):
        image = CHANGES[rng.integers(len(CHANGES))](rng, image)
    return RegisteredFrame(image, time, make_mask(rng, image.shape[:2]))


def read_arbitrary_frames(task: AnyTask, puzzle: Any, seed: int, frames: int = 8) -> list[FrameReading[Any]]:
    """Read a video in which drawn frames and arbitrary ones are mixed, then check and rate its trace."""
    rng = np.random.default_rng(seed)
    reader, before, trace = task.reader(puzzle), None, []
    for i in range(frames):
        drawn = task.draw(puzzle, task.solution(puzzle, float(rng.random())))
        image = np.asarray(cv2.resize(drawn, task.reading_size(puzzle), interpolation=cv2.INTER_AREA), np.uint8)
        state = reader.read(make_arbitrary_frame(rng, image, i / 8), before)
        before = before if state is None else state
        trace.append(FrameReading(i / 8, state))
    task.check(puzzle, trace)
    for reading in trace:
        if reading.state is not None:
            assert 0.0 <= task.progress(puzzle, reading.state) <= 1.0
    return trace
