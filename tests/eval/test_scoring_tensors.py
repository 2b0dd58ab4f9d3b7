"""Frames as torch tensors, on the real library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import vmevalkit
from vmevalkit.datasets.generate import generate

pytestmark = pytest.mark.local


def test_tensors_are_scored_like_arrays(tmp_path: Path) -> None:
    import torch

    generate(["maze"], 1, seed=3, out=tmp_path)
    [question] = vmevalkit.load_questions(tmp_path)
    task = vmevalkit.TASKS["maze"]
    puzzle = next(iter([question.metadata["puzzle"]]))
    from vmevalkit.core.jsonable import from_json

    maze = from_json(task.puzzle_type, puzzle)
    frames = np.stack([task.draw(maze, task.solution(maze, i / 35)) for i in range(36)])
    wanted = vmevalkit.score_frames(question, frames, fps=12)
    tensor = torch.from_numpy(frames).permute(0, 3, 1, 2)
    for form in (tensor, tensor.float() / 255, (tensor.float() / 255).requires_grad_(), tensor[None]):
        score = vmevalkit.score_frames(question, form, fps=12)
        assert (score[0] if isinstance(score, list) else score) == wanted
    half = vmevalkit.score_frames(question, (tensor.float() / 255).to(torch.bfloat16), fps=12)
    assert isinstance(half, vmevalkit.Score) and half.passed
