"""Videos for judges: tiny ones of a user's own questions, and real ones of every task."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from vmevalkit.core.records import Question
from vmevalkit.media.image import encode_png
from vmevalkit.media.video_writer import write_video
from vmevalkit.store.questions import load_question
from vmevalkit.tasks import TASKS
from vmevalkit.tasks.dataset import write_question
from vmevalkit.tasks.planning import plan

RED, BLUE = np.full((32, 48, 3), (200, 30, 30), np.uint8), np.full((32, 48, 3), (30, 30, 200), np.uint8)


def make_own_questions(root: Path, count: int) -> tuple[Path, Path]:
    """Return the folders of some questions of a user and of their videos. The prompts differ, the pictures do not."""
    questions, videos = root / "questions", root / "videos"
    videos.mkdir(parents=True)
    first, final, video = encode_png(RED), encode_png(BLUE), root / "one.mp4"
    write_video(video, [RED, RED, BLUE, BLUE], 8.0)
    for number in range(count):
        folder = questions / "doors_task" / f"door_{number:04d}"
        folder.mkdir(parents=True)
        (folder / "first_frame.png").write_bytes(first)
        (folder / "final_frame.png").write_bytes(final)
        (folder / "prompt.txt").write_text(f"Open door number {number}.")
        shutil.copyfile(video, videos / f"door_{number:04d}.mp4")
    return questions, videos


def make_question(root: Path, name: str, seed: int = 1) -> tuple[Question, Any]:
    """Return a question of a task on disk, and its puzzle."""
    task = TASKS[name]
    puzzle = plan(task, 1, seed, task.preset())[0]
    write_question(task, puzzle, f"{name}_0000", root, difficulty=task.default_difficulty, seed=seed)
    return load_question(root / f"{name}_task" / f"{name}_0000"), puzzle


def write_solution(question: Question, puzzle: Any, into: Path, until: float = 1.0) -> Path:
    """Write a short video of the reference solution, up to a time from 0 to 1."""
    task = TASKS[question.domain]
    times = [0.0, 0.0, *(until * step / 6 for step in range(1, 7)), until, until]
    write_video(into, [task.draw(puzzle, task.solution(puzzle, t)) for t in times], 8.0)
    return into


def plan_faults(kinds: tuple[str, ...], count: int, share: float, seed: int) -> list[str | None]:
    """Return the faults of so many calls: a share of them, at random places."""
    rng = Random(seed)
    return [rng.choice(kinds) if rng.random() < share else None for _ in range(count)]
