"""Similarity of images: tolerant of blur, sensitive to differences."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from drawn_scenes import SCENES, board, maze

from vmevalkit.media.similarity import compute_similarity


def small(frame: np.ndarray) -> np.ndarray:
    scale = 200 / max(frame.shape)
    size = round(frame.shape[1] * scale), round(frame.shape[0] * scale)
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_AREA), np.uint8)


def degraded(frame: np.ndarray, blur: float, noise: float, seed: int = 0) -> np.ndarray:
    soft = cv2.GaussianBlur(frame.astype(np.float32), (0, 0), blur) if blur else frame.astype(np.float32)
    grain = np.random.default_rng(seed).normal(0, noise, frame.shape) if noise else 0
    return np.clip(soft + grain, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("name", SCENES)
def test_an_image_is_similar_to_itself_and_to_no_other(name: str) -> None:
    reference = small(SCENES[name](1))
    assert compute_similarity(reference, reference) == pytest.approx(1, abs=0.01)
    assert compute_similarity(reference, degraded(reference, 1.2, 6)) > 0.8
    for seed in range(2, 8):
        assert compute_similarity(reference, small(SCENES[name](seed))) < 0.5


def test_no_image_is_similar_to_a_plain_frame() -> None:
    reference = small(maze(1))
    for level in (0, 128, 255):
        assert compute_similarity(reference, np.full_like(reference, level)) < 0.05
    noise = np.random.default_rng(0).integers(0, 256, reference.shape).astype(np.uint8)
    assert compute_similarity(reference, noise) < 0.1


def test_missing_and_added_content_both_lower_the_similarity() -> None:
    reference = small(board(3))
    changed = reference.copy()
    changed[100:140, 25:175] = 230
    assert compute_similarity(reference, changed) < 0.7
    assert compute_similarity(changed, reference) < 0.7


def test_only_the_visible_region_counts() -> None:
    reference = small(maze(1))
    covered = reference.copy()
    covered[:, :100] = 90
    assert compute_similarity(reference, covered) < 0.1
    assert compute_similarity(reference, covered, (slice(0, reference.shape[0]), slice(106, 200))) > 0.95
    assert compute_similarity(reference, covered, (slice(0, 4), slice(0, 4))) == 0
